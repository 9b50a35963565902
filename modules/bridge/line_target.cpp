// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/line_target.h"

#include <cstring>
#include <string>

namespace tessera {

std::uint32_t LineTokens::allocate(const LineToken& token) {
  if (free_.empty()) {
    sc_assert(tokens_.size() < most_);
    tokens_.push_back(token);
    return static_cast<std::uint32_t>(tokens_.size() - 1);
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  tokens_[id] = token;
  return id;
}

void LineTokens::release(std::uint32_t id) {
  tokens_[id] = {};
  free_.push_back(id);
}

MemoryRequest* LineTokens::find(std::uint64_t address) const {
  for (const LineToken& t : tokens_) {
    if (t.use != LineToken::Use::kFree && t.address == address) return t.request;
  }
  return nullptr;
}

void LineTokens::clear() {
  tokens_.clear();
  free_.clear();
}

LineTarget::LineTarget(const sc_core::sc_module_name& name, RtlClock& clock, std::uint32_t port,
                       std::uint32_t entries, LineRequestPins& request, LineResponsePins& response,
                       LineTokens& tokens, AtomicUnit& atomics, LineTargetOwner& owner)
    : sc_module(name),
      clock_(clock),
      port_(port),
      request_(request),
      response_(response),
      tokens_(tokens),
      atomics_(atomics),
      owner_(owner),
      receiver_(entries) {
  in.register_nb_transport_fw(this, &LineTarget::forward);
  in.register_b_transport(this, &LineTarget::blocking);
  in.register_transport_dbg(this, &LineTarget::debug);
  clock.add(*this);
}

void LineTarget::end_of_elaboration() {
  receiver_.bind(in.operator->());
  sender_.bind(in.operator->());
}

tlm::tlm_sync_enum LineTarget::forward(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    sender_.end_response(payload, at);
    clock_.timer().at(next_send_edge(clock_.clock(), sender_, now(), now()));
    return tlm::TLM_COMPLETED;
  }
  Arrival arrival{&payload, nullptr, 0};
  arrival.request = owner_.admit(port_, payload, phase, at, arrival.user);
  if (arrival.request == nullptr) return owner_.refuse(port_, payload, phase);
  const Tick due = clock_.clock().after(at, 0);
  arrivals_.push(due, 0, arrival);
  clock_.wake(due);
  return receiver_.begin(payload, phase, delay, 0);
}

void LineTarget::drive(Tick t) {
  response_.space = sender_.free(clock_.next_edge(t));
  while (!request_.valid && present_next(t)) {
  }
}

/// Presents a store of the AtomicUnit or the first request that has arrived. Returns false if there
/// is none, or if it must wait.
bool LineTarget::present_next(Tick t) {
  if (!tokens_.available()) return false;
  if (!stores_.empty()) {
    const AtomicStore& s = stores_.front();
    present({LineToken::Use::kAtomicStore, port_, nullptr, s.request, s.address, s.user}, true,
            s.mask, s.data.data());
    presents_store_ = true;
    return true;
  }
  if (!arrivals_.due(t)) return false;
  const Arrival& a = arrivals_.front();
  const std::uint64_t address = a.payload->get_address();
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  AtomicUnit::Action action = AtomicUnit::Action::kPass;
  if (!owner_.passes(a.user)) {
    action = atomics_.offer(*this, *a.payload, *a.request, a.user, address);
  }
  switch (action) {
    case AtomicUnit::Action::kHold:
      return false;
    case AtomicUnit::Action::kRead:
      present({LineToken::Use::kAtomicLoad, port_, nullptr, a.request, address, a.user}, false, {},
              nullptr);
      break;
    case AtomicUnit::Action::kTaken:
      break;
    case AtomicUnit::Action::kPass:
      present({LineToken::Use::kRequest, port_, a.payload, a.request, address, a.user},
              a.payload->is_write() && !atomic, byte_mask_of(*a.payload),
              a.payload->get_data_ptr());
      break;
  }
  arrivals_.pop();
  return true;
}

void LineTarget::present(const LineToken& token, bool write, const ByteMask& mask,
                         const unsigned char* data) {
  request_.valid = true;
  request_.write = write;
  request_.id = tokens_.allocate(token);
  request_.address = token.address;
  request_.mask = mask;
  request_.data = data;
  request_.user = token.user;
}

void LineTarget::sample(Tick) {
  if (!request_.valid || !request_.ready) return;
  taken_ = true;
  owner_.taken(request_.id);
}

void LineTarget::collect(Tick t) {
  if (taken_) {
    taken_ = false;
    request_.valid = false;
    if (presents_store_) stores_.pop_front();
    presents_store_ = false;
  }
  // A response that has been sent stays on the pins until its edge.
  if (responds_at_ > t) return;
  response_.ready = false;
  const Tick next = clock_.next_edge(t);
  if (!completed_.empty() && sender_.free(next)) {
    const Completed done = completed_.front();
    completed_.pop_front();
    done.payload->set_response_status(done.status);
    send(*done.payload, *done.request, next);
    receiver_.release();
  }
  if (!response_.valid) return;
  if (take_response(next)) {
    response_.ready = true;
    responds_at_ = next;
  } else if (sender_.free_at() != kNever) {
    clock_.timer().at(next_send_edge(clock_.clock(), sender_, t, t));
  }
}

/// Forwards the response on the pins, which transfers at the edge `next`. Returns false if it must
/// wait.
bool LineTarget::take_response(Tick next) {
  const std::uint32_t id = response_.id;
  if (!tokens_.known(id)) {
    report_unknown(id);
    return true;
  }
  const LineToken token = tokens_[id];
  if (token.port != port_) {
    report_unknown(id);
    return true;
  }
  if (token.use == LineToken::Use::kAtomicLoad) {
    tokens_.release(id);
    atomics_.loaded(token.address, response_.error ? nullptr : response_.data);
    return true;
  }
  if (token.use == LineToken::Use::kAtomicStore) {
    tokens_.release(id);
    atomics_.stored(token.address, response_.error);
    return true;
  }
  if (!sender_.free(next)) return false;
  tokens_.release(id);
  Payload& payload = *token.payload;
  if (!payload.is_read()) {
    if (!owner_.passes(token.user)) atomics_.acknowledged(token.address);
  } else if (!response_.error) {
    std::memcpy(payload.get_data_ptr(), response_.data, payload.get_data_length());
  }
  payload.set_response_status(response_.error ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                              : tlm::TLM_OK_RESPONSE);
  send(payload, *token.request, next);
  return true;
}

void LineTarget::send(Payload& payload, MemoryRequest& request, Tick arrival) {
  owner_.departing(payload, request, arrival);
  sender_.send(payload, arrival - now());
}

void LineTarget::report_unknown(std::uint32_t id) const {
  const std::string text = std::string(name()) + ": a response has the id " + std::to_string(id) +
                           ", which no request of this port has";
  SC_REPORT_ERROR("/tessera/bridge/line", text.c_str());
}

bool LineTarget::quiet() const {
  return !request_.valid && stores_.empty() && completed_.empty() && arrivals_.empty() &&
         responds_at_ <= now();
}

bool LineTarget::idle() const { return quiet() && receiver_.used() == 0; }

void LineTarget::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  const std::size_t requests = arrivals_.size() + (request_.valid ? 1 : 0);
  if (requests != 0)
    out.push_back({base + "requests", requests, WaitKind::kQueueFull, "READY of the RTL block"});
  if (!stores_.empty()) {
    out.push_back({base + "stores of atomics", stores_.size(), WaitKind::kQueueFull,
                   "READY of the RTL block"});
  }
  if (sender_.waiting_for() != nullptr) {
    out.push_back({base + "response", 1, WaitKind::kQueueFull, "END_RESP from the initiator"});
  }
}

void LineTarget::reset() {
  receiver_.reset();
  sender_.reset();
  arrivals_.clear();
  stores_.clear();
  completed_.clear();
  request_ = {};
  response_ = {};
  taken_ = presents_store_ = false;
  responds_at_ = 0;
}

}  // namespace tessera
