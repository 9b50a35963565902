// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/llc/slice_stages.h"

namespace tessera {

/// What SlicePipeline asks its role, with the answers that most roles give. A role derives from
/// this and answers anew what it sees differently: which request is looked up, where a miss is
/// fetched from, what stays. Nothing is virtual: the pipeline knows its role when it is compiled.
class SliceRole {
 public:
  using Payload = SliceStages::Payload;
  using Access = SliceStages::Access;
  using Output = SliceStages::Output;
  using Outcome = SliceStages::Outcome;

  /// What becomes of a request that arrives.
  enum class Route : std::uint8_t {
    kLookup,   ///< it stands in its queue for the arrays
    kBypass,   ///< it goes round them, to onward()
    kMessage,  ///< no memory access: take_message() has it
  };

  /// Whether `remote` leads to other slices.
  static constexpr bool kReachesSlices = false;
  /// Whether a line from the channel may lie until the process runs next, where nothing waits for
  /// it that could leave before. False: what a fill lets happen is seen elsewhere.
  static constexpr bool kFillsMayWait = true;
  /// Kinds of requests that come with TLM_IGNORE_COMMAND (PayloadRules::kinds()).
  static constexpr std::uint16_t kMessages = 0;
  /// What `memory` leads to, for the watchdog.
  static constexpr const char* kBelow = "the channel";

  SliceRole(SliceStages& slice, const SliceSite& site)
      : slice_(slice), self_(site.self), keeps_remote_misses_(site.keeps_remote_misses) {}

  // A request arrives.

  /// Whether the slice holds lines of this home, or has a way to it.
  bool serves(const Home& home) const { return home.slice == self_; }
  Route route(const Access&) const { return Route::kLookup; }
  /// Chooses the set of the arrays.
  std::uint64_t set_index(const Home& home) const { return home.slice_line; }
  /// Where a request that is not served here leaves.
  Output& onward() { return slice_.to_remote_; }

  // Messages between slices: of Route::kMessage, and answers from `remote` to the role's own.

  void take_message(const Access&, Tick /*due*/) {}
  void handle_messages(Tick /*t*/) {}
  Tick next_message() const { return kNever; }
  /// True when the role itself was waiting for the answer.
  bool takes_answer(Payload&, Tick /*t*/) { return false; }

  // A request is looked up.

  /// Whether the line's newest bytes are here or behind `memory`, and nowhere else.
  bool owns(const Home&) const { return true; }
  /// Whether a miss fetches the line from its home slice, by `remote`; else from `memory`.
  bool is_foreign(const Home&) const { return false; }
  /// Whether an access goes on after its lookup whatever the arrays hold; pass_on() sends it.
  bool passes_on(const MemoryRequest&) const { return false; }
  Outcome pass_on(const Access& a, std::uint64_t line, CacheArray::Frame frame, Tick t) {
    return slice_.forward_to_home(a, line, frame, t);
  }
  /// Whether the answer to a load of a whole line brings all of its bytes.
  bool comes_whole(const MemoryRequest&) const { return true; }

  // A line has come, or an access has taken effect.

  /// Whether a line stays that this access alone fetched.
  bool keeps(const Access& a) const { return keeps_remote_misses_ || slice_.local(a); }
  /// Whether a line must not outlive the kernel.
  bool is_copy(const Home&) const { return false; }
  /// Whether the answer of an access that has taken effect may leave; else the role sends it later.
  bool may_leave(const Access&, Tick /*t*/) { return true; }

  // An answer passes.

  /// Whether an answer from `memory` is to a request that was sent on.
  bool passes_back(Payload&) const { return false; }
  /// Whether the slice notes in a request when its answer left.
  bool stamps_departure(const MemoryRequest&) const { return true; }

  // Housekeeping of what the role itself holds.

  bool idle() const { return true; }
  void describe_waiting(std::vector<Waiting>&) const {}
  void reset() {}
  /// Statistics that only this role has, listed after every slice's.
  void register_statistics(StatisticsRegistry&) const {}

 protected:
  SliceStages& slice_;
  const SliceId self_;

 private:
  const bool keeps_remote_misses_;
};

}  // namespace tessera
