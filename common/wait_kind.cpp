// SPDX-License-Identifier: Apache-2.0
#include "common/wait_kind.h"

namespace tessera {

const char* name_of(WaitKind kind) {
  static constexpr const char* kNames[kWaitKinds] = {
      "resource busy", "queue full",      "network transfer", "bandwidth",
      "ordering",      "data dependence", "translation",      "coherence"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* meaning_of(WaitKind kind) {
  static constexpr const char* kMeanings[kWaitKinds] = {
      "A unit, an entry or a bank is in use: a lookup port, an MSHR, a way, a page walker.",
      "The next queue has no free entry, or the receiver gives no credit.",
      "The message is on its way through a network, or waits for its turn at a port.",
      "A link or a data bus moves the bytes of other messages.",
      "Another item must complete first: an earlier access, a barrier, a kernel, a flush.",
      "Data or a response has not arrived: a line, a register's value, an acknowledgement.",
      "The physical address is not known: a TLB miss, a page walk, a fault, a page move.",
      "Other caches hold copies of the line, or have not acknowledged a message."};
  return kMeanings[static_cast<std::size_t>(kind)];
}

}  // namespace tessera
