// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache.h"

#include <algorithm>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {

PayloadRules rules(const L1Config& config, const AddressMap& map) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, map.geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad);
  r.writes =
      PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kAtomic);
  return r;
}
}  // namespace

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Config& config, const AddressMap& map,
                 const L1RoleSite& site)
    : BlockBase(name, config, Unvalidated{}),
      core("core"),
      memory("memory"),
      control("control"),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      map_(map),
      clock_(config.clock_hz),
      check_(rules(config, map)),
      array_(config.sets, config.ways, config.line_bytes, CacheArray::Bytes::kPerLine,
             config.replacement),
      scalar_(config.scalar_sets == 0
                  ? nullptr
                  : std::make_unique<CacheArray>(config.scalar_sets, config.scalar_ways,
                                                 config.line_bytes, CacheArray::Bytes::kPerLine,
                                                 config.replacement)),
      // mshr_targets includes the fetching load, which the entry does not hold.
      mshr_(config.mshr_entries, config.mshr_targets - 1),
      core_port_(config.latency_cycles + config.input_depth),
      probes_(array_, clock_, wake_),
      homes_(site.node_of_slice),
      own_untimed_(config.line_bytes, [this](Payload& p) { return memory->transport_dbg(p); }) {
  own_untimed_.add(*this);
  core.register_nb_transport_fw(this, &L1Cache::forward);
  core.register_b_transport(this, &L1Cache::blocking);
  core.register_transport_dbg(this, &L1Cache::debug);
  control.bind(*this);
}

void L1Cache::end_of_elaboration() {
  core_port_.bind(core.operator->());
  memory_port_.bind(memory.operator->());
}

void L1Cache::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum L1Cache::forward(Payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return core_port_.end_response(payload, delay, clock_, wake_);
  MemoryRequest* const request = check_.admit(payload, phase);
  if (unlikely(request == nullptr)) return check_.refuse(core, payload, phase);
  const Tick arrival = now() + delay.value();
  const Tick due = clock_.after(arrival, config_.latency_cycles - 1);
  pipeline_.push(due, 0, Access{&payload, request});
  // Only the head needs a wake-up. After other accesses, the head has scheduled one or is stalled.
  if (pipeline_.next_due() == due) wake_.at(std::max(due, lookup_free_at_));
  return core_port_.accept(payload, phase, delay, clock_.after(arrival, 1) - arrival);
}

/// The earliest time at which an access can be looked up.
Tick L1Cache::soonest_lookup() const {
  if (pipeline_.empty()) return clock_.after(now(), config_.latency_cycles - 1);
  return std::max(pipeline_.next_due(), lookup_free_at_);
}

// Sends.

void L1Cache::send_all(Tick t) {
  if (core_port_.responses.queue.due(t)) send_to_core(t);
  if (memory_port_.requests.queue.due(t)) send_to_memory(t);
}

/// Sends the responses that leave at t, which is now or a later edge.
void L1Cache::send_to_core(Tick t) {
  const Tick arrival = clock_.after(t, 1);
  auto& responses = core_port_.responses;
  while (responses.ready(t, arrival)) {
    Payload& payload = *responses.queue.pop();
    if (!failed(payload)) payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) {
      const MemoryRequest& request = request_of(payload);
      stats_.bytes_to_core += request.useful_bytes;
      counts_[request.launch].bytes += request.useful_bytes;
    }
    responses.sender.send(payload, arrival - now());
  }
}

void L1Cache::send_to_memory(Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  while (memory_port_.requests.ready(t, t + delay)) {
    stats_.miss_queue_wait += t - memory_port_.requests.queue.next_due();
    Payload& payload = *memory_port_.requests.queue.pop();
    request_of(payload).stamp(Hop::kIssued) = t;
    memory_port_.send(payload, delay, [&](Tick arrival) {
      memory_port_.responses.push(clock_.after(arrival, 0), 0, &payload);
    });
  }
}

void L1Cache::schedule_next(Tick t) {
  core_port_.responses.schedule_next(clock_, wake_, t);
  memory_port_.requests.schedule_next(clock_, wake_, t);
  wake_.at(memory_port_.responses.next_due());
  wake_.at(flush_at_);
  probes_.schedule_next(lookup_free_at_, t);
  // A stalled lookup is retried after a fill or after the departure of a request. Both wake the
  // process.
  if (!pipeline_.empty() && !stalled_) {
    wake_.at(std::max(pipeline_.next_due(), lookup_free_at_));
  }
}

// Housekeeping.

void L1Cache::flush() {
  flush_at_ = std::min(flush_at_, clock_.after(now() + 1, 0));
  wake_.at(flush_at_);
}

void L1Cache::drop_lines() {
  // A line that arrives at the flush or later evicts none, but the eviction has been counted when
  // the response was announced.
  if (evicts_at_ >= flush_at_) --stats_.evictions;
  evicts_at_ = 0;
  flush_at_ = kNever;
  array_.invalidate_all();
  if (scalar_) scalar_->invalidate_all();
  ++stats_.flushes;
  probes_.flushed();
  mshr_.for_each([](Misses::Entry& e) { e.keep = false; });
}

bool L1Cache::idle() const {
  return pipeline_.empty() && mshr_.empty() && memory_port_.responses.empty() &&
         core_port_.responses.queue.empty() && memory_port_.requests.queue.empty() &&
         forwarded_ == 0 && flush_at_ == kNever && probes_.due() == kNever;
}

void L1Cache::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  const auto& to_core = core_port_.responses.queue;
  const auto& to_memory = memory_port_.requests.queue;
  if (!pipeline_.empty()) {
    const WaitKind lookup_wait = !mshr_.full() && to_memory.size() >= config_.miss_queue_depth
                                     ? WaitKind::kQueueFull
                                     : WaitKind::kResourceBusy;
    out.push_back({base + "pipeline", pipeline_.size(), lookup_wait,
                   mshr_.full()                                   ? "a free MSHR"
                   : to_memory.size() >= config_.miss_queue_depth ? "room in to_memory"
                                                                  : "its line or its turn"});
  }
  if (!mshr_.empty())
    out.push_back({base + "mshr", mshr_.used(), WaitKind::kDataDependence, "lines from memory"});
  if (!to_memory.empty()) {
    out.push_back(
        {base + "to_memory", to_memory.size(), WaitKind::kQueueFull, "END_REQ from the network"});
  }
  if (!to_core.empty())
    out.push_back({base + "to_core", to_core.size(), WaitKind::kQueueFull, "END_RESP from the SM"});
  if (forwarded_ != 0) {
    out.push_back({base + "forwarded", static_cast<std::size_t>(forwarded_),
                   WaitKind::kDataDependence, "responses to stores, atomics and bypassing loads"});
  }
}

void L1Cache::reset() {
  pipeline_.clear();
  mshr_.drain([](Misses::Entry& e) {
    e.for_each_waiting([](const Access& a) {
      if (a.payload->is_write()) a.payload->release();
    });
  });
  forwarded_ = 0;
  core_port_.reset();
  memory_port_.reset();
  array_.invalidate_all();
  if (scalar_) scalar_->invalidate_all();
  stall_tracker_ = {};
  lookup_free_at_ = 0;
  flush_at_ = kNever;
  evicts_at_ = 0;
  probes_.reset();
  stalled_ = false;
  wake_.cancel();
}

}  // namespace tessera
