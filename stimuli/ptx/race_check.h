// SPDX-License-Identifier: Apache-2.0
#pragma once

// --check-races: detects unordered accesses of one launch whose order changes the result. Off
// unless MemoryView::race is set. Scope and limits: docs/guide/races.md.

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

/// Vector clock of an agent (a CTA, or a warp of a CTA): for each agent, the last epoch that
/// happened before.
class VectorClock {
 public:
  std::uint32_t of(std::uint32_t agent) const;
  void raise(std::uint32_t agent, std::uint32_t epoch);
  void join(const VectorClock& other);

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> epochs_;
};

/// One lane's access to memory that agents share.
struct RaceAccess {
  std::uint32_t agent = 0;
  std::uint32_t pc = 0;
  AccessKind kind = AccessKind::kLoad;
  bool strong = false;  ///< volatile, relaxed, acquire, release or atomic: can be concurrent
  /// A strong write after a fence: publishes the earlier accesses of its agent.
  bool releases = false;
  Address address = 0;
  unsigned bytes = 4;
  const std::byte* before = nullptr;  ///< bytes in memory before; null if unknown
  const std::byte* after = nullptr;   ///< bytes in memory after a write; null if unknown
};

/// The earlier access of a race.
struct RaceConflict {
  std::uint32_t agent = 0;
  std::uint32_t pc = 0;
  bool wrote = false;
};

/// Accesses to one memory with a granularity of 4 bytes: for each word the last write and the last
/// reads of two agents. Two accesses of different agents race if one of them changes the bytes, at
/// least one is not strong, and neither happens before the other.
class RaceDetector {
 public:
  /// Records the access. Returns the earlier access with which it races, if any.
  std::optional<RaceConflict> access(const RaceAccess& a);
  /// Release: the agent's accesses so far happen before later acquires of `into`.
  void release(std::uint32_t agent, VectorClock& into);
  void acquire(std::uint32_t agent, const VectorClock& from);

 private:
  struct Record {
    std::uint32_t agent = 0;
    std::uint32_t epoch = 0;  ///< 0: no access
    std::uint32_t pc = 0;
    std::uint8_t bytes = 0;  ///< one bit per byte
    bool strong = false;
  };
  struct Word {
    Record write;
    std::array<std::byte, 4> value{};  ///< value after the write
    std::uint8_t known = 0;            ///< known bytes of `value`
    std::uint8_t changed = 0;          ///< bytes that the write can have changed
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
  std::unordered_map<Address, VectorClock> published_;  ///< clocks of strong writes, by word
};

/// The arrivals of a CTA's warps at a barrier, and their clock.
struct BarrierGeneration {
  VectorClock clock;
  std::uint32_t expected = 0;  ///< threads; 0: all threads of the CTA
  std::uint32_t warps = 0;
  bool released = false;  ///< a warp has passed the barrier

  bool is_complete() const { return released || (expected != 0 && warps * kWarpLanes >= expected); }
};

/// State of one CTA: its shared memory, with warps as agents, and its barriers.
struct CtaRaces {
  RaceDetector shared;
  std::array<std::shared_ptr<BarrierGeneration>, 16> barriers;
  std::unordered_map<std::uint32_t, VectorClock> mbarriers;  ///< clocks of arrivals, by address
};

/// State of one launch.
struct LaunchRaces {
  RaceDetector global;  ///< agents are CTAs
  /// Reported messages: for each instruction one race with a read and one with a write, or a
  /// barrier in divergent code.
  std::set<std::pair<std::uint32_t, bool>> reported;
};

/// State of one warp.
struct WarpRaces {
  std::shared_ptr<BarrierGeneration> arrived;  ///< barrier whose release is not yet acquired
  bool fenced = false;                         ///< no weak write since its last fence
};

}  // namespace tessera::ptx
