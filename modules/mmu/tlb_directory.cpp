// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/tlb_directory.h"

#include <algorithm>
#include <utility>

namespace tessera {

void TlbDirectory::enable(std::uint32_t homes, std::function<ChannelId(SmId)> home_of) {
  pages_.resize(homes);
  home_of_ = std::move(home_of);
}

void TlbDirectory::hold(std::unordered_set<std::uint64_t> virtual_pages, Tick from) {
  held_ = std::move(virtual_pages);
  holders_known_ = false;
  from_ = from;
  until_ = kNever;
}

const std::vector<ChannelId>& TlbDirectory::holders() {
  if (holders_known_) return holders_;
  // Of the requesters that have no page of the batch, all walks for these pages are held. Therefore
  // the time of the first call does not matter.
  holders_.clear();
  for (std::uint32_t h = 0; h < pages_.size(); ++h) {
    const ChannelId home(h);
    if (std::any_of(held_.begin(), held_.end(),
                    [&](std::uint64_t page) { return holds(home, page); })) {
      holders_.push_back(home);
    }
  }
  holders_known_ = true;
  return holders_;
}

void TlbDirectory::release(Tick until) {
  until_ = until;
  if (on_release) on_release();
}

bool TlbDirectory::held(std::uint64_t virtual_page, RequesterId requester, Tick now) {
  if (from_ == kNever || now <= from_ || (until_ != kNever && now > until_)) return false;
  if (held_.count(virtual_page) == 0) return false;
  if (!requester.is_sm()) return true;
  const ChannelId home = home_of_(requester.sm());
  const std::vector<ChannelId>& all = holders();
  return std::find(all.begin(), all.end(), home) == all.end();
}

void TlbDirectory::clear() {
  for (auto& pages : pages_) pages.clear();
  held_.clear();
  from_ = until_ = kNever;
  holders_known_ = false;
}

}  // namespace tessera
