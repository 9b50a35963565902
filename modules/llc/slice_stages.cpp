// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs, flushes and housekeeping of every slice.
#include "modules/llc/slice_stages.h"

#include <algorithm>
#include <string>
#include <utility>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace {

PayloadRules rules(const LlcSliceConfig& config, const AddressMap& map, std::uint16_t messages) {
  PayloadRules r = PayloadRules::whole_lines(config.line_bytes, map.geometry().total_bytes());
  r.reads = PayloadRules::kinds(RequestKind::kLoad, RequestKind::kFill);
  r.writes = PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore,
                                 RequestKind::kAtomic, RequestKind::kWriteBack);
  r.ignores = messages;
  r.performs_atomics = true;
  return r;
}

[[gnu::cold, gnu::noinline]] void report_lost_write(const LlcSlice& slice,
                                                    const tlm::tlm_generic_payload& payload) {
  const std::string text = std::string(slice.name()) + ": a write-back was refused with " +
                           payload.get_response_string() + "; its bytes are lost";
  SC_REPORT_ERROR("/tessera/llc/lost_write", text.c_str());
}

}  // namespace

LlcSlice::LlcSlice(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
                   const SliceSite& site)
    : BlockBase(name, config, Unvalidated{}),
      in("in", site.local_inputs + site.remote_inputs),
      memory("memory"),
      remote("remote") {}

SliceStages::SliceStages(const sc_core::sc_module_name& name, const LlcSliceConfig& config,
                         const AddressMap& map, TransactionPool& pool, const SliceSite& site,
                         std::uint16_t messages)
    : LlcSlice(name, config, site),
      line_shift_(static_cast<unsigned>(__builtin_ctz(config.line_bytes))),
      local_inputs_(site.local_inputs),
      map_(map),
      pool_(pool),
      clock_(config.clock_hz),
      observers_(site.observers),
      arbiter_(config_.arbitration.make({2})),
      check_(rules(config, map, messages)),
      array_(config.sets, config.ways, config.line_bytes, CacheArray::Bytes::kPerByte,
             config.replacement),
      mshr_(config.mshr_entries, config.mshr_targets),
      own_untimed_(config.line_bytes, [this](Payload& payload) { return debug_below(payload); }) {
  own_untimed_.add(*this);
  // The pipeline registers hold requests in addition to the queue entries.
  const std::uint32_t entries = config.latency_cycles + config.queue_depth;
  inputs_.reserve(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) inputs_.emplace_back(entries);
}

void SliceStages::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Inputs and outputs.

void SliceStages::acknowledge_write(Payload& payload) {
  if (unlikely(failed(payload))) report_lost_write(*this, payload);
  writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
  auto& awaited = walk_.awaited;
  awaited.erase(std::remove(awaited.begin(), awaited.end(), &payload), awaited.end());
  payload.release();
}

bool SliceStages::awaits(Payload& payload) {
  if (payload.is_write()) {
    return std::find(writes_.begin(), writes_.end(), &payload) != writes_.end();
  }
  return mshr_.find(line_of(payload), &payload) != nullptr;
}

void SliceStages::send_bypass(Output& output, const Access& a, Tick due, std::uint32_t tag) {
  a.request->push_route(static_cast<std::uint16_t>(a.port));
  ++outstanding_bypasses_;
  output.requests.queue.push(due, tag, a.payload);
}

void SliceStages::send(Output& output, Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  auto& requests = output.requests;
  while (requests.ready(t, t + delay)) {
    const std::uint32_t tag = requests.queue.front_port();
    Payload& payload = *requests.queue.pop();
    if (tag >= kHoldsEntry) inputs_[tag - kHoldsEntry].release();
    output.send(payload, delay, [&](Tick arrival) {
      output.responses.push(clock_.after(arrival, 0), 0, &payload);
    });
  }
}

