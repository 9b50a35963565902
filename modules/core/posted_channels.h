// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handshake of posted packets (modules/core/link_packet.h): one message one way, which the
// receiver completes when it has taken it. The rules of modules/core/channels.h hold.
//
//   sender                                 receiver
//   BEGIN_REQ, delay > 0   ------------->  room for another: returns TLM_COMPLETED, in effect when
//                                          the packet's last byte is in
//                                          full: returns TLM_ACCEPTED, and when an entry is freed:
//   returns TLM_COMPLETED  <-------------  BEGIN_RESP (END_REQ is implied), delay > 0
//
// No other phase comes. A packet in transit is one transaction per hop: its response status is
// incomplete again at each BEGIN_REQ.

#include <tlm>

#include "modules/core/channels.h"

namespace tessera {

/// Sending half: an initiator socket that sends posted packets.
class PostedSender : public ChannelSender<tlm::tlm_fw_transport_if<>> {
 public:
  /// Begins a packet that arrives at now + delay (delay > 0), when the channel must be free. Holds
  /// a reference until the packet is completed, so that the caller may drop its own. A receiver
  /// that answers END_REQ is a protocol error.
  void send(tlm::tlm_generic_payload& payload, Tick delay);

  /// From nb_transport_bw, whose answer is returned: the receiver completes the packet it
  /// withheld. The channel is free from the instant after the present one, or from the present one
  /// on if the packet was sent at it. The payload may be gone when this returns. Any phase but
  /// BEGIN_RESP is a protocol error.
  tlm::tlm_sync_enum end(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                         const sc_core::sc_time& delay);

  /// Lets go of a packet whose completion is awaited.
  void reset();

 private:
  tlm::tlm_generic_payload* held_ = nullptr;
};

/// Receiving half: a target socket's input buffer of `capacity` packets (1 or more). The packets
/// themselves, and a reference to each, are the block's to keep.
class PostedReceiver : public ChannelReceiver<tlm::tlm_bw_transport_if<>> {
 public:
  using ChannelReceiver::ChannelReceiver;

  /// From nb_transport_fw, whose answer is returned: takes an entry. `delay` is the annotated
  /// arrival; the link is busy for `occupancy` after it. Any phase but BEGIN_REQ is a protocol
  /// error.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// An entry has been freed (now): a withheld packet is completed.
  void release();

  void reset() { forget(); }
};

}  // namespace tessera
