// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/ids.h"
#include "common/json_fwd.h"
#include "modules/mmu/page_table.h"
#include "modules/plan/plan.h"
#include "modules/sm/access_observer.h"
#include "modules/umh/coherent_cache_block.h"
#include "platforms/made_blocks.h"
#include "platforms/profile/profile_counts.h"
#include "platforms/profile/profile_nodes.h"
#include "stimuli/device_memory.h"
#include "stimuli/source_places.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// What a profile reads of its platform. The pointees must outlive it.
struct ProfiledPlatform {
  const PlatformPlan* plan = nullptr;
  const MadeBlocks* made = nullptr;
  const AddressMap* map = nullptr;
  const PageTable* pages = nullptr;
  const Allocations* allocations = nullptr;
  const ClockDomain* sm_clock = nullptr;
  std::uint32_t line_bytes = 0;
};

/// Where the accesses of kernels come from and where they go: "profile" of stats.json
/// (docs/guide/profile.md). It counts by instruction, by allocation and by page, as an observer of
/// SMs and L1s; without a profile these have no observer. Blocks of other implementations are not
/// counted. All blocks must be in one domain.
class AccessProfile {
 public:
  /// Pages in stats.json: those with the most touches.
  static constexpr std::size_t kMostPages = 4096;

  /// Observes all SMs and L1s of the platform.
  explicit AccessProfile(const ProfiledPlatform& platform);
  AccessProfile(const AccessProfile&) = delete;
  AccessProfile& operator=(const AccessProfile&) = delete;

  /// From now on, accesses with this slot belong to the program.
  void start_kernel(LaunchSlot slot, const KernelProgram& program);
  /// What was counted before now does not count.
  void clear();
  /// The section.
  nlohmann::ordered_json to_json() const;

 private:
  struct Instruction {
    ProfileCounts counts;
    std::string text;  ///< KernelProgram::instruction_text(); empty: has not accessed memory
    std::optional<SourcePlace> source;
  };
  /// All launches of a kernel.
  struct Kernel {
    std::string name;
    std::string file;                        ///< of its program; can be empty
    const KernelProgram* program = nullptr;  ///< of the last launch; while it runs
    std::vector<Instruction> instructions;   ///< by pc
  };
  struct SmPart final : SmAccessObserver {
    SmPart(AccessProfile& of, std::uint32_t n) : profile(of), node(n) {}
    void on_warp_access(LaunchSlot launch, const MemoryOp& access,
                        const CoalescedAccess& lines) override;
    void on_stall(LaunchSlot launch, std::uint32_t pc, Tick time) override;
    AccessProfile& profile;
    std::uint32_t node;  ///< index of ProfileNodes::touchers()
  };
  struct L1Part final : L1AccessObserver, umh::CoherentAccessObserver {
    L1Part(AccessProfile& of, std::uint32_t n) : profile(of), node(n) {}
    void on_lookup(const tlm::tlm_generic_payload& payload, const MemoryRequest& request,
                   L1Lookup outcome) override;
    void on_fill(const MemoryRequest& request, std::uint64_t bytes,
                 std::uint64_t latency_cycles) override;
    void on_lookup(const tlm::tlm_generic_payload& payload) override;
    void on_completed(const tlm::tlm_generic_payload& payload,
                      const umh::CoherentOutcome& outcome) override;
    /// f(counts) of the request's instruction and of its allocation.
    template <class F>
    void count(const MemoryRequest& request, F f);
    bool is_remote(const tlm::tlm_generic_payload& payload) const;
    AccessProfile& profile;
    std::uint32_t node;
  };

  ProfileCounts& of_instruction(LaunchSlot launch, std::uint32_t pc);
  ProfileCounts& of_allocation(std::uint32_t number);
  void touch(std::uint64_t virtual_address, std::uint32_t node);
  nlohmann::ordered_json lines_json() const;
  nlohmann::ordered_json arrays_json() const;
  nlohmann::ordered_json pages_json() const;

  const ProfiledPlatform platform_;
  const ProfileNodes nodes_;
  std::deque<SmPart> sms_;
  std::deque<L1Part> l1s_;
  std::vector<Kernel> kernels_;  ///< the first: accesses of no kernel
  std::array<std::size_t, LaunchSlot::kCount> of_slot_{};
  std::vector<ProfileCounts> allocations_;  ///< by number (allocation_number()); 0: unknown
  std::unordered_map<std::uint64_t, std::size_t> page_numbers_;
  std::vector<std::uint64_t> pages_;    ///< virtual pages, in the order of their first touches
  std::vector<std::uint64_t> touches_;  ///< lines: [number of the page][toucher]
};

}  // namespace tessera
