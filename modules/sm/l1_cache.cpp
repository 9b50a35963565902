// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "modules/core/report.h"
#include "modules/core/unlikely.h"

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

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Config& config, const AddressMap& map,
                 const L1Role& role)
    : sc_module(name),
      core("core"),
      memory("memory"),
      control("control"),
      config_(config),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      map_(map),
      clock_(config.clock_hz),
      role_(role),
      check_(rules(config, map)),
      array_(config.sets, config.ways, config.line_bytes, CacheArray::Bytes::kPerLine),
      // The load that fetches the line is one of the accesses that wait for it.
      mshr_(config.mshr_entries, config.mshr_targets - 1),
      core_in_(config.latency_cycles + config.input_depth),
      memory_in_(ResponseReceiver::kUnlimited),
      own_untimed_(config.line_bytes,
                   [this](Payload& line) { return memory->transport_dbg(line); }) {
  own_untimed_.add(*this);
  sc_assert(role.transfer_bytes == 4 || role.transfer_bytes == 8 || role.transfer_bytes == 16);
  core.register_nb_transport_fw(this, &L1Cache::fw);
  core.register_b_transport(this, &L1Cache::blocking);
  core.register_transport_dbg(this, &L1Cache::debug);
  memory.register_nb_transport_bw(this, &L1Cache::bw);
  control.bind(*this);
  wake_.bind<&L1Cache::process>(*this);
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
  array_.prefetch(line_of(payload));
  // Behind others it need not: the head has seen to that, or is held up.
  if (pipeline_.next_due() == due) wake_.at(std::max(due, lookup_free_at_));
  return core_in_.begin(payload, phase, delay, clock_.after(arrival, 1) - arrival);
}

tlm::tlm_sync_enum L1Cache::bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Tick arrival = now() + delay.value();
  memory_out_.end_request(payload, arrival);
  schedule_next(to_memory_, memory_out_, now());  // a BEGIN_RESP may stand for END_REQ
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  const Tick due = clock_.after(arrival, 0);
  const tlm::tlm_sync_enum sync = memory_in_.begin(payload, phase, delay, 0);
  if (responses_.empty() && evicts_at_ < now() && soonest_lookup() >= due) {
    // No access looks at the arrays before the line comes, so what it brings about is known now.
    // (One eviction at a time: a flush before the line comes takes it back.)
    const bool next = to_core_.empty();
    handle_response(payload, due);
    if (next) {
      send_to_core(due);
      schedule_next(to_core_, core_out_, due);
    }
    return sync;
  }
  const std::uint64_t line = line_of(payload);
  mshr_.prefetch(line);
  array_.prefetch(line);
  responses_.push(due, 0, &payload);
  wake_.at(due);
  return sync;
}

/// The earliest time at which an access may still be looked up.
Tick L1Cache::soonest_lookup() const {
  if (pipeline_.empty()) return clock_.after(now(), config_.latency_cycles - 1);
  return std::max(pipeline_.next_due(), lookup_free_at_);
}

// Processes.

void L1Cache::process() {
  const Tick t = now();
  clock_.set_current_edge(t);
  if (flush_at_ <= t) drop_lines();
  if (responses_.due(t)) handle_responses(t);
  send_all(t);
  look_up(t);
  schedule_next(t);
}

void L1Cache::handle_responses(Tick t) {
  while (responses_.due(t)) handle_response(*responses_.pop(), t);
}

/// What has come from memory, or will have at t.
void L1Cache::handle_response(Payload& payload, Tick t) {
  memory_in_.release();
  Misses::Entry* entry = mshr_.find(line_of(payload), &payload);
  if (entry != nullptr) {
    if (unlikely(failed(payload))) {
      refuse_fill(*entry);
    } else {
      fill(*entry, t);
    }
  } else {
    --forwarded_;
  }
  if (is_remote(payload) && payload.is_read()) {
    stats_.remote_latency.add(clock_.cycles_in(t - request_of(payload).stamps[at(Hop::kIssued)]));
  }
  to_core_.push(t, 0, &payload);
  if (entry != nullptr) {
    entry->for_each_waiting([&](const Access& a) {
      if (a.payload->is_read()) {
        to_core_.push(t, 0, a.payload);
      } else {
        a.payload->release();
      }
    });
    mshr_.release(*entry);
  }
}

/// The line has been refused: so are the loads that wait for it, and nothing is kept. (A store
/// travels on itself, with a status of its own.)
void L1Cache::refuse_fill(Misses::Entry& entry) {
  const Payload& payload = *entry.fetch;
  entry.for_each_waiting([&](const Access& a) {
    if (a.payload->is_read()) a.payload->set_response_status(payload.get_response_status());
  });
  if (!config_.reserve_frames || entry.passing) return;
  const std::uint64_t line = line_of(payload);
  const CacheArray::Frame f = array_.find(line, line);
  if (f == CacheArray::kNone) return;
  array_.lock(f, false);
  array_.invalidate(f);
}

