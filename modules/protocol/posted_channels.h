// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handshake of posted packets (modules/protocol/link_packet.h): a message in one direction,
// which the receiver completes when it accepts it. The rules of modules/protocol/channels.h apply.
//
//   sender                                 receiver
//   BEGIN_REQ, delay > 0   ------------->  another entry free: returns TLM_COMPLETED, in effect
//                                          when the packet's last byte has arrived
//                                          full: returns TLM_ACCEPTED, and when an entry is freed:
//   returns TLM_COMPLETED  <-------------  BEGIN_RESP (END_REQ is implied), delay > 0
//
// There is no other phase. A packet is one transaction per hop: each BEGIN_REQ sets its response
// status to incomplete again.

#include <tlm>

#include "modules/protocol/channels.h"

namespace tessera {

/// Sending half: an initiator socket that sends posted packets.
class PostedSender : public ChannelSender<tlm::tlm_fw_transport_if<>> {
 public:
  /// Begins a packet that arrives at now + delay (delay > 0). The channel must be free then. Holds
  /// a reference until the packet is completed, so that the caller can release its own. An END_REQ
  /// from the receiver is a protocol error.
  void send(tlm::tlm_generic_payload& payload, Tick delay);

  /// From nb_transport_bw; returns its result. The receiver completes a withheld packet. The
  /// channel is free after the present time, or at the present time if the packet was sent at it.
  /// The payload can be released during the call. Any phase but BEGIN_RESP is a protocol error.
  tlm::tlm_sync_enum end(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                         const sc_core::sc_time& delay);

  /// Releases a packet whose completion is outstanding.
  void reset();

 private:
  tlm::tlm_generic_payload* held_ = nullptr;
};

/// Receiving half: a target socket's input buffer of `capacity` packets (1 or more). The block
/// holds the packets themselves and a reference to each.
class PostedReceiver : public ChannelReceiver<tlm::tlm_bw_transport_if<>> {
 public:
  using ChannelReceiver::ChannelReceiver;

  /// From nb_transport_fw; returns its result. Allocates an entry. `delay` is the annotated
  /// arrival; the link is busy for `occupancy` after it. Any phase but BEGIN_REQ is a protocol
  /// error.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// Frees an entry now and completes a withheld packet.
  void release();

  void reset() { forget(); }
};

}  // namespace tessera
