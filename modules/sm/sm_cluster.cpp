// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_cluster.h"

#include <algorithm>
#include <utility>

#include "modules/core/report.h"
#include "modules/core/unlikely.h"

namespace tessera {

namespace {

constexpr std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << slot; }

std::uint32_t first(std::uint64_t slots) {
  return static_cast<std::uint32_t>(__builtin_ctzll(slots));
}

std::uint64_t rotate_right(std::uint64_t x, unsigned n) {
  return n == 0 ? x : (x >> n) | (x << (64 - n));
}

}  // namespace

SmCluster::SmCluster(const sc_core::sc_module_name& name, const SmConfig& config,
                     TransactionPool& pool, SmId id, unsigned sm_count)
    : sc_module(name),
      l1("l1"),
      mmu("mmu"),
      l1_control("l1_control"),
      dispatcher("dispatcher"),
      ctas("ctas"),
      config_(config),
      clock_(config.clock_hz),
      id_(id),
      sm_count_(sm_count),
      lsu_(config_, clock_, pool, id),
      warps_(config.max_warps),
      schedulers_(config.schedulers),
      cta_slots_(config.max_ctas) {
  l1.register_nb_transport_bw(this, &SmCluster::l1_bw);
  mmu.register_nb_transport_bw(this, &SmCluster::mmu_bw);
  ctas.bind(*this);
  for (std::uint32_t slot = 0; slot < config_.max_warps; ++slot) {
    schedulers_[slot % config_.schedulers].mine |= bit(slot);
  }
  wake_.bind<&SmCluster::process>(*this);
}

void SmCluster::end_of_elaboration() { lsu_.bind(l1.operator->(), mmu.operator->()); }

void SmCluster::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport and control.

tlm::tlm_sync_enum SmCluster::l1_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay) {
  prefetch(&warps_[request_of(payload).warp], 2);
  const Tick response = phase == tlm::END_REQ ? kNever : now() + delay.value();
  const tlm::tlm_sync_enum sync = lsu_.l1_bw(payload, phase, delay);
  wake_for(response);
  return sync;
}

tlm::tlm_sync_enum SmCluster::mmu_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  const Tick response = phase == tlm::END_REQ ? kNever : now() + delay.value();
  const tlm::tlm_sync_enum sync = lsu_.mmu_bw(payload, phase, delay);
  wake_for(response);
  return sync;
}

/// An answer comes then; or (kNever) a channel's END has come, and what waits for it may leave as
/// long before the channel is free as it is on its way.
void SmCluster::wake_for(Tick response) {
  wake_.at(response == kNever ? lsu_.next_work(now()) : clock_.after(response, 0));
}

void SmCluster::start_cta(KernelProgram& kernel, CtaId cta, Tick at) {
  const Tick due = clock_.after(at, 0);
  starts_.push(due, 0, Start{&kernel, cta});
  wake_.at(due);
}

unsigned SmCluster::resident_ctas(const CtaResources& r) const {
  const std::uint32_t warps = (r.threads + kWarpLanes - 1) / kWarpLanes;
  if (warps == 0) return 0;
  std::uint32_t n = std::min(config_.max_ctas, config_.max_warps / warps);
  n = std::min(n, config_.max_threads / r.threads);
  // Registers are allocated to whole warps.
  const std::uint64_t registers = std::uint64_t{r.registers_per_thread} * warps * kWarpLanes;
  if (registers != 0) {
    n = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, config_.registers / registers));
  }
  if (r.shared_bytes != 0) n = std::min(n, config_.shared_bytes / r.shared_bytes);
  return n;
}

// The process.

