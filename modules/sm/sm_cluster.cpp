// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_cluster.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

SmCluster::SmCluster(const sc_core::sc_module_name& name, const SmConfig& config,
                     TransactionPool& pool, SmId id, unsigned sm_count, const PageLookupIf* pages)
    : BlockBase(name, config, Unvalidated{}),
      l1("l1"),
      mmu("mmu"),
      l1_control("l1_control"),
      dispatcher("dispatcher"),
      ctas("ctas"),
      clock_(config.clock_hz),
      id_(id),
      sm_count_(sm_count),
      lsu_(config_, clock_, pool, id, pages, [this](const WarpAccess& a) { return place_of(a); }),
      warps_(config.max_warps),
      scheduling_(config.warp_scheduler.make({config.schedulers})),
      schedulers_(config.schedulers),
      cta_slots_(config.max_ctas) {
  l1.register_nb_transport_bw(this, &SmCluster::l1_backward);
  mmu.register_nb_transport_bw(this, &SmCluster::mmu_backward);
  ctas.bind(*this);
  for (std::uint32_t slot = 0; slot < config_.max_warps; ++slot) {
    schedulers_[slot % config_.schedulers].mine |= WarpTable::bit(slot);
  }
  wake_.bind<&SmCluster::process>(*this);
}

void SmCluster::end_of_elaboration() { lsu_.bind(l1.operator->(), mmu.operator->()); }

void SmCluster::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport and control.

tlm::tlm_sync_enum SmCluster::l1_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  prefetch(&warps_[request_of(payload).warp], 2);
  const Tick response = phase == tlm::END_REQ ? kNever : now() + delay.value();
  const tlm::tlm_sync_enum sync = lsu_.l1_backward(payload, phase, delay);
  wake_for(response);
  return sync;
}

tlm::tlm_sync_enum SmCluster::mmu_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const Tick response = phase == tlm::END_REQ ? kNever : now() + delay.value();
  const tlm::tlm_sync_enum sync = lsu_.mmu_backward(payload, phase, delay);
  wake_for(response);
  return sync;
}

/// Schedules the process for a response that arrives at `response`, or (kNever) after a channel's
/// END. A queued request can be sent early by its own transit time, so that it arrives when the
/// channel is free.
void SmCluster::wake_for(Tick response) {
  wake_.at(response == kNever ? lsu_.next_work(now()) : clock_.after(response, 0));
}

std::string SmCluster::place_of(const WarpAccess& a) const {
  const Warp& w = warps_[a.warp];
  if (w.age == a.warp_age && w.program != nullptr) return w.program->place_of(a.pc);
  std::string ended = ended_.place_of(a.warp_age, a.pc);
  if (!ended.empty()) return ended;
  return std::string(name()) + ", a warp that has ended, line " + std::to_string(a.op->line);
}

// The process.

void SmCluster::process() {
  const Tick t = now();
  const std::uint64_t cycle = clock_.cycle_at(t);
  warps_.set_current_cycle(cycle);
  if (cycle > accounted_cycle_ + 1) account_until(cycle - 1);
  try {
    step(cycle, t);
  } catch (...) {
    dispatcher->kernel_failed(id_, std::current_exception());
    return;
  }
  cycle_ = accounted_cycle_ = cycle;
  const std::uint64_t next = next_cycle(cycle);
  if (next != WarpTable::kNever) wake_.at(clock_.time_of(next));
  wake_.at(starts_.next_due());
  const Tick lsu = lsu_.next_work(t);
  if (lsu != kNever) wake_.at(std::max(lsu, lsu <= t ? clock_.time_of(cycle + 1) : lsu));
  wake_.at(open_at_);
  if (unlikely(static_cast<bool>(drained_))) {
    if (close_at_ > t) wake_.at(close_at_);
    if (close_at_ <= t && lsu_.idle()) std::exchange(drained_, nullptr)();
  }
}

void SmCluster::quiesce(std::function<void()> drained) {
  drained_ = std::move(drained);
  close_at_ = clock_.after(now() + 1, 0);
  wake_.at(close_at_);
}

void SmCluster::resume() {
  // Translations can be invalidated now, because no access uses them before the next edge: the
  // load/store unit is closed or (at a kernel's end) no warp is resident.
  lsu_.invalidate_translations();
  close_at_ = kNever;
  open_at_ = clock_.after(now() + 1, 0);
  wake_.at(open_at_);
}

