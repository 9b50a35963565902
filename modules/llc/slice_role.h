// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/llc/slice_stages.h"

namespace tessera {

/// Interface of a role to SlicePipeline, with the default implementations. A role derives from this
/// class and hides the functions in which it differs: which requests are looked up, where a miss is
/// fetched from, which lines are kept. No function is virtual, because the role is a template
/// parameter of SlicePipeline.
class SliceRole {
 public:
  using Payload = SliceStages::Payload;
  using Access = SliceStages::Access;
  using Output = SliceStages::Output;
  using Outcome = SliceStages::Outcome;

  /// Route of an arriving request.
  enum class Route : std::uint8_t {
    kLookup,   ///< enqueue it for the arrays
    kBypass,   ///< bypass the arrays, to onward()
    kMessage,  ///< not a memory access: pass it to handle_message()
  };

  /// Whether `remote` connects to other slices, or to the cores.
  static constexpr bool kReachesSlices = false;
  /// Whether a fill from the channel can wait until the process runs for another reason, if no
  /// response could leave earlier because of it. False if other blocks can observe the effects of a
  /// fill.
  static constexpr bool kFillsMayWait = true;
  /// Request kinds that use TLM_IGNORE_COMMAND (PayloadRules::kinds()).
  static constexpr std::uint16_t kMessages = 0;
  /// Name of the block at `memory`, for the watchdog's report.
  static constexpr const char* kBelow = "the channel";

  SliceRole(SliceStages& slice, const SliceSite& site)
      : slice_(slice), self_(site.self), keeps_remote_misses_(site.keeps_remote_misses) {}

  // Arriving requests.

  /// Whether the slice holds lines of this home or can forward requests to it.
  bool serves(const Home& home) const { return home.slice == self_; }
  Route route(const Access&) const { return Route::kLookup; }
  /// Index that selects the set of the arrays.
  std::uint64_t set_index(const Home& home) const { return home.slice_line; }
  /// Output for requests that bypass the arrays.
  Output& onward() { return slice_.to_remote_; }

  // Messages between slices: requests of Route::kMessage, and responses from `remote` to the role's
  // own messages.

  void handle_message(const Access&, Tick /*due*/) {}
  void handle_messages(Tick /*t*/) {}
  Tick next_message() const { return kNever; }
  /// Returns true if the response belongs to a message of the role, which has then consumed it.
  bool handles_response(Payload&, Tick /*t*/) { return false; }

  // Lookups.

  /// Whether the newest bytes of the line are in this slice or below `memory`, and nowhere else.
  bool owns(const Home&) const { return true; }
  /// Whether a miss fetches the line from its home slice through `remote`; otherwise from `memory`.
  bool is_foreign(const Home&) const { return false; }
  /// Whether an access is forwarded after its lookup, whether or not it hits.
  /// write_back_and_forward() sends it.
  bool must_reach_home(const MemoryRequest&) const { return false; }
  Outcome write_back_and_forward(const Access& a, std::uint64_t line, CacheArray::Way way, Tick t) {
    return slice_.forward_to_home(a, line, way, t);
  }
  /// An access has found all bytes that it needs. Returns true if the role has sent it to another
  /// block, which responds in place of the slice.
  bool forwards_hit(const Access&, CacheArray::Way, Tick) { return false; }
  /// Whether the response to a load of a whole line carries all of its bytes.
  bool comes_whole(const MemoryRequest&) const { return true; }

  // Fills and completed accesses.

  /// Whether a line that only this access has fetched is kept.
  bool keeps(const Access& a) const { return keeps_remote_misses_ || slice_.local(a); }
  /// Whether lines of this home are copies, which must be flushed at the kernel's end.
  bool is_copy(const Home&) const { return false; }
  /// Whether the response to a completed access can be sent. If not, the role sends it later.
  bool may_leave(const Access&, Tick /*t*/) { return true; }

  // Responses.

  /// Whether a response from `memory` belongs to a forwarded request.
  bool passes_back(Payload&) const { return false; }
  /// The part of this slice for a request that it responds to. The slice stamps the departure of
  /// the response (Hop::kFromLlc), unless it is not the home and another block has stamped it.
  ServedBy serves_as(const MemoryRequest&) const { return ServedBy::kHome; }

  // Housekeeping of the role's own state.

  bool idle() const { return true; }
  void describe_waiting(std::vector<Waiting>&) const {}
  void reset() {}
  /// Statistics of this role only, registered after those of every slice.
  void register_statistics(StatisticsRegistry&) const {}

 protected:
  SliceStages& slice_;
  const SliceId self_;

 private:
  const bool keeps_remote_misses_;
};

}  // namespace tessera
