// SPDX-License-Identifier: Apache-2.0
#pragma once

// SlicePipeline's sockets, transport and scheduling. Included by modules/llc/slice_pipeline.h.

#include "modules/llc/slice_pipeline.h"

namespace tessera {

template <class Role>
SlicePipeline<Role>::SlicePipeline(const sc_core::sc_module_name& name,
                                   const LlcSliceConfig& config, const AddressMap& map,
                                   TransactionPool& pool, const SliceSite& site)
    : SliceStages(name, config, map, pool, site, Role::kMessages), role_(*this, site) {
  // The casts are needed because the sockets belong to LlcSlice, which is independent of the role.
  using Sync = tlm::tlm_sync_enum;
  using Forward = Sync (LlcSlice::*)(int, Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  using Backward = Sync (LlcSlice::*)(Payload&, tlm::tlm_phase&, sc_core::sc_time&);
  using Blocking = void (LlcSlice::*)(int, Payload&, sc_core::sc_time&);
  using Debug = unsigned (LlcSlice::*)(int, Payload&);
  using Direct = bool (LlcSlice::*)(int, Payload&, tlm::tlm_dmi&);
  for (unsigned i = 0; i < in.size(); ++i) {
    const int port = static_cast<int>(i);
    in[i].register_nb_transport_fw(this, static_cast<Forward>(&SlicePipeline::forward), port);
    in[i].register_b_transport(this, static_cast<Blocking>(&SlicePipeline::blocking), port);
    in[i].register_transport_dbg(this, static_cast<Debug>(&SlicePipeline::debug), port);
    in[i].register_get_direct_mem_ptr(this, static_cast<Direct>(&SlicePipeline::direct), port);
  }
  memory.register_nb_transport_bw(this, static_cast<Backward>(&SlicePipeline::memory_backward));
  remote.register_nb_transport_bw(this, static_cast<Backward>(&SlicePipeline::remote_backward));
  wake_.bind<&SlicePipeline::process>(*this);
}

template <class Role>
void SlicePipeline<Role>::end_of_elaboration() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].bind(in[i].operator->());
  to_memory_.bind(memory.operator->());
  if constexpr (Role::kReachesSlices) to_remote_.bind(remote.operator->());
}

template <class Role>
tlm::tlm_sync_enum SlicePipeline<Role>::forward(int port, Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  const auto p = static_cast<std::uint32_t>(port);
  if (phase == tlm::END_RESP) return inputs_[p].end_response(payload, delay, clock_, wake_);
  MemoryRequest* const admitted = check_.admit(payload, phase);
  if (unlikely(admitted == nullptr)) return check_.refuse(in[p], payload, phase);
  MemoryRequest& request = *admitted;
  const std::uint64_t address = payload.get_address();
  if (unlikely(!request.home_known(address))) request.decode_home(map_, address);
  if (unlikely(!role_.serves(request.home()))) {
    return check_.refuse(in[p], payload, phase, PayloadFault::kHome);
  }
  const Tick at = now() + delay.value();
  const Access a{&payload, &request, p};
  const Route route = role_.route(a);
  if (route == Route::kLookup) {
    request.stamps[static_cast<std::size_t>(Hop::kAtLlc)] = at;
    const Tick due = clock_.after(at, config_.latency_cycles - 1);
    TimedQueue<Access>& queue = local(a) ? lmr_ : rmr_;
    queue.push(due, p, a);
    // Only the head needs a wake-up. After other requests, the head has scheduled one or is
    // stalled.
    if (queue.next_due() == due) wake_.at(std::max(due, lookup_free_at_));
  } else {
    const Tick due = clock_.after(at, 0);
    if (route == Route::kBypass) {
      bypassing_.push(due, p, a);
    } else {
      role_.handle_message(a, due);
    }
    wake_.at(due);
  }
  return inputs_[p].accept(payload, phase, delay);
}

template <class Role>
tlm::tlm_sync_enum SlicePipeline<Role>::responded_at(Output& output, Payload& payload,
                                                     tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  const auto ended = [&] { output.requests.schedule_next(clock_, wake_, now()); };
  const auto arrived = [&](Tick at) {
    const Tick due = clock_.after(at, 0);
    output.responses.push(due, 0, &payload);
    // A BEGIN_RESP can imply END_REQ, after which the next request can be sent.
    if (&output != &to_memory_ || !output.requests.queue.empty() || !fills_can_wait()) {
      wake_.at(due);
    }
  };
  return output.backward(payload, phase, delay, ended, arrived);
}

/// Whether a fill can wait until the process runs for another reason: each response port has a
/// response that leaves before the responses to a fill could, and a fill has no other visible
/// effect (except in the statistics of a run that is cut short).
template <class Role>
bool SlicePipeline<Role>::fills_can_wait() const {
  if (stalled_ == Stall::kArrays || !Role::kFillsMayWait || flush_way_ != kNotFlushing) {
    return false;
  }
  return std::none_of(inputs_.begin(), inputs_.end(),
                      [](const Input& input) { return input.responses.queue.empty(); });
}

template <class Role>
void SlicePipeline<Role>::schedule_next(Tick t) {
  for (const Input& input : inputs_) input.responses.schedule_next(clock_, wake_, t);
  to_memory_.requests.schedule_next(clock_, wake_, t);
  if (!fills_can_wait()) wake_.at(to_memory_.responses.next_due());
  wake_.at(bypassing_.next_due());
  if constexpr (Role::kReachesSlices) {
    to_remote_.requests.schedule_next(clock_, wake_, t);
    wake_.at(to_remote_.responses.next_due());
    wake_.at(role_.next_message());
  }
  // A stalled head is retried after a response or a request has been sent, or after a fill if it
  // waits for one. These events wake the process.
  Tick head = kNever;
  for (const TimedQueue<Access>* queue : {&lmr_, &rmr_}) {
    const Tick due = queue->next_due();
    head = std::min(head, stalled_ != Stall::kNone && due <= t ? kNever : due);
  }
  if (head != kNever) wake_.at(std::max({head, lookup_free_at_, t}));
}

}  // namespace tessera
