// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_walker.h"

#include "modules/core/report.h"
#include "modules/core/statistics_visitor.h"
#include "modules/core/unlikely.h"
#include "modules/mmu/translation.h"

namespace tessera {

using tlm::tlm_generic_payload;

PageWalker::PageWalker(const sc_core::sc_module_name& name, const PageWalkerConfig& config,
                       PageTable& table)
    : sc_module(name),
      in("in"),
      driver("driver"),
      config_(config),
      check_(translation_rules()),
      clock_(config.clock_hz),
      table_(table),
      request_in_(config.queue_depth),
      driver_in_(ResponseReceiver::kUnlimited) {
  in.register_nb_transport_fw(this, &PageWalker::fw);
  in.register_b_transport(this, &PageWalker::blocking);
  in.register_transport_dbg(this, &PageWalker::debug);
  driver.register_nb_transport_bw(this, &PageWalker::bw);
  wake_.bind<&PageWalker::process>(*this);
}

void PageWalker::end_of_elaboration() {
  request_in_.bind(in.operator->());
  responses_.sender.bind(in.operator->());
  faults_.sender.bind(driver.operator->());
  driver_in_.bind(driver.operator->());
}

void PageWalker::end_of_simulation() {
  if (!idle()) SC_REPORT_WARNING(report::kInFlight, name());
}

// Transport.

tlm::tlm_sync_enum PageWalker::fw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  if (phase == tlm::END_RESP) {
    responses_.sender.end_response(payload, at);
    wake_.at(responses_.next(clock_, now()));
    return tlm::TLM_COMPLETED;
  }
  if (unlikely(check_.admit(payload, phase) == nullptr)) {
    if (phase == tlm::BEGIN_REQ) ++stats_.errors;
    return check_.refuse(in, payload, phase);
  }
  const Tick due = clock_.after(at, 0);
  queue_.push(due, 0, &payload);
  wake_.at(due);
  return request_in_.begin(payload, phase, delay, 0);
}

tlm::tlm_sync_enum PageWalker::bw(tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  faults_.sender.end_request(payload, at);
  if (phase == tlm::END_REQ) {
    wake_.at(faults_.next(clock_, now()));
    return tlm::TLM_ACCEPTED;
  }
  const Tick due = clock_.after(at, 0);
  driver_responses_.push(due, 0, &payload);
  wake_.at(due);
  return driver_in_.begin(payload, phase, delay, 0);
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
  while (driver_responses_.due(t)) {
    tlm_generic_payload* payload = driver_responses_.pop();
    driver_in_.release();
    --in_driver_;
    if (!payload->is_response_ok()) ++stats_.errors;
    responses_.queue.push(t, 0, Result{payload, false});
  }
}

void PageWalker::begin_walks(Tick t) {
  while (queue_.due(t) && active_ < config_.concurrent_walks) {
    stats_.queue_wait.add(clock_.cycle_at(t) - clock_.cycle_at(queue_.next_due()));
    tlm_generic_payload* payload = queue_.pop();
    request_in_.release();
    ++stats_.walks;
    stats_.active.set(++active_, t);
    // The result is sent in the last cycle of the walk and arrives at its end.
    walking_.push(clock_.after(t, config_.walk_cycles() - 1), 0, payload);
  }
}

void PageWalker::end_walks(Tick t) {
  while (walking_.due(t)) {
    tlm_generic_payload* payload = walking_.pop();
    const std::uint64_t address = payload->get_address() & ~(table_.page_bytes() - 1);
    // Page in transfer: the result is sent one cycle before the first edge after the arrival.
    const Tick arrival = table_.arrival(address);
    if (clock_.after(t, 1) < arrival) {
      walking_.push(clock_.time_of(clock_.cycle_at(clock_.after(arrival, 0)) - 1), 0, payload);
      continue;
    }
    const bool hidden = table_.hidden_from_walks(address, t);
    const auto physical =
        hidden ? std::nullopt : table_.walk(address, request_of(*payload).requester);
    if (physical) {
      answer_translation(*payload, table_.entry_of(address, *physical));
      responses_.queue.push(t, 1, Result{payload, true});
    } else {
      ++stats_.faults;
      faults_.queue.push(t, 0, Result{payload, true});
    }
  }
}

void PageWalker::free_walker_after(const Result& result, Tick t) {
  if (result.walked) freeing_.push(clock_.after(t, 1), 0, 0);
}

void PageWalker::send(Tick t) {
  if (responses_.next(clock_, t) == t) {
    const auto [result, delay] = responses_.take(clock_, t);
    free_walker_after(result, t);
    responses_.sender.send(*result.payload, delay);
  }
  if (faults_.next(clock_, t) == t) {
    const auto [result, delay] = faults_.take(clock_, t);
    free_walker_after(result, t);
    ++in_driver_;
    const SendOutcome outcome = faults_.sender.send(*result.payload, delay);
    if (outcome.responded) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time annotated = to_sc_time(outcome.response_at - t);
      driver_in_.begin(*result.payload, phase, annotated, 0);
      driver_responses_.push(clock_.after(outcome.response_at, 0), 0, result.payload);
    }
  }
}

void PageWalker::schedule_next(Tick t) {
  wake_.at(responses_.next(clock_, t));
  wake_.at(faults_.next(clock_, t));
  wake_.at(freeing_.next_due());
  wake_.at(driver_responses_.next_due());
  wake_.at(walking_.next_due());
  // A due request waits for a walker; freeing_ wakes the process.
  if (!queue_.due(t)) wake_.at(queue_.next_due());
}

// Housekeeping.

bool PageWalker::idle() const {
  return queue_.empty() && walking_.empty() && responses_.queue.empty() && faults_.queue.empty() &&
         in_driver_ == 0;
}

void PageWalker::describe_waiting(std::vector<Waiting>& out) const {
  const std::string block = name();
  if (!queue_.empty()) out.push_back({block + ".queue", queue_.size(), "a free walker"});
  if (!walking_.empty()) out.push_back({block + ".walking", walking_.size(), "the end of a walk"});
  if (!responses_.queue.empty()) {
    out.push_back({block + ".responses", responses_.queue.size(), "END_RESP from the TLB"});
  }
  if (!faults_.queue.empty()) {
    out.push_back({block + ".faults", faults_.queue.size(), "END_REQ from the driver"});
  }
  if (in_driver_ != 0) out.push_back({block + ".in_driver", in_driver_, "responses of the driver"});
}

void PageWalker::reset() {
  wake_.cancel();
  queue_.clear();
  walking_.clear();
  freeing_.clear();
  driver_responses_.clear();
  active_ = 0;
  in_driver_ = 0;
  responses_.reset();
  faults_.reset();
  request_in_.reset();
  driver_in_.reset();
  stats_ = PageWalkerStats{};
  stats_.active.reset(now());
}

void describe(StatisticsVisitor& v, PageWalkerStats& s) {
  v.counter("walks", s.walks, "walk", "page walks begun");
  v.counter("faults", s.faults, "walk", "walks that ended in a page fault");
  v.counter("errors", s.errors, "request", "requests answered with an error");
  v.histogram("queue_wait", s.queue_wait, "cycle", "arrival of a request to begin of walk");
  v.occupancy("active", s.active, "walk", "walkers in use");
}

void PageWalker::register_statistics(StatisticsRegistry& r) const {
  register_statistics_of(r, name(), stats_);
}

}  // namespace tessera
