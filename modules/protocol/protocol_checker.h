// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "modules/kernel/time.h"
#include "modules/protocol/socket_splice.h"

namespace tessera {

/// Checks the rules of the base protocol (IEEE 1666, clause 15.2) and Tessera's own rules on one
/// socket pair.
///
/// A violation is an SC_ERROR "/tessera/core/protocol" that names the checker, the phase, the
/// transaction's address and the rule:
/// * BEGIN_REQ and END_RESP use the forward path, END_REQ and BEGIN_RESP the backward path. Each
///   phase of a transaction occurs once and in this order, on the call or on the return path.
///   BEGIN_RESP implies a missing END_REQ. No phase follows completion.
/// * At most one request waits for END_REQ and one response for END_RESP. The next one begins no
///   earlier than this END takes effect.
/// * The phases of a transaction take effect in the order in which they are sent, also with their
///   annotated delays.
/// * At BEGIN_REQ: payload reference-counted and held, DMI hint false, status incomplete, data,
///   byte enables and streaming width valid. From BEGIN_REQ to the response, command, address (at
///   this socket), pointers, lengths and the bytes of a plain store do not change. A response has a
///   status.
/// * Tessera: BEGIN_REQ and BEGIN_RESP carry a delay greater than zero (protocol/channels.h).
/// * b_transport: the same attributes, and a status on return.
///
/// Not checked: payload contents of loads, generic-payload options, ignorable phases, probes (kind
/// kProbe) and loads that a slice can forward, whose response can come to another socket than that
/// of their last BEGIN_REQ.
class ProtocolChecker final : public SocketSplice {
 public:
  struct Config {
    /// False for foreign blocks, which can annotate a delay of zero.
    bool positive_delays = true;
  };

  explicit ProtocolChecker(const sc_core::sc_module_name& name) : ProtocolChecker(name, Config{}) {}
  ProtocolChecker(const sc_core::sc_module_name& name, const Config& config);

  /// Number of transactions begun and not completed.
  std::size_t outstanding() const { return open_.size(); }
  /// One line per open transaction, for messages.
  std::string describe_outstanding() const;
  /// Number of BEGIN_REQs and of responses, with early completions.
  std::uint64_t requests() const { return requests_; }
  std::uint64_t responses() const { return responses_; }
  /// Drops all open transactions. To be called when the blocks on both sides are reset.
  void reset();

 private:
  enum class State : std::uint8_t { kRequested, kAccepted, kResponding };

  /// The attributes that must not change while the transaction is in flight.
  struct Attributes {
    tlm::tlm_command command;
    std::uint64_t address;
    const unsigned char* data;
    unsigned length;
    const unsigned char* enables;
    unsigned enable_length;
    unsigned streaming_width;
    std::uint64_t content;  ///< hash of a store's bytes and enables; 0 otherwise
  };
  struct Open {
    State state;
    std::uint64_t serial;
    Tick last;  ///< time at which the last phase took effect
    Attributes attributes;
  };
  /// The exclusion rule of one direction.
  struct Channel {
    const tlm::tlm_generic_payload* busy = nullptr;
    Tick free_at = 0;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  void end_of_simulation() override;

  void begin_request(tlm::tlm_generic_payload& payload, Tick delay);
  void end_request(tlm::tlm_generic_payload& payload, Tick at);
  void begin_response(tlm::tlm_generic_payload& payload, Tick at, const char* phase);
  void end_response(tlm::tlm_generic_payload& payload, Tick at);
  void complete_early(tlm::tlm_generic_payload& payload, Tick at);
  void close(const tlm::tlm_generic_payload& payload);

  Open* find(const tlm::tlm_generic_payload& payload, const char* phase);
  void check_new(const tlm::tlm_generic_payload& payload, const char* phase);
  void check_order(const tlm::tlm_generic_payload& payload, Open& open, Tick at, const char* phase);
  void check_response(const tlm::tlm_generic_payload& payload, const Attributes& before,
                      const char* phase);
  void broken(const tlm::tlm_generic_payload& payload, const char* phase,
              const std::string& rule) const;
  static Attributes attributes_of(const tlm::tlm_generic_payload& payload);

  Config config_;
  std::unordered_map<const tlm::tlm_generic_payload*, Open> open_;
  Channel request_;
  Channel response_;
  std::uint64_t requests_ = 0;
  std::uint64_t responses_ = 0;
};

}  // namespace tessera
