// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_checker.h"

#include <algorithm>
#include <iterator>
#include <systemc>
#include <utility>

#include "common/hex.h"
#include "modules/bridge/axi4_bursts.h"
#include "modules/kernel/configuration_errors.h"

namespace tessera {

namespace {

constexpr char kCheckerReport[] = "/tessera/bridge/axi4";

std::string address_text(const Axi4Address& a) {
  constexpr std::array<const char*, 4> kBursts = {"FIXED", "INCR", "WRAP", "reserved burst"};
  return "id " + std::to_string(a.id) + ", address " + hex(a.addr) + ", " +
         std::to_string(a.beats()) + " beats of " + std::to_string(a.beat_bytes()) + " bytes, " +
         kBursts[static_cast<std::size_t>(a.burst) & 3U] + (a.lock ? ", exclusive" : "") +
         ", cache " + hex(a.cache);
}

const char* response_text(Axi4Response response) {
  constexpr std::array<const char*, 4> kResponses = {"OKAY", "EXOKAY", "SLVERR", "DECERR"};
  return kResponses[static_cast<std::size_t>(response) & 3U];
}

bool one_run(ByteMask mask) {
  unsigned edges = 0;
  for (unsigned i = 0; i < kAxi4MaxDataBytes; ++i) {
    if (mask.test(i) && (i == 0 || !mask.test(i - 1))) ++edges;
  }
  return edges <= 1;
}

bool equal_lanes(const unsigned char* a, const unsigned char* b, ByteMask lanes) {
  for (unsigned i = 0; i < kAxi4MaxDataBytes; ++i) {
    if (a[i] != b[i] && lanes.test(i)) return false;
  }
  return true;
}

bool is_error(Axi4Response r) { return r == Axi4Response::kSlvErr || r == Axi4Response::kDecErr; }

template <class List>
auto oldest_of(List& list, std::uint32_t id) {
  return std::find_if(list.begin(), list.end(), [id](const auto& o) { return o.address.id == id; });
}

/// Another transaction of the same ID after `it` for which `fits` holds.
template <class List, class Iterator, class Fits>
Iterator later_of(List& list, Iterator it, Fits fits) {
  const std::uint32_t id = it->address.id;
  return std::find_if(std::next(it), list.end(),
                      [&](const auto& o) { return o.address.id == id && fits(o); });
}

}  // namespace

std::string Axi4Violation::text() const {
  const Axi4RuleInfo& info = info_of(rule);
  return instance + ": " + name_of(channel) + " breaks " + info.name + " (" + info.description +
         "; IHI 0022 " + info.section + ") at cycle " + std::to_string(cycle) + ", " +
         std::to_string(time / 1000) + " ps: " + payload;
}

Axi4Checker::Axi4Checker(std::string name, const ClockDomain& clock, const Axi4Pins& pins,
                         const Axi4CheckerConfig& config)
    : name_(std::move(name)), clock_(clock), pins_(pins), config_(sound(name_, config)) {}

void Axi4Checker::report(Axi4Rule rule, Axi4Channel channel, const std::string& payload) {
  ++violations_;
  const Axi4Violation violation{rule, channel, cycle_, time_, name_, payload};
  if (handler_) return handler_(violation);
  SC_REPORT_ERROR(kCheckerReport, violation.text().c_str());
}

std::string Axi4Checker::text_of(Axi4Channel channel) const {
  switch (channel) {
    case Axi4Channel::kAw:
      return address_text(pins_.aw);
    case Axi4Channel::kAr:
      return address_text(pins_.ar);
    case Axi4Channel::kW:
      return "strobe " + hex(pins_.w.strobe.high) + ":" + hex(pins_.w.strobe.low) +
             (pins_.w.last ? ", last" : "");
    case Axi4Channel::kB:
      return "id " + std::to_string(pins_.b.id) + ", " + response_text(pins_.b.resp);
    case Axi4Channel::kR:
      break;
  }
  return "id " + std::to_string(pins_.r.id) + ", " + response_text(pins_.r.resp) +
         (pins_.r.last ? ", last" : "");
}

// The edge.

void Axi4Checker::sample(Tick t) {
  time_ = t;
  cycle_ = clock_.cycle_at(t);
  if (reset_ == Reset::kBegun || reset_ == Reset::kActive) {
    if (reset_ == Reset::kActive) check_all_low();
    reset_ = Reset::kActive;
    return;
  }
  if (reset_ == Reset::kEnded) check_all_low();
  reset_ = Reset::kOff;
  // Responses first: the transfers of this edge cannot permit them.
  if (check_handshake(Axi4Channel::kB, pins_.b, b_)) check_response();
  if (check_handshake(Axi4Channel::kR, pins_.r, r_)) check_read();
  if (check_handshake(Axi4Channel::kAw, pins_.aw, aw_)) check_address(Axi4Channel::kAw, pins_.aw);
  if (check_handshake(Axi4Channel::kAr, pins_.ar, ar_)) check_address(Axi4Channel::kAr, pins_.ar);
  check_handshake(Axi4Channel::kW, pins_.w, w_);
  if (pins_.b.valid && pins_.b.ready) transfer_response();
  if (pins_.r.valid && pins_.r.ready) transfer_read();
  if (pins_.aw.valid && pins_.aw.ready) {
    accept(writes_, pins_.aw);
    fill_early_data();
  }
  if (pins_.w.valid && pins_.w.ready) {
    transfer_write_data({pins_.w.strobe, pins_.w.last, cycle_});
  }
  if (pins_.ar.valid && pins_.ar.ready) accept(reads_, pins_.ar);
  if (config_.response_limit != 0) check_limits();
}

/// Returns whether a new transfer is VALID.
template <class Pins>
bool Axi4Checker::check_handshake(Axi4Channel channel, const Pins& pins, Held<Pins>& held) {
  const auto index = static_cast<std::size_t>(channel);
  const bool waited = held.waiting;
  if (waited) {
    if (!pins.valid) {
      report(Axi4Rule::kValidHeld, channel, text_of(channel));
    } else if (!same(held.pins, pins)) {
      report(Axi4Rule::kPayloadStable, channel, text_of(channel));
      held.pins = pins;
    }
  }
  held.waiting = false;
  if (!pins.valid) return false;
  if (!waited) {
    held.since = cycle_;
    held.reported = false;
  }
  if (pins.ready) {
    ++transfers_[index];
    return !waited;
  }
  held.waiting = true;
  if (!waited) held.pins = pins;
  const std::uint64_t limit = config_.handshake_limit[index];
  if (limit != 0 && cycle_ - held.since >= limit && !held.reported) {
    held.reported = true;
    report(Axi4Rule::kHandshakeLimit, channel, text_of(channel));
  }
  return !waited;
}

bool Axi4Checker::same(const Axi4WritePins& a, const Axi4WritePins& b) const {
  return a.last == b.last && a.strobe == b.strobe && a.user == b.user &&
         equal_lanes(a.data.data(), b.data.data(),
                     a.strobe & ByteMask::first(config_.shape.data_bytes));
}

bool Axi4Checker::same(const Axi4ResponsePins& a, const Axi4ResponsePins& b) const {
  return a.resp == b.resp && a.id == b.id && a.user == b.user;
}

bool Axi4Checker::same(const Axi4ReadPins& a, const Axi4ReadPins& b) const {
  if (a.last != b.last || a.resp != b.resp || a.id != b.id || a.user != b.user) return false;
  const auto read = oldest_of(reads_, a.id);
  const ByteMask lanes = read == reads_.end()
                             ? ByteMask::first(config_.shape.data_bytes)
                             : read->address.lanes(read->beat, config_.shape.data_bytes);
  return equal_lanes(a.data.data(), b.data.data(), lanes);
}

// Reset.

void Axi4Checker::on_reset(bool active) {
  reset();
  reset_ = active ? Reset::kBegun : Reset::kEnded;
}

void Axi4Checker::reset() {
  aw_ = {};
  w_ = {};
  b_ = {};
  ar_ = {};
  r_ = {};
  writes_.clear();
  reads_.clear();
  early_.clear();
  early_reported_ = false;
  reset_ = Reset::kOff;
}

template <class Pins>
void Axi4Checker::check_low(Axi4Channel channel, const Pins& pins) {
  if (pins.valid) report(Axi4Rule::kValidInReset, channel, text_of(channel));
}

void Axi4Checker::check_all_low() {
  check_low(Axi4Channel::kAw, pins_.aw);
  check_low(Axi4Channel::kW, pins_.w);
  check_low(Axi4Channel::kB, pins_.b);
  check_low(Axi4Channel::kAr, pins_.ar);
  check_low(Axi4Channel::kR, pins_.r);
}

// Addresses.

void Axi4Checker::check_address(Axi4Channel channel, const Axi4Address& a) {
  const auto fail = [&](Axi4Rule rule) { report(rule, channel, text_of(channel)); };
  const Axi4Shape& shape = config_.shape;
  const bool wrap = a.burst == Axi4BurstType::kWrap;
  if (a.burst == Axi4BurstType::kReserved) fail(Axi4Rule::kBurstReserved);
  if (a.size > shape.max_size()) fail(Axi4Rule::kSizeOfBus);
  const std::uint64_t offset = a.addr % kAxi4PageBytes;
  const std::uint64_t aligned = offset & ~(std::uint64_t{a.beat_bytes()} - 1);
  if (a.burst == Axi4BurstType::kIncr && aligned + a.total_bytes() > kAxi4PageBytes) {
    fail(Axi4Rule::kPageCrossed);
  }
  if (wrap && !is_wrap_length(a.beats())) {
    fail(Axi4Rule::kWrapLength);
  }
  if (wrap && aligned != offset) fail(Axi4Rule::kWrapAligned);
  if (a.burst == Axi4BurstType::kFixed && a.beats() > 16) fail(Axi4Rule::kFixedLength);
  if ((a.cache & 2U) == 0 && (a.cache & 12U) != 0) fail(Axi4Rule::kCacheReserved);
  if (a.id > shape.max_id()) fail(Axi4Rule::kIdWidth);
  if (a.addr > shape.max_address()) fail(Axi4Rule::kAddressWidth);
  if (a.lock) check_exclusive(channel, a);
}

void Axi4Checker::check_exclusive(Axi4Channel channel, const Axi4Address& a) {
  const auto fail = [&](Axi4Rule rule) { report(rule, channel, text_of(channel)); };
  const std::uint64_t bytes = a.total_bytes();
  if (a.beats() > 16) return fail(Axi4Rule::kExclusiveLength);
  if ((bytes & (bytes - 1)) != 0 || bytes > 128) return fail(Axi4Rule::kExclusiveBytes);
  if (a.addr % bytes != 0) fail(Axi4Rule::kExclusiveAligned);
}

void Axi4Checker::accept(OpenList& list, const Axi4Address& a) {
  Open open;
  open.address = a;
  open.oldest = oldest_of(list, a.id) == list.end();
  open.since = cycle_;
  list.push_back(open);
}

void Axi4Checker::erase(OpenList& list, const OpenList::iterator& it) {
  if (it->oldest) {
    const auto next = later_of(list, it, [](const Open&) { return true; });
    if (next != list.end()) {
      next->oldest = true;
      next->since = cycle_;
    }
  }
  list.erase(it);
}

// Writes.

void Axi4Checker::transfer_write_data(const Beat& beat) {
  const auto write =
      std::find_if(writes_.begin(), writes_.end(), [](const Open& o) { return !o.data_done; });
  if (write == writes_.end()) {
    early_.push_back(beat);
    return;
  }
  apply(*write, beat);
  if (write->data_done && write->responded) erase(writes_, write);
}

/// The address at the end of writes_ has transferred.
void Axi4Checker::fill_early_data() {
  while (!early_.empty() && !writes_.back().data_done) {
    apply(writes_.back(), early_.front());
    early_.pop_front();
    early_reported_ = false;
  }
}

void Axi4Checker::apply(Open& write, const Beat& beat) {
  const std::string text = "beat " + std::to_string(write.beat) + " of " +
                           address_text(write.address) + "; strobe " + hex(beat.strobe.high) + ":" +
                           hex(beat.strobe.low);
  const ByteMask lanes = write.address.lanes(write.beat, config_.shape.data_bytes);
  if (!lanes.contains(beat.strobe)) report(Axi4Rule::kStrobeLanes, Axi4Channel::kW, text);
  if (!config_.allow_strobe_gaps && !one_run(beat.strobe)) {
    report(Axi4Rule::kStrobeGaps, Axi4Channel::kW, text);
  }
  const bool end = write.beat == write.address.len;
  if (beat.last && !end) report(Axi4Rule::kWriteLastEarly, Axi4Channel::kW, text);
  if (!beat.last && end) report(Axi4Rule::kWriteLastMissing, Axi4Channel::kW, text);
  ++write.beat;
  write.data_done = beat.last || end;
  write.since = cycle_;
  write.reported = false;
}

void Axi4Checker::check_response() {
  const auto fail = [&](Axi4Rule rule) { report(rule, Axi4Channel::kB, text_of(Axi4Channel::kB)); };
  const Axi4ResponsePins& b = pins_.b;
  if (config_.report_error_responses && is_error(b.resp)) fail(Axi4Rule::kResponseError);
  if (writes_.empty()) return fail(Axi4Rule::kResponseWithoutWrite);
  const auto write = oldest_of(writes_, b.id);
  if (write == writes_.end()) return fail(Axi4Rule::kResponseId);
  if (!write->data_done) return fail(Axi4Rule::kResponseBeforeData);
  if (b.resp != Axi4Response::kExOkay || write->address.lock) return;
  const auto later = later_of(writes_, write, [](const Open& o) { return o.address.lock; });
  if (later == writes_.end()) return fail(Axi4Rule::kResponseExOkay);
  fail(Axi4Rule::kResponseOrder);
  std::swap(write->address, later->address);
}

void Axi4Checker::transfer_response() {
  const auto write = oldest_of(writes_, pins_.b.id);
  if (write == writes_.end()) return;
  if (write->data_done) {
    erase(writes_, write);
  } else {
    write->responded = true;
  }
}

// Reads.

void Axi4Checker::check_read() {
  const auto fail = [&](Axi4Rule rule) { report(rule, Axi4Channel::kR, text_of(Axi4Channel::kR)); };
  const Axi4ReadPins& r = pins_.r;
  if (config_.report_error_responses && is_error(r.resp)) fail(Axi4Rule::kReadError);
  if (reads_.empty()) return fail(Axi4Rule::kReadWithoutRequest);
  const auto read = oldest_of(reads_, r.id);
  if (read == reads_.end()) return fail(Axi4Rule::kReadId);
  const unsigned beat = read->beat;
  const bool end = beat == read->address.len;
  const bool ex_okay = r.resp == Axi4Response::kExOkay;
  // A transfer that does not fit the oldest read, but a later one of the same ID, is out of order.
  const bool fits = r.last == end && (!ex_okay || read->address.lock);
  if (fits) return;
  const auto later = later_of(reads_, read, [&](const Open& o) {
    return o.address.len >= beat && r.last == (o.address.len == beat) &&
           (!ex_okay || o.address.lock);
  });
  if (later != reads_.end()) {
    fail(Axi4Rule::kReadOrder);
    std::swap(read->address, later->address);
    return;
  }
  if (r.last && !end) fail(Axi4Rule::kReadLastEarly);
  if (!r.last && end) fail(Axi4Rule::kReadLastMissing);
  if (ex_okay && !read->address.lock) fail(Axi4Rule::kReadExOkay);
}

void Axi4Checker::transfer_read() {
  const auto read = oldest_of(reads_, pins_.r.id);
  if (read == reads_.end()) return;
  read->since = cycle_;
  read->reported = false;
  if (read->beat++ == read->address.len || pins_.r.last) erase(reads_, read);
}

// Limits and the end of the run.

void Axi4Checker::check_transaction_limit(Open& open, Axi4Rule rule, Axi4Channel channel) {
  if (cycle_ - open.since <= config_.response_limit || open.reported) return;
  open.reported = true;
  report(rule, channel, address_text(open.address));
}

void Axi4Checker::check_limits() {
  for (Open& read : reads_) {
    if (!read.oldest || (pins_.r.valid && pins_.r.id == read.address.id)) continue;
    check_transaction_limit(read, Axi4Rule::kReadLimit, Axi4Channel::kR);
  }
  bool next_data = true;  // the first write whose data is not complete
  for (Open& write : writes_) {
    if (!write.data_done) {
      if (next_data && !pins_.w.valid) {
        check_transaction_limit(write, Axi4Rule::kWriteDataLimit, Axi4Channel::kW);
      }
      next_data = false;
    } else if (write.oldest && !(pins_.b.valid && pins_.b.id == write.address.id)) {
      check_transaction_limit(write, Axi4Rule::kResponseLimit, Axi4Channel::kB);
    }
  }
  if (early_.empty() || early_reported_ || pins_.aw.valid) return;
  if (cycle_ - early_.front().cycle <= config_.response_limit) return;
  early_reported_ = true;
  report(Axi4Rule::kWriteAddressLimit, Axi4Channel::kAw,
         std::to_string(early_.size()) + " data beats have no address");
}

void Axi4Checker::finish(Tick t) {
  time_ = t;
  cycle_ = clock_.cycle_at(t);
  const auto left = [&](Axi4Channel channel, std::size_t open, const std::string& first,
                        bool waiting) {
    if (open == 0 && !waiting) return;
    const std::string oldest = open == 0 ? std::string() : "; the oldest: " + first;
    report(Axi4Rule::kOutstandingAtEnd, channel,
           std::to_string(open) + " outstanding" + (waiting ? " and one VALID" : "") + oldest);
  };
  const auto first = [](const OpenList& list) {
    return list.empty() ? std::string() : address_text(list.front().address);
  };
  left(Axi4Channel::kAw, writes_.size(), first(writes_), aw_.waiting);
  left(Axi4Channel::kW, early_.size(), "data without an address", w_.waiting);
  left(Axi4Channel::kAr, reads_.size(), first(reads_), ar_.waiting);
}

}  // namespace tessera