void SmCluster::step(std::uint64_t cycle, Tick t) {
  if (open_at_ <= t) {
    lsu_.close(false);
    open_at_ = kNever;
  }
  if (close_at_ <= t) lsu_.close(true);
  // The process can run twice at one edge (an END_REQ that takes effect at once). Warps issue only
  // in the first run.
  const bool again = cycle == cycle_ && cycle != 0;
  while (starts_.due(t)) admit(starts_.pop(), cycle);
  lsu_.run(t);
  if (const FirstLoad& load = lsu_.first_load(); waits_.since != kNever && load.stages) {
    load.stages->add_since(waits_.since, clock_, waits_);
    if (unlikely(lsu_.observer() != nullptr)) {
      lsu_.observer()->on_stall(load.launch, load.pc, t - waits_.since);
    }
    // The warps can wait for further loads.
    waits_.since = t;
    lsu_.first_load().arm();
  }
  handle_completed(cycle);
  if (unlikely(!releases_.empty())) handle_releases();
  if (again) return;
  warps_.advance(cycle_);
  for (Scheduler& s : schedulers_) {
    if (issue_from(s, cycle, t)) ++stats_.issued_slots;
  }
  lsu_.run(t);
}

void SmCluster::handle_completed(std::uint64_t cycle) {
  while (WarpAccess* a = lsu_.next_completed()) {
    Warp& w = warps_[a->warp];
    prefetch(w.program);
    // A store's warp can have ended, and its slot can belong to another warp.
    const bool alive = w.age == a->warp_age && w.program != nullptr;
    const std::uint32_t cta = w.cta;
    const LaunchSlot launch = a->launch;
    const bool result = a->has_result;
    if (unlikely(a->asynchronous)) {
      w.program->complete({a->pc, 0, a->copy},
                          a->values_done ? nullptr : a->details->values.data());
      --cta_slots_[cta].loads;
    } else if (result) {
      if (!a->values_done) {
        w.program->complete({a->pc, a->details->memory.active, 0}, a->details->values.data());
      }
      --w.loads;
      --cta_slots_[cta].loads;
      for (unsigned i = 0; i < a->op->write_count; ++i) {
        const std::uint16_t reg = a->op->registers[a->op->read_count + i];
        for (Warp::PendingWrite& p : w.pending) {
          if (p.reg == reg && p.ready == WarpTable::kNever) p.ready = cycle;
        }
      }
    } else {
      if (alive) --w.stores;
      launches_.remove_store(launch);
    }
    const bool ends_cta = result || a->asynchronous;
    lsu_.free_access(*a);
    if (alive && w.next != nullptr && w.ready_cycle == WarpTable::kNever &&
        !warps_.is_parked(a->warp)) {
      warps_.find_ready(a->warp, cycle);
    }
    if (ends_cta) cta_maybe_done(cta);
    maybe_drained(launch);
  }
}

// Issue.

std::uint64_t SmCluster::issuable_fences() const {
  std::uint64_t slots = 0;
  for (std::uint64_t left = warps_.ready_for(Unit::kFence); left != 0; left &= left - 1) {
    const std::uint32_t slot = WarpTable::first(left);
    if (warps_[slot].stores == 0 && warps_[slot].loads == 0) slots |= WarpTable::bit(slot);
  }
  return slots;
}

/// Slots whose operation of Unit::kWait can issue.
std::uint64_t SmCluster::issuable_waits(std::uint64_t cycle) const {
  std::uint64_t slots = 0;
  for (std::uint64_t left = warps_.ready_for(Unit::kWait); left != 0; left &= left - 1) {
    const std::uint32_t slot = WarpTable::first(left);
    const Warp& w = warps_[slot];
    const bool limit_over =
        cycle >= w.ready_cycle + config_.wait_limit && w.program->wait_is_limited();
    if (limit_over || w.program->wait_ended()) slots |= WarpTable::bit(slot);
  }
  return slots;
}

/// The next cycle in which a limited wait ends by itself.
std::uint64_t SmCluster::next_wait_limit(std::uint64_t cycle) const {
  std::uint64_t next = WarpTable::kNever;
  for (std::uint64_t left = warps_.ready_for(Unit::kWait); left != 0; left &= left - 1) {
    const Warp& w = warps_[WarpTable::first(left)];
    if (w.program->wait_is_limited()) next = std::min(next, w.ready_cycle + config_.wait_limit);
  }
  return next == WarpTable::kNever ? next : std::max(next, cycle + 1);
}

