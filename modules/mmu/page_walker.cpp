// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_walker.h"

#include <utility>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/mmu/translation.h"

namespace tessera {

using tlm::tlm_generic_payload;

PageWalker::PageWalker(const sc_core::sc_module_name& name, const PageWalkerConfig& config,
                       PageTable& table)
    : BlockBase(name, config, Unvalidated{}),
      in("in"),
      driver("driver"),
      check_(translation_rules()),
      clock_(config.clock_hz),
      table_(table),
      tlb_port_(clock_, wake_, queue_, config.queue_depth),
      driver_port_(clock_, wake_) {
  in.register_nb_transport_fw(this, &PageWalker::forward);
  in.register_b_transport(this, &PageWalker::blocking);
  in.register_transport_dbg(this, &PageWalker::debug);
  driver.register_nb_transport_bw(this, &PageWalker::backward);
  wake_.bind<&PageWalker::process>(*this);
  // Held walks end at the first edge after the end of the hold.
  table_.tlb_directory.on_release = [this] {
    if (!held_.empty()) wake_.at(clock_.after(now() + 1, 0));
  };
}

void PageWalker::end_of_elaboration() {
  tlb_port_.bind(in.operator->());
  driver_port_.bind(driver.operator->());
}

void PageWalker::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum PageWalker::forward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  return tlb_port_.forward(payload, phase, delay, check_, in, &stats_.errors);
}

tlm::tlm_sync_enum PageWalker::backward(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  return driver_port_.backward(payload, phase, delay);
}

void PageWalker::blocking(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (check_.refuse_blocking(in, payload)) return;
  delay += to_sc_time(clock_.time_of(config_.walk_cycles()));
  const std::uint64_t address = payload.get_address() & ~(table_.page_bytes() - 1);
  if (const auto physical = table_.walk(address, requester_of(payload))) {
    answer_translation(payload, table_.entry_of(address, *physical));
    const Tick arrival = table_.arrival(address);
    if (now() + delay.value() < arrival) delay = to_sc_time(clock_.after(arrival, 0) - now());
    return;
  }
  driver->b_transport(payload, delay);
  delay += to_sc_time(clock_.time_of(1));
}

unsigned PageWalker::debug(tlm_generic_payload& payload) { return driver->transport_dbg(payload); }

// Processes.

void PageWalker::process() {
  const Tick t = now();
  free_walkers(t);
  handle_driver_responses(t);
  begin_walks(t);
  end_held_walks(t);
  end_walks(t);
  send(t);
  schedule_next(t);
}

void PageWalker::free_walkers(Tick t) {
  while (freeing_.due(t)) {
    freeing_.pop();
    stats_.active.set(--active_, t);
  }
}

void PageWalker::handle_driver_responses(Tick t) {
  while (driver_port_.responses.due(t)) {
    tlm_generic_payload& payload = driver_port_.pop_response();
    --in_driver_;
    if (!payload.is_response_ok()) ++stats_.errors;
    tlb_port_.responses.queue.push(t, 0, Result{&payload, false});
  }
}

void PageWalker::begin_walks(Tick t) {
  while (queue_.due(t) && active_ < config_.concurrent_walks) {
    stats_.queue_wait.add(clock_.cycle_at(t) - clock_.cycle_at(queue_.next_due()));
    tlm_generic_payload* payload = queue_.pop();
    tlb_port_.release();
    ++stats_.walks;
    stats_.active.set(++active_, t);
    // The result is sent in the last cycle of the walk and arrives at its end.
    walking_.push(clock_.after(t, config_.walk_cycles() - 1), 0, payload);
  }
}

/// The last cycle before the page arrives; kNever if a walk that ends at t need not wait for it.
Tick PageWalker::last_cycle_before_arrival(std::uint64_t address, Tick t) const {
  const Tick arrival = table_.arrival(address);
  if (clock_.after(t, 1) >= arrival) return kNever;
  return clock_.time_of(clock_.cycle_at(clock_.after(arrival, 0)) - 1);
}

void PageWalker::end_walks(Tick t) {
  while (walking_.due(t)) {
    tlm_generic_payload* payload = walking_.pop();
    const std::uint64_t address = payload->get_address() & ~(table_.page_bytes() - 1);
    if (is_held(*payload, t)) {
      // A held walk leaves its walker, because the stopped SMs' walks need walkers until they have
      // drained.
      held_.push_back(payload);
      freeing_.push(clock_.after(t, 1), 0, 0);
      continue;
    }
    if (const Tick due = last_cycle_before_arrival(address, t); due != kNever) {
      walking_.push(due, 0, payload);
      continue;
    }
    end_walk(*payload, true, t);
  }
}

/// Whether the page migrates and the requester is not among the SMs that stop for it.
bool PageWalker::is_held(tlm_generic_payload& payload, Tick t) {
  return table_.tlb_directory.held(table_.page_of(payload.get_address()),
                                   request_of(payload).requester, t);
}

