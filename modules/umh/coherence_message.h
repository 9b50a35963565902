// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/protocol/byte_mask.h"
#include "modules/umh/nmoesi.h"

namespace tessera::umh {

/// Bytes of a line (UMH section 5).
inline constexpr unsigned kLineBytes = 64;

/// A cache or directory of the coherent hierarchy. The network's owner assigns the values.
enum class AgentId : std::uint16_t {};
inline constexpr AgentId kNoAgent = AgentId{0xffff};

/// Virtual channel of a message. docs/systems/umh.md shows that no class can deadlock.
enum class MessageClass : std::uint8_t { kRequest, kSnoop, kData, kAcknowledgement };
inline constexpr std::size_t kMessageClasses =
    static_cast<std::size_t>(MessageClass::kAcknowledgement) + 1;

/// docs/blocks/coherent-cache.md has the table of messages.
enum class MessageType : std::uint8_t {
  kReadRequest,      ///< upper to lower level: requests a readable copy
  kWriteRequest,     ///< upper to lower level: requests the only copy
  kWriteBack,        ///< upper to lower level: dirty bytes of an evicted block
  kReadSnoop,        ///< lower to upper level: another cache reads the block
  kInvalidateSnoop,  ///< lower to upper level: drop the block
  kSnoopData,        ///< upper to lower level: response to a snoop with dirty bytes
  kSnoopAck,         ///< upper to lower level: response to a snoop without dirty bytes
  kGrant,            ///< lower to upper level: the bytes and the state that a request obtains
  kPeerData,         ///< between two SMDs: the same, from the owner of the block
  kListen,           ///< HMD to SMD: a peer has been requested to send the block
  kGrantAck,     ///< upper to lower level: the grant, or a write-back-ack with `confirm`, arrived
  kWriteBackAck  ///< lower to upper level: the write-back has been merged or dropped
};

inline constexpr std::size_t kMessageTypes =
    static_cast<std::size_t>(MessageType::kWriteBackAck) + 1;

MessageClass class_of(MessageType type);
/// Whether messages of this type carry bytes of lines.
bool carries_bytes(MessageType type);
const char* name_of(MessageType type);
const char* name_of(MessageClass c);

/// Some bytes of a line.
struct LineBytes {
  std::uint64_t line = 0;  ///< address / kLineBytes
  ByteMask mask;
  std::array<unsigned char, kLineBytes> bytes{};
};

/// Sharer bit of a directory for the child at a position.
constexpr std::uint64_t sharer_bit(unsigned child) { return std::uint64_t{1} << child; }

/// Times of the transaction that a grant ends, for the latency of the requester's miss.
struct GrantTimes {
  Tick received = kNever;  ///< lookup of the request; kNever: the sender of the grant is no cache
  Tick sent = kNever;
  Tick below = 0;   ///< of the time from `received` to `sent`: until the sender's parent granted
  Tick snoops = 0;  ///< of this time: until the sender's other children responded to snoops
};

/// A message of the coherence protocol.
struct CoherenceMessage {
  MessageType type = MessageType::kReadRequest;
  AgentId from = kNoAgent;
  AgentId to = kNoAgent;
  std::uint64_t line = 0;   ///< first line
  std::uint32_t lines = 1;  ///< lines that the message concerns
  /// kGrant, kPeerData: granted state. kSnoopData, kSnoopAck: the sender's state after the snoop.
  State state = State::kI;
  /// kWriteBack, kSnoopData: the bytes come from non-coherent stores.
  bool non_coherent = false;
  /// kSnoopData, kSnoopAck: the sender has sent the block to `peer`.
  bool supplied = false;
  /// kWriteBackAck: the receiver must send a kGrantAck. An HMD does not know which lines the LLC
  /// holds, and would otherwise not know whether a snoop overtakes this acknowledgement.
  bool confirm = false;
  /// For which the receiver counts what it does.
  LaunchSlot launch;
  /// kReadSnoop: SMD that the owner sends the block to. kPeerData, kListen: the directory that
  /// receives the kGrantAck, and the owner.
  AgentId peer = kNoAgent;
  GrantTimes times;  ///< kGrant
  std::vector<LineBytes> data;
  /// kSnoopData, kSnoopAck: first lines of write-backs that have been sent, whose bytes this
  /// response contains. The receiver must drop these write-backs.
  std::vector<std::uint64_t> voided;

  /// Bytes on a link: 8 for the header, and for each line its bytes. A line of which only some
  /// bytes are sent carries its mask, one bit per `granularity` bytes.
  std::uint32_t bytes(unsigned granularity) const;
  /// One line for traces and diagnostics.
  std::string describe() const;
};

/// Transport of messages. Delays are arbitrary, and messages can overtake each other, also between
/// the same two agents and within a class. A message must not be delivered inside send().
class CoherenceNetwork {
 public:
  virtual ~CoherenceNetwork() = default;
  virtual void send(CoherenceMessage message) = 0;
};

}  // namespace tessera::umh