/// The line has come with the load that asked for it; what waited for it takes effect on its bytes
/// in order of arrival.
void L1Cache::fill(Misses::Entry& entry, Tick t) {
  const Payload& payload = *entry.fetch;
  const MemoryRequest& request = request_of(*entry.fetch);
  account(request, t);
  const std::uint32_t came =
      request.fine_grained ? 4U * static_cast<std::uint32_t>(__builtin_popcount(entry.word_mask))
                           : config_.line_bytes;
  stats_.bytes_filled += came;
  stats_.bandwidth.add(came, t);
  const unsigned char* bytes = payload.get_data_ptr();
  // The load keeps the bytes as they came; a later store changes a copy of them.
  std::array<unsigned char, kMaxLineBytes> changed;
  entry.for_each_waiting([&](const Access& a) {
    if (!a.request->carries_data) return;
    if (a.payload->is_read()) {
      std::memcpy(a.payload->get_data_ptr(), bytes, config_.line_bytes);
      return;
    }
    if (bytes != changed.data()) {
      std::memcpy(changed.data(), bytes, config_.line_bytes);
      bytes = changed.data();
    }
    copy_masked(changed.data(), a.payload->get_data_ptr(), byte_mask_of(*a.payload),
                config_.line_bytes);
  });
  if (!entry.keep || entry.passing) return;
  const std::uint64_t line = line_of(payload);
  CacheArray::Frame f = CacheArray::kNone;
  if (config_.reserve_frames) {
    f = array_.find(line, line);
    array_.lock(f, false);
  } else {
    f = array_.victim(line);
    if (array_.occupied(f)) {
      ++stats_.evictions;
      evicts_at_ = t;
    }
    array_.install(f, line);
  }
  if (request.carries_data) std::memcpy(array_.data(f), bytes, config_.line_bytes);
}

void L1Cache::account(const MemoryRequest& request, Tick t) {
  const auto& s = request.stamps;
  const Tick issued = s[at(Hop::kIssued)];
  stats_.miss_latency.add(clock_.cycles_in(t - issued));
  if (s[at(Hop::kAtLlc)] == kNever || s[at(Hop::kFromLlc)] == kNever) return;
  stats_.request_network += s[at(Hop::kAtLlc)] - issued;
  if (s[at(Hop::kToDram)] != kNever && s[at(Hop::kFromDram)] != kNever) {
    stats_.llc += s[at(Hop::kToDram)] - s[at(Hop::kAtLlc)];
    stats_.dram += s[at(Hop::kFromDram)] - s[at(Hop::kToDram)];
    stats_.llc_return += s[at(Hop::kFromLlc)] - s[at(Hop::kFromDram)];
  } else {
    stats_.llc += s[at(Hop::kFromLlc)] - s[at(Hop::kAtLlc)];
  }
  stats_.reply_network += t - s[at(Hop::kFromLlc)];
}

void L1Cache::send_all(Tick t) {
  if (to_core_.due(t)) send_to_core(t);
  if (to_memory_.due(t)) send_to_memory(t);
}

/// Sends what leaves at t: now, or at an edge to come.
void L1Cache::send_to_core(Tick t) {
  const Tick arrival = clock_.after(t, 1);
  while (to_core_.due(t) && core_out_.free(arrival)) {
    Payload& payload = *to_core_.pop();
    if (!failed(payload)) payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read()) stats_.bytes_to_core += request_of(payload).useful_bytes;
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
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time annotated = to_sc_time(outcome.response_at - t);
    memory_in_.begin(payload, phase, annotated, 0);
    responses_.push(clock_.after(outcome.response_at, 0), 0, &payload);
  }
}

void L1Cache::look_up(Tick t) {
  stalled_ = false;
  if (lookup_free_at_ > t || !pipeline_.due(t)) return;
  if (to_memory_.size() >= config_.miss_queue_depth) {
    stall_tracker_.stall(stats_.stalls_miss_queue, t);
    stalled_ = true;
    return;
  }
  no_free_way_ = false;
  if (access(pipeline_.front(), t) == Lookup::kStalled) {
    stall_tracker_.stall(no_free_way_ ? stats_.stalls_frames : stats_.stalls_mshr, t);
    stalled_ = true;
    return;
  }
  pipeline_.pop();
  stall_tracker_.proceed(t);
  lookup_free_at_ = clock_.after(t, 1);
  core_in_.release();
  send_all(t);
}

L1Cache::Lookup L1Cache::access(const Access& a, Tick t) {
  if (role_.transfer != nullptr || role_.observer != nullptr) return access_among_gpus(a, t);
  return a.request->kind == RequestKind::kLoad ? load(a, t) : write_or_atomic(a, t);
}

