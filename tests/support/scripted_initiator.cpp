// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_initiator.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"

namespace tessera::test {

struct ScriptedInitiator::Port final : tlm::tlm_bw_transport_if<> {
  Port(ScriptedInitiator& o, unsigned i) : owner(o), index(i) {}

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return owner.backward(*this, payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  ScriptedInitiator& owner;
  unsigned index;
  RequestSender sender;
  std::deque<std::size_t> waiting;
  std::vector<Transaction*> in_flight;
};

ScriptedInitiator::ScriptedInitiator(sc_core::sc_module_name name, TransactionPool& pool,
                                     const ScriptedInitiatorConfig& config)
    : sc_module(name),
      sockets("socket", config.ports),
      pool_(pool),
      config_(config),
      random_(config.seed) {
  for (unsigned i = 0; i < config.ports; ++i) {
    ports_.push_back(std::make_unique<Port>(*this, i));
    sockets[i].bind(*ports_[i]);
  }
  wake_.bind<&ScriptedInitiator::work>(*this);
}

ScriptedInitiator::~ScriptedInitiator() = default;

void ScriptedInitiator::end_of_elaboration() {
  for (auto& p : ports_) p->sender.bind(sockets[p->index].operator->());
}

std::size_t ScriptedInitiator::add(ScriptedRequest request) {
  const std::size_t i = script_.size();
  ports_.at(request.port)->waiting.push_back(i);
  script_.push_back(std::move(request));
  results_.emplace_back();
  wake_.at(std::max(now(), script_[i].at));
  return i;
}

std::size_t ScriptedInitiator::load(Tick at, std::uint64_t address, unsigned bytes, unsigned port) {
  ScriptedRequest r;
  r.at = at;
  r.port = port;
  r.address = address;
  r.bytes = bytes;
  r.mask = ByteMask::first(bytes);
  return add(std::move(r));
}

std::size_t ScriptedInitiator::store(Tick at, std::uint64_t address,
                                     std::vector<unsigned char> data, ByteMask mask,
                                     unsigned port) {
  ScriptedRequest r;
  r.at = at;
  r.port = port;
  r.command = tlm::TLM_WRITE_COMMAND;
  r.address = address;
  r.bytes = static_cast<unsigned>(data.size());
  r.mask = mask & ByteMask::first(r.bytes);
  r.data = std::move(data);
  return add(std::move(r));
}

void ScriptedInitiator::send_as_fast_as_possible(std::vector<ScriptedRequest> list) {
  for (ScriptedRequest& r : list) {
    r.at = 0;
    add(std::move(r));
  }
}

void ScriptedInitiator::work() {
  const Tick t = now();
  while (endings_.due(t)) {
    const Ending e = endings_.pop();
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    sockets[e.port]->nb_transport_fw(*e.transaction, phase, delay);
    finish(*ports_[e.port], *e.transaction);
  }
  for (auto& p : ports_) send(*p, t);
  wake_.at(endings_.next_due());
}

void ScriptedInitiator::send(Port& port, Tick t) {
  while (!port.waiting.empty()) {
    const std::size_t i = port.waiting.front();
    ScriptedRequest& r = script_[i];
    if (config_.max_outstanding != 0 && port.in_flight.size() >= config_.max_outstanding) return;
    const Tick free = port.sender.free_at();
    if (free == kNever) return;
    const Tick start =
        std::max({r.at, port.sender.usable_from(), free - std::min(free, config_.request_delay)});
    if (start > t) {
      wake_.at(start);
      return;
    }
    port.waiting.pop_front();
    Transaction& x = pool_.acquire();
    x.set_line(r.command, r.address, r.bytes);
    x.set_byte_mask(r.mask);
    if (r.command == tlm::TLM_WRITE_COMMAND) {
      std::fill_n(x.data(), r.bytes, static_cast<unsigned char>(0));
      std::copy_n(r.data.begin(), std::min<std::size_t>(r.data.size(), r.bytes), x.data());
    }
    MemoryRequest& request = x.request();
    request.kind = r.command == tlm::TLM_WRITE_COMMAND ? RequestKind::kStore : RequestKind::kLoad;
    request.carries_data = true;
    request.useful_bytes = static_cast<std::uint16_t>((r.mask & ByteMask::first(r.bytes)).count());
    request.tag = static_cast<std::uint32_t>(i);
    request.set_home(Home(SliceId(0)), r.address);
    if (r.prepare) r.prepare(x);

    results_[i].begin_req = t;
    port.in_flight.push_back(&x);
    ++open_;
    x.acquire();  // a target that responds within the call may look at the payload after it
    const SendOutcome outcome = port.sender.send(x, config_.request_delay);
    if (port.sender.waiting_for() == nullptr && results_[i].end_req == kNever) {
      results_[i].end_req = port.sender.free_at();
    }
    if (outcome.responded) {
      note_response(x, outcome.response_at);
      results_[i].end_resp = outcome.response_at;
      finish(port, x);
    }
    x.release();
  }
}

tlm::tlm_sync_enum ScriptedInitiator::backward(Port& port, tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  auto& x = static_cast<Transaction&>(payload);
  if (std::find(port.in_flight.begin(), port.in_flight.end(), &x) == port.in_flight.end()) {
    FAIL_CHECK(name() << ": a phase came for a transaction that is not in flight on this port");
    return tlm::TLM_ACCEPTED;
  }
  ScriptedResult& result = results_[x.request().tag];
  if (result.end_req == kNever) result.end_req = at;
  port.sender.end_request(payload, at);
  if (!port.waiting.empty()) wake_.at(now() + 1);
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;

  note_response(payload, at);
  ResponseStyle style = config_.style;
  Tick end = std::max(at + config_.end_resp_after, stall_until_);
  if (style == ResponseStyle::kRandom) {
    style = static_cast<ResponseStyle>(random_() % 3);
    if (config_.random_stall != 0) end += random_() % config_.random_stall;
  }
  if (stall_until_ > at) style = ResponseStyle::kAccepted;
  result.end_resp = end;
  if (style == ResponseStyle::kAccepted) {
    endings_.push(end, port.index, {&x, port.index});
    wake_.at(end);
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_RESP;
  delay = to_sc_time(end - now());
  finish(port, x);
  return style == ResponseStyle::kUpdated ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
}

void ScriptedInitiator::note_response(tlm::tlm_generic_payload& payload, Tick at) {
  auto& x = static_cast<Transaction&>(payload);
  const std::size_t i = x.request().tag;
  ScriptedResult& result = results_[i];
  result.begin_resp = at;
  result.status = payload.get_response_status();
  result.request = x.request();
  if (payload.is_read()) {
    result.data.assign(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  }
  if (++result.responses == 1) order_.push_back(i);
  if (on_response) on_response(i);
}

// The target may still read the payload when a call that finishes it returns: the caller of
// nb_transport_bw holds its own reference if it needs one.
void ScriptedInitiator::finish(Port& port, Transaction& transaction) {
  port.in_flight.erase(std::find(port.in_flight.begin(), port.in_flight.end(), &transaction));
  --open_;
  if (config_.max_outstanding != 0 && !port.waiting.empty()) wake_.at(now());
  transaction.release();
}

void ScriptedInitiator::reset() {
  for (auto& p : ports_) {
    for (Transaction* x : p->in_flight) x->release();
    p->in_flight.clear();
    p->waiting.clear();
    p->sender.reset();
  }
  endings_.clear();
  open_ = 0;
  script_.clear();
  results_.clear();
  order_.clear();
  wake_.cancel();
}

}  // namespace tessera::test
