// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/decision_engine.h"

#include <algorithm>
#include <string>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {
namespace {

DecisionEngine::Verdict verdict_of(const RemoteAccessMode& transfer) {
  if (transfer.remote_cache) return DecisionEngine::Verdict::kRemoteCache;
  return transfer.coalesce ? DecisionEngine::Verdict::kCoalescing : DecisionEngine::Verdict::kLine;
}

const char* name_of(DecisionEngine::Verdict verdict) {
  switch (verdict) {
    case DecisionEngine::Verdict::kNone:
      return "none";
    case DecisionEngine::Verdict::kLine:
      return "whole lines";
    case DecisionEngine::Verdict::kCoalescing:
      return "coalescing";
    case DecisionEngine::Verdict::kRemoteCache:
      return "remote cache";
  }
  return "";
}

/// The instant of a message that takes effect at the clock edge at or after t: no L1 is active.
Tick before_edge(const ClockDomain& clock, Tick t) { return clock.after(t, 0) - 1; }

}  // namespace

DecisionEngine::DecisionEngine(const sc_core::sc_module_name& name, const DecisionConfig& config,
                               const TransferPolicy& policy, const DecisionEngineSite& site)
    : sc_module(name),
      config_(config),
      clock_(config.clock_hz),
      words_per_line_(site.line_bytes / 4),
      policy_(policy),
      latency_(config.gpu_latency_ns * kTicksPerNs),
      gpus_(site.modes.size()) {
  refuse_configuration(this->name(), config_.validate());
  wake_.bind<&DecisionEngine::process>(*this);
  Domain& own = Domain::under_construction();
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    add_gpu(g, site, own, site.gpus.empty() ? own : *site.gpus[g]);
  }
}

void DecisionEngine::add_gpu(std::size_t g, const DecisionEngineSite& site, Domain& own,
                             Domain& domain) {
  Gpu& gpu = gpus_[g];
  const std::string here = name();
  const std::string there = here + " in GPU " + std::to_string(g);
  const auto number = static_cast<std::uint32_t>(g);
  {
    const Domain::Construction in(domain);
    gpu.monitor = std::make_unique<AccessMonitor>(
        config_, GpuId(number), site.line_bytes, policy_, *site.modes[g],
        [this, &gpu](Tick edge, MonitorReport&& report) {
          gpu.reports->send(before_edge(gpu.monitor->clock(), edge + latency_), report);
        });
  }
  gpu.reports = std::make_unique<DomainLink<MonitorReport>>(
      there, domain, here, own, latency_, [this, number](Tick at, MonitorReport&& report) {
        reports_.push(at, number, report);
        wake_.at(at);
      });
  gpu.verdicts = std::make_unique<DomainLink<RemoteAccessMode>>(
      here, own, there, domain, latency_,
      [&gpu](Tick at, RemoteAccessMode&& mode) { gpu.monitor->verdict(at, mode); });
}

// Processes.

void DecisionEngine::process() {
  const Tick t = now();
  bool votes = false;
  while (reports_.due(t)) {
    Gpu& gpu = gpus_[reports_.front_port()];
    const MonitorReport report = reports_.pop();
    votes = votes || report.kind == MonitorReport::Kind::kVote;
    handle(report, gpu);
  }
  if (votes && verdict_ == Verdict::kNone) tally(t);
  wake_.at(reports_.next_due());
}

void DecisionEngine::handle(const MonitorReport& report, Gpu& gpu) {
  if (report.kind == MonitorReport::Kind::kFirstAccess) {
    gpu.busy = true;
    return;
  }
  gpu.voted = true;
  gpu.window = report.window;
  gpu.vote = policy_.decide(report.window);
}

void DecisionEngine::tally(Tick t) {
  // GPUs without accesses do not vote: a kernel of few CTAs leaves GPUs idle.
  std::size_t busy = 0;
  std::size_t voted = 0;
  TransferSample windows = no_accesses();
  for (const Gpu& gpu : gpus_) {
    if (gpu.busy) ++busy;
    if (!gpu.voted) continue;
    ++voted;
    add(windows, gpu.window);
  }
  for (const Gpu& gpu : gpus_) {
    if (!gpu.voted) continue;
    const auto agree = std::count_if(gpus_.begin(), gpus_.end(), [&](const Gpu& other) {
      return other.voted && other.vote == gpu.vote;
    });
    if (2 * static_cast<std::size_t>(agree) > busy) return adopt(gpu.vote, t);
  }
  if (voted == busy) adopt(policy_.decide(windows), t);
}