void SmCluster::process() {
  const Tick t = now();
  clock_.set_current_edge(t);
  const std::uint64_t cycle = clock_.cycle_at(t);
  running_cycle_ = cycle;
  if (cycle > cycle_ + 1) account_slots((cycle - cycle_ - 1) * schedulers_.size());
  try {
    step(cycle, t);
  } catch (...) {
    dispatcher->kernel_failed(id_, std::current_exception());
    return;
  }
  cycle_ = cycle;
  const std::uint64_t next = next_cycle(cycle);
  if (next != kNotReady) wake_.at(clock_.time_of(next));
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
  // Nothing looks at them before: the gate is closed, or (at a kernel's end) no warp is there.
  lsu_.forget_translations();
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
  // The process may run twice at one edge (an END_REQ that takes effect at once): issue only once.
  const bool again = cycle == cycle_ && cycle != 0;
  while (starts_.due(t)) admit(starts_.pop(), cycle);
  lsu_.run(t);
  handle_completed(cycle);
  if (again) return;
  // Operations whose results come at this cycle make their warps ready.
  std::uint64_t due = rotate_right(wheel_used_, static_cast<unsigned>((cycle_ + 1) % kWheel));
  if (cycle - cycle_ < kWheel) due &= bit(static_cast<std::uint32_t>(cycle - cycle_)) - 1;
  for (; due != 0; due &= due - 1) {
    const std::uint64_t c = cycle_ + 1 + first(due);
    std::uint64_t& slots = wheel_[c % kWheel];
    for (std::uint64_t left = slots; left != 0; left &= left - 1) {
      const std::uint32_t slot = first(left);
      slots &= ~bit(slot);
      if (warps_[slot].ready_cycle <= cycle) {
        set_ready(slot);
      } else if (warps_[slot].ready_cycle != kNotReady) {
        schedule_ready(slot);
      }
    }
    if (slots == 0) wheel_used_ &= ~bit(static_cast<std::uint32_t>(c % kWheel));
  }
  for (Scheduler& s : schedulers_) {
    if (issue_from(s, cycle, t)) ++stats_.issued_slots;
  }
  lsu_.run(t);
}

void SmCluster::admit(const Start& start, std::uint64_t cycle) {
  const auto slot =
      static_cast<std::uint32_t>(std::find_if(cta_slots_.begin(), cta_slots_.end(),
                                              [](const Cta& c) { return c.program == nullptr; }) -
                                 cta_slots_.begin());
  Cta& cta = cta_slots_[slot];
  cta.program = start.kernel->start_cta(start.cta);
  cta.live_warps = cta.program->warp_count();
  cta.loads = 0;
  cta.barriers = {};
  ++stats_.ctas;
  ++live_ctas_;
  busy_ = true;
  for (unsigned i = 0; i < cta.program->warp_count(); ++i) {
    const std::uint32_t w = first(~occupied_);
    occupied_ |= bit(w);
    Warp& warp = warps_[w];
    warp.program = &cta.program->warp(i);
    warp.cta = slot;
    warp.age = ages_++;
    warp.loads = warp.stores = 0;
    warp.pending.clear();
    set_next(warp, w, cycle);
  }
  stats_.resident_warps.set(static_cast<std::uint64_t>(__builtin_popcountll(occupied_)), now());
}

void SmCluster::handle_completed(std::uint64_t cycle) {
  while (WarpAccess* a = lsu_.next_completed()) {
    Warp& w = warps_[a->warp];
    prefetch(w.program);
    // A store's warp may have ended, and another have taken its slot.
    const bool alive = w.age == a->warp_age && w.program != nullptr;
    const std::uint32_t cta = w.cta;
    const bool result = a->has_result;
    if (result) {
      if (!a->values_done) {
        w.program->complete(a->pc, a->details->memory.active, a->details->values.data());
      }
      --w.loads;
      --cta_slots_[cta].loads;
      for (unsigned i = 0; i < a->op->write_count; ++i) {
        const std::uint16_t reg = a->op->registers[a->op->read_count + i];
        for (PendingWrite& p : w.pending) {
          if (p.reg == reg && p.ready == kNotReady) p.ready = cycle;
        }
      }
    } else {
      if (alive) --w.stores;
      --stores_;
    }
    lsu_.free_access(*a);
    if (alive && w.next != nullptr && w.ready_cycle == kNotReady &&
        (at_barrier_ & bit(a->warp)) == 0) {
      find_ready(a->warp, cycle);
    }
    if (result) cta_maybe_done(cta);
    maybe_drained();
  }
}

// Issue.

void SmCluster::set_ready(std::uint32_t slot) {
  ready_ |= bit(slot);
  ready_for_[static_cast<unsigned>(warps_[slot].next->unit)] |= bit(slot);
}