bool SmCluster::issue_from(Scheduler& s, std::uint64_t cycle, Tick t) {
  if ((warps_.ready() & s.mine) == 0) {
    ++(stats_.*lost_slots());
    return false;
  }
  std::uint64_t usable = warps_.ready_for(Unit::kBarrier) | warps_.ready_for(Unit::kExit);
  for (unsigned u = 0; u < kUnits; ++u) {
    usable |= s.unit_free[u] <= cycle ? warps_.ready_for(u) : 0;
  }
  if (lsu_.can_take() && shared_free_ <= cycle) usable |= warps_.ready_for(Unit::kMemory);
  usable |= issuable_fences();
  if (warps_.ready_for(Unit::kWait) != 0) usable |= issuable_waits(cycle);
  usable &= s.mine;
  if (usable == 0) {
    const bool only_waits = (warps_.ready() & ~warps_.ready_for(Unit::kWait) & s.mine) == 0;
    ++(only_waits ? stats_.memory_slots : stats_.structural_slots);
    return false;
  }
  const auto which = static_cast<std::uint32_t>(&s - schedulers_.data());
  s.last = scheduling_->choose({usable, s.last, which, warps_});
  sc_assert((usable & WarpTable::bit(s.last)) != 0);
  issue(s, s.last, cycle, t);
  return true;
}

void SmCluster::issue(Scheduler& s, std::uint32_t slot, std::uint64_t cycle, Tick t) {
  Warp& w = warps_[slot];
  const OpInfo& op = *w.next;
  warps_.issue(slot);
  waits_.since = kNever;
  IssueResult result;
  w.program->issue(IssueContext{cycle, id_.value, slot, sm_count_}, result);
  ++stats_.warp_instructions;
  launches_.count_instruction(w.launch);
  stats_.thread_instructions += static_cast<unsigned>(__builtin_popcount(result.active));

  static constexpr std::uint32_t SmConfig::*kLatency[kUnits] = {
      &SmConfig::alu_latency, &SmConfig::int_mul_latency, &SmConfig::fp64_latency,
      &SmConfig::sfu_latency};
  static constexpr std::uint32_t SmConfig::*kInterval[kUnits] = {
      &SmConfig::alu_interval, &SmConfig::int_mul_interval, &SmConfig::fp64_interval,
      &SmConfig::sfu_interval};
  const auto unit = static_cast<unsigned>(op.unit);
  if (unit < kUnits) {
    const std::uint64_t busy = std::uint64_t{config_.*kInterval[unit]} * op.cost;
    s.unit_free[unit] = cycle + busy;
    warps_.write_pending(w, op, cycle + busy - config_.*kInterval[unit] + config_.*kLatency[unit]);
  }
  switch (result.kind) {
    case IssueResult::Kind::kCompute:
      if (unit >= kUnits) warps_.write_pending(w, op, cycle + config_.alu_latency);
      break;
    case IssueResult::Kind::kMemory:
      memory_issued(slot, op, result.memory, cycle, t);
      break;
    case IssueResult::Kind::kBarrier:
      warps_.write_pending(w, op, cycle + config_.alu_latency);
      barrier_reached(slot, result, cycle);
      return;
    case IssueResult::Kind::kFence:
      ++stats_.fences;
      l1_control->flush();
      break;
    case IssueResult::Kind::kExit:
      if (result.warp_done) {
        warp_ended(slot, cycle);
        return;
      }
      break;
    case IssueResult::Kind::kBlocked:
      break;  // not with IssueContext::end_wait
  }
  warps_.set_next(slot, cycle + 1);
}

void SmCluster::memory_issued(std::uint32_t slot, const OpInfo& op, const MemoryOp& m,
                              std::uint64_t cycle, Tick t) {
  Warp& w = warps_[slot];
  ++stats_.memory_instructions;
  switch (m.space) {
    case Space::kShared: {
      ++stats_.shared_instructions;
      const unsigned passes = shared_memory_passes(m, config_.shared_banks);
      stats_.shared_conflict_cycles += passes - 1;
      shared_free_ = cycle + passes;
      warps_.write_pending(w, op, cycle + config_.shared_latency + passes - 1);
      return;
    }
    case Space::kConst:
    case Space::kParam:
      warps_.write_pending(w, op, cycle + config_.constant_latency);
      return;
    case Space::kLocal:
    case Space::kGlobal:
      break;
  }
  if (m.asynchronous) {
    ++cta_slots_[w.cta].loads;
  } else if (op.write_count != 0 && m.kind != AccessKind::kStore) {
    ++w.loads;
    ++cta_slots_[w.cta].loads;
    warps_.write_pending(w, op, WarpTable::kNever);
  } else {
    ++w.stores;
    launches_.add_store(w.launch);
  }
  lsu_.take(m, op, slot, w.age, w.launch, t);
}

