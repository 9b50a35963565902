// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/line_checker.h"

#include <algorithm>
#include <cstring>
#include <systemc>
#include <utility>

#include "common/hex.h"

namespace tessera {

namespace {

constexpr char kRequestChannel[] = "request";
constexpr char kResponseChannel[] = "response";

}  // namespace

const std::array<LineRuleInfo, static_cast<std::size_t>(LineRule::kCount)>& line_rules() {
  static const std::array<LineRuleInfo, static_cast<std::size_t>(LineRule::kCount)> rules = {{
      {LineRule::kValidHeld, "LINE_VALID_HELD", "VALID stays set until READY"},
      {LineRule::kPayloadStable, "LINE_PAYLOAD_STABLE", "the payload is stable until READY"},
      {LineRule::kValidInReset, "LINE_VALID_IN_RESET", "VALID is low in reset"},
      {LineRule::kLineAligned, "LINE_ALIGNED", "the address is that of a line"},
      {LineRule::kMaskEmpty, "LINE_MASK_EMPTY", "a write has bytes to write"},
      {LineRule::kMaskOfLine, "LINE_MASK_OF_LINE", "the mask is within the line"},
      {LineRule::kIdInUse, "LINE_ID_IN_USE", "no outstanding request has the same id"},
      {LineRule::kUnknownId, "LINE_UNKNOWN_ID", "a response has the id of an outstanding request"},
      {LineRule::kResponseKind, "LINE_RESPONSE_KIND",
       "a read is answered with data, a write with an acknowledgement"},
      {LineRule::kHandshakeLimit, "LINE_HANDSHAKE_LIMIT", "VALID waits for READY within the limit"},
      {LineRule::kResponseLimit, "LINE_RESPONSE_LIMIT", "a response comes within the limit"},
      {LineRule::kOutstandingAtEnd, "LINE_OUTSTANDING_AT_END",
       "each request has its response at the end of the run"},
  }};
  return rules;
}

const LineRuleInfo& info_of(LineRule rule) { return line_rules()[static_cast<std::size_t>(rule)]; }

std::string LineViolation::text() const {
  const LineRuleInfo& info = info_of(rule);
  return instance + ": the " + channel + " breaks " + info.name + " (" + info.description +
         ") at cycle " + std::to_string(cycle) + ", " + std::to_string(time / 1000) +
         " ps: " + payload;
}

LineChecker::LineChecker(std::string name, const ClockDomain& clock, const LineRequestPins& request,
                         const LineResponsePins& response, const LineCheckerConfig& config)
    : name_(std::move(name)),
      clock_(clock),
      request_(request),
      response_(response),
      config_(config) {
  sc_assert(config.line_bytes != 0 && config.line_bytes <= kMaxLineBytes &&
            (config.line_bytes & (config.line_bytes - 1)) == 0);
}

void LineChecker::report(LineRule rule, const char* channel, const std::string& payload) {
  ++violations_;
  const LineViolation violation{rule, channel, cycle_, time_, name_, payload};
  if (handler_) return handler_(violation);
  SC_REPORT_ERROR("/tessera/bridge/line", violation.text().c_str());
}

std::string LineChecker::text(const LineRequestPins& pins) const {
  return std::string(pins.write ? "write" : "read") + ", id " + std::to_string(pins.id) +
         ", address " + hex(pins.address) +
         (pins.write ? ", mask " + hex(pins.mask.high) + ":" + hex(pins.mask.low) : "");
}

std::string LineChecker::text(const LineResponsePins& pins) const {
  return "id " + std::to_string(pins.id) + (pins.error ? ", error" : "");
}

// The edge.

void LineChecker::sample(Tick t) {
  time_ = t;
  cycle_ = clock_.cycle_at(t);
  if (in_reset_) {
    if (!reset_began_) {
      if (request_.valid) report(LineRule::kValidInReset, kRequestChannel, text(request_));
      if (response_.valid) report(LineRule::kValidInReset, kResponseChannel, text(response_));
    }
    reset_began_ = false;
    return;
  }
  // The response first: a transfer of this edge cannot permit it.
  if (check_handshake(kResponseChannel, response_, held_response_)) check_response();
  if (check_handshake(kRequestChannel, request_, held_request_)) check_request();
  check_limits();
}

/// Returns whether the channel transfers.
template <class Pins>
bool LineChecker::check_handshake(const char* channel, const Pins& pins, Held<Pins>& held) {
  if (held.waiting) {
    if (!pins.valid) {
      report(LineRule::kValidHeld, channel, text(held.pins));
      held.waiting = false;
    } else if (!same(held)) {
      report(LineRule::kPayloadStable, channel, text(held.pins) + ", then " + text(pins));
      held.waiting = false;  // the new payload waits
    }
  }
  if (!pins.valid) return false;
  if (pins.ready) {
    held.waiting = false;
    return true;
  }
  if (!held.waiting) {
    held.waiting = true;
    held.reported = false;
    held.since = cycle_;
    held.pins = pins;
    if (pins.data != nullptr) std::memcpy(held.data.data(), pins.data, config_.line_bytes);
  }
  const bool late = config_.handshake_limit != 0 && cycle_ - held.since >= config_.handshake_limit;
  if (late && !held.reported) {
    held.reported = true;
    report(LineRule::kHandshakeLimit, channel, text(pins));
  }
  return false;
}

bool LineChecker::same(const Held<LineRequestPins>& held) const {
  const LineRequestPins& a = held.pins;
  const LineRequestPins& b = request_;
  if (a.write != b.write || a.id != b.id || a.address != b.address) return false;
  if (!a.write) return true;
  if (!(a.mask == b.mask)) return false;
  for (unsigned i = 0; i < config_.line_bytes; ++i) {
    if (a.mask.test(i) && held.data[i] != b.data[i]) return false;
  }
  return true;
}

bool LineChecker::same(const Held<LineResponsePins>& held) const {
  const LineResponsePins& a = held.pins;
  const LineResponsePins& b = response_;
  if (a.id != b.id || a.error != b.error) return false;
  const auto open = open_.find(a.id);
  if (a.error || open == open_.end() || open->second.write || a.data == nullptr) return true;
  return std::memcmp(held.data.data(), b.data, config_.line_bytes) == 0;
}

// Transfers.

void LineChecker::check_request() {
  const LineRequestPins& r = request_;
  if (r.address % config_.line_bytes != 0) {
    report(LineRule::kLineAligned, kRequestChannel, text(r));
  }
  if (r.write && r.mask.none()) report(LineRule::kMaskEmpty, kRequestChannel, text(r));
  const ByteMask line = ByteMask::first(config_.line_bytes);
  if (r.write && ((r.mask.low & ~line.low) != 0 || (r.mask.high & ~line.high) != 0)) {
    report(LineRule::kMaskOfLine, kRequestChannel, text(r));
  }
  if (r.write && !config_.writes_have_ids) {
    ++writes_;
    return;
  }
  if (!open_.emplace(r.id, Open{r.write, false, cycle_, r.address}).second) {
    report(LineRule::kIdInUse, kRequestChannel, text(r));
  }
}

void LineChecker::check_response() {
  const LineResponsePins& r = response_;
  if (r.write && !config_.writes_have_ids) {
    if (writes_ == 0) {
      report(LineRule::kUnknownId, kResponseChannel, "write, " + text(r));
    } else {
      --writes_;
    }
    return;
  }
  const auto open = open_.find(r.id);
  if (open == open_.end()) return report(LineRule::kUnknownId, kResponseChannel, text(r));
  if (config_.responses_have_kind && open->second.write != r.write) {
    report(LineRule::kResponseKind, kResponseChannel,
           text(r) + (r.write ? " acknowledges a read" : " has data for a write"));
  }
  open_.erase(open);
}

void LineChecker::check_limits() {
  if (config_.response_limit == 0) return;
  for (auto& [id, open] : open_) {
    if (open.reported || cycle_ - open.since < config_.response_limit) continue;
    open.reported = true;
    report(LineRule::kResponseLimit, kResponseChannel,
           std::string(open.write ? "write" : "read") + ", id " + std::to_string(id) +
               ", address " + hex(open.address));
  }
}

void LineChecker::finish(Tick t) {
  time_ = t;
  cycle_ = clock_.cycle_at(t);
  for (const auto& [id, open] : open_) {
    report(LineRule::kOutstandingAtEnd, kResponseChannel,
           std::string(open.write ? "write" : "read") + ", id " + std::to_string(id) +
               ", address " + hex(open.address));
  }
  if (writes_ != 0) {
    report(LineRule::kOutstandingAtEnd, kResponseChannel, std::to_string(writes_) + " writes");
  }
}

void LineChecker::on_reset(bool active) {
  in_reset_ = reset_began_ = active;
  if (!active) return;
  held_request_.waiting = held_response_.waiting = false;
  open_.clear();
  writes_ = 0;
}

void LineChecker::reset() {
  on_reset(true);
  in_reset_ = false;
}

}  // namespace tessera
