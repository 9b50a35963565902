// SPDX-License-Identifier: Apache-2.0
#pragma once

// --check-races: accesses of one launch whose order nothing decides although the result depends on
// it. Off unless MemoryView::race is set; docs/guide/races.md says what is found and what is not.

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/warp_program.h"

namespace tessera::ptx {

/// What an agent (a CTA, or a warp of one) knows to have happened: of each agent, up to which
/// epoch.
class VectorClock {
 public:
  std::uint32_t of(std::uint32_t agent) const;
  void raise(std::uint32_t agent, std::uint32_t epoch);
  void join(const VectorClock& other);

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> epochs_;
};

/// One lane's access to memory that several agents share.
struct RaceAccess {
  std::uint32_t agent = 0;
  std::uint32_t pc = 0;
  AccessKind kind = AccessKind::kLoad;
  bool strong = false;  ///< volatile, relaxed, acquire, release or atomic: meant to be concurrent
  /// A strong write publishes what its agent did before (a fence precedes it).
  bool releases = false;
  Address address = 0;
  unsigned bytes = 4;
  const std::byte* before = nullptr;  ///< the bytes in memory; null where they are not known
  const std::byte* after = nullptr;   ///< of a write, likewise
};

/// The earlier access of a race.
struct RaceConflict {
  std::uint32_t agent = 0;
  std::uint32_t pc = 0;
  bool wrote = false;
};

/// The accesses to one memory, 4 bytes at a time: of each word the last write and the last reads of
/// two agents. Two accesses of different agents race when one of them changes the bytes, not both
/// are strong, and neither happens before the other.
class RaceDetector {
 public:
  /// Notes the access; gives the earlier one that it races with.
  std::optional<RaceConflict> access(const RaceAccess& a);
  /// What the agent did so far happens before whatever acquires `into` afterwards.
  void release(std::uint32_t agent, VectorClock& into);
  void acquire(std::uint32_t agent, const VectorClock& from);

 private:
  struct Record {
    std::uint32_t agent = 0;
    std::uint32_t epoch = 0;  ///< 0: there was no such access
    std::uint32_t pc = 0;
    std::uint8_t bytes = 0;  ///< a bit each
    bool strong = false;
  };
  struct Word {
    Record write;
    std::array<std::byte, 4> value{};  ///< that the write left
    std::uint8_t known = 0;            ///< bytes of `value` that are known
    std::uint8_t changed = 0;          ///< bytes that the write may have changed
    std::array<Record, 2> reads;
  };
  struct Agent {
    VectorClock seen;
    std::uint32_t epoch = 1;
  };
  static constexpr unsigned kPageWords = 1024;
  using Page = std::array<Word, kPageWords>;

  Word& word(Address address);
  bool unordered(const Record& r, const RaceAccess& a) const;
  std::optional<RaceConflict> read(Word& w, const RaceAccess& a, std::uint8_t bytes);
  std::optional<RaceConflict> write(Word& w, const RaceAccess& a, std::uint8_t bytes, unsigned at);
  void synchronise(const RaceAccess& a);

  std::unordered_map<Address, std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint32_t, Agent> agents_;
  std::unordered_map<Address, VectorClock> published_;  ///< by strong writes, by word
};

/// Which warps of a CTA have come to a barrier, and what they did before.
struct BarrierGeneration {
  VectorClock clock;
  std::uint32_t expected = 0;  ///< threads; 0: all of the CTA's
  std::uint32_t warps = 0;
  bool released = false;  ///< a warp went on

  bool is_complete() const { return released || (expected != 0 && warps * kWarpLanes >= expected); }
};

/// Of one CTA: its shared memory, whose agents are warps, and its barriers.
struct CtaRaces {
  RaceDetector shared;
  std::array<std::shared_ptr<BarrierGeneration>, 16> barriers;
};

/// Of one launch.
struct LaunchRaces {
  RaceDetector global;  ///< agents are CTAs
  /// What has been told: of each instruction one race with a read, one with a write and, of a
  /// barrier, that it stands in divergent code.
  std::set<std::pair<std::uint32_t, bool>> told;
};

/// Of one warp.
struct WarpRaces {
  std::shared_ptr<BarrierGeneration> arrived;  ///< whose release it has not acquired yet
  bool fenced = false;                         ///< no weak write since its last fence
};

}  // namespace tessera::ptx
