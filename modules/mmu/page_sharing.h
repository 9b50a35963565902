// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// How many SMs touch each page: NUBA figure 3. Asked once for each SM's TLB miss, which every
/// first touch is.
class PageSharing {
 public:
  /// The bands of figure 3: 1, 2 to 10, 11 to 25, 26 and more SMs.
  static constexpr std::size_t kBands = 4;

  explicit PageSharing(unsigned sms) : words_((sms + 63) / 64) {}

  void touch(std::uint64_t page, SmId sm) {
    const auto [it, fresh] = pages_.emplace(page, sharers_.size() / words_);
    if (fresh) sharers_.resize(sharers_.size() + words_);
    sharers_[it->second * words_ + sm.value / 64] |= std::uint64_t{1} << (sm.value % 64);
  }

  /// Touched pages by the number of SMs that have touched them.
  std::array<std::uint64_t, kBands> bands() const {
    std::array<std::uint64_t, kBands> pages{};
    for (std::size_t first = 0; first < sharers_.size(); first += words_) {
      unsigned sms = 0;
      for (std::size_t w = first; w < first + words_; ++w) {
        sms += static_cast<unsigned>(__builtin_popcountll(sharers_[w]));
      }
      ++pages[sms <= 1 ? 0 : sms <= 10 ? 1 : sms <= 25 ? 2 : 3];
    }
    return pages;
  }

  void clear() {
    pages_.clear();
    sharers_.clear();
  }

 private:
  std::size_t words_;
  std::unordered_map<std::uint64_t, std::size_t> pages_;
  std::vector<std::uint64_t> sharers_;
};

}  // namespace tessera
