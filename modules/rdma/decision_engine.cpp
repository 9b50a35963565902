// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/decision_engine.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/report.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {
namespace {

void add(TransferSample& to, const TransferSample& more) {
  to.accesses += more.accesses;
  to.remote_accesses += more.remote_accesses;
  to.remote_loads += more.remote_loads;
  to.remote_load_hits += more.remote_load_hits;
  to.remote_load_words += more.remote_load_words;
}

DecisionEngine::Verdict verdict_of(const RemoteAccessMode& transfer) {
  if (transfer.remote_cache) return DecisionEngine::Verdict::kRemoteCache;
  return transfer.coalesce ? DecisionEngine::Verdict::kCoalescing : DecisionEngine::Verdict::kLine;
}

}  // namespace

DecisionEngine::DecisionEngine(const sc_core::sc_module_name& name, const DecisionConfig& config,
                               unsigned gpus, std::uint32_t line_bytes,
                               std::function<GpuId(SmId)> gpu_of, const TransferPolicy& policy,
                               RemoteAccessMode& transfer)
    : sc_module(name),
      config_(config),
      clock_(config.clock_hz),
      words_per_line_(line_bytes / 4),
      gpu_of_(std::move(gpu_of)),
      policy_(policy),
      least_remote_ratio_(policy.least_remote_ratio()),
      transfer_(transfer),
      gpus_(gpus) {
  refuse_configuration(this->name(), config_.validate());
  wake_.bind<&DecisionEngine::process>(*this);
  reset();
}

// Interface to the L1s.

void DecisionEngine::on_l1_access(const MemoryRequest& request, bool remote, bool hit) {
  Gpu& gpu = gpus_[gpu_of_(request.requester.sm()).value];
  TransferSample seen;
  seen.accesses = 1;
  if (remote) {
    seen.remote_accesses = 1;
    if (request.kind == RequestKind::kLoad) {
      seen.remote_loads = 1;
      seen.remote_load_hits = hit ? 1 : 0;
      seen.remote_load_words = static_cast<unsigned>(__builtin_popcount(request.word_mask));
    }
  }
  add(gpu.whole, seen);
  if (gpu.phase == Phase::kVoted) return;
  add(gpu.present, seen);
  // One femtosecond before the next edge, no block is active.
  if (complete(gpu)) wake_.at(clock_.after(now() + 1, 0) - 1);
}

// Processes.

bool DecisionEngine::complete(const Gpu& gpu) const {
  const std::uint64_t remote =
      gpu.phase == Phase::kWarmUp ? config_.warmup_accesses : config_.window_accesses;
  return gpu.present.remote_accesses >= remote ||
         static_cast<double>(gpu.present.accesses) * least_remote_ratio_ >=
             static_cast<double>(remote);
}

void DecisionEngine::process() {
  for (Gpu& gpu : gpus_) {
    if (gpu.phase == Phase::kVoted || !complete(gpu)) continue;
    if (gpu.phase == Phase::kWarmUp) {
      gpu.phase = Phase::kWindow;
      gpu.present = no_accesses();
      continue;
    }
    gpu.phase = Phase::kVoted;
    gpu.vote = policy_.decide(gpu.present);
  }
  if (verdict_ == Verdict::kNone) tally();
}

void DecisionEngine::tally() {
  // GPUs without accesses do not vote: a kernel of few CTAs leaves GPUs idle.
  const auto busy = static_cast<std::size_t>(std::count_if(
      gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.whole.accesses != 0; }));
  std::size_t voted = 0;
  for (const Gpu& gpu : gpus_) {
    if (gpu.phase != Phase::kVoted) continue;
    ++voted;
    const auto agree = std::count_if(gpus_.begin(), gpus_.end(), [&](const Gpu& other) {
      return other.phase == Phase::kVoted && other.vote == gpu.vote;
    });
    if (2 * static_cast<std::size_t>(agree) > busy) return adopt(gpu.vote);
  }
  if (voted == busy && busy != 0) adopt(policy_.decide(window()));
}

void DecisionEngine::adopt(const RemoteAccessMode& verdict) {
  transfer_ = verdict;
  verdict_ = verdict_of(verdict);
  decided_at_ = now() + 1;
}

DecisionEngine::Verdict DecisionEngine::golden_verdict() const {
  const TransferSample all = whole_run();
  return all.accesses == 0 ? Verdict::kNone : verdict_of(policy_.decide(all));
}

TransferSample DecisionEngine::window() const {
  TransferSample sum = no_accesses();
  for (const Gpu& gpu : gpus_) {
    if (gpu.phase != Phase::kWarmUp) add(sum, gpu.present);
  }
  return sum;
}

TransferSample DecisionEngine::whole_run() const {
  TransferSample sum = no_accesses();
  for (const Gpu& gpu : gpus_) add(sum, gpu.whole);
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
  transfer_ = policy_.start();
  verdict_ = Verdict::kNone;
  decided_at_ = kNever;
  Gpu fresh;
  fresh.phase = config_.warmup_accesses == 0 ? Phase::kWindow : Phase::kWarmUp;
  fresh.present = fresh.whole = no_accesses();
  gpus_.assign(gpus_.size(), fresh);
}

DecisionStats DecisionEngine::stats() const {
  DecisionStats s;
  s.decided = verdict_ == Verdict::kNone ? 0 : 1;
  s.decided_at_cycle = decided_at_ == kNever ? 0 : clock_.cycle_at(decided_at_);
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
