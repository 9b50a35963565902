// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherence_message.h"

namespace tessera::umh {

MessageClass class_of(MessageType type) {
  switch (type) {
    case MessageType::kReadRequest:
    case MessageType::kWriteRequest:
    case MessageType::kWriteBack:
      return MessageClass::kRequest;
    case MessageType::kReadSnoop:
    case MessageType::kInvalidateSnoop:
      return MessageClass::kSnoop;
    case MessageType::kSnoopData:
    case MessageType::kGrant:
    case MessageType::kPeerData:
      return MessageClass::kData;
    case MessageType::kSnoopAck:
    case MessageType::kListen:
    case MessageType::kGrantAck:
    case MessageType::kWriteBackAck:
      break;
  }
  return MessageClass::kAcknowledgement;
}

bool carries_bytes(MessageType type) {
  return class_of(type) == MessageClass::kData || type == MessageType::kWriteBack;
}

const char* name_of(MessageType type) {
  static constexpr std::array<const char*, kMessageTypes> kNames = {
      "read-request",     "write-request", "write-back", "read-snoop",
      "invalidate-snoop", "snoop-data",    "snoop-ack",  "grant",
      "peer-data",        "listen",        "grant-ack",  "write-back-ack"};
  return kNames[static_cast<std::size_t>(type)];
}

const char* name_of(MessageClass c) {
  static constexpr std::array<const char*, kMessageClasses> kNames = {"request", "snoop", "data",
                                                                      "acknowledgement"};
  return kNames[static_cast<std::size_t>(c)];
}

std::uint32_t CoherenceMessage::bytes(unsigned granularity) const {
  std::uint32_t total = 8;
  for (const LineBytes& l : data) {
    total += l.mask.count();
    if (l.mask.count() != kLineBytes) total += (kLineBytes / granularity + 7) / 8;
  }
  return total;
}

std::string CoherenceMessage::describe() const {
  std::string text = name_of(type);
  text += " " + std::to_string(static_cast<unsigned>(from)) + " -> " +
          std::to_string(static_cast<unsigned>(to)) + ", line " + std::to_string(line);
  if (lines != 1) text += "+" + std::to_string(lines);
  text += std::string(", ") + letter(state);
  unsigned count = 0;
  for (const LineBytes& l : data) count += l.mask.count();
  if (count != 0) text += ", " + std::to_string(count) + " bytes";
  if (non_coherent) text += ", non-coherent";
  if (supplied) text += ", supplied";
  if (!voided.empty()) text += ", voids a write-back";
  return text;
}

}  // namespace tessera::umh
