// SPDX-License-Identifier: Apache-2.0
#include "platforms/supervisor.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "modules/kernel/block.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

namespace {
/// How often it looks, as a part of the limit.
constexpr Tick kLooksPerLimit = 100;
constexpr std::size_t kQueuesShown = 20;
}  // namespace

Supervisor::Supervisor(const sc_core::sc_module_name& name, std::vector<Block*> blocks,
                       const Limits& limits, Hooks hooks)
    : sc_module(name), blocks_(std::move(blocks)), limits_(limits), hooks_(std::move(hooks)) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&wake_);
  sc_core::sc_spawn([this] { process(); }, "process", &options);
}

void Supervisor::watch() {
  watching_since_ = last_change_ = now();
  last_activity_ = hooks_.activity();
  at_last_end_ = hooks_.work();
  last_report_ = std::chrono::steady_clock::now();
  look_later(watching_since_);
}

/// At the next regular look, or where the limit of the kernel is reached before.
void Supervisor::look_later(Tick t) {
  Tick wait = limits_.inactive / kLooksPerLimit;
  if (limits_.kernel != 0) wait = std::min(wait, watching_since_ + limits_.kernel - t);
  wake_.notify(to_sc_time(wait));
}

void Supervisor::process() {
  const Tick t = now();
  const std::uint64_t activity = hooks_.activity();
  if (activity != last_activity_) {
    last_activity_ = activity;
    last_change_ = t;
  } else if (t - last_change_ >= limits_.inactive) {
    hooks_.stop(
        "deadlock: nothing has moved for " + std::to_string((t - last_change_) / 1'000'000) +
        " ns of simulated time (system.watchdog_cycles). What waits:\n" + describe(blocks_));
    return;
  }
  if (limits_.kernel != 0 && t - watching_since_ >= limits_.kernel) {
    hooks_.stop("the kernel has reached system.cycle_limit. What waits:\n" + describe(blocks_));
    return;
  }
  if (runs_in_circles()) return;
  const auto host = std::chrono::steady_clock::now();
  if (host - last_report_ >= std::chrono::milliseconds(100)) {
    last_report_ = host;
    if (hooks_.on_progress) hooks_.on_progress();
    if (hooks_.interrupted && hooks_.interrupted()) {
      hooks_.stop_for_interrupt();
      return;
    }
  }
  look_later(t);
}

/// True when it has stopped the run.
bool Supervisor::runs_in_circles() {
  const Work w = hooks_.work();
  // Without a resident warp, all CTAs have ended. They can be as many as the last kernel's.
  if (w.resident_warps == 0 || w.ctas_ended != at_last_end_.ctas_ended) at_last_end_ = w;
  const std::uint64_t since = w.instructions - at_last_end_.instructions;
  const std::uint64_t each = since == 0 ? 0 : since / w.resident_warps;
  if (limits_.loop == 0 || each < limits_.loop) return false;
  hooks_.stop("an endless loop, or a spin on a value that nobody writes: no CTA has ended while " +
              std::to_string(w.resident_warps) + " warps executed " + std::to_string(each) +
              " instructions each (system.loop_limit). What waits:\n" + describe(blocks_));
  return true;
}

std::string Supervisor::describe(const std::vector<Block*>& blocks) {
  std::vector<Waiting> waiting;
  for (const Block* b : blocks) b->describe_waiting(waiting);
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Waiting& a, const Waiting& b) { return a.items > b.items; });
  std::ostringstream out;
  if (waiting.empty()) out << "  no queue holds anything";
  for (std::size_t i = 0; i < waiting.size() && i < kQueuesShown; ++i) {
    out << (i == 0 ? "" : "\n") << "  " << waiting[i].queue << ": " << waiting[i].items
        << " waiting for " << waiting[i].waits_for << " (" << name_of(waiting[i].kind) << ")";
  }
  if (waiting.size() > kQueuesShown) {
    out << "\n  and " << waiting.size() - kQueuesShown << " more queues";
  }
  return out.str();
}

}  // namespace tessera
