// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "modules/memory/dram_config.h"
#include "tests/modules/memory/dram_timing_checker.h"

namespace tessera::test {

using Kind = DramCommand::Kind;
using Cycles = std::vector<MemoryCycle>;
inline constexpr std::uint32_t kLine = 128;

/// Feeds a scheduler from a list of arrivals, waking it only when it asks for it.
class Bench {
 public:
  struct Access {
    MemoryCycle at;
    DramScheduler::Request request;
  };

  explicit Bench(const DramConfig& c = {})
      : checker(c), config_(c), scheduler_(c.scheduler.make({&config_, kLine, &counts})) {
    REQUIRE(c.validate().empty());
    scheduler_->observe(&checker);
    for (std::uint32_t i = c.queue_entries; i > 0; --i) {
      free_.push_back(static_cast<DramScheduler::Slot>(i - 1));
    }
  }

  /// In order of arrival. Accesses are numbered from 0.
  void read(MemoryCycle at, std::uint32_t bank, std::uint32_t row) { add(at, bank, row, false); }
  void write(MemoryCycle at, std::uint32_t bank, std::uint32_t row) { add(at, bank, row, true); }
  void add(MemoryCycle at, std::uint32_t bank, std::uint32_t row, bool write) {
    accesses_.push_back({at, {bank, row, write}});
  }

  /// Until all has been issued.
  void run() {
    MemoryCycle cycle = 0;
    while (next_ < accesses_.size() || !scheduler_->empty()) {
      MemoryCycle then = scheduler_->next_cycle();
      if (next_ < accesses_.size() && !free_.empty()) {
        then = std::min(then, std::max(cycle, accesses_[next_].at));
      }
      REQUIRE(then != kNoCycle);
      REQUIRE(then >= cycle);
      while (next_ < accesses_.size() && !free_.empty() && accesses_[next_].at <= then) {
        const auto slot = free_.back();
        free_.pop_back();
        scheduler_->enqueue(slot, accesses_[next_].request, then);
        numbers_[slot] = next_++;
      }
      const DramScheduler::Issued issued = scheduler_->tick(then);
      ++wakes;
      if (issued.slot != DramScheduler::kNoSlot) {
        order.push_back(numbers_.at(issued.slot));
        data_end[numbers_.at(issued.slot)] = issued.data_end;
        last_data_end = std::max(last_data_end, issued.data_end);
        free_.push_back(issued.slot);
      }
      cycle = then + 1;
    }
    CHECK(checker.violations() == std::vector<std::string>{});
    CHECK(counts.row_hits + counts.row_misses + counts.row_conflicts ==
          counts.reads + counts.writes);
    CHECK(counts.reads + counts.writes == accesses_.size());
  }

  Cycles cycles(Kind kind, int bank = -1) const { return checker.cycles(kind, bank); }

  DramCommandCounts counts;
  DramTimingChecker checker;
  std::vector<std::size_t> order;               ///< of column commands
  std::map<std::size_t, MemoryCycle> data_end;  ///< by number of access
  MemoryCycle last_data_end = 0;
  std::size_t wakes = 0;

 private:
  const DramConfig config_;
  const std::unique_ptr<DramScheduler> scheduler_;
  std::vector<Access> accesses_;
  std::size_t next_ = 0;
  std::vector<DramScheduler::Slot> free_;
  std::map<DramScheduler::Slot, std::size_t> numbers_;
};

}  // namespace tessera::test
