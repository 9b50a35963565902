// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Predicts from a load's PC whether another core holds its line (remote-core paper, section III-E,
/// figure 11). Two bits per PC: state i from 0 (strong shared, the first) to 3 (strong non-shared).
/// Of each W_i misses in state i, the first S_i are predicted as shared. After W_i misses, the next
/// state is one towards shared if T_i lines or more have been supplied in this state, otherwise one
/// towards non-shared.
class SharingPredictor {
 public:
  static constexpr std::size_t kStates = 4;
  /// W_i = 32 * 2^i, S_i = W_i / 4^i, T_i = ceil(S_i / 8) (section III-F).
  static constexpr std::array<std::uint32_t, kStates> kMisses = {32, 64, 128, 256};
  static constexpr std::array<std::uint32_t, kStates> kShared = {32, 16, 8, 4};
  static constexpr std::array<std::uint32_t, kStates> kThreshold = {4, 2, 1, 1};

  /// `pcs`: entries of the table. A new PC replaces the least recently used one (ours).
  explicit SharingPredictor(std::size_t pcs) : pcs_(pcs) {}

  /// Counts a read miss at `pc`, and predicts whether its line is shared.
  bool predict(std::uint32_t pc);
  /// A probe of a miss at `pc` has returned with the line. No effect if the PC has no entry.
  void supplied(std::uint32_t pc);
  /// State of a PC; 0 if it has no entry.
  unsigned state(std::uint32_t pc) const;

 private:
  struct Entry {
    std::uint32_t pc = 0;
    unsigned state = 0;
    std::uint32_t misses = 0;    ///< in this state, up to W
    std::uint32_t supplied = 0;  ///< R
    std::uint64_t used = 0;
  };
  Entry* find(std::uint32_t pc);

  const std::size_t pcs_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tessera
