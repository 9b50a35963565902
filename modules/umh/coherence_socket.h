// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sockets of coherence messages. One connection joins a child (initiator socket) to its parent
// (target socket), or one of them to a link. It carries messages both ways:
//
//   child                                          parent
//   deliver(message, at)          ------------->   requests, responses to snoops, grant-acks
//   deliver(message, at)          <-------------   snoops, grants, write-back-acks
//   return_credit(class, at)      <------------>   an entry of the receiver's queue is free
//
// Each message class has a queue of its own at the receiver, and credits of its own at the sender,
// so that no class waits for an entry that another class holds. The classes share the wires of a
// direction.

#include <cstddef>
#include <systemc>
#include <tlm>

#include "modules/kernel/time.h"
#include "modules/umh/coherence_message.h"

namespace tessera::umh {

/// The receiver's side of one direction. Calls take effect after the present time, so that results
/// do not depend on the order of processes.
class CoherenceIf : public virtual sc_core::sc_interface {
 public:
  /// A message whose last byte arrives at `at`. The sender has used a credit of its class.
  virtual void deliver(CoherenceMessage&& message, Tick at) = 0;
  /// A message that this end has sent has left the peer's queue: its credit is usable from `at` on.
  virtual void return_credit(MessageClass message_class, Tick at) = 0;
  /// Entries of each class's queue: the credits that the sender has at first. Constant.
  virtual std::size_t entries() const = 0;
};

/// Names the protocol in SystemC's checks of bindings.
struct CoherenceProtocol {};

class CoherenceForwardIf : public virtual CoherenceIf {
 public:
  using protocol_types = CoherenceProtocol;
};
class CoherenceBackwardIf : public virtual CoherenceIf {
 public:
  using protocol_types = CoherenceProtocol;
};

/// Of a child: towards its parent.
using CoherenceInitiatorSocket =
    tlm::tlm_base_initiator_socket<32, CoherenceForwardIf, CoherenceBackwardIf>;
/// Of a parent: towards its child.
using CoherenceTargetSocket =
    tlm::tlm_base_target_socket<32, CoherenceForwardIf, CoherenceBackwardIf>;

}  // namespace tessera::umh