std::uint64_t SmCluster::fences_that_may_issue() const {
  std::uint64_t slots = 0;
  for (std::uint64_t left = ready_for_[static_cast<unsigned>(Unit::kFence)]; left != 0;
       left &= left - 1) {
    const std::uint32_t slot = first(left);
    if (warps_[slot].stores == 0 && warps_[slot].loads == 0) slots |= bit(slot);
  }
  return slots;
}

bool SmCluster::issue_from(Scheduler& s, std::uint64_t cycle, Tick t) {
  if ((ready_ & s.mine) == 0) {
    account_slots(1);
    return false;
  }
  std::uint64_t usable = ready_for_[static_cast<unsigned>(Unit::kBarrier)] |
                         ready_for_[static_cast<unsigned>(Unit::kExit)];
  for (unsigned u = 0; u < kUnits; ++u) {
    usable |= s.unit_free[u] <= cycle ? ready_for_[u] : 0;
  }
  if (lsu_.can_take() && shared_free_ <= cycle) {
    usable |= ready_for_[static_cast<unsigned>(Unit::kMemory)];
  }
  usable = (usable | fences_that_may_issue()) & s.mine;
  if (usable == 0) {
    ++stats_.structural_slots;
    return false;
  }
  std::uint32_t chosen = 64;
  if (config_.scheduling == WarpScheduling::kLooseRoundRobin) {
    const std::uint64_t after = s.last >= 63 ? 0 : usable & ~((bit(s.last) << 1) - 1);
    chosen = first(after != 0 ? after : usable);
  } else if (s.last < 64 && (usable & bit(s.last)) != 0) {
    chosen = s.last;
  } else {
    for (std::uint64_t left = usable; left != 0; left &= left - 1) {
      const std::uint32_t slot = first(left);
      if (chosen == 64 || warps_[slot].age < warps_[chosen].age) chosen = slot;
    }
  }
  s.last = chosen;
  issue(s, chosen, cycle, t);
  return true;
}

void SmCluster::issue(Scheduler& s, std::uint32_t slot, std::uint64_t cycle, Tick t) {
  Warp& w = warps_[slot];
  const OpInfo& op = *w.next;
  ready_ &= ~bit(slot);
  ready_for_[static_cast<unsigned>(op.unit)] &= ~bit(slot);
  w.ready_cycle = kNotReady;
  IssueResult& result = issued_;
  w.program->issue(IssueContext{cycle, id_.value, slot, sm_count_}, result);
  ++stats_.warp_instructions;
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
    write_pending(w, op, cycle + busy - config_.*kInterval[unit] + config_.*kLatency[unit]);
  }
  switch (result.kind) {
    case IssueResult::Kind::kCompute:
      if (unit >= kUnits) write_pending(w, op, cycle + config_.alu_latency);
      break;
    case IssueResult::Kind::kMemory:
      memory_issued(slot, op, cycle, t);
      break;
    case IssueResult::Kind::kBarrier:
      write_pending(w, op, cycle + config_.alu_latency);
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
  }
  set_next(w, slot, cycle + 1);
}

void SmCluster::memory_issued(std::uint32_t slot, const OpInfo& op, std::uint64_t cycle, Tick t) {
  Warp& w = warps_[slot];
  const MemoryOp& m = issued_.memory;
  ++stats_.memory_instructions;
  switch (m.space) {
    case Space::kShared: {
      ++stats_.shared_instructions;
      const unsigned passes = shared_memory_passes(m, config_.shared_banks);
      stats_.shared_conflict_cycles += passes - 1;
      shared_free_ = cycle + passes;
      write_pending(w, op, cycle + config_.shared_latency + passes - 1);
      return;
    }
    case Space::kConst:
    case Space::kParam:
      write_pending(w, op, cycle + config_.constant_latency);
      return;
    case Space::kLocal:
      write_pending(w, op, cycle + config_.local_latency);
      return;
    case Space::kGlobal:
      break;
  }
  if (op.write_count != 0 && m.kind != AccessKind::kStore) {
    ++w.loads;
    ++cta_slots_[w.cta].loads;
    write_pending(w, op, kNotReady);
  } else {
    ++w.stores;
    ++stores_;
  }
  lsu_.take(m, op, slot, w.age, t);
}

