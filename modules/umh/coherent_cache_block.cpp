// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherent_cache_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/unlikely.h"

namespace tessera::umh {

namespace {

PayloadRules rules(const CoherentCacheBlockConfig& config) {
  PayloadRules r = PayloadRules::whole_lines(kLineBytes, config.memory_bytes);
  r.reads = PayloadRules::kinds(RequestKind::kLoad);
  r.writes =
      PayloadRules::kinds(RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kAtomic);
  r.performs_atomics = true;
  return r;
}

}  // namespace

std::vector<std::string> CoherentCacheBlockConfig::validate() const {
  std::vector<std::string> errors = timing.validate();
  require_from_one(errors, "input_depth", input_depth, 1 << 20);
  return errors;
}

void describe(StatisticsVisitor& v, CoherentAccessStats& s) {
  v.counter("loads", s.loads, "access", "line loads");
  v.counter("stores", s.stores, "access", "non-coherent line stores");
  v.counter("coherent_stores", s.coherent_stores, "access",
            "coherent line stores, with the loads that obtain exclusive access");
  v.counter("atomics", s.atomics, "access", "atomic line accesses");
  v.counter("load_hits", s.load_hits, "access", "loads that hit");
  v.counter("load_misses", s.load_misses, "access", "loads that waited for a message");
  v.counter("store_hits", s.store_hits, "access", "stores that hit");
  v.counter("fences", s.fences, "fence", "times the core's stores were made visible to all");
  v.counter("stalls_mshr", s.stalls_mshr, "access",
            "accesses whose lookup waited because every transaction was in use");
  v.counter("bytes_to_core", s.bytes_to_core, "byte", "bytes requested by lanes");
  v.waits(WaitKind::kResourceBusy, {"stalls_mshr"});
  const auto part = [&v](const char* name, Counter& field, const std::string& what) {
    v.counter(name, field, "cycle", "part of miss_latency: " + what);
  };
  part("merge_cycles", s.merge_cycles, "of accesses that waited for another access's block");
  part("l1_wait_cycles", s.l1_wait_cycles,
       "of accesses that did not wait for another access's block: until the request left");
  part("request_network_cycles", s.request_network_cycles, "until its lookup in the L2");
  part("l2_cycles", s.l2_cycles, "in the L2");
  part("snoop_cycles", s.snoop_cycles, "in the L2, for responses of other L1s");
  part("below_l2_cycles", s.below_l2_cycles, "in the L2, for the grant of the level below");
  part("response_network_cycles", s.response_network_cycles, "from the L2's grant to its lookup");
  part("unstamped_cycles", s.unstamped_cycles, "of grants without time stamps");
  v.waits(WaitKind::kOrdering, {"merge_cycles", "l1_wait_cycles"});
  v.waits(WaitKind::kNetworkTransfer, {"request_network_cycles", "response_network_cycles"});
  v.waits(WaitKind::kCoherence, {"snoop_cycles"});
  v.waits(WaitKind::kDataDependence, {"below_l2_cycles"});
  v.histogram("miss_latency", s.miss_latency, "cycle", "from a missing access's lookup to its end");
}

void describe(StatisticsVisitor& v, CoherentFlushStats& s) {
  v.counter("flushes", s.flushes, "flush", "final flushes");
  v.counter(
      "flushed_bytes", s.flushed_bytes, "byte",
      "dirty bytes that left during final flushes: in write-backs, and in responses to snoops");
  v.counter("replacements", s.replacements, "block", "blocks evicted for other blocks");
}

CoherentCacheBlock::CoherentCacheBlock(const sc_core::sc_module_name& name,
                                       const CoherentCacheBlockConfig& config,
                                       const CoherenceSite& site, bool has_core)
    : CoherenceBlock(name, config.timing, site, config.cache.mask_granularity),
      core("core", has_core ? 1 : 0),
      config_(sound(this->name(), config)),
      check_(rules(config)),
      cache_(make_cache()),
      core_port_(clock_, wake_, accesses_, config.timing.latency_cycles + config.input_depth, 0,
                 config.timing.latency_cycles - 1) {
  for (auto& socket : core) {
    socket.register_nb_transport_fw(this, &CoherentCacheBlock::forward);
    socket.register_b_transport(this, &CoherentCacheBlock::blocking);
    socket.register_transport_dbg(this, &CoherentCacheBlock::debug);
  }
}

std::unique_ptr<CoherentCache> CoherentCacheBlock::make_cache() {
  auto cache = std::make_unique<CoherentCache>(config_.cache, site_.self,
                                               static_cast<CoherenceNetwork&>(*this), site_.parents,
                                               site_.children, site_.parent_lines);
  cache->on_written = written_;
  cache->counts = &counts_;
  return cache;
}

void CoherentCacheBlock::observe_written(Written written) {
  written_ = std::move(written);
  cache_->on_written = written_;
}

void CoherentCacheBlock::end_of_elaboration() {
  CoherenceBlock::end_of_elaboration();
  if (core.size() != 0) core_port_.bind(core[0].operator->());
}

// Transport.

tlm::tlm_sync_enum CoherentCacheBlock::forward(Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  return core_port_.forward(payload, phase, delay, check_, core[0]);
}

void CoherentCacheBlock::blocking(Payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(core[0], payload)) return;
  if (untimed_ == nullptr) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  delay += to_sc_time(clock_.time_of(timing_.latency_cycles));
  untimed_->access(payload);
}

