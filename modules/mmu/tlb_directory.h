// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Records which homes' TLBs can hold the translation of a page, and holds the walks for pages that
/// migrate. A home is a GPU with its SMs. Plain C++, part of the page table.
///
/// Hardware: a TLB directory beside the page table (Villavieja et al., DiDi, PACT 2011). MGPUSim's
/// MMU records the hosts of each page, and its driver sends shootdowns to these GPUs only.
///
/// The record is a superset of the TLBs' contents: an eviction does not change it, and only
/// forget() removes pages. It is empty until enable().
class TlbDirectory {
 public:
  /// Enables the record. `home_of`: the home of an SM, below `homes`.
  void enable(std::uint32_t homes, std::function<ChannelId(SmId)> home_of);
  bool enabled() const { return !pages_.empty(); }

  /// Records that the page's translation was sent to the requester's GPU. No effect for requesters
  /// other than SMs.
  void record(std::uint64_t virtual_page, RequesterId requester) {
    if (enabled() && requester.is_sm()) {
      pages_[home_of_(requester.sm()).value].insert(virtual_page);
    }
  }
  bool holds(ChannelId home, std::uint64_t virtual_page) const {
    return pages_[home.value].count(virtual_page) != 0;
  }
  /// The TLBs of the home have been emptied.
  void forget(ChannelId home) { pages_[home.value].clear(); }

  /// Begins to hold walks for these pages, for all requesters but the SMs of holders(). Walks that
  /// end at `from` or earlier are not held, so that the order of the processes at `from` does not
  /// matter.
  void hold(std::unordered_set<std::uint64_t> virtual_pages, Tick from);
  /// The homes that can hold a page of hold(), in ascending order. Does not change after `from`.
  /// Precondition: the present time is after `from`.
  const std::vector<ChannelId>& holders();
  /// Ends the hold. Walks that end at `until` or earlier are still held.
  void release(Tick until);
  /// Called by release().
  std::function<void()> on_release;
  /// Whether a walk that ends at `now` must wait for the end of the hold.
  bool held(std::uint64_t virtual_page, RequesterId requester, Tick now);
  /// Whether held walks can end at a time after `now`.
  bool released() const { return until_ != kNever; }

  /// Removes all records and the hold.
  void clear();

 private:
  std::function<ChannelId(SmId)> home_of_;
  std::vector<std::unordered_set<std::uint64_t>> pages_;  ///< by home
  std::unordered_set<std::uint64_t> held_;
  std::vector<ChannelId> holders_;
  bool holders_known_ = false;
  Tick from_ = kNever;
  Tick until_ = kNever;
};

}  // namespace tessera
