// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_target.h"

#include <algorithm>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"

namespace tessera::test {

struct ScriptedTarget::Port final : tlm::tlm_fw_transport_if<> {
  Port(ScriptedTarget& o, unsigned i) : owner(o), index(i) {}

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return owner.forward(*this, payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    delay += to_sc_time(owner.config_.latency);
    owner.perform(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    owner.perform(payload);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  ScriptedTarget& owner;
  unsigned index;
  ResponseSender sender;
  /// Begun, without BEGIN_RESP yet: these occupy room.
  std::size_t held = 0;
  /// The request whose END_REQ is due at `end_req_at` (kNever: when an entry is freed, or with
  /// its response).
  tlm::tlm_generic_payload* withheld = nullptr;
  bool implied = false;
  Tick end_req_at = 0;
  TimedQueue<tlm::tlm_generic_payload*> responses;
  /// Response sent, END_RESP awaited.
  std::vector<tlm::tlm_generic_payload*> ending;
};

ScriptedTarget::ScriptedTarget(sc_core::sc_module_name name, const ScriptedTargetConfig& config)
    : sc_module(name), sockets("socket", config.ports), config_(config), random_(config.seed) {
  for (unsigned i = 0; i < config.ports; ++i) {
    ports_.push_back(std::make_unique<Port>(*this, i));
    sockets[i].bind(*ports_[i]);
  }
  wake_.bind<&ScriptedTarget::work>(*this);
}

ScriptedTarget::~ScriptedTarget() = default;

void ScriptedTarget::end_of_elaboration() {
  for (auto& p : ports_) p->sender.bind(sockets[p->index].operator->());
}

unsigned char ScriptedTarget::initial_byte(std::uint64_t address) {
  const std::uint64_t mixed = (address + 1) * 0x9E3779B97F4A7C15U;
  return static_cast<unsigned char>((mixed >> 56) | 1U);
}

unsigned char ScriptedTarget::byte(std::uint64_t address) const {
  const auto found = memory_.find(address);
  return found == memory_.end() ? initial_byte(address) : found->second;
}

std::size_t ScriptedTarget::outstanding() const {
  std::size_t n = 0;
  for (const auto& p : ports_) n += p->held + p->ending.size();
  return n;
}

void ScriptedTarget::perform(tlm::tlm_generic_payload& payload) {
  payload.set_response_status(status_of ? status_of(payload.get_address()) : tlm::TLM_OK_RESPONSE);
  if (payload.is_response_error()) return;
  if (access) {
    access(payload);
    return;
  }
  const unsigned length = payload.get_data_length();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  for (unsigned i = 0; i < length; ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
    const std::uint64_t address = payload.get_address() + i;
    if (payload.is_write()) memory_[address] = payload.get_data_ptr()[i];
    if (payload.is_read()) payload.get_data_ptr()[i] = byte(address);
  }
}

void ScriptedTarget::arrive_until(Tick t) {
  while (arriving_.due(t)) {
    const Tick at = arriving_.next_due();
    const std::uint32_t port = arriving_.front_port();
    arrive(port, *arriving_.pop(), at);
  }
}

void ScriptedTarget::arrive(unsigned port, tlm::tlm_generic_payload& payload, Tick at) {
  Arrival a;
  a.port = port;
  a.at = at;
  a.command = payload.get_command();
  a.address = payload.get_address();
  a.mask = byte_mask_of(payload);
  if (payload.is_write()) {
    a.data.assign(payload.get_data_ptr(), payload.get_data_ptr() + payload.get_data_length());
  }
  if (const MemoryRequest* request = payload.get_extension<MemoryRequest>()) a.request = *request;
  arrivals_.push_back(std::move(a));
  perform(payload);
}

tlm::tlm_sync_enum ScriptedTarget::forward(Port& port, tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin(port, payload, phase, delay);
  // END_RESP
  const Tick at = now() + delay.value();
  port.sender.end_response(payload, at);
  const auto found = std::find(port.ending.begin(), port.ending.end(), &payload);
  if (found == port.ending.end()) {
    SC_REPORT_ERROR(report::kProtocol, "END_RESP for a transaction without BEGIN_RESP");
    return tlm::TLM_COMPLETED;
  }
  port.ending.erase(found);
  payload.release();
  if (!port.responses.empty()) wake_.at(now() + 1);
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum ScriptedTarget::begin(Port& port, tlm::tlm_generic_payload& payload,
                                         tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Tick current = now();
  const Tick arrival = current + delay.value();
  RequestStyle style = config_.style;
  if (style == RequestStyle::kRandom) style = static_cast<RequestStyle>(random_() % 5);
  Tick latency = config_.latency;
  if (config_.random_latency != 0) latency += random_() % config_.random_latency;

  Tick ready = std::max(arrival + config_.occupancy, stall_until_);
  if (config_.stall_probability > 0 && config_.random_stall != 0 &&
      static_cast<double>(random_() % 1'000'000) < config_.stall_probability * 1e6) {
    ready += random_() % config_.random_stall;
  }
  const Tick response = std::max(ready, arrival + latency + config_.response_delay);
  const bool channel_free = port.sender.free(response) && port.responses.empty();

  if (style == RequestStyle::kComplete || (style == RequestStyle::kRespondAtOnce && channel_free)) {
    arrive_until(arrival);  // what is on its way comes first
    arrive(port.index, payload, arrival);
    delay = to_sc_time(response - current);
    if (style == RequestStyle::kComplete) return tlm::TLM_COMPLETED;
    payload.acquire();
    port.ending.push_back(&payload);
    port.sender.begin_on_return_path(payload, response);
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  }

  payload.acquire();
  ++port.held;
  arriving_.push(arrival, port.index, &payload);
  wake_.at(arrival);
  const bool full = port.held >= config_.capacity;
  // A response does not overtake its END_REQ.
  port.responses.push(std::max(arrival + latency, ready), 0, &payload);
  if (style == RequestStyle::kEarlyEndReq && !full && stall_until_ <= arrival) {
    phase = tlm::END_REQ;
    delay = to_sc_time(ready - current);
    return tlm::TLM_UPDATED;
  }
  port.withheld = &payload;
  port.implied = style == RequestStyle::kImpliedEndReq;
  port.end_req_at =
      style == RequestStyle::kLateEndReq ? std::max(ready, arrival + config_.end_req_after) : ready;
  if (!port.implied) wake_.at(port.end_req_at);
  return tlm::TLM_ACCEPTED;
}

void ScriptedTarget::work() {
  const Tick t = now();
  // Order of arrival first: memory is read and written when a request arrives.
  arrive_until(t);
  for (auto& p : ports_) {
    respond(*p, t);
    end_request(*p, t);
  }
  wake_.at(arriving_.next_due());
}

void ScriptedTarget::respond(Port& port, Tick t) {
  while (!port.responses.empty()) {
    const Tick free = port.sender.free_at();
    const Tick start = free == kNever
                           ? kNever
                           : std::max({port.responses.next_due(), port.sender.usable_from(),
                                       free - std::min(free, config_.response_delay)});
    if (start > t) {
      wake_.at(start);
      return;
    }
    tlm::tlm_generic_payload& payload = *port.responses.front();
    if (port.withheld == &payload) {
      // BEGIN_RESP stands for END_REQ when it comes before it; a stall delays both.
      if (port.end_req_at > t) {
        wake_.at(port.end_req_at);
        return;
      }
      if (!port.implied) end_request(port, t);
      port.withheld = nullptr;
    }
    port.responses.pop();
    --port.held;
    port.ending.push_back(&payload);
    port.sender.send(payload, config_.response_delay);
    const auto ended = std::find(port.ending.begin(), port.ending.end(), &payload);
    if (port.sender.waiting_for() != &payload && ended != port.ending.end()) {
      port.ending.erase(ended);
      payload.release();
    }
  }
}

void ScriptedTarget::end_request(Port& port, Tick t) {
  if (port.withheld == nullptr || port.implied) return;
  if (port.end_req_at > t) {
    wake_.at(port.end_req_at);
    return;
  }
  // A full port waits until a response frees an entry, except for the one about to leave.
  if (port.held > config_.capacity - 1 && port.responses.front() != port.withheld) return;
  tlm::tlm_generic_payload& payload = *port.withheld;
  port.withheld = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  sockets[port.index]->nb_transport_bw(payload, phase, delay);
}

void ScriptedTarget::reset() {
  for (auto& p : ports_) {
    while (!p->responses.empty()) p->responses.pop()->release();
    for (tlm::tlm_generic_payload* x : p->ending) x->release();
    p->ending.clear();
    p->held = 0;
    p->withheld = nullptr;
    p->sender.reset();
  }
  arriving_.clear();
  wake_.cancel();
}

}  // namespace tessera::test
