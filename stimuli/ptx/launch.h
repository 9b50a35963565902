// SPDX-License-Identifier: Apache-2.0
#pragma once

// A launch of a decoded kernel. warp.h contains its CTAs and warps.
//
// Properties that the SM depends on:
// * Shared, local and parameter accesses execute at issue in both value modes (values_done).
// * The values of .local memory are kept here. Its accesses have addresses in MemoryView::local,
//   in the hardware's layout: the same word of consecutive lanes is contiguous.
// * Constants are read as read-only global data.
// * Loads that the read-only pass has found carry the read-only bit, unless a pointer argument that
//   the kernel writes through points into the same allocation.
// * The fence of an acquire or release access is a separate operation.

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/run_threads.h"
#include "stimuli/ptx/kernel.h"
#include "stimuli/ptx/program.h"
#include "stimuli/ptx/race_check.h"
#include "stimuli/source_places.h"
#include "stimuli/texture.h"

namespace tessera::ptx {

/// Bounds of the allocation of an instruction's last access.
struct RecentRange {
  Address begin = 0;
  std::uint64_t bytes = 0;
};

class Launch final : public KernelProgram, public SourcePlacesIf {
 public:
  Launch(std::shared_ptr<const Kernel> kernel, const LaunchRequest& request,
         const MemoryView& memory);

  const std::string& name() const override { return kernel_->name; }
  Dim3 grid() const override { return grid_; }
  Dim3 block() const override { return block_; }
  CtaResources resources() const override;
  unsigned register_names() const override { return kernel_->register_names; }
  bool cooperative() const override { return is_cooperative(*kernel_); }
  std::string instruction_text(std::uint32_t pc) const override;
  std::optional<SourcePlace> source_of(std::uint32_t pc) const override;
  std::string program_file() const override { return kernel_->file; }
  void use_flat_memory(FlatMemory* flat) override { memory_.flat = flat; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;

  const Kernel& kernel() const { return *kernel_; }
  const MemoryView& memory() const { return memory_; }
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  /// Bytes of local memory of a thread, with its stack.
  std::uint32_t local_bytes() const { return local_bytes_; }
  unsigned warps_per_cta() const { return warps_; }
  unsigned warp_threads(unsigned warp) const;
  std::byte* launch_bank() { return launch_bank_.data(); }
  std::byte* parameters() { return parameters_.data(); }
  std::byte* thread_bank(unsigned warp) { return thread_bank_.data() + warp * 3 * kVector32; }
  RecentRange& recent(std::uint32_t pc) { return recent_[run_thread][pc]; }
  /// True at the first call for an instruction, if warnings are enabled.
  bool first_warning(std::uint32_t pc) {
    if (memory_.warn == nullptr) return false;
    const auto held = lock_between_threads(mutex_);
    return warned_.insert(pc).second;
  }
  /// Null if accesses are not checked.
  LaunchRaces* races() { return races_.get(); }
  /// Whether the requests of the load at `pc` carry the read-only bit.
  bool is_read_only(std::uint32_t pc) const { return read_only_[pc] != 0; }
  /// Whether texel loads from the texture carry the read-only bit, because the kernel does not
  /// write to its allocation by pointer or by surface.
  bool is_read_only_texture(std::uint64_t handle) const {
    const std::uint64_t index = handle - TextureTable::kFirstHandle;
    return index < read_only_textures_.size() && read_only_textures_[index] != 0;
  }

  /// Storage of completed CTAs is reused.
  std::vector<std::byte> take_storage();
  void give_storage(std::vector<std::byte> storage);
  std::size_t warp_bytes() const { return warp_bytes_; }

 private:
  void place_stack();
  void place_parameters(const LaunchRequest& request);
  void fill_launch_bank(const LaunchRequest& request);
  void mark_read_only();
  void mark_read_only_textures(std::set<const Allocation*> written);
  const Allocation* allocation_of_texture(std::uint64_t handle) const;
  Address pointer_value(const PointerOrigin& origin) const;

  std::shared_ptr<const Kernel> kernel_;
  MemoryView memory_;
  Dim3 grid_;
  Dim3 block_;
  std::uint32_t threads_ = 0;
  unsigned warps_ = 0;
  std::uint32_t shared_bytes_ = 0;
  std::uint32_t local_bytes_ = 0;
  std::size_t warp_bytes_ = 0;  ///< registers and local memory of one warp
  std::vector<std::byte> launch_bank_;
  std::vector<std::byte> parameters_;
  std::vector<std::byte> thread_bank_;
  std::array<std::vector<RecentRange>, kMostRunThreads> recent_;  ///< by thread, by instruction
  std::mutex mutex_;                                              ///< guards warned_ and pool_
  std::set<std::uint32_t> warned_;
  std::unique_ptr<LaunchRaces> races_;
  std::vector<std::uint8_t> read_only_;           ///< of each instruction
  std::vector<std::uint8_t> read_only_textures_;  ///< of each of MemoryView::textures
  std::vector<std::vector<std::byte>> pool_;
};

}  // namespace tessera::ptx