bool SliceStages::output_backed_up() const {
  // A plain loop, because std::any_of() is unrolled four times into ten times the code.
  for (const Input& input : inputs_) {
    if (input.responses.queue.size() >= config_.response_queue_depth) return true;
  }
  return to_memory_.requests.queue.size() >= config_.memory_queue_depth;
}

SliceStages::Outcome SliceStages::stall(const Access& a, Counter& reason) {
  stall_tracker_[local(a)].stall(reason, now());
  return Outcome::kStalled;
}

// Flush.

void SliceStages::flush(LaunchSlot launch, std::function<void()> done) {
  sc_assert(mshr_.empty() && lmr_.empty() && rmr_.empty() && bypassing_.empty());
  begin_walk(launch, false, std::move(done));
}

void SliceStages::write_back_copies(LaunchSlot launch, std::function<void()> done) {
  begin_walk(launch, true, std::move(done));
}

void SliceStages::begin_walk(LaunchSlot launch, bool keeps_lines, std::function<void()> done) {
  sc_assert(flush_way_ == kNotFlushing);
  const Tick begin = clock_.after(now() + 1, 0);
  walk_ = {launch, keeps_lines, false, begin, begin, {}, std::move(done)};
  flush_way_ = 0;
  wake_.at(begin);
}

/// Visits ways up to the present cycle. Stalls if the queue to the channel is full.
void SliceStages::walk_flush(Tick t) {
  const bool all = !walk_.keeps_lines && config_.flush == FlushScope::kAll;
  const auto skips = [&](CacheArray::Way f) {
    return array_.dirty(f).none() || !(all || holds_copy(f));
  };
  while (flush_way_ < array_.all_ways()) {
    CacheArray::Way dirty = flush_way_;
    while (dirty < array_.all_ways() && skips(dirty)) ++dirty;
    walk_.at = clock_.after(walk_.at, dirty - flush_way_);
    flush_way_ = dirty;
    if (walk_.at > t || dirty == array_.all_ways()) break;
    if (to_memory_.requests.queue.size() >= config_.memory_queue_depth) {
      // The departure of a request wakes the process.
      walk_.at = clock_.after(t, 1);
      return;
    }
    write_back(dirty, walk_.launch, t);
    array_.set_dirty(dirty, ByteMask{});
    ++flush_way_;
    walk_.at = clock_.after(walk_.at, 1);
    send(to_memory_, t);
  }
  if (walk_.at > t) {
    wake_.at(walk_.at);
  } else if (flush_way_ == array_.all_ways()) {
    end_flush(t);
  }
}

/// The walk is over. Ends the flush if all write-backs are acknowledged.
void SliceStages::end_flush(Tick t) {
  if (walk_.keeps_lines) {
    if (!std::exchange(walk_.walked, true)) walk_.awaited = writes_;
    if (!walk_.awaited.empty()) return;
  } else {
    if (!writes_.empty()) return;
    if (config_.flush == FlushScope::kAll) {
      array_.invalidate_all();
      holds_copies_ = false;
    } else {
      invalidate_copies();
    }
    ++stats_.flushes;
    stats_.flush_cycles += clock_.cycle_at(t) - clock_.cycle_at(walk_.began);
  }
  flush_way_ = kNotFlushing;
  std::exchange(walk_.done, nullptr)();
}

void SliceStages::drop_copies() {
  // The process drops them before its next lookup. Until then no access can see them, so that it is
  // not woken. The copies of an earlier call can have ended before.
  if (copies_end_at_ <= now()) invalidate_copies();
  copies_end_at_ = clock_.after(now(), 1);
}

/// Drops all copies; those that are being fetched will not be kept.
void SliceStages::invalidate_copies() {
  copies_end_at_ = kNever;
  mshr_.for_each([this](Mshr<Access>::Entry& e) {
    if (holds_copy(e.way)) e.keep = false;
  });
  if (!holds_copies_) return;
  holds_copies_ = false;
  for (CacheArray::Way f = 0; f < array_.all_ways(); ++f) {
    if (holds_copy(f) && !array_.locked(f)) drop_clean_bytes(f);
  }
}

