// SPDX-License-Identifier: Apache-2.0
#include "platforms/page_moves.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "platforms/flush_plan.h"

namespace tessera {

PageMoves::PageMoves(const PlatformPlan& plan, const MadeBlocks& blocks, const SmGroup& sms,
                     std::uint64_t page_bytes, std::function<ChannelId(SmId)> local_memory)
    : sms_(sms),
      page_bytes_(page_bytes),
      local_memory_(std::move(local_memory)),
      l1s_(l1s_of(plan, blocks)),
      tlbs_(blocks.offered<TranslationsIf>()),
      slices_(blocks.of_kind("llc")) {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    page_drops_.push_back(slices_[i]->find<PageDropIf>());
    if (page_drops_.back() != nullptr) continue;
    throw InputError(plan.path_of(*plan.of_kind("llc")[i]) +
                     ": this implementation of the LLC slice cannot drop a page's lines, as "
                     "migration.policy needs");
  }
}

std::vector<std::uint32_t> PageMoves::sms_near(const std::vector<ChannelId>& homes) const {
  std::vector<std::uint32_t> near;
  for (std::uint32_t i = 0; i < sms_.each().size(); ++i) {
    if (std::find(homes.begin(), homes.end(), local_memory_(SmId(i))) != homes.end()) {
      near.push_back(i);
    }
  }
  return near;
}

void PageMoves::stop(const std::vector<ChannelId>& homes, const std::function<void()>& drained) {
  const std::vector<std::uint32_t> near = sms_near(homes);
  undrained_ = near.size();
  for (const std::uint32_t i : near) {
    sms_.each()[i]->quiesce->quiesce([this, drained] {
      if (--undrained_ == 0) drained();
    });
  }
}

bool PageMoves::settled() const {
  return std::all_of(slices_.begin(), slices_.end(),
                     [](const BlockHandle* slice) { return slice->block->idle(); });
}

bool PageMoves::page_in_flight(std::uint64_t page) const {
  return std::any_of(page_drops_.begin(), page_drops_.end(), [&](const PageDropIf* slice) {
    return slice->page_in_flight(page, page_bytes_);
  });
}

void PageMoves::forget() {
  for (TranslationsIf* tlb : tlbs_) tlb->invalidate_all();
  for (FlushIf* l1 : l1s_) l1->flush();
}

void PageMoves::forget_pages(const std::vector<ChannelId>& homes,
                             const std::vector<std::uint64_t>& virtual_pages) {
  for (std::uint32_t g = 0; g < tlbs_.size(); ++g) {
    if (std::find(homes.begin(), homes.end(), ChannelId(g)) != homes.end()) {
      tlbs_[g]->invalidate_all();
    } else {
      // Of these pages, the TLB can hold translations of requesters other than SMs.
      for (const std::uint64_t page : virtual_pages) tlbs_[g]->invalidate_page(page);
    }
  }
  for (const std::uint32_t i : sms_near(homes)) l1s_[i]->flush();
}

void PageMoves::resume(const std::vector<ChannelId>& homes) {
  for (const std::uint32_t i : sms_near(homes)) sms_.each()[i]->quiesce->resume();
}

void PageMoves::drop(std::uint64_t page) {
  for (PageDropIf* slice : page_drops_) slice->drop_page(page, page_bytes_);
}

}  // namespace tessera
