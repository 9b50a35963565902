// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "modules/bridge/clocked_part.h"
#include "modules/bridge/line_pins.h"
#include "modules/kernel/time.h"
#include "modules/protocol/byte_mask.h"

namespace tessera {

/// The rules of LineChecker.
enum class LineRule : std::uint8_t {
  kValidHeld,         ///< VALID stays set until READY
  kPayloadStable,     ///< the payload stays as it is until READY
  kValidInReset,      ///< VALID is low in reset
  kLineAligned,       ///< the address is that of a line
  kMaskEmpty,         ///< a write has bytes to write
  kMaskOfLine,        ///< the mask is within the line
  kIdInUse,           ///< no outstanding request has the same id
  kUnknownId,         ///< a response has the id of an outstanding request
  kResponseKind,      ///< a read is answered with data, a write with an acknowledgement
  kHandshakeLimit,    ///< VALID does not wait for longer than the limit
  kResponseLimit,     ///< a response does not take longer than the limit
  kOutstandingAtEnd,  ///< no request is without a response at the end of the run
  kCount,
};

struct LineRuleInfo {
  LineRule rule;
  const char* name;
  const char* description;
};

/// All rules, in the order of LineRule.
const std::array<LineRuleInfo, static_cast<std::size_t>(LineRule::kCount)>& line_rules();
const LineRuleInfo& info_of(LineRule rule);

struct LineCheckerConfig {
  unsigned line_bytes = 128;
  /// False: all writes have the id 0, and their responses too.
  bool writes_have_ids = true;
  /// Whether LineResponsePins::write says what a response answers.
  bool responses_have_kind = true;
  std::uint64_t handshake_limit = 0;  ///< cycles; 0: no limit
  std::uint64_t response_limit = 0;
};

/// A broken rule.
struct LineViolation {
  LineRule rule;
  const char* channel;   ///< "request" or "response"
  std::uint64_t cycle;   ///< of the channels' clock
  Tick time;             ///< of the edge
  std::string instance;  ///< name of the checker
  std::string payload;

  const char* rule_name() const { return info_of(rule).name; }
  /// Rule, place, time and payload in one line.
  std::string text() const;
};

/// Checks the rules of line_rules() at a ready/valid channel of requests for lines and at that of
/// their responses. Drives no pin.
///
/// A violation is an SC_ERROR "/tessera/bridge/line", unless a handler is installed. Each transfer
/// is checked at the first edge at which it is VALID. A response must be VALID at least one edge
/// after its request has transferred. Bytes outside of the mask, and the bytes of a failed read,
/// can change.
class LineChecker final : public ClockedPart {
 public:
  using Handler = std::function<void(const LineViolation&)>;

  /// `clock`: of the channels. The pins must outlive the checker.
  LineChecker(std::string name, const ClockDomain& clock, const LineRequestPins& request,
              const LineResponsePins& response, const LineCheckerConfig& config);

  void set_handler(Handler handler) { handler_ = std::move(handler); }
  /// The end of the run at t: reports what is outstanding.
  void finish(Tick t);
  /// Forgets what is outstanding. For Block::reset().
  void reset();

  std::uint64_t violations() const { return violations_; }
  std::size_t outstanding() const { return open_.size(); }

  void sample(Tick t) override;
  void on_reset(bool active) override;

 private:
  /// What waits on a channel.
  template <class Pins>
  struct Held {
    bool waiting = false;
    bool reported = false;  ///< the limit
    std::uint64_t since = 0;
    Pins pins;
    std::array<unsigned char, kMaxLineBytes> data{};
  };
  struct Open {
    bool write = false;
    bool reported = false;
    std::uint64_t since = 0;
    std::uint64_t address = 0;
  };

  template <class Pins>
  bool check_handshake(const char* channel, const Pins& pins, Held<Pins>& held);
  bool same(const Held<LineRequestPins>& held) const;
  bool same(const Held<LineResponsePins>& held) const;
  void check_request();
  void check_response();
  void check_limits();
  void report(LineRule rule, const char* channel, const std::string& payload);
  std::string text(const LineRequestPins& pins) const;
  std::string text(const LineResponsePins& pins) const;

  const std::string name_;
  const ClockDomain clock_;
  const LineRequestPins& request_;
  const LineResponsePins& response_;
  const LineCheckerConfig config_;
  Handler handler_;
  Tick time_ = 0;
  std::uint64_t cycle_ = 0;
  bool in_reset_ = false;
  bool reset_began_ = false;  ///< a design with synchronous reset drives VALID until the next edge
  Held<LineRequestPins> held_request_;
  Held<LineResponsePins> held_response_;
  std::unordered_map<std::uint32_t, Open> open_;  ///< by id
  std::uint64_t writes_ = 0;                      ///< outstanding, without ids
  std::uint64_t violations_ = 0;
};

}  // namespace tessera