/// Keeps only the dirty bytes of a copy.
void SliceStages::drop_clean_bytes(CacheArray::Way way) {
  if (array_.dirty(way).none()) {
    array_.invalidate(way);
    return;
  }
  array_.set_valid(way, array_.dirty(way));
  holds_copies_ = true;
}

// Housekeeping.

bool SliceStages::stages_idle() const {
  return lmr_.empty() && rmr_.empty() && bypassing_.empty() && mshr_.empty() &&
         to_memory_.responses.empty() && to_remote_.responses.empty() &&
         to_memory_.requests.queue.empty() && to_remote_.requests.queue.empty() &&
         writes_.empty() && outstanding_bypasses_ == 0 && flush_way_ == kNotFlushing &&
         std::all_of(inputs_.begin(), inputs_.end(),
                     [](const Input& input) { return input.responses.queue.empty(); });
}

void SliceStages::describe_stages(const char* below, std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  const auto queue = [&](const char* what, std::size_t items, WaitKind kind,
                         const std::string& waits_for) {
    if (items != 0) out.push_back({base + what, items, kind, waits_for});
  };
  std::string blocked_by = "its turn at the arrays";
  if (mshr_.full()) blocked_by = "a free MSHR";
  const std::size_t to_memory = to_memory_.requests.queue.size();
  const bool backed_up = to_memory >= config_.memory_queue_depth;
  if (backed_up) blocked_by = "room in to_memory";
  const WaitKind lookup_wait = backed_up ? WaitKind::kQueueFull : WaitKind::kResourceBusy;
  queue("lmr", lmr_.size(), lookup_wait, blocked_by);
  queue("rmr", rmr_.size(), lookup_wait, blocked_by);
  queue("bypassing", bypassing_.size(), WaitKind::kNetworkTransfer, "its arrival");
  queue("mshr", mshr_.used(), WaitKind::kDataDependence,
        "lines from the channel or their home slice");
  queue("fills", to_memory_.responses.size(), WaitKind::kOrdering,
        "their arrival, or a response before theirs to leave");
  queue("to_memory", to_memory, WaitKind::kQueueFull, std::string("END_REQ from ") + below);
  queue("to_remote", to_remote_.requests.queue.size(), WaitKind::kQueueFull,
        "END_REQ from the network");
  queue("bypasses", static_cast<std::size_t>(outstanding_bypasses_), WaitKind::kDataDependence,
        "responses from other slices");
  queue("write_backs", writes_.size(), WaitKind::kDataDependence,
        std::string("acknowledgement from ") + below);
  if (flush_way_ != kNotFlushing) {
    queue("flush", array_.all_ways() - flush_way_, WaitKind::kOrdering,
          "room in to_memory, and a cycle for each");
  }
  for (std::size_t p = 0; p < inputs_.size(); ++p) {
    queue(("response" + std::to_string(p)).c_str(), inputs_[p].responses.queue.size(),
          WaitKind::kQueueFull, "END_RESP from " + std::string(in[p].name()) + "'s initiator");
  }
}

void SliceStages::reset_stages() {
  lmr_.clear();
  rmr_.clear();
  bypassing_.clear();
  mshr_.drain([](Mshr<Access>::Entry& e) {
    if (e.fetch != e.first().payload) e.fetch->release();
  });
  for (Payload* w : writes_) w->release();
  writes_.clear();
  for (Input& input : inputs_) input.reset();
  for (Output* output : {&to_memory_, &to_remote_}) output->reset();
  array_.invalidate_all();
  outstanding_bypasses_ = 0;
  holds_copies_ = false;
  flush_way_ = kNotFlushing;
  copies_end_at_ = kNever;
  walk_ = {};
  local_turn_ = true;
  lookup_free_at_ = 0;
  stalled_ = Stall::kNone;
  stall_tracker_ = {};
  wake_.cancel();
}

}  // namespace tessera