unsigned CoherentCacheBlock::debug(Payload& payload) {
  if (untimed_ == nullptr || !PayloadCheck::admits_debug(payload)) return 0;
  return untimed_->access_debug(payload);
}

// The core's accesses.

void CoherentCacheBlock::after_lookup(Tick t) {
  while (!evictions_.empty() && evictions_.front().due <= t) {
    cache_->evict(evictions_.front().line, std::move(evictions_.front().done));
    evictions_.pop_front();
  }
  const bool flushing = !sweeps_.empty() && sweeps_.front().evicts;
  sweep(t);
  look_up_access(t);
  send_to_core(t);
  const CoherentCacheEvents events = cache_->take_events();
  flush_stats_.replacements += events.replacements;
  if (flushing) flush_stats_.flushed_bytes += events.dirty_bytes;
}

void CoherentCacheBlock::look_up_access(Tick t) {
  if (access_free_at_ > t || sweeping(t) || !accesses_.due(t)) return;
  if (pending() >= timing_.transactions) {
    access_stalls_.stall(stats_.stalls_mshr, t);
    return;
  }
  access_stalls_.proceed(t);
  access_free_at_ = clock_.after(t, 1);
  Payload& payload = *accesses_.pop();
  core_port_.release();
  access(payload, t);
}

void CoherentCacheBlock::access(Payload& payload, Tick t) {
  const MemoryRequest& request = request_of(payload);
  CoherentAccess a;
  a.line = payload.get_address() / kLineBytes;
  a.mask = byte_mask_of(payload);
  a.launch = request.launch;
  switch (request.kind) {
    case RequestKind::kLoad:
      ++(request.bypass_l1 ? stats_.coherent_stores : stats_.loads);
      if (!request.bypass_l1) break;
      a.kind = CoherentAccess::Kind::kStore;
      a.mask = {};
      break;
    case RequestKind::kAtomic:
      ++stats_.atomics;
      a.kind = CoherentAccess::Kind::kAtomic;
      a.operands = request.atomics;
      break;
    default: {
      const bool coherent = request.bypass_l1 || request.kind == RequestKind::kCoherentStore;
      ++(coherent ? stats_.coherent_stores : stats_.stores);
      a.kind = coherent ? CoherentAccess::Kind::kStore : CoherentAccess::Kind::kNStore;
      if (request.carries_data) {
        std::memcpy(a.bytes.data(), payload.get_data_ptr(), kLineBytes);
      }
      break;
    }
  }
  for (CoherentAccessObserver* const o : observers_) o->on_lookup(payload);
  looked_up_ = &payload;
  cache_->access(
      a, [this, &payload, t](const CoherentAccess& result) { completed(payload, result, t); });
  looked_up_ = nullptr;
}

/// Stamps an access with the way of its own request, as slices do: what is behind the L2 is the way
/// to memory, and everything else in the L2 is before it.
void CoherentCacheBlock::stamp(MemoryRequest& request, const CoherentAccess& result) {
  if (result.requested == kNever) return;
  request.stamp(Hop::kIssued) = result.requested;
  const GrantTimes& grant = result.grant;
  if (grant.received == kNever) return;
  request.stamp(Hop::kAtLlc) = grant.received;
  request.stamp(Hop::kFromLlc) = grant.sent;
  if (grant.below == 0) return;
  request.stamp(Hop::kToDram) = grant.sent - grant.below;
  request.stamp(Hop::kFromDram) = grant.sent;
}

