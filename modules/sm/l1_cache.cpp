// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache.h"

#include <algorithm>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {
constexpr std::size_t at(Hop h) { return static_cast<std::size_t>(h); }

PayloadRules rules(const L1Config& config, const AddressMap& map) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, map.geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad);
  r.writes =
      PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kAtomic);
  return r;
}
}  // namespace

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Config& config, const AddressMap& map)
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
      core_in_(config.latency_cycles + config.input_depth),
      memory_in_(ResponseReceiver::kUnlimited),
      probes_(array_, clock_, wake_),
      own_untimed_(config.line_bytes, [this](Payload& p) { return memory->transport_dbg(p); }) {
  own_untimed_.add(*this);
  core.register_nb_transport_fw(this, &L1Cache::fw);
  core.register_b_transport(this, &L1Cache::blocking);
  core.register_transport_dbg(this, &L1Cache::debug);
  control.bind(*this);
}

void L1Cache::end_of_elaboration() {
  core_in_.bind(core.operator->());
  core_out_.bind(core.operator->());
  memory_out_.bind(memory.operator->());
  memory_in_.bind(memory.operator->());
}

void L1Cache::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum L1Cache::fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Tick arrival = now() + delay.value();
  if (phase == tlm::END_RESP) {
    core_out_.end_response(payload, arrival);
    schedule_next(to_core_, core_out_, now());
    return tlm::TLM_COMPLETED;
  }
  MemoryRequest* const request = check_.admit(payload, phase);
  if (unlikely(request == nullptr)) return check_.refuse(core, payload, phase);
  const Tick due = clock_.after(arrival, config_.latency_cycles - 1);
  pipeline_.push(due, 0, Access{&payload, request});
  // Only the head needs a wake-up. After other accesses, the head has scheduled one or is stalled.
  if (pipeline_.next_due() == due) wake_.at(std::max(due, lookup_free_at_));
  return core_in_.begin(payload, phase, delay, clock_.after(arrival, 1) - arrival);
}

/// The earliest time at which an access can be looked up.
Tick L1Cache::soonest_lookup() const {
  if (pipeline_.empty()) return clock_.after(now(), config_.latency_cycles - 1);
  return std::max(pipeline_.next_due(), lookup_free_at_);
}

// Sends.

void L1Cache::send_all(Tick t) {
  if (to_core_.due(t)) send_to_core(t);
  if (to_memory_.due(t)) send_to_memory(t);
}

/// Sends the responses that leave at t, which is now or a later edge.
void L1Cache::send_to_core(Tick t) {
  const Tick arrival = clock_.after(t, 1);
  while (to_core_.due(t) && core_out_.free(arrival)) {
    Payload& payload = *to_core_.pop();
    if (!failed(payload)) payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) {
      const MemoryRequest& request = request_of(payload);
      stats_.bytes_to_core += request.useful_bytes;
      counts_[request.launch].bytes += request.useful_bytes;
    }
    core_out_.send(payload, arrival - now());
  }
}

void L1Cache::send_to_memory(Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  while (to_memory_.due(t) && memory_out_.free(t + delay)) {
    Payload& payload = *to_memory_.pop();
    request_of(payload).stamps[at(Hop::kIssued)] = t;
    const SendOutcome outcome = memory_out_.send(payload, delay);
    if (!outcome.responded) continue;
    memory_in_.count_early();
    responses_.push(clock_.after(outcome.response_at, 0), 0, &payload);
  }
}

void L1Cache::schedule_next(Tick t) {
  schedule_next(to_core_, core_out_, t);
  schedule_next(to_memory_, memory_out_, t);
  wake_.at(responses_.next_due());
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
  return pipeline_.empty() && mshr_.empty() && responses_.empty() && to_core_.empty() &&
         to_memory_.empty() && forwarded_ == 0 && flush_at_ == kNever && probes_.due() == kNever;
}

void L1Cache::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  if (!pipeline_.empty()) {
    out.push_back({base + "pipeline", pipeline_.size(),
                   mshr_.full()                                    ? "a free MSHR"
                   : to_memory_.size() >= config_.miss_queue_depth ? "room in to_memory"
                                                                   : "its line or its turn"});
  }
  if (!mshr_.empty()) out.push_back({base + "mshr", mshr_.used(), "lines from memory"});
  if (!to_memory_.empty()) {
    out.push_back({base + "to_memory", to_memory_.size(), "END_REQ from the network"});
  }
  if (!to_core_.empty()) out.push_back({base + "to_core", to_core_.size(), "END_RESP from the SM"});
  if (forwarded_ != 0) {
    out.push_back({base + "forwarded", static_cast<std::size_t>(forwarded_),
                   "responses to stores, atomics and bypassing loads"});
  }
}

void L1Cache::reset() {
  pipeline_.clear();
  to_core_.clear();
  responses_.clear();
  to_memory_.clear();
  mshr_.drain([](Misses::Entry& e) {
    e.for_each_waiting([](const Access& a) {
      if (a.payload->is_write()) a.payload->release();
    });
  });
  forwarded_ = 0;
  core_in_.reset();
  core_out_.reset();
  memory_out_.reset();
  memory_in_.reset();
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