void PageWalker::end_held_walks(Tick t) {
  if (held_.empty() && arriving_.empty()) return;
  std::vector<tlm_generic_payload*> walks = std::exchange(held_, {});
  while (arriving_.due(t)) walks.push_back(arriving_.pop());
  for (tlm_generic_payload* payload : walks) {
    const std::uint64_t address = payload->get_address() & ~(table_.page_bytes() - 1);
    if (is_held(*payload, t)) {
      held_.push_back(payload);
    } else if (const Tick due = last_cycle_before_arrival(address, t); due != kNever) {
      arriving_.push(due, 0, payload);
    } else {
      end_walk(*payload, false, t);
    }
  }
}

/// `walked`: the walk occupies a walker, which becomes free when the result is sent.
void PageWalker::end_walk(tlm_generic_payload& payload, bool walked, Tick t) {
  const std::uint64_t address = payload.get_address() & ~(table_.page_bytes() - 1);
  const bool hidden = table_.hidden_from_walks(address, t);
  const auto physical = hidden ? std::nullopt : table_.walk(address, request_of(payload).requester);
  if (physical) {
    answer_translation(payload, table_.entry_of(address, *physical));
    tlb_port_.responses.queue.push(t, 1, Result{&payload, walked});
  } else {
    ++stats_.faults;
    driver_port_.requests.queue.push(t, 0, Result{&payload, walked});
  }
}

void PageWalker::free_walker_after(const Result& result, Tick t) {
  if (result.walked) freeing_.push(clock_.after(t, 1), 0, 0);
}

void PageWalker::send(Tick t) {
  auto& responses = tlb_port_.responses;
  if (responses.next(clock_, t) == t) {
    const auto [result, delay] = responses.take(clock_, t);
    free_walker_after(result, t);
    responses.sender.send(*result.payload, delay);
  }
  auto& faults = driver_port_.requests;
  if (faults.next(clock_, t) == t) {
    const auto [result, delay] = faults.take(clock_, t);
    free_walker_after(result, t);
    ++in_driver_;
    driver_port_.send(*result.payload, delay);
  }
}

void PageWalker::schedule_next(Tick t) {
  wake_.at(tlb_port_.responses.next(clock_, t));
  wake_.at(driver_port_.requests.next(clock_, t));
  wake_.at(freeing_.next_due());
  wake_.at(driver_port_.responses.next_due());
  wake_.at(walking_.next_due());
  wake_.at(arriving_.next_due());
  // Before its end, the hold wakes the process (TlbDirectory::on_release).
  if (!held_.empty() && table_.tlb_directory.released()) wake_.at(clock_.after(t, 1));
  // A due request waits for a walker; freeing_ wakes the process.
  if (!queue_.due(t)) wake_.at(queue_.next_due());
}

// Housekeeping.

bool PageWalker::idle() const {
  return queue_.empty() && walking_.empty() && held_.empty() && arriving_.empty() &&
         tlb_port_.responses.queue.empty() && driver_port_.requests.queue.empty() &&
         in_driver_ == 0;
}

void PageWalker::describe_waiting(std::vector<Waiting>& out) const {
  const std::string block = name();
  if (!queue_.empty())
    out.push_back({block + ".queue", queue_.size(), WaitKind::kResourceBusy, "a free walker"});
  if (!walking_.empty())
    out.push_back(
        {block + ".walking", walking_.size(), WaitKind::kTranslation, "the end of a walk"});
  if (const std::size_t held = held_.size() + arriving_.size(); held != 0) {
    out.push_back({block + ".held", held, WaitKind::kTranslation, "the migration of their pages"});
  }
  if (const auto& responses = tlb_port_.responses.queue; !responses.empty()) {
    out.push_back(
        {block + ".responses", responses.size(), WaitKind::kQueueFull, "END_RESP from the TLB"});
  }
  if (const auto& faults = driver_port_.requests.queue; !faults.empty()) {
    out.push_back(
        {block + ".faults", faults.size(), WaitKind::kQueueFull, "END_REQ from the driver"});
  }
  if (in_driver_ != 0)
    out.push_back(
        {block + ".in_driver", in_driver_, WaitKind::kTranslation, "responses of the driver"});
}

void PageWalker::reset() {
  wake_.cancel();
  walking_.clear();
  held_.clear();
  arriving_.clear();
  freeing_.clear();
  active_ = 0;
  in_driver_ = 0;
  tlb_port_.reset();
  driver_port_.reset();
  stats_ = PageWalkerStats{};
  stats_.active.reset(now());
}

void describe(StatisticsVisitor& v, PageWalkerStats& s) {
  v.counter("walks", s.walks, "walk", "page walks begun");
  v.counter("faults", s.faults, "walk", "walks that ended in a page fault");
  v.counter("errors", s.errors, "request", "requests that received an error response");
  v.histogram("queue_wait", s.queue_wait, "cycle", "arrival of a request to begin of walk");
  v.waits(WaitKind::kResourceBusy, {"queue_wait"});
  v.occupancy("active", s.active, "walk", "walkers in use");
}

}  // namespace tessera
