// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/umh/coherence_message.h"
#include "modules/umh/coherent_cache.h"
#include "modules/umh/nmoesi.h"

namespace tessera::umh::test {

/// Deliberate faults of the protocol, to show that the coherence tester finds them.
enum class ProtocolMutation : std::uint8_t {
  kNone,
  kKeepSharerOnWrite,       ///< a write request leaves one sharer's copy
  kDropNonCoherentBytes,    ///< the write-back of N carries no bytes
  kOwnerStaysModified,      ///< M stays M after a read request
  kMergeWithoutMask,        ///< a merge copies all bytes of the line
  kExclusiveToEveryReader,  ///< every reader is granted E
  kApplyVoidedWriteBack,    ///< a write-back is merged although a snoop took its bytes
  kStoreHitsShared,         ///< a store hits S without a write request
  kSkipRecall,              ///< an eviction leaves the copies of the upper levels
  kKeepStaleBytes,          ///< a write grant leaves the bytes of a resident line
  kNoWaitForGrantAck,       ///< a directory continues before its grant has arrived
  kMergeKeepsCopies,        ///< the HMD merges non-coherent bytes and leaves other copies
  kNarrowNonCoherentStore,  ///< a store narrower than a mask bit is not made coherent
  kIgnoreWriteBackBuffer,   ///< a snoop does not find a block whose write-back is on its way
};

/// Makes a faulty protocol of the correct caches and directories: by a wrong cell of their
/// transition table, by messages that the network changes, drops or invents, or by a changed access
/// of a core. With kNone, it changes nothing.
class ProtocolMutant {
 public:
  explicit ProtocolMutant(ProtocolMutation mutation) : mutation_(mutation) {}

  /// Table II with the wrong cell.
  TransitionTable transitions(OwnedRead owned) const;

  enum class Delay : std::uint8_t { kRandom, kMinimum };
  using Post = std::function<void(CoherenceMessage, Delay)>;
  /// Calls `post` with the messages that the network carries in place of `m`. `sender`: null if it
  /// is an HMD.
  void send(CoherenceMessage m, const CoherentCache* sender, const Post& post);
  /// Changes a message at its delivery. `receiver`: null if it is an HMD.
  void deliver(CoherenceMessage& m, const CoherentCache* receiver);

  /// Performs an access of a core in `l1`.
  void access(CoherentCache& l1, const CoherentAccess& a, CoherentCache::Completion done) const;

 private:
  /// A write request or an invalidation that a directory has received and not responded to.
  struct Cause {
    AgentId directory = kNoAgent;
    AgentId from = kNoAgent;
    std::uint64_t line = 0;
    std::uint32_t lines = 0;
    bool snoop = false;
    bool kept = false;  ///< kKeepSharerOnWrite: one sharer has been kept
  };

  bool covers(const Cause& c, const CoherenceMessage& m) const;
  void forget(bool snoop, const CoherenceMessage& response);
  /// Whether the fault consists in a child that does not receive this snoop.
  bool loses(const CoherenceMessage& snoop, const CoherentCache* sender);
  bool acknowledged_before(const CoherenceMessage& ack);

  ProtocolMutation mutation_;
  std::vector<Cause> causes_;
  std::vector<CoherenceMessage> early_acks_;  ///< invented, while the correct ones are outstanding
};

}  // namespace tessera::umh::test
