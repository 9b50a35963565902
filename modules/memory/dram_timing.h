// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "modules/memory/dram_config.h"

namespace tessera {

inline constexpr std::uint32_t kMaxBanks = 64;

/// Earliest legal cycle of each command of a channel: the state of banks, bank groups and channel,
/// without requests. Each constraint is stored as an earliest cycle at the level that it
/// constrains, so that a query needs only a few comparisons.
class DramTiming {
 public:
  /// `columns`: column commands of one access (a line), t_ccd_l apart. `config` must outlive it.
  DramTiming(const DramConfig& config, std::uint32_t columns);

  bool open(std::uint32_t bank) const { return (open_ >> bank & 1) != 0; }
  /// Bit b is set if bank b is open.
  std::uint64_t open_banks() const { return open_; }
  std::uint32_t row(std::uint32_t bank) const { return row_[bank]; }

  /// First cycle at which a command is legal. The bank must be closed for ACT, and open for PRE and
  /// column commands. ACT is legal at the later of the channel's cycle and the cycle of bank and
  /// group.
  MemoryCycle activate_at() const { return std::max(activate_, last_activates_[oldest_activate_]); }
  MemoryCycle bank_activate_at(std::uint32_t bank) const {
    return std::max(bank_activate_[bank], groups_[group(bank)].activate);
  }
  MemoryCycle precharge_at(std::uint32_t bank) const { return bank_precharge_[bank]; }
  MemoryCycle column_at(std::uint32_t bank, bool write) const {
    return std::max({bank_column_[bank], groups_[group(bank)].column[write], column_[write]});
  }

  // Commands; `cycle` must be legal.
  void activate(std::uint32_t bank, std::uint32_t row, MemoryCycle cycle);
  void precharge(std::uint32_t bank, MemoryCycle cycle);
  /// Issues all column commands of one access, the first at `cycle`.
  void column(std::uint32_t bank, bool write, MemoryCycle cycle);
  /// Precharges all banks and refreshes them, at the first legal cycle from `due` on. Returns the
  /// cycles of the two commands; `precharge` is kNoCycle if no bank was open.
  struct Refresh {
    MemoryCycle precharge;
    MemoryCycle refresh;
  };
  Refresh refresh(MemoryCycle due);

  void reset();

 private:
  struct GroupState {
    MemoryCycle activate = 0;
    std::array<MemoryCycle, 2> column{};  ///< [read, write]
  };

  std::uint32_t group(std::uint32_t bank) const { return bank >> group_shift_; }

  const DramConfig& config_;
  const std::uint32_t span_;
  std::uint32_t group_shift_ = 0;

  // One array per constraint, because a plan reads one constraint of all banks: it touches the
  // fewest host cache lines.
  std::array<MemoryCycle, kMaxBanks> bank_column_{};
  std::array<MemoryCycle, kMaxBanks> bank_activate_{};
  std::array<MemoryCycle, kMaxBanks> bank_precharge_{};
  std::array<std::uint32_t, kMaxBanks> row_{};
  std::uint64_t open_ = 0;
  std::array<GroupState, kMaxBanks> groups_{};
  MemoryCycle activate_ = 0;
  std::array<MemoryCycle, 2> column_{};
  /// Cycle of each of the last four ACTs, plus t_faw.
  std::array<MemoryCycle, 4> last_activates_{};
  std::uint32_t oldest_activate_ = 0;
};

}  // namespace tessera
