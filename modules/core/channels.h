// SPDX-License-Identifier: Apache-2.0
#pragma once

// The four halves of the base protocol's handshake. Every block uses these; none writes its own.
//
// Rules that make results independent of the order in which processes run:
// * BEGIN_REQ and BEGIN_RESP carry a delay greater than zero, so that whatever arrives at time t
//   is known before t begins. Receivers put it into a TimedQueue.
// * END_REQ and END_RESP say when the channel is free again: not before the packet's last byte
//   has left the link (`occupancy`), and not before the receiver has room for another one. A
//   sender that is told through the backward (forward) path acts on it after the present instant,
//   since its process may have run at this instant already. But an END at the very instant of its
//   BEGIN counts like an early answer: the receiver's process would have made room before, had it
//   run first. The sender must then be woken once more at this instant.
// * A receiver with room answers early (TLM_UPDATED + END_REQ, or TLM_COMPLETED for a response);
//   a full one returns TLM_ACCEPTED and sends END_REQ / END_RESP when an entry is freed.
// A process runs its stages from the output back to the input, so that room made downstream is
// used in the same activation.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tlm>

#include "modules/core/time.h"
#include "modules/core/unlikely.h"

namespace tessera {

/// What a sender learns at once from BEGIN_REQ.
struct SendOutcome {
  /// The target answered with the request's response already (TLM_COMPLETED, or TLM_UPDATED with
  /// BEGIN_RESP, to which send() has answered END_RESP): it arrives at `response_at`, and no phase
  /// follows.
  bool responded = false;
  Tick response_at = kNever;
};

/// What both sending halves keep: whether the message before has been taken. Half a host cache
/// line, as TimedQueue is: a block that keeps a queue and its half side by side asks one line.
template <class Peer>
class ChannelSender {
 public:
  /// At end_of_elaboration: `socket.operator->()`.
  void bind(Peer* peer) { peer_ = peer; }

  /// When the next message may arrive; kNever while the end of the one before is awaited.
  Tick free_at() const { return free_at_; }
  /// A message that is sent now may arrive at t.
  bool free(Tick t) const { return free_at_ <= t && usable_from_ <= now(); }
  /// The first instant at which a message may be sent, as far as is known.
  Tick usable_from() const { return usable_from_; }
  /// The payload whose END is awaited, or nullptr.
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
  /// The END came by the other path, effective at `at`.
  /// False when no END was awaited for this payload.
  bool ended(const tlm::tlm_generic_payload& payload, Tick at) {
    if (pending_ != &payload) return false;
    pending_ = nullptr;
    if (usable_from_ != now()) usable_from_ = now() + 1;
    free_at_ = std::max(at, usable_from_);
    return true;
  }
  /// The END came as send()'s answer, effective at `at`.
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
  Tick usable_from_ = 0;  ///< while an END is awaited: when its BEGIN was sent
};

/// Sending half of a request channel: an initiator socket's BEGIN_REQ ... END_REQ.
class RequestSender : public ChannelSender<tlm::tlm_fw_transport_if<>> {
 public:
  /// Begins a request that arrives at now + delay (delay > 0), when the channel must be free.
  SendOutcome send(tlm::tlm_generic_payload& payload, Tick delay);

  /// From nb_transport_bw: END_REQ, or a BEGIN_RESP that implies it, effective at `at`.
  void end_request(const tlm::tlm_generic_payload& payload, Tick at) { ended(payload, at); }
};

/// Sending half of a response channel: a target socket's BEGIN_RESP ... END_RESP.
class ResponseSender : public ChannelSender<tlm::tlm_bw_transport_if<>> {
 public:
  /// Begins a response that arrives at now + delay (delay > 0), when the channel must be free. The
  /// payload may be gone when this returns, unless the caller holds a reference of its own.
  void send(tlm::tlm_generic_payload& payload, Tick delay);

  /// BEGIN_RESP goes as the answer of nb_transport_fw (TLM_UPDATED), in effect at `at`, instead of
  /// by send(). The channel must be free then.
  void begin_on_return_path(const tlm::tlm_generic_payload& payload, [[maybe_unused]] Tick at) {
    sc_assert(free(at));
    begun(payload);
  }

  /// From nb_transport_fw: END_RESP, effective at `at`. One that was not awaited is an SC_ERROR
  /// "/tessera/core/protocol", and changes nothing.
  void end_response(const tlm::tlm_generic_payload& payload, Tick at) {
    if (unlikely(!ended(payload, at))) report_stray_end(payload);
  }

 private:
  [[gnu::cold]] static void report_stray_end(const tlm::tlm_generic_payload& payload);
};

/// What both receiving halves keep: an input buffer of `capacity` entries, accounted for (the
/// entries themselves stand in the block's queue). Half a host cache line.
template <class Peer>
class ChannelReceiver {
 public:
  /// As capacity: never full.
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

  explicit ChannelReceiver(std::size_t capacity)
      : capacity_(static_cast<std::uint32_t>(std::min<std::size_t>(capacity, kUnlimited))) {}
  /// At end_of_elaboration: `socket.operator->()`.
  void bind(Peer* peer) { peer_ = peer; }

  std::size_t used() const { return used_; }
  std::size_t capacity() const { return capacity_; }
  bool withholding() const { return withheld_ != nullptr; }

 protected:
  /// Takes an entry for what arrives after `delay`, the link being busy for `occupancy` more. True,
  /// with `delay` set to the END's, when there is room for another; else the END is withheld.
  bool take(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Tick occupancy);
  /// Gives an entry back (now). True when an END has been withheld, which there may be room for.
  bool give_back() {
    sc_assert(used_ > 0);
    --used_;
    return withheld_ != nullptr;
  }
  /// After give_back(): the payload whose withheld END is due, and `delay` for it; or nullptr.
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

  /// BEGIN_REQ: takes an entry. `delay` is the annotated arrival; the link is busy for
  /// `occupancy` after it. Returns what nb_transport_fw returns, phase and delay set.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// An entry has been freed (now): a withheld END_REQ is sent.
  void release() {
    if (give_back()) end_withheld();
  }

  void reset() { forget(); }

 private:
  void end_withheld();
};

/// Receiving half of a response channel: an initiator socket's buffer of `capacity` responses.
/// Use kUnlimited where every outstanding request has room reserved for its answer (an MSHR).
class ResponseReceiver : public ChannelReceiver<tlm::tlm_fw_transport_if<>> {
 public:
  using ChannelReceiver::ChannelReceiver;

  /// BEGIN_RESP: takes an entry. Returns what nb_transport_bw returns. The receiver keeps the
  /// payload alive by its own reference if it needs it after END_RESP.
  tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay, Tick occupancy);

  /// An entry has been freed (now): a withheld END_RESP is sent.
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

/// The clock edge, at t or later, at which an item that is due at `due` may leave, so that it
/// arrives `cycles` later at a free channel. The channel must not be withheld (free_at() not
/// kNever).
template <class Peer>
Tick next_send_edge(const ClockDomain& clock, const ChannelSender<Peer>& sender, Tick due, Tick t,
                    std::uint64_t cycles = 1) {
  return detail::next_send_edge(clock, sender.free_at(), sender.usable_from(), due, t, cycles);
}

}  // namespace tessera
