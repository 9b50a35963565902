// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/ids.h"
#include "modules/llc/slice_observer.h"
#include "modules/mmu/page_migrator.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/platform_interfaces.h"
#include "platforms/made_blocks.h"
#include "platforms/sm_group.h"

namespace tessera {

/// What the page migrator does to the blocks of a platform.
class PageMoves {
 public:
  /// The arguments must outlive it. Throws InputError for a slice that cannot drop a page's lines.
  PageMoves(const PlatformPlan& plan, const MadeBlocks& blocks, const SmGroup& sms,
            std::uint64_t page_bytes, std::function<ChannelId(SmId)> local_memory);

  void stop(const std::vector<ChannelId>& homes, const std::function<void()>& drained);
  bool settled() const;
  bool page_in_flight(std::uint64_t page) const;
  void forget();
  void forget_pages(const std::vector<ChannelId>& homes,
                    const std::vector<std::uint64_t>& virtual_pages);
  void resume(const std::vector<ChannelId>& homes);
  void drop(std::uint64_t page);

 private:
  /// Indices of the SMs whose local memory is one of these.
  std::vector<std::uint32_t> sms_near(const std::vector<ChannelId>& homes) const;

  const SmGroup& sms_;
  const std::uint64_t page_bytes_;
  const std::function<ChannelId(SmId)> local_memory_;
  std::vector<FlushIf*> l1s_;
  std::vector<TranslationsIf*> tlbs_;
  std::vector<const BlockHandle*> slices_;
  std::vector<PageDropIf*> page_drops_;  ///< of the slices
  std::size_t undrained_ = 0;
};

}  // namespace tessera
