// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "modules/host/kernel_launch.h"
#include "modules/kernel/launch_counts.h"
#include "modules/kernel/time.h"
#include "stimuli/workload.h"

namespace tessera {

/// A level of the memory system whose blocks count by launch.
struct CountedLevel {
  std::string name;      ///< "l1", "llc"
  bool is_cache = true;  ///< counts hits, merged accesses and misses; otherwise bytes only
  std::vector<LaunchCounts*> blocks;
};

/// A launch whose kernel starts.
struct StartedLaunch {
  LaunchId launch = 0;
  LaunchSlot slot;
  std::string stream;  ///< empty: the default stream
  Tick ready_at = 0;   ///< it has waited for no other launch since
};

/// What stats.json says of each launch: "kernels", and the counts of what belongs to none.
class KernelRecords {
 public:
  /// `clock`: of cycles. Must outlive the records.
  explicit KernelRecords(const ClockDomain& clock) : clock_(clock) {}

  /// `take_instructions`: warp instructions of a launch since the last call for it.
  void count(std::vector<CountedLevel> levels,
             std::function<std::uint64_t(LaunchSlot)> take_instructions);

  void start(const StartedLaunch& launch, const KernelProgram& program);
  /// The kernel begins now, after it has waited for other kernels.
  void begin(LaunchId launch);
  void end(LaunchId launch, Tick first_cta_at);
  /// Ends all records that are open, now.
  void end_all();
  /// Everything before now does not count; a kernel that is open begins now.
  void begin_window();
  void clear();

  std::size_t size() const { return records_.size(); }
  /// Names of the kernels whose records are open: "a, b"; empty if there are none.
  std::string open_names() const;
  /// Cycles in which a kernel was open.
  std::uint64_t cycles() const;

  /// Adds what the blocks have counted since the last call.
  void collect();
  /// The section "kernels" of stats.json, in the order of launches.
  nlohmann::ordered_json to_json() const;
  /// The section "outside_kernels": what no launch caused.
  nlohmann::ordered_json outside_json() const;

 private:
  using Levels = std::vector<LevelCounts>;  ///< as levels_
  struct Record {
    StartedLaunch of;
    std::string name;
    Dim3 grid;
    Dim3 block;
    CtaResources resources;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::optional<std::uint64_t> first_cta_cycle;
    bool open = true;
    Levels levels;
  };

  Record* open_record(LaunchId launch);
  void close(Record& record);
  void collect(LaunchSlot slot, Levels& into);
  nlohmann::ordered_json json(const Levels& counts) const;

  const ClockDomain& clock_;
  std::vector<CountedLevel> levels_;
  std::function<std::uint64_t(LaunchSlot)> take_instructions_;
  std::vector<Record> records_;  ///< in the order in which they started
  /// The last record of each slot: its number + 1; 0: none.
  std::array<std::size_t, LaunchSlot::kCount> of_slot_{};
  Levels outside_;
};

}  // namespace tessera