void SmCluster::write_pending(Warp& w, const OpInfo& op, std::uint64_t ready) {
  for (unsigned i = 0; i < op.write_count; ++i) {
    w.pending.push_back(PendingWrite{op.registers[op.read_count + i], ready});
  }
}

void SmCluster::set_next(Warp& w, std::uint32_t slot, std::uint64_t earliest) {
  w.next = &w.program->next();
  find_ready(slot, earliest);
}

/// Finds the cycle at which the warp's next operation has its registers, at `earliest` or later.
void SmCluster::find_ready(std::uint32_t slot, std::uint64_t earliest) {
  Warp& w = warps_[slot];
  std::uint64_t ready = earliest;
  const OpInfo& op = *w.next;
  const unsigned count = op.read_count + op.write_count;
  for (std::size_t i = 0; i < w.pending.size();) {
    const PendingWrite p = w.pending[i];
    if (p.ready <= earliest) {
      w.pending[i] = w.pending.back();
      w.pending.pop_back();
      continue;
    }
    for (unsigned r = 0; r < count; ++r) {
      if (op.registers[r] == p.reg) ready = std::max(ready, p.ready);
    }
    ++i;
  }
  w.ready_cycle = (at_barrier_ & bit(slot)) != 0 ? kNotReady : ready;
  if (w.ready_cycle != kNotReady) schedule_ready(slot);
}

void SmCluster::schedule_ready(std::uint32_t slot) {
  // The process alone calls this, having told the clock where it stands.
  const std::uint64_t current = running_cycle_;
  const std::uint64_t at = warps_[slot].ready_cycle;
  if (at <= current) {
    set_ready(slot);
    return;
  }
  // Far ahead: looked at again on the way.
  const auto i = static_cast<std::uint32_t>(std::min(at, current + kWheel - 1) % kWheel);
  wheel_[i] |= bit(slot);
  wheel_used_ |= bit(i);
}

std::uint64_t SmCluster::next_cycle(std::uint64_t cycle) const {
  std::uint64_t next = kNotReady;
  if (wheel_used_ != 0) {
    const std::uint64_t ahead =
        rotate_right(wheel_used_, static_cast<unsigned>((cycle + 1) % kWheel));
    next = cycle + 1 + first(ahead);
  }
  if (ready_ == 0) return next;
  const std::uint64_t soon = cycle + 1;
  const auto waits_for = [this](Unit u) { return ready_for_[static_cast<unsigned>(u)]; };
  if ((waits_for(Unit::kBarrier) | waits_for(Unit::kExit)) != 0) return soon;
  // A full load/store unit makes room when something is answered or sent, and a fence may issue
  // when something is answered; either wakes us.
  if (waits_for(Unit::kMemory) != 0 && lsu_.can_take()) {
    next = std::min(next, std::max(soon, shared_free_));
  }
  if (waits_for(Unit::kFence) != 0 && fences_that_may_issue() != 0) return soon;
  for (const Scheduler& s : schedulers_) {
    for (unsigned u = 0; u < kUnits; ++u) {
      if ((ready_for_[u] & s.mine) != 0) next = std::min(next, std::max(soon, s.unit_free[u]));
    }
  }
  return next;
}

// Barriers and ends.

void SmCluster::barrier_reached(std::uint32_t slot, const IssueResult& result,
                                std::uint64_t cycle) {
  ++stats_.barriers;
  Warp& w = warps_[slot];
  Cta& cta = cta_slots_[w.cta];
  Barrier& b = cta.barriers[result.barrier_id];
  ++b.arrived;
  b.expected = (result.barrier_threads + kWarpLanes - 1) / kWarpLanes;
  if (!result.barrier_arrive_only) {
    at_barrier_ |= bit(slot);
    b.waiting |= bit(slot);
  }
  set_next(w, slot, cycle + 1);
  check_barrier(cta, b, cycle);
}

