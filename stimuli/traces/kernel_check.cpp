// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/kernel_check.h"

#include <algorithm>
#include <utility>

#include "common/error.h"

namespace tessera::traces {
namespace {

/// Bytes of a thread: CUDA C++ Programming Guide, "Technical Specifications".
constexpr std::uint64_t kMostLocalBytes = 512 * 1024;

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

}  // namespace

void KernelCheck::begin_block(const KernelTraceReader& reader, const Dim3& at) {
  const Dim3& grid = kernel_.grid;
  if (at.x >= grid.x || at.y >= grid.y || at.z >= grid.z) {
    throw InputError(reader.place() + ": expected a CTA of the grid " + text_of(grid) +
                     ", found CTA " + text_of(at));
  }
  at_ = at;
  const std::uint64_t cta = at.x + std::uint64_t{grid.x} * (at.y + std::uint64_t{grid.y} * at.z);
  ctas_.push_back(static_cast<std::uint32_t>(cta));
  all_warps_ += kernel_.warps();
  seen_.assign(kernel_.warps(), false);
}

void KernelCheck::begin_warp(const KernelTraceReader& reader, std::uint32_t warp) {
  if (warp >= seen_.size()) {
    throw InputError(reader.place() + ": expected a warp of the block's " +
                     std::to_string(seen_.size()) + " warps, found warp " + std::to_string(warp));
  }
  if (seen_[warp]) {
    throw InputError(reader.place() + ": expected each warp once in CTA " + text_of(at_) +
                     ", found warp " + std::to_string(warp) + " again");
  }
  seen_[warp] = true;
  any_ = false;
  const std::uint64_t left = kernel_.block.count() - std::uint64_t{warp} * kWarpLanes;
  threads_ = left >= kWarpLanes ? ~std::uint32_t{0} : (std::uint32_t{1} << left) - 1;
}

void KernelCheck::count(const TraceInstruction& i) {
  if (!any_) ++filled_warps_;
  any_ = true;
  if ((i.mask & ~threads_) != 0) ++beyond_;
  if (i.lacks_addresses) ++without_places_;
  const TraceOperation& o = i.operation;
  if (o.action == TraceAction::kMemory && o.space == Space::kLocal) note_local(i);
}

void KernelCheck::note_local(const TraceInstruction& i) {
  const std::uint64_t width = i.operation.lane_bytes;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
    const Address a = i.address[static_cast<unsigned>(__builtin_ctz(left))] - kernel_.local_base;
    const Address begin = a % kWindowBytes & ~(width - 1);
    local_begin_ = std::min(local_begin_, begin);
    local_end_ = std::max(local_end_, begin + width);
  }
}

std::string KernelCheck::place_of(std::uint64_t cta) const {
  const Dim3& grid = kernel_.grid;
  return text_of(Dim3{static_cast<std::uint32_t>(cta % grid.x),
                      static_cast<std::uint32_t>(cta / grid.x % grid.y),
                      static_cast<std::uint32_t>(cta / grid.x / grid.y)});
}

void KernelCheck::finish() {
  const std::vector<std::uint32_t> ctas = [this] {
    std::vector<std::uint32_t> sorted = std::move(ctas_);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }();
  const auto twice = std::adjacent_find(ctas.begin(), ctas.end());
  if (twice != ctas.end()) {
    throw InputError(kernel_.file + ": expected each CTA once, found CTA " + place_of(*twice) +
                     " twice");
  }
  if (ctas.size() != kernel_.grid.count()) {
    std::uint64_t missing = 0;
    while (missing < ctas.size() && ctas[missing] == missing) ++missing;
    throw InputError(kernel_.file + ": expected the " + std::to_string(kernel_.grid.count()) +
                     " CTAs of the grid " + text_of(kernel_.grid) + ", found " +
                     std::to_string(ctas.size()) + "; the first that is missing is CTA " +
                     place_of(missing));
  }
  if (local_end_ == 0) return;
  // Memory of a thread begins with a whole element of the widest access.
  const std::uint64_t bytes = local_end_ - local_begin_ / kMaxLaneBytes * kMaxLaneBytes;
  if (bytes > kMostLocalBytes) {
    throw InputError(kernel_.file + ": expected at most " + std::to_string(kMostLocalBytes) +
                     " bytes of local memory of a thread, found addresses in " +
                     std::to_string(bytes) + " bytes");
  }
}

std::vector<std::string> KernelCheck::warnings() const {
  std::vector<std::string> out;
  const std::uint64_t empty = all_warps_ - filled_warps_;
  if (empty != 0) {
    out.push_back(kernel_.file + ": " + std::to_string(empty) + " of the " +
                  counted(all_warps_, "warp", "warps") + " of its CTAs " +
                  (empty == 1 ? "has" : "have") + " no instructions");
  }
  if (beyond_ != 0) {
    out.push_back(kernel_.file + ": " + counted(beyond_, "instruction has", "instructions have") +
                  " active lanes beyond the " +
                  counted(kernel_.block.count(), "thread", "threads") +
                  " of the block; these lanes execute");
  }
  if (without_places_ != 0) {
    out.push_back(
        kernel_.file + ": " + counted(without_places_, "access has", "accesses have") +
        " active lanes and no addresses; " +
        (without_places_ == 1 ? "it counts as an ALU operation" : "they count as ALU operations"));
  }
  return out;
}

}  // namespace tessera::traces
