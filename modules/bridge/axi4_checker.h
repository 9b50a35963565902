// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "modules/bridge/axi4_pins.h"
#include "modules/bridge/axi4_rules.h"
#include "modules/bridge/clocked_part.h"
#include "modules/kernel/time.h"

namespace tessera {

struct Axi4CheckerConfig {
  Axi4Shape shape;
  /// Cycles for which VALID can wait for READY, by Axi4Channel; 0: no limit.
  std::array<std::uint64_t, kAxi4Channels> handshake_limit{};
  /// Cycles until the next step of an accepted transaction: data of a write, address of early write
  /// data, response, next read beat; 0: no limit.
  std::uint64_t response_limit = 0;
  /// False: WSTRB must be one run of lanes.
  bool allow_strobe_gaps = true;
  /// Reports SLVERR and DECERR.
  bool report_error_responses = false;

  std::vector<std::string> validate() const { return shape.validate(); }
};

/// A broken rule.
struct Axi4Violation {
  Axi4Rule rule;
  Axi4Channel channel;
  std::uint64_t cycle;   ///< of the interface's clock
  Tick time;             ///< of the edge
  std::string instance;  ///< name of the checker
  std::string payload;   ///< the transfer, as text

  const char* rule_name() const { return info_of(rule).name; }
  /// Rule, place, time and payload in one line.
  std::string text() const;
};

/// Checks the rules of axi4_rules() at the pins of one AXI4 interface. Drives no pin.
///
/// A violation is an SC_ERROR "/tessera/bridge/axi4", unless a handler is installed. Each transfer
/// is checked at the first edge at which it is VALID. After a violation the checker follows VALID,
/// WLAST and RLAST, so that one fault is one violation in the usual case.
///
/// Write data can precede its address: its beats are kept and checked when the address transfers.
/// Read bursts of several IDs can interleave. A response must be VALID at least one edge after the
/// transfer that permits it.
///
/// Not visible at pins: whether the responses of two writes of an ID are in order, unless one write
/// is exclusive, and whether two reads of an ID that have equal lengths return in order. Reset: the
/// first edge in reset is not checked, because a model with synchronous reset drives VALID until
/// then. Inactive byte lanes of W (WSTRB) and R (outside the beat) can change.
class Axi4Checker final : public ClockedPart {
 public:
  using Handler = std::function<void(const Axi4Violation&)>;

  /// `clock`: of the interface. `pins` must outlive the checker. An invalid configuration is an
  /// SC_FATAL that lists all errors.
  Axi4Checker(std::string name, const ClockDomain& clock, const Axi4Pins& pins,
              const Axi4CheckerConfig& config);

  /// Replaces the SC_ERROR; an empty handler restores it.
  void set_handler(Handler handler) { handler_ = std::move(handler); }

  /// The end of the run at t: reports what is outstanding.
  void finish(Tick t);
  /// Forgets what is outstanding. For Block::reset().
  void reset();

  std::uint64_t violations() const { return violations_; }
  /// Transfers on a channel since construction.
  std::uint64_t transfers(Axi4Channel channel) const {
    return transfers_[static_cast<std::size_t>(channel)];
  }
  /// Accepted addresses without a complete response.
  std::size_t outstanding_reads() const { return reads_.size(); }
  std::size_t outstanding_writes() const { return writes_.size(); }

  void sample(Tick t) override;
  void on_reset(bool active) override;

 private:
  enum class Reset : std::uint8_t { kOff, kBegun, kActive, kEnded };

  template <class Pins>
  struct Held {
    bool waiting = false;
    bool reported = false;  ///< handshake limit
    std::uint64_t since = 0;
    Pins pins;
  };
  struct Beat {
    ByteMask strobe;
    bool last = false;
    std::uint64_t cycle = 0;
  };
  struct Open {
    Axi4Address address;
    unsigned beat = 0;        ///< number of data beats transferred
    bool data_done = false;   ///< write
    bool responded = false;   ///< write: the response came before the data
    bool oldest = false;      ///< of its ID
    bool reported = false;    ///< a limit
    std::uint64_t since = 0;  ///< cycle of the last step
  };
  using OpenList = std::deque<Open>;

  template <class Pins>
  bool check_handshake(Axi4Channel channel, const Pins& pins, Held<Pins>& held);
  template <class Pins>
  void check_low(Axi4Channel channel, const Pins& pins);
  bool same(const Axi4AddressPins& a, const Axi4AddressPins& b) const { return !(a != b); }
  bool same(const Axi4WritePins& a, const Axi4WritePins& b) const;
  bool same(const Axi4ResponsePins& a, const Axi4ResponsePins& b) const;
  bool same(const Axi4ReadPins& a, const Axi4ReadPins& b) const;

  void check_all_low();
  void check_address(Axi4Channel channel, const Axi4Address& a);
  void check_exclusive(Axi4Channel channel, const Axi4Address& a);
  void check_response();
  void check_read();
  void check_limits();
  void check_transaction_limit(Open& open, Axi4Rule rule, Axi4Channel channel);
  void accept(OpenList& list, const Axi4Address& a);
  void erase(OpenList& list, const OpenList::iterator& it);
  void apply(Open& write, const Beat& beat);
  void transfer_write_data(const Beat& beat);
  void transfer_response();
  void transfer_read();
  void fill_early_data();

  void report(Axi4Rule rule, Axi4Channel channel, const std::string& payload);
  std::string text_of(Axi4Channel channel) const;

  const std::string name_;
  const ClockDomain clock_;
  const Axi4Pins& pins_;
  const Axi4CheckerConfig config_;
  Handler handler_;

  Tick time_ = 0;
  std::uint64_t cycle_ = 0;
  Reset reset_ = Reset::kOff;
  Held<Axi4AddressPins> aw_;
  Held<Axi4WritePins> w_;
  Held<Axi4ResponsePins> b_;
  Held<Axi4AddressPins> ar_;
  Held<Axi4ReadPins> r_;
  OpenList writes_;         ///< in the order of AW
  OpenList reads_;          ///< in the order of AR
  std::deque<Beat> early_;  ///< write data without an address
  bool early_reported_ = false;
  std::uint64_t violations_ = 0;
  std::array<std::uint64_t, kAxi4Channels> transfers_{};
};

}  // namespace tessera
