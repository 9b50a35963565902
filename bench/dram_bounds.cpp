// SPDX-License-Identifier: Apache-2.0
#include "bench/dram_bounds.h"

#include <algorithm>
#include <functional>
#include <random>

#include "modules/memory/dram_scheduler.h"

namespace tessera::bench {
namespace {

using Request = DramScheduler::Request;
/// The n-th request.
using Pattern = std::function<Request(std::uint64_t n)>;

constexpr std::uint64_t kWarmUp = 4'000;
constexpr std::uint64_t kAccesses = 44'000;

/// Keeps the queue full, and ticks the scheduler where it asks for it.
double share(const DramConfig& config, std::uint32_t line_bytes, const Pattern& pattern) {
  DramCommandCounts counts;
  const auto scheduler = config.scheduler.make({&config, line_bytes, &counts});
  std::vector<DramScheduler::Slot> free;
  for (std::uint32_t i = config.queue_entries; i > 0; --i) {
    free.push_back(static_cast<DramScheduler::Slot>(i - 1));
  }
  MemoryCycle first = 0;
  MemoryCycle last = 0;
  std::uint64_t sent = 0;
  std::uint64_t issued_accesses = 0;
  for (MemoryCycle cycle = 0; sent < kAccesses || !scheduler->empty();) {
    while (sent < kAccesses && !free.empty()) {
      scheduler->enqueue(free.back(), pattern(sent++), cycle);
      free.pop_back();
    }
    const DramScheduler::Issued issued = scheduler->tick(cycle);
    if (issued.slot != DramScheduler::kNoSlot) {
      last = std::max(last, issued.data_end);
      if (++issued_accesses == kWarmUp) first = last;
      free.push_back(issued.slot);
    }
    // With a free entry, a request arrives in the next clock.
    cycle = free.empty() || sent == kAccesses ? std::max(cycle + 1, scheduler->next_cycle())
                                              : cycle + 1;
  }
  const double data = static_cast<double>(config.columns(line_bytes)) * config.burst_clocks;
  return data * static_cast<double>(kAccesses - kWarmUp) / static_cast<double>(last - first);
}

/// Bounds in clocks a line.
struct LineTimes {
  double columns;      ///< column commands and data, of lines in alternating bank groups
  double activates;    ///< one activate a line
  double read_of_row;  ///< reads of different rows of one bank
  double write_of_row;
};

LineTimes line_times(const DramConfig& c, std::uint32_t line_bytes) {
  const double span = c.span(line_bytes);
  LineTimes t{};
  t.columns = span + std::max(c.t_ccd_s, c.burst_clocks);
  t.activates = std::max({c.t_faw / 4.0, static_cast<double>(std::min(c.t_rrd_s, c.t_rrd_l)),
                          static_cast<double>(c.t_rc) / c.banks});
  const double row = std::max(c.t_rc, c.t_ras + c.t_rp);
  t.read_of_row = std::max(row, c.t_rcd + span + c.t_rtp + c.t_rp);
  t.write_of_row = std::max(row, c.t_rcd + span + c.t_wl + c.burst_clocks + c.t_wr + c.t_rp);
  return t;
}

}  // namespace

std::vector<DramShare> dram_shares(const DramConfig& config, std::uint32_t line_bytes) {
  const LineTimes t = line_times(config, line_bytes);
  const std::uint64_t lines = config.row_bytes / line_bytes;
  const std::uint32_t groups = config.bank_groups;
  const std::uint32_t banks = config.banks / groups;  // of a group
  const auto stream = [=](bool write) {
    return [=](std::uint64_t n) {
      const std::uint64_t rows = n / (lines * groups);
      const auto bank = static_cast<std::uint32_t>(n % groups * banks + rows % banks);
      return Request{bank, static_cast<std::uint32_t>(rows / banks), write};
    };
  };
  std::mt19937_64 random(1);
  const auto anywhere = [&config, &random](bool write) {
    return [&config, &random, write](std::uint64_t) {
      return Request{static_cast<std::uint32_t>(random() % config.banks),
                     static_cast<std::uint32_t>(random() % 16'384), write};
    };
  };
  const auto conflict = [](bool write) {
    return [write](std::uint64_t n) { return Request{0, static_cast<std::uint32_t>(n), write}; };
  };
  std::vector<DramShare> all;
  const double data = static_cast<double>(config.columns(line_bytes)) * config.burst_clocks;
  const double awake = config.refresh ? 1 - static_cast<double>(config.t_rfc) / config.t_refi : 1;
  const auto add = [&](const std::string& name, double line_time, const Pattern& pattern) {
    all.push_back({name, awake * data / line_time, share(config, line_bytes, pattern)});
  };
  add("stream, reads", t.columns, stream(false));
  add("stream, writes", t.columns, stream(true));
  const double spread = std::max(t.columns, t.activates);
  add("random lines, reads", spread, anywhere(false));
  add("random lines, writes", spread, anywhere(true));
  add("rows of one bank, reads", t.read_of_row, conflict(false));
  add("rows of one bank, writes", t.write_of_row, conflict(true));
  return all;
}

}  // namespace tessera::bench
