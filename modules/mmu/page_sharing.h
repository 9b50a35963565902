// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/sharer_table.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// Number of SMs that touch each page: NUBA figure 3. The L2 TLB calls touch() on every lookup; the
/// first touch of a page by an SM always misses the L1 TLB.
class PageSharing {
 public:
  /// The bands of figure 3: 1, 2 to 10, 11 to 25, 26 and more SMs.
  static constexpr std::size_t kBands = 4;

  explicit PageSharing(unsigned sms) : table_(sms) {}

  void touch(std::uint64_t page, SmId sm) { table_.touch(page, sm); }

  /// Touched pages by the number of SMs that have touched them.
  std::array<std::uint64_t, kBands> bands() const {
    std::array<std::uint64_t, kBands> pages{};
    table_.for_each([&pages](std::uint64_t, unsigned sms) {
      ++pages[sms <= 1 ? 0 : sms <= 10 ? 1 : sms <= 25 ? 2 : 3];
    });
    return pages;
  }

  void clear() { table_.clear(); }

 private:
  SharerTable table_;
};

/// Touched pages by band.
struct PageSharingStats {
  std::array<std::uint64_t, PageSharing::kBands> pages{};
};

void describe(StatisticsVisitor& v, PageSharingStats& s);

}  // namespace tessera