void SmCluster::check_barrier(Cta& cta, Barrier& b, std::uint64_t cycle) {
  const std::uint32_t expected = b.expected == 0 ? cta.live_warps : b.expected;
  if (b.arrived == 0 || b.arrived < expected) return;
  const std::uint64_t waiting = b.waiting;
  b = Barrier{};
  for (std::uint64_t left = waiting; left != 0; left &= left - 1) {
    const std::uint32_t slot = first(left);
    at_barrier_ &= ~bit(slot);
    find_ready(slot, cycle + 1);
  }
}

void SmCluster::warp_ended(std::uint32_t slot, std::uint64_t cycle) {
  Warp& w = warps_[slot];
  w.next = nullptr;
  Cta& cta = cta_slots_[w.cta];
  --cta.live_warps;
  for (Barrier& b : cta.barriers) {
    if (b.arrived != 0) check_barrier(cta, b, cycle);
  }
  cta_maybe_done(w.cta);
}

void SmCluster::cta_maybe_done(std::uint32_t index) {
  Cta& cta = cta_slots_[index];
  if (cta.live_warps != 0 || cta.loads != 0 || cta.program == nullptr) return;
  for (std::uint32_t slot = 0; slot < config_.max_warps; ++slot) {
    if ((occupied_ & bit(slot)) == 0 || warps_[slot].cta != index) continue;
    occupied_ &= ~bit(slot);
    warps_[slot].program = nullptr;
  }
  stats_.resident_warps.set(static_cast<std::uint64_t>(__builtin_popcountll(occupied_)), now());
  cta.program.reset();
  --live_ctas_;
  dispatcher->cta_finished(id_);
  maybe_drained();
}

void SmCluster::maybe_drained() {
  if (!busy_ || live_ctas_ != 0 || stores_ != 0 || !starts_.empty()) return;
  busy_ = false;
  dispatcher->sm_drained(id_);
}

/// Scheduler cycles in which nothing was issued, by the most hopeful warp.
void SmCluster::account_slots(std::uint64_t slots) {
  (occupied_ == 0             ? stats_.idle_slots
   : ready_ != 0              ? stats_.structural_slots
   : wheel_used_ != 0         ? stats_.dependency_slots
   : occupied_ != at_barrier_ ? stats_.memory_slots
                              : stats_.barrier_slots) += slots;
}

// Housekeeping.

bool SmCluster::idle() const {
  return occupied_ == 0 && starts_.empty() && stores_ == 0 && lsu_.idle();
}

unsigned SmCluster::resident_warps() const {
  return static_cast<unsigned>(__builtin_popcountll(occupied_));
}

void SmCluster::describe_waiting(std::vector<Waiting>& out) const {
  const std::string base = std::string(name()) + ".";
  Waiting running{base + "warps", 0, "an issue slot"};
  Waiting for_memory{base + "warps", 0, "answers from memory"};
  Waiting at_barrier{base + "warps", 0, "other warps of their CTA at a barrier"};
  for (std::uint64_t left = occupied_; left != 0; left &= left - 1) {
    const Warp& w = warps_[first(left)];
    if (w.next == nullptr) continue;
    const bool at = (at_barrier_ & bit(first(left))) != 0;
    Waiting& kind = at ? at_barrier : w.loads + w.stores != 0 ? for_memory : running;
    if (kind.items++ != 0) continue;
    kind.waits_for += "; the first: " + (at ? w.program->last_barrier() : w.program->where());
  }
  for (const Waiting* w : {&running, &for_memory, &at_barrier}) {
    if (w->items != 0) out.push_back(*w);
  }
  lsu_.describe_waiting(base, out);
}

void SmCluster::reset() {
  lsu_.reset();
  starts_.clear();
  for (Warp& w : warps_) w = Warp{};
  for (Cta& c : cta_slots_) c = Cta{};
  for (Scheduler& s : schedulers_) {
    s.last = 64;
    s.unit_free = {};
  }
  occupied_ = ready_ = at_barrier_ = 0;
  ready_for_ = {};
  wheel_ = {};
  wheel_used_ = 0;
  shared_free_ = 0;
  live_ctas_ = 0;
  stores_ = 0;
  busy_ = false;
  drained_ = nullptr;
  close_at_ = open_at_ = kNever;
  wake_.cancel();
}

}  // namespace tessera
