// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// The set of SMs that have touched each key (a page or a line).
class SharerTable {
 public:
  explicit SharerTable(unsigned sms) : words_((sms + 63) / 64) {}

  void touch(std::uint64_t key, SmId sm) {
    const auto [it, fresh] = keys_.emplace(key, sharers_.size() / words_);
    if (fresh) sharers_.resize(sharers_.size() + words_);
    sharers_[it->second * words_ + sm.value / 64] |= std::uint64_t{1} << (sm.value % 64);
  }

  /// Calls f(key, number of SMs that touched it) for every key, in no particular order.
  template <class F>
  void for_each(F f) const {
    for (const auto& [key, place] : keys_) {
      unsigned sms = 0;
      for (std::size_t w = place * words_; w < (place + 1) * words_; ++w) {
        sms += static_cast<unsigned>(__builtin_popcountll(sharers_[w]));
      }
      f(key, sms);
    }
  }

  std::size_t size() const { return keys_.size(); }

  void clear() {
    keys_.clear();
    sharers_.clear();
  }

 private:
  std::size_t words_;
  std::unordered_map<std::uint64_t, std::size_t> keys_;
  std::vector<std::uint64_t> sharers_;
};

}  // namespace tessera
