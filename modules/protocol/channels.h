// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sender and receiver halves of the base protocol's handshake, for requests and for responses.
// Every block uses them.
//
// Rules that make results independent of the process order:
// * BEGIN_REQ and BEGIN_RESP carry a delay greater than zero, so that a message that arrives at
//   time t is known before t. Receivers put it into a TimedQueue.
// * END_REQ and END_RESP give the time at which the channel is free again: when the packet's last
//   byte has left the link (`occupancy`) and the receiver has a free entry. A sender that receives
//   the END through the other path acts on it after the present time, because its process can have
//   run already at this time. Exception: an END at the time of its BEGIN counts like early
//   completion, because the receiver's process would have freed the entry before, had it run first.
//   The sender's process must then be woken once more at the present time.
// * A receiver with a free entry completes early (TLM_UPDATED + END_REQ, or TLM_COMPLETED for a
//   response). A full receiver returns TLM_ACCEPTED and sends END_REQ or END_RESP when an entry is
//   freed.
// * A process runs its stages from the output back to the input, so that an entry freed downstream
//   is used in the same activation.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tlm>

#include "modules/kernel/time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

/// Result of a BEGIN_REQ call.
struct SendOutcome {
  /// The target returned the response in the call: TLM_COMPLETED, or TLM_UPDATED with BEGIN_RESP,
  /// for which send() has sent END_RESP. The response arrives at `response_at`; no phase follows.
  bool responded = false;
  Tick response_at = kNever;
};

/// Common state of both sender halves: the message whose END is outstanding. Half a host cache
/// line, like TimedQueue, so that a queue and its sender fit one line.
template <class Peer>
class ChannelSender {
 public:
  /// At end_of_elaboration: `socket.operator->()`.
  void bind(Peer* peer) { peer_ = peer; }

  /// Earliest arrival of the next message; kNever while an END is outstanding.
  Tick free_at() const { return free_at_; }
  /// Whether a message that is sent now can arrive at t.
  bool free(Tick t) const { return free_at_ <= t && usable_from_ <= now(); }
  /// The earliest time at which a message can be sent, from present knowledge.
  Tick usable_from() const { return usable_from_; }
  /// The payload whose END is outstanding, or nullptr.
  const tlm::tlm_generic_payload* waiting_for() const { return pending_; }
  void reset() {
    pending_ = nullptr;
    free_at_ = 0;
    usable_from_ = 0;
  }

 protected:
  void begun(const tlm::tlm_generic_payload& payload) {
    pending_ = &payload;
    free_at_ = kNever;
    usable_from_ = now();
  }
  /// The END came by the other path and takes effect at `at`. Returns false if no END was
  /// outstanding for this payload.
  bool ended(const tlm::tlm_generic_payload& payload, Tick at) {
    if (pending_ != &payload) return false;
    pending_ = nullptr;
    if (usable_from_ != now()) usable_from_ = now() + 1;
    free_at_ = std::max(at, usable_from_);
    return true;
  }
  /// The END came on the return path of send() and takes effect at `at`.
  void responded_at(const tlm::tlm_generic_payload& payload, Tick at) {
    if (pending_ != &payload) return;
    pending_ = nullptr;
    free_at_ = at;
  }
  Peer& peer() { return *peer_; }

 private:
  Peer* peer_ = nullptr;
  const tlm::tlm_generic_payload* pending_ = nullptr;
  Tick free_at_ = 0;
  Tick usable_from_ = 0;  ///< while an END is outstanding: the time of its BEGIN
};

/// Sending half of a request channel: an initiator socket's BEGIN_REQ ... END_REQ.
class RequestSender : public ChannelSender<tlm::tlm_fw_transport_if<>> {
 public:
  /// Begins a request that arrives at now + delay (delay > 0). The channel must be free then.
  SendOutcome send(tlm::tlm_generic_payload& payload, Tick delay);

  /// From nb_transport_bw: END_REQ, or a BEGIN_RESP that implies it. Takes effect at `at`.
  void end_request(const tlm::tlm_generic_payload& payload, Tick at) { ended(payload, at); }
};

/// Sending half of a response channel: a target socket's BEGIN_RESP ... END_RESP.
class ResponseSender : public ChannelSender<tlm::tlm_bw_transport_if<>> {
 public:
  /// Begins a response that arrives at now + delay (delay > 0). The channel must be free then. The
  /// payload can be released during the call, unless the caller holds its own reference.
  void send(tlm::tlm_generic_payload& payload, Tick delay);