/// Adds the latency of a miss and its parts, which are whole cycles and add up to it.
void CoherentCacheBlock::account(const CoherentAccess& result, Tick looked_up) {
  const Tick t = now();
  stats_.miss_latency.add(clock_.cycles_in(t - looked_up));
  std::uint64_t cycle = clock_.cycle_at(looked_up);
  const auto until = [&](Tick at) {
    const std::uint64_t from = std::exchange(cycle, clock_.cycle_at(at));
    return cycle - from;
  };
  if (result.requested == kNever) {
    stats_.merge_cycles += until(t);
    return;
  }
  stats_.l1_wait_cycles += until(result.requested);
  const GrantTimes& grant = result.grant;
  if (grant.received == kNever) {
    stats_.unstamped_cycles += until(t);
    return;
  }
  stats_.request_network_cycles += until(grant.received);
  stats_.below_l2_cycles += until(grant.received + grant.below);
  stats_.snoop_cycles += until(grant.received + grant.below + grant.snoops);
  stats_.l2_cycles += until(grant.sent);
  stats_.response_network_cycles += until(t);
}

void CoherentCacheBlock::completed(Payload& payload, const CoherentAccess& result, Tick looked_up) {
  const bool hit = looked_up_ == &payload;
  const bool load = result.kind == CoherentAccess::Kind::kLoad;
  LevelCounts& counts = counts_[result.launch];
  if (load) {
    ++(hit ? stats_.load_hits : stats_.load_misses);
    ++(hit ? counts.hits : result.merged ? counts.merged : counts.misses);
  }
  if (!load && hit && payload.is_write()) ++stats_.store_hits;
  if (result.kind == CoherentAccess::Kind::kNStore && !exclusive(cache_->state(result.line))) {
    stored_.insert(result.line);
  }
  if (!hit) {
    account(result, looked_up);
    stamp(request_of(payload), result);
  }
  if (payload.is_read()) {
    const MemoryRequest& request = request_of(payload);
    stats_.bytes_to_core += request.useful_bytes;
    counts.bytes += request.useful_bytes;
    if (request.carries_data) {
      std::memcpy(payload.get_data_ptr(), result.bytes.data(), kLineBytes);
    }
  }
  if (unlikely(!observers_.empty())) {
    const CoherentOutcome outcome{hit, result.requested != kNever,
                                  hit ? 0 : clock_.cycles_in(now() - looked_up)};
    for (CoherentAccessObserver* const o : observers_) o->on_completed(payload, outcome);
  }
  core_port_.responses.queue.push(now(), 0, &payload);
}

void CoherentCacheBlock::send_to_core(Tick t) {
  while (core_port_.responses.next(clock_, t) == t) {
    const auto [payload, delay] = core_port_.responses.take(clock_, t);
    payload->set_response_status(tlm::TLM_OK_RESPONSE);
    core_port_.responses.sender.send(*payload, delay);
  }
}

// Fences, flushes and evictions.

void CoherentCacheBlock::flush() { add_sweep(false, {}, {}); }

void CoherentCacheBlock::flush(LaunchSlot launch, std::function<void()> done) {
  add_sweep(true, launch, std::move(done));
}

void CoherentCacheBlock::evict(std::uint64_t line, std::function<void()> done) {
  evictions_.push_back({clock_.after(now() + 1, 0), line, std::move(done)});
  wake_.at(evictions_.back().due);
}

void CoherentCacheBlock::add_sweep(bool evicts, LaunchSlot launch, std::function<void()> done) {
  ++(evicts ? flush_stats_.flushes : stats_.fences);
  Sweep s;
  s.due = clock_.after(now() + 1, 0);
  s.evicts = evicts;
  s.launch = launch;
  s.done = std::move(done);
  wake_.at(s.due);
  sweeps_.push_back(std::move(s));
}

void CoherentCacheBlock::sweep(Tick t) {
  if (!sweeping(t)) return;
  Sweep& s = sweeps_.front();
  if (!s.begun) begin(s);
  if (can_treat(s)) treat(s);
  if (!s.lines.empty() || s.outstanding != 0) return;
  const std::function<void()> done = std::move(s.done);
  sweeps_.pop_front();
  if (done) done();
}