/// The decision takes effect at the engine at t + 1, and in the GPUs after the latency.
void DecisionEngine::adopt(const RemoteAccessMode& verdict, Tick t) {
  verdict_ = verdict_of(verdict);
  const Tick at = before_edge(clock_, t + 1 + latency_);
  decided_at_ = at + 1;
  for (const Gpu& gpu : gpus_) gpu.verdicts->send(at, verdict);
  if (observer_ != nullptr) observer_->on_event("verdict", name_of(verdict_), t, decided_at_, {});
}

void DecisionEngine::observe_events(EventObserver& observer) {
  observer_ = &observer;
  for (const Gpu& gpu : gpus_) gpu.monitor->observe_events(observer);
}

// Samples.

DecisionEngine::Verdict DecisionEngine::golden_verdict() const {
  const TransferSample all = whole_run();
  return all.accesses == 0 ? Verdict::kNone : verdict_of(policy_.decide(all));
}

TransferSample DecisionEngine::window() const {
  TransferSample sum = no_accesses();
  for (const Gpu& gpu : gpus_) {
    const AccessMonitor& part = *gpu.monitor;
    if (part.phase() != AccessMonitor::Phase::kWarmUp) add(sum, part.present());
  }
  return sum;
}

TransferSample DecisionEngine::whole_run() const {
  TransferSample sum = no_accesses();
  for (const Gpu& gpu : gpus_) add(sum, gpu.monitor->whole_run());
  return sum;
}

// Housekeeping.

TransferSample DecisionEngine::no_accesses() const {
  TransferSample sample;
  sample.words_per_line = words_per_line_;
  return sample;
}

void DecisionEngine::reset() {
  wake_.cancel();
  reports_.clear();
  verdict_ = Verdict::kNone;
  decided_at_ = kNever;
  for (Gpu& gpu : gpus_) {
    gpu.monitor->reset();
    gpu.busy = gpu.voted = false;
  }
}

DecisionStats DecisionEngine::stats() const {
  DecisionStats s;
  // A verdict on its way has no effect yet.
  const bool decided = verdict_ != Verdict::kNone && decided_at_ <= now();
  s.decided = decided ? 1 : 0;
  s.decided_at_cycle = decided ? clock_.cycle_at(decided_at_) : 0;
  s.verdict = static_cast<std::uint64_t>(verdict_);
  s.golden_verdict = static_cast<std::uint64_t>(golden_verdict());
  s.window = window();
  s.whole_run = whole_run();
  return s;
}

void describe(StatisticsVisitor& v, DecisionStats& s) {
  v.value("decided", s.decided, "decision", "1 once a verdict is in effect");
  v.value("decided_at_cycle", s.decided_at_cycle, "cycle",
          "the verdict is in effect from this cycle on; 0 without one");
  const std::string verdicts = ": 0 none, 1 whole lines, 2 coalescing, 3 remote cache";
  v.value("verdict", s.verdict, "verdict", "what was decided" + verdicts);
  v.value("golden_verdict", s.golden_verdict, "verdict",
          "what the whole run would have led to (DualOpt figure 12)" + verdicts);
  const auto sample = [&v](const std::string& prefix, TransferSample& of, const std::string& when) {
    v.value(prefix + "accesses", of.accesses, "access", "line accesses of L1s" + when);
    v.value(prefix + "remote_accesses", of.remote_accesses, "access",
            "accesses to other GPUs' lines" + when);
    v.value(prefix + "remote_loads", of.remote_loads, "access",
            "loads of other GPUs' lines" + when);
    v.value(prefix + "remote_load_hits", of.remote_load_hits, "access",
            "loads of other GPUs' lines that the L1 served" + when);
    v.value(prefix + "remote_load_words", of.remote_load_words, "word",
            "requested 4-byte words of loads of other GPUs' lines" + when);
  };
  sample("window_", s.window, ", in the windows");
  sample("run_", s.whole_run, ", in the whole run");
}

void DecisionEngine::register_statistics(StatisticsRegistry& r) const {
  register_snapshot<DecisionStats>(r, name(), [this] { return stats(); });
}

}  // namespace tessera