  /// BEGIN_RESP is returned by nb_transport_fw (TLM_UPDATED) instead of sent by send(), and takes
  /// effect at `at`. The channel must be free then.
  void begin_on_return_path(const tlm::tlm_generic_payload& payload, [[maybe_unused]] Tick at) {
    sc_assert(free(at));
    begun(payload);
  }

  /// From nb_transport_fw: END_RESP, takes effect at `at`. If none was outstanding, it is an
  /// SC_ERROR "/tessera/core/protocol" without further effect.
  void end_response(const tlm::tlm_generic_payload& payload, Tick at) {
    if (unlikely(!ended(payload, at))) report_stray_end(payload);
  }

 private:
  [[gnu::cold]] static void report_stray_end(const tlm::tlm_generic_payload& payload);
};

/// Common state of both receiver halves: the entry count of an input buffer with `capacity`
/// entries. The block's queue holds the entries themselves. Half a host cache line.
template <class Peer>
class ChannelReceiver {
 public:
  /// Capacity of a buffer that is never full.
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

  explicit ChannelReceiver(std::size_t capacity)
      : capacity_(static_cast<std::uint32_t>(std::min<std::size_t>(capacity, kUnlimited))) {}
  /// At end_of_elaboration: `socket.operator->()`.
  void bind(Peer* peer) { peer_ = peer; }

  std::size_t used() const { return used_; }
  std::size_t capacity() const { return capacity_; }
  bool withholding() const { return withheld_ != nullptr; }

 protected:
  /// Allocates an entry for a message that arrives after `delay`; the link is busy for `occupancy`
  /// after that. Returns true, and the END's delay in `delay`, if another entry is free. Otherwise
  /// the END is withheld.
  bool take(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Tick occupancy);
  void add_entry() { ++used_; }
  /// Frees an entry now. Returns true if an END is withheld.
  bool give_back() {
    sc_assert(used_ > 0);
    --used_;
    return withheld_ != nullptr;
  }
  /// Called after give_back(). Returns the payload whose withheld END is due and its `delay`, or
  /// nullptr.
  tlm::tlm_generic_payload* handle_withheld(sc_core::sc_time& delay);
  tlm::tlm_generic_payload* withheld() const { return withheld_; }
  void forget() {
    used_ = 0;
    withheld_ = nullptr;
  }
  Peer& peer() { return *peer_; }

 private:
  Peer* peer_ = nullptr;
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  tlm::tlm_generic_payload* withheld_ = nullptr;
  Tick link_free_at_ = 0;
};

/// Receiving half of a request channel: a target socket's input buffer.
class RequestReceiver : public ChannelReceiver<tlm::tlm_bw_transport_if<>> {
 public:
  using ChannelReceiver::ChannelReceiver;

  /// BEGIN_REQ: allocates an entry. `delay` is the annotated arrival; the link is busy for
  /// `occupancy` after it. Sets phase and delay and returns the result of nb_transport_fw.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// Frees an entry now and sends a withheld END_REQ.
  void release() {
    if (give_back()) end_withheld();
  }

  void reset() { forget(); }

 private:
  void end_withheld();
};

/// Receiving half of a response channel: an initiator socket's buffer of `capacity` responses.
/// Use kUnlimited if every outstanding request has an entry reserved for its response (an MSHR).
class ResponseReceiver : public ChannelReceiver<tlm::tlm_fw_transport_if<>> {
 public:
  using ChannelReceiver::ChannelReceiver;

  /// BEGIN_RESP: allocates an entry and returns the result of nb_transport_bw. A block that needs
  /// the payload after END_RESP must hold its own reference.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// Allocates an entry, beyond `capacity` if need be, for an early response
  /// (SendOutcome::responded), which has no END to withhold.
  void count_early() { add_entry(); }

  /// Frees an entry now and sends a withheld END_RESP.
  void release() {
    if (give_back()) end_withheld();
  }

  void reset() {
    if (withheld() != nullptr) withheld()->release();
    forget();
  }

 private:
  void end_withheld();
};

namespace detail {
Tick next_send_edge(const ClockDomain& clock, Tick free_at, Tick usable_from, Tick due, Tick t,
                    std::uint64_t cycles);
}

/// The first clock edge, at t or later, at which an item that is due at `due` can be sent, so that
/// it arrives `cycles` later at a free channel. Precondition: free_at() is not kNever.
template <class Peer>
Tick next_send_edge(const ClockDomain& clock, const ChannelSender<Peer>& sender, Tick due, Tick t,
                    std::uint64_t cycles = 1) {
  return detail::next_send_edge(clock, sender.free_at(), sender.usable_from(), due, t, cycles);
}

}  // namespace tessera