std::uint64_t SmCluster::next_cycle(std::uint64_t cycle) const {
  std::uint64_t next = warps_.next_result(cycle);
  if (warps_.ready() == 0) return next;
  const std::uint64_t soon = cycle + 1;
  if ((warps_.ready_for(Unit::kBarrier) | warps_.ready_for(Unit::kExit)) != 0) return soon;
  // A full load/store unit accepts accesses again after a response or a departure, and a fence can
  // issue after a response. Both wake the process.
  if (warps_.ready_for(Unit::kMemory) != 0 && lsu_.can_take()) {
    next = std::min(next, std::max(soon, shared_free_));
  }
  if (warps_.ready_for(Unit::kFence) != 0 && issuable_fences() != 0) return soon;
  if (unlikely(warps_.ready_for(Unit::kWait) != 0)) {
    if (issuable_waits(soon) != 0) return soon;
    next = std::min(next, next_wait_limit(cycle));
  }
  for (const Scheduler& s : schedulers_) {
    for (unsigned u = 0; u < kUnits; ++u) {
      if ((warps_.ready_for(u) & s.mine) != 0)
        next = std::min(next, std::max(soon, s.unit_free[u]));
    }
  }
  return next;
}

/// Counts the slots of the cycles without an activation, up to `cycle`.
void SmCluster::account_until(std::uint64_t cycle) {
  const Counter before = stats_.memory_slots;
  stats_.*lost_slots() += (cycle - accounted_cycle_) * schedulers_.size();
  if (stats_.memory_slots != before && waits_.since == kNever) {
    waits_.since = clock_.time_of(accounted_cycle_ + 1);
    lsu_.first_load().arm();
  }
  accounted_cycle_ = cycle;
}

/// The counter of scheduler cycles without an issue, by the state of the warp that is nearest to
/// issue.
Counter SmStats::*SmCluster::lost_slots() const {
  const std::uint64_t ready = warps_.ready() & ~warps_.ready_for(Unit::kWait);
  return warps_.occupied() == 0                 ? &SmStats::idle_slots
         : ready != 0                           ? &SmStats::structural_slots
         : warps_.results_due()                 ? &SmStats::dependency_slots
         : warps_.occupied() != warps_.parked() ? &SmStats::memory_slots
                                                : &SmStats::barrier_slots;
}

void SmCluster::settle_statistics() {
  if (now() == 0) return;
  const std::uint64_t cycle = clock_.cycle_at(now() - 1);
  if (cycle <= accounted_cycle_) return;
  account_until(cycle);
}

SmTime SmCluster::time() const {
  SmStats s = stats_;
  const std::uint64_t cycle = now() == 0 ? 0 : clock_.cycle_at(now() - 1);
  if (cycle > accounted_cycle_) {
    s.*lost_slots() += (cycle - accounted_cycle_) * schedulers_.size();
  }
  return {s.issued_slots,  s.idle_slots, s.structural_slots, s.dependency_slots, s.memory_slots,
          s.barrier_slots, waits_};
}

// Housekeeping.

bool SmCluster::idle() const {
  return warps_.occupied() == 0 && starts_.empty() && releases_.empty() && lsu_.idle();
}

unsigned SmCluster::resident_warps() const {
  return static_cast<unsigned>(__builtin_popcountll(warps_.occupied()));
}

void SmCluster::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  Waiting running{base + "warps", 0, WaitKind::kResourceBusy, "an issue slot"};
  Waiting for_memory{base + "warps", 0, WaitKind::kDataDependence, "responses from memory"};
  Waiting at_barrier{base + "warps", 0, WaitKind::kOrdering,
                     "other warps of their CTA at a barrier"};
  Waiting for_copies{base + "warps", 0, WaitKind::kDataDependence,
                     "asynchronous copies or the phase of an mbarrier"};
  for (std::uint64_t left = warps_.occupied(); left != 0; left &= left - 1) {
    const Warp& w = warps_[WarpTable::first(left)];
    if (w.next == nullptr) continue;
    const CtaProgram& cta = *cta_slots_[w.cta].program;
    const bool at = (cta.waiting_warps() >> w.index & 1) != 0;
    const bool waits = w.next->unit == Unit::kWait && !w.program->wait_ended();
    Waiting& kind = at                        ? at_barrier
                    : waits                   ? for_copies
                    : w.loads + w.stores != 0 ? for_memory
                                              : running;
    if (kind.items++ != 0) continue;
    kind.waits_for += "; the first: " + (at ? w.program->last_barrier() : w.program->where());
  }
  for (const Waiting* w : {&running, &for_memory, &at_barrier, &for_copies}) {
    if (w->items != 0) out.push_back(*w);
  }
  lsu_.describe_waiting(base, out);
}

void SmCluster::reset() {
  lsu_.reset();
  while (!starts_.empty()) starts_.pop();
  releases_.clear();
  warps_.clear();
  for (Cta& c : cta_slots_) c = Cta{};
  for (Scheduler& s : schedulers_) {
    s.last = WarpCandidates::kNone;
    s.unit_free = {};
  }
  scheduling_->reset();
  shared_free_ = 0;
  launches_.reset();
  drained_ = nullptr;
  close_at_ = open_at_ = waits_.since = kNever;
  wake_.cancel();
}

}  // namespace tessera
