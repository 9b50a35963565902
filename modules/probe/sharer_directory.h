// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "modules/kernel/time.h"

namespace tessera {

/// The lines in the L1s of a GPU, and its fences. For oracles (remote-core paper, Table I), and for
/// the rule by which copies of written lines are not supplied. What happens at a time is visible
/// after this time, so that results do not depend on the order of processes.
class SharerDirectory {
 public:
  explicit SharerDirectory(std::uint32_t cores) : cores_(cores) {}

  void filled(std::uint32_t core, std::uint64_t line) { add({core, line, Event::kFilled}); }
  void evicted(std::uint32_t core, std::uint64_t line) { add({core, line, Event::kEvicted}); }
  void flushed(std::uint32_t core) { add({core, 0, Event::kFlushed}); }
  /// Cores whose L1s held the line before now, in ascending order, without `core`.
  std::vector<std::uint32_t> holders(std::uint64_t line, std::uint32_t core);
  /// Whether there is such a core.
  bool held_elsewhere(std::uint64_t line, std::uint32_t core);

  /// An SM executes a fence: lines that were requested up to now are not supplied any more.
  void fence();
  /// Whether an L1 can supply a line that it requested at `issued`.
  bool supplies(Tick issued);

 private:
  struct Event {
    enum Kind : std::uint8_t { kFilled, kEvicted, kFlushed };
    std::uint32_t core;
    std::uint64_t line;
    Kind kind;
  };
  using Mask = std::vector<std::uint64_t>;

  void add(Event event);
  void settle();
  void apply(const Event& event);

  const std::uint32_t cores_;
  std::unordered_map<std::uint64_t, Mask> holders_;
  std::vector<Event> events_;  ///< at events_at_
  Tick events_at_ = 0;
  Tick fence_ = 0;  ///< last fence before fence_at_
  Tick fence_at_ = 0;
};

}  // namespace tessera