void CoherentCacheBlock::begin(Sweep& s) {
  s.begun = true;
  if (s.evicts) {
    const std::vector<std::uint64_t> lines = cache_->blocks_to_flush();
    s.lines.assign(lines.begin(), lines.end());
  } else {
    s.lines.assign(stored_.begin(), stored_.end());
    std::sort(s.lines.begin(), s.lines.end());
  }
  stored_.clear();
}

bool CoherentCacheBlock::can_treat(const Sweep& s) const {
  return !s.lines.empty() && s.outstanding < timing_.transactions;
}

/// Evicts or synchronises the sweep's next line.
void CoherentCacheBlock::treat(Sweep& s) {
  const std::uint64_t line = s.lines.front();
  s.lines.pop_front();
  // An access of another cache obtains the bytes of a line that is exclusive here.
  if (!s.evicts && exclusive(cache_->state(line))) return;
  ++s.outstanding;
  // The sweep stays the first one until nothing is outstanding.
  const auto completed_line = [this] { --sweeps_.front().outstanding; };
  if (s.evicts) {
    cache_->evict(line, completed_line, s.launch);
    return;
  }
  CoherentAccess synchronise;
  synchronise.kind = CoherentAccess::Kind::kStore;
  synchronise.line = line;
  cache_->access(synchronise, [completed_line](const CoherentAccess&) { completed_line(); });
}

Tick CoherentCacheBlock::next_work(Tick t) const {
  Tick next = core_port_.responses.next(clock_, t);
  if (!sweeps_.empty()) {
    const Sweep& s = sweeps_.front();
    if (s.due > t) {
      next = std::min(next, s.due);
    } else if (!s.begun || can_treat(s)) {
      next = std::min(next, clock_.after(t, 1));
    }
  }
  if (!evictions_.empty()) next = std::min(next, evictions_.front().due);
  if (!sweeping(t) && !accesses_.empty()) {
    // Also if it cannot be looked up: a stall begins at this time, whatever else runs the process.
    const Tick ready = std::max(accesses_.next_due(), access_free_at_);
    if (pending() < timing_.transactions || ready > t) next = std::min(next, ready);
  }
  return next;
}

// Untimed accesses.

void CoherentCacheBlock::overlay(std::uint64_t address, unsigned char* bytes) {
  const std::uint64_t line = address / kLineBytes;
  cache_->overlay(line, bytes);
  for_each_message([&](const CoherenceMessage& m) { overlay_message(m, line, bytes); });
}

void CoherentCacheBlock::replace(std::uint64_t address, const unsigned char* bytes,
                                 const ByteMask& mask) {
  const std::uint64_t line = address / kLineBytes;
  cache_->replace(line, bytes, mask);
  for_each_message([&](CoherenceMessage& m) { replace_in_message(m, line, bytes, mask); });
}

// Housekeeping.

bool CoherentCacheBlock::idle() const {
  return CoherenceBlock::idle() && cache_->idle() && accesses_.empty() && sweeps_.empty() &&
         evictions_.empty() && core_port_.responses.queue.empty();
}

void CoherentCacheBlock::describe_waiting(std::vector<Waiting>& out) const {
  CoherenceBlock::describe_waiting(out);
  const std::string me = name();
  if (!accesses_.empty()) {
    out.push_back({me + ".pipeline", accesses_.size(),
                   sweeps_.empty() ? WaitKind::kResourceBusy : WaitKind::kOrdering,
                   !sweeps_.empty() ? "the end of a fence or a flush" : "a free transaction"});
  }
  if (!core_port_.responses.queue.empty()) {
    out.push_back({me + ".to_core", core_port_.responses.queue.size(), WaitKind::kQueueFull,
                   "END_RESP from the core"});
  }
  if (!sweeps_.empty()) {
    out.push_back({me + (sweeps_.front().evicts ? ".flush" : ".fence"),
                   sweeps_.front().lines.size(), WaitKind::kCoherence,
                   "acknowledgements of the parent"});
  }
}

void CoherentCacheBlock::reset() {
  CoherenceBlock::reset();
  cache_ = make_cache();
  core_port_.reset();
  access_free_at_ = 0;
  sweeps_.clear();
  evictions_.clear();
  stored_.clear();
  access_stalls_ = {};
  stats_ = {};
  flush_stats_ = {};
}

void CoherentCacheBlock::register_statistics(StatisticsRegistry& registry) const {
  CoherenceBlock::register_statistics(registry);
  register_statistics_of(registry, name(), flush_stats_);
  if (core.size() != 0) register_statistics_of(registry, name(), stats_);
}

}  // namespace tessera::umh