L1Cache::Lookup L1Cache::load(const Access& a, Tick t) {
  if (a.request->bypass_l1) {
    ++stats_.loads;
    ++stats_.bypasses;
    forward(a, t);
    return Lookup::kForwarded;
  }
  const std::uint64_t line = line_of(*a.payload);
  if (Misses::Entry* entry = mshr_.find(line)) {
    if (!entry->keep || entry->passing || !mshr_.can_merge(*entry)) return Lookup::kStalled;
    entry->add(a);
    ++stats_.loads;
    ++stats_.load_merges;
    return Lookup::kMerged;
  }
  const CacheArray::Frame f = array_.find(line, line);
  if (f != CacheArray::kNone) {
    ++stats_.loads;
    ++stats_.load_hits;
    array_.touch(f);
    if (a.request->carries_data) {
      std::memcpy(a.payload->get_data_ptr(), array_.data(f), config_.line_bytes);
    }
    to_core_.push(t, 0, a.payload);
    return Lookup::kHit;
  }
  if (mshr_.full() || !reserve_frame(line)) return Lookup::kStalled;
  ++stats_.loads;
  ++stats_.load_misses;
  fetch(a, line, kWholeLine, false, t);
  return Lookup::kForwarded;
}

/// A frame for a line that is about to be fetched, where frames are reserved; false when every
/// frame of its set waits for a line.
bool L1Cache::reserve_frame(std::uint64_t line) {
  if (!config_.reserve_frames) return true;
  const CacheArray::Frame f = array_.victim(line);
  no_free_way_ = f == CacheArray::kNone;
  if (no_free_way_) return false;
  if (array_.occupied(f)) ++stats_.evictions;
  array_.install(f, line);
  array_.lock(f, true);
  return true;
}

/// The load itself fetches its line, or these pieces of it.
void L1Cache::fetch(const Access& a, std::uint64_t line, std::uint32_t word_mask, bool passing,
                    Tick t) {
  Misses::Entry& entry = mshr_.allocate(line);
  entry.keep = true;
  entry.passing = passing;
  entry.word_mask = word_mask;
  entry.fetch = a.payload;
  a.request->decode_home(map_, a.payload->get_address());
  to_memory_.push(t, 0, a.payload);
}

L1Cache::Lookup L1Cache::write_or_atomic(const Access& a, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  if (Misses::Entry* entry = mshr_.find_containing(line, kWholeLine)) {
    if (atomic) {
      // Its result is made elsewhere: what is being fetched is already old.
      entry->keep = false;
    } else {
      if (!mshr_.can_merge(*entry)) return Lookup::kStalled;
      a.payload->acquire();
      entry->add(a);
    }
  }
  const CacheArray::Frame f = array_.find(line, line);
  if (f != CacheArray::kNone) {
    if (atomic) {
      array_.invalidate(f);
    } else if (!array_.locked(f)) {  // else the note in the MSHR serves
      ++stats_.store_hits;
      if (a.request->carries_data) {
        copy_masked(array_.data(f), a.payload->get_data_ptr(), byte_mask_of(*a.payload),
                    config_.line_bytes);
      }
    }
  }
  ++(atomic ? stats_.atomics : stats_.stores);
  forward(a, t);
  return Lookup::kForwarded;
}

/// The access travels on as it is; its answer goes to the core.
void L1Cache::forward(const Access& a, Tick t) {
  a.request->decode_home(map_, a.payload->get_address());
  ++forwarded_;
  to_memory_.push(t, 0, a.payload);
}

/// For the head of a queue, as far as is known when it may leave.
template <class Sender>
void L1Cache::schedule_next(const TimedQueue<Payload*>& queue, const Sender& sender, Tick t) {
  if (queue.empty() || sender.free_at() == kNever) return;
  wake_.at(next_send_edge(clock_, sender, queue.next_due(), t));
}

void L1Cache::schedule_next(Tick t) {
  schedule_next(to_core_, core_out_, t);
  schedule_next(to_memory_, memory_out_, t);
  wake_.at(responses_.next_due());
  wake_.at(flush_at_);
  // A stalled lookup is tried again when a fill has come or a request has left, either of which
  // wakes the process.
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
  // A line that comes no sooner replaces none; it was counted when it was announced.
  if (evicts_at_ >= flush_at_) --stats_.evictions;
  evicts_at_ = 0;
  flush_at_ = kNever;
  array_.invalidate_all();
  ++stats_.flushes;
  mshr_.for_each([](Misses::Entry& e) { e.keep = false; });
}

bool L1Cache::idle() const {
  return pipeline_.empty() && mshr_.empty() && responses_.empty() && to_core_.empty() &&
         to_memory_.empty() && forwarded_ == 0 && flush_at_ == kNever;
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
                   "answers to stores, atomics and bypassing loads"});
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
  stall_tracker_ = {};
  lookup_free_at_ = 0;
  flush_at_ = kNever;
  evicts_at_ = 0;
  stalled_ = false;
  wake_.cancel();
}

}  // namespace tessera
