// SPDX-License-Identifier: Apache-2.0
#include "rtl/llc_slice/llc_slice_checker.h"

#include <algorithm>
#include <cstring>
#include <systemc>

#include "common/hex.h"

namespace tessera {

namespace {

std::string text_of(const ByteMask& mask) { return hex(mask.high) + ":" + hex(mask.low); }

}  // namespace

const std::array<SliceRuleInfo, static_cast<std::size_t>(SliceRule::kCount)>& slice_rules() {
  static const std::array<SliceRuleInfo, static_cast<std::size_t>(SliceRule::kCount)> rules = {{
      {SliceRule::kLookup, "SLICE_LOOKUP", "a lookup is that of a request which waits for one"},
      {SliceRule::kLookupOrder, "SLICE_LOOKUP_ORDER",
       "the requests of a port are looked up in their order"},
      {SliceRule::kLookupLatency, "SLICE_LOOKUP_LATENCY",
       "a lookup is cfg_latency - 1 edges after the arrival, or later"},
      {SliceRule::kOutcome, "SLICE_OUTCOME", "the outcome is one of the request's kind"},
      {SliceRule::kHit, "SLICE_HIT",
       "a hit has found a line that the slice holds, with the bytes it needs"},
      {SliceRule::kOneFetch, "SLICE_ONE_FETCH", "a line that is being fetched is not allocated"},
      {SliceRule::kMshrInUse, "SLICE_MSHR_IN_USE", "a miss takes a free MSHR"},
      {SliceRule::kMshrLimit, "SLICE_MSHR_LIMIT", "at most cfg_mshrs lines are being fetched"},
      {SliceRule::kTargetLimit, "SLICE_TARGET_LIMIT", "an MSHR has at most cfg_targets accesses"},
      {SliceRule::kCopyLimit, "SLICE_COPY_LIMIT",
       "a copy leaves a quarter of the MSHRs and a way to the slice's own lines"},
      {SliceRule::kFetch, "SLICE_FETCH", "a request for a line is that of a miss, once"},
      {SliceRule::kWriteBackFirst, "SLICE_WRITE_BACK_FIRST",
       "a line is fetched after its dirty bytes have been written back"},
      {SliceRule::kWriteBack, "SLICE_WRITE_BACK",
       "a write-back has the dirty bytes of a line, with their values"},
      {SliceRule::kPass, "SLICE_PASS", "a request that passes leaves as it has arrived"},
      {SliceRule::kResponse, "SLICE_RESPONSE",
       "a response is that of a request which has been served"},
      {SliceRule::kResponsePort, "SLICE_RESPONSE_PORT",
       "a response leaves by the port of its request"},
      {SliceRule::kResponseError, "SLICE_RESPONSE_ERROR",
       "a response has an error if the line's fetch had one"},
      {SliceRule::kResponseData, "SLICE_RESPONSE_DATA",
       "a read gets the bytes that were written last"},
      {SliceRule::kFlush, "SLICE_FLUSH",
       "a flush ends when memory has acknowledged all dirty bytes"},
  }};
  return rules;
}

const SliceRuleInfo& info_of(SliceRule rule) {
  return slice_rules()[static_cast<std::size_t>(rule)];
}

std::string SliceViolation::text() const {
  const SliceRuleInfo& info = info_of(rule);
  return instance + ": the slice breaks " + info.name + " (" + info.description + ") at cycle " +
         std::to_string(cycle) + ", " + std::to_string(time / 1000) + " ps: " + what;
}

LlcSliceChecker::LlcSliceChecker(std::string name, const ClockDomain& clock,
                                 const LlcSlicePins& pins,
                                 const LlcSlicePins::Configuration& configuration)
    : name_(std::move(name)),
      clock_(clock),
      pins_(pins),
      configuration_(configuration),
      whole_(ByteMask::first(configuration.line_bytes)) {}

void LlcSliceChecker::report(SliceRule rule, const std::string& what) {
  ++violations_;
  const SliceViolation violation{rule, cycle_, time_, name_, what};
  if (handler_) return handler_(violation);
  SC_REPORT_ERROR("/tessera/bridge/slice", violation.text().c_str());
}

std::string LlcSliceChecker::line_text(std::uint64_t line) const {
  return "line " + hex(line * configuration_.line_bytes);
}

std::string LlcSliceChecker::text(std::uint32_t id, const Request& request) const {
  return std::string(request.write ? "write" : "read") + ", id " + std::to_string(id) + ", port " +
         std::to_string(request.port) + ", " + line_text(request.line);
}

/// The first byte of `mask` that differs; empty if none does.
std::string LlcSliceChecker::difference(const unsigned char* is, const unsigned char* expected,
                                        const ByteMask& mask) const {
  for (unsigned i = 0; i < configuration_.line_bytes; ++i) {
    if (!mask.test(i) || is[i] == expected[i]) continue;
    return "byte " + std::to_string(i) + " is " + hex(std::uint64_t{is[i]}) + ", not " +
           hex(std::uint64_t{expected[i]});
  }
  return "";
}

void LlcSliceChecker::reset() {
  for (auto& port : waiting_) port.clear();
  requests_.clear();
  passing_.clear();
  outside_.clear();
  responses_.clear();
  lines_.clear();
  left_.clear();
  fetches_.fill({});
  fetching_ = 0;
  writes_ = 0;
  stepped_ = false;
}

void LlcSliceChecker::on_reset(bool active) {
  reset();
  in_reset_ = active;
}

// The edge: the transfers first, in the order of the slice's own steps, then its events.

void LlcSliceChecker::sample(Tick t) {
  if (in_reset_) return;
  time_ = t;
  cycle_ = clock_.cycle_at(t);
  stepped_ = true;
  for (std::uint32_t p = 0; p < LlcSlicePins::kPorts; ++p) {
    if (pins_.out[p].valid && pins_.out[p].ready) check_response(p);
  }
  if (pins_.memory.valid && pins_.memory.ready) check_memory();
  if (pins_.remote.valid && pins_.remote.ready) check_remote();
  if (pins_.drop_copies) drop_copies();
  const LineResponsePins& m = pins_.memory_response;
  if (m.valid && m.ready && m.write && writes_ != 0) --writes_;
  if (m.valid && m.ready && !m.write) fill(m.id, m.error, m.data);
  const LineResponsePins& r = pins_.remote_response;
  if (r.valid && r.ready) {
    if ((r.id & LlcSlicePins::kFetch) != 0) {
      fill(r.id & ~LlcSlicePins::kFetch, r.error, r.data);
    } else {
      pass_response(r);
    }
  }
  for (std::uint32_t p = 0; p < LlcSlicePins::kPorts; ++p) {
    if (pins_.in[p].valid && pins_.in[p].ready) arrive(p);
  }
}

void LlcSliceChecker::collect(Tick) {
  if (!stepped_) return;
  stepped_ = false;
  if (pins_.events.lookup) lookup(pins_.events);
  if (pins_.flush_done) end_flush();
}

// Transfers.

void LlcSliceChecker::arrive(std::uint32_t port) {
  const LineRequestPins& pins = pins_.in[port];
  const bool passes = (pins.user & LlcSlicePins::kBypass) != 0;
  Request& r = (passes ? passing_ : requests_)[pins.id];
  r = {};
  r.port = port;
  r.write = pins.write;
  r.foreign = (pins.user & LlcSlicePins::kForeign) != 0;
  r.keep = (pins.user & LlcSlicePins::kKeep) != 0;
  r.line = pins.address / configuration_.line_bytes;
  r.set = pins.user & LlcSlicePins::kSetMask;
  r.arrival = cycle_;
  if (r.write) {
    r.mask = pins.mask & whole_;
    std::memcpy(r.data.data(), pins.data, configuration_.line_bytes);
  }
  if (!passes) waiting_[port].push_back(pins.id);
}

void LlcSliceChecker::expect(std::uint32_t id, std::uint32_t port, bool error,
                             const unsigned char* data) {
  Response& r = responses_[id];
  r = {port, error, data != nullptr && !error, {}};
  if (r.has_data) std::memcpy(r.data.data(), data, configuration_.line_bytes);
}

void LlcSliceChecker::check_response(std::uint32_t port) {
  const LineResponsePins& pins = pins_.out[port];
  const std::string id = "id " + std::to_string(pins.id) + ", port " + std::to_string(port);
  const auto found = responses_.find(pins.id);
  if (found == responses_.end()) {
    const auto waits = requests_.find(pins.id);
    report(SliceRule::kResponse,
           waits == requests_.end() ? id : text(pins.id, waits->second) + ", waits for its lookup");
    return;
  }
  const Response& expected = found->second;
  if (expected.port != port) {
    report(SliceRule::kResponsePort, id + ", not port " + std::to_string(expected.port));
  }
  if (expected.error != pins.error) {
    report(SliceRule::kResponseError, id + (pins.error ? ", error" : ", no error"));
  } else if (expected.has_data) {
    const std::string d = difference(pins.data, expected.data.data(), whole_);
    if (!d.empty()) report(SliceRule::kResponseData, id + ", " + d);
  }
  responses_.erase(found);
}

void LlcSliceChecker::check_memory() {
  const LineRequestPins& r = pins_.memory;
  if (!r.write) return check_fetch(r.id, r, false);
  ++writes_;
  written_back(r);
}

void LlcSliceChecker::check_remote() {
  const LineRequestPins& r = pins_.remote;
  if ((r.id & LlcSlicePins::kFetch) == 0) return check_passing(r.id, r);
  check_fetch(r.id & (LlcSlicePins::kMshrs - 1), r, true);
}

void LlcSliceChecker::check_fetch(std::uint32_t mshr, const LineRequestPins& request,
                                  bool foreign) {
  const std::uint64_t line = request.address / configuration_.line_bytes;
  const std::string what = line_text(line) + ", MSHR " + std::to_string(mshr);
  Fetch* const f = mshr < fetches_.size() ? &fetches_[mshr] : nullptr;
  if (f == nullptr || !f->open || f->sent || f->foreign != foreign || f->line != line ||
      request.write) {
    return report(SliceRule::kFetch, what);
  }
  f->sent = true;
  if (foreign) return;
  const auto behind =
      std::find_if(left_.begin(), left_.end(), [&](const Left& l) { return l.line == line; });
  if (behind == left_.end()) return;
  report(SliceRule::kWriteBackFirst, what + ", dirty bytes " + text_of(behind->dirty));
  left_.erase(behind);
}

void LlcSliceChecker::check_passing(std::uint32_t id, const LineRequestPins& request) {
  const std::uint32_t port = id >> LlcSlicePins::kPortShift & (LlcSlicePins::kPorts - 1);
  id &= LlcSlicePins::kIds - 1;
  const std::uint64_t line = request.address / configuration_.line_bytes;
  const auto found = passing_.find(id);
  if (found == passing_.end()) {
    return report(SliceRule::kPass, line_text(line) + ", id " + std::to_string(id));
  }
  const Request& r = found->second;
  std::string d;
  if (r.port != port) d = "port " + std::to_string(port);
  if (r.line != line) d = line_text(line);
  if (r.write != request.write) d = request.write ? "a write" : "a read";
  if (d.empty() && r.write && r.mask != request.mask) d = "mask " + text_of(request.mask);
  if (d.empty() && r.write) d = difference(request.data, r.data.data(), r.mask);
  if (!d.empty()) report(SliceRule::kPass, text(id, r) + ", leaves with: " + d);
  outside_[id] = r;
  passing_.erase(found);
}

void LlcSliceChecker::pass_response(const LineResponsePins& response) {
  const auto found = outside_.find(response.id & (LlcSlicePins::kIds - 1));
  if (found == outside_.end()) return;
  expect(found->first, found->second.port, response.error,
         found->second.write ? nullptr : response.data);
  outside_.erase(found);
}

void LlcSliceChecker::written_back(const LineRequestPins& request) {
  const std::uint64_t line = request.address / configuration_.line_bytes;
  const auto check = [&](const ByteMask& dirty, const unsigned char* data) {
    const std::string d = request.mask != dirty
                              ? "mask " + text_of(request.mask) + ", not " + text_of(dirty)
                              : difference(request.data, data, dirty);
    if (!d.empty()) report(SliceRule::kWriteBack, line_text(line) + ", " + d);
  };
  const auto behind =
      std::find_if(left_.begin(), left_.end(), [&](const Left& l) { return l.line == line; });
  if (behind != left_.end()) {
    const Left left = *behind;
    left_.erase(behind);
    return check(left.dirty, left.data.data());
  }
  const auto found = lines_.find(line);
  if (found == lines_.end() || found->second.dirty.none()) {
    return report(SliceRule::kWriteBack, line_text(line) + ", has no dirty bytes");
  }
  const ByteMask dirty = found->second.dirty;
  found->second.dirty = {};
  check(dirty, found->second.data.data());
}

void LlcSliceChecker::fill(std::uint32_t mshr, bool error, const unsigned char* data) {
  if (mshr >= fetches_.size() || !fetches_[mshr].sent) return;
  Fetch f;
  std::swap(f, fetches_[mshr]);
  --fetching_;
  Line& line = lines_[f.line];
  line.fetching = false;
  bool stays = !line.valid.none();
  Bytes bytes{};
  std::memcpy(bytes.data(), data, configuration_.line_bytes);
  copy_masked(bytes.data(), line.data.data(), error && stays ? whole_ : line.valid,
              configuration_.line_bytes);
  if (!error) line.valid = whole_;
  for (const auto& [id, target] : f.targets) {
    expect(id, target.port, error, target.write ? nullptr : bytes.data());
    if (error) continue;
    if (target.write) {
      copy_masked(bytes.data(), target.data.data(), target.mask, configuration_.line_bytes);
      line.dirty |= target.mask;
    }
    if (target.keep) stays = true;
  }
  line.data = bytes;
  if (!line.dirty.none()) stays = true;
  if (!error && !f.keep) stays = false;
  if (!stays) lines_.erase(f.line);
}

void LlcSliceChecker::drop_copies() {
  for (Fetch& f : fetches_) {
    if (f.foreign) f.keep = false;
  }
  for (auto l = lines_.begin(); l != lines_.end();) {
    l = l->second.copy && !l->second.fetching ? lines_.erase(l) : std::next(l);
  }
}

// Lookups.

void LlcSliceChecker::lookup(const LlcSlicePins::Events& event) {
  using Outcome = LlcSlicePins::Outcome;
  const auto found = requests_.find(event.id);
  if (found == requests_.end()) {
    return report(SliceRule::kLookup, "id " + std::to_string(event.id));
  }
  const Request r = found->second;
  requests_.erase(found);
  const std::string what = text(event.id, r);
  auto& port = waiting_[r.port];
  if (port.front() != event.id) {
    report(SliceRule::kLookupOrder, what + ", before id " + std::to_string(port.front()));
  }
  port.erase(std::find(port.begin(), port.end(), event.id));
  if (cycle_ < r.arrival + configuration_.latency - 1) {
    report(SliceRule::kLookupLatency, what + ", arrived at cycle " + std::to_string(r.arrival));
  }
  const bool of_write =
      event.outcome == Outcome::kWriteHit || event.outcome == Outcome::kWriteAllocate;
  const bool sound = event.outcome == Outcome::kMerge || of_write == r.write;
  if (!sound || event.outcome == Outcome::kNothing ||
      (event.outcome == Outcome::kForward && !r.foreign)) {
    return report(SliceRule::kOutcome,
                  what + ", outcome " + std::to_string(static_cast<unsigned>(event.outcome)));
  }
  switch (event.outcome) {
    case Outcome::kReadHit:
    case Outcome::kWriteHit:
      return hit(event.id, r);
    case Outcome::kWriteAllocate: {
      Line& line = allocate(event.id, r);
      line.data = r.data;
      line.valid = line.dirty = r.mask;
      return expect(event.id, r.port, false, nullptr);
    }
    case Outcome::kMerge:
      return merge(event.id, r);
    case Outcome::kMiss:
    case Outcome::kPartialFetch:
      return fetch(event.id, r, event.mshr, event.outcome == Outcome::kPartialFetch);
    case Outcome::kForward:
    case Outcome::kNothing:
      passing_[event.id] = r;
  }
}

void LlcSliceChecker::hit(std::uint32_t id, const Request& request) {
  const auto found = lines_.find(request.line);
  const bool held = found != lines_.end() && !found->second.fetching &&
                    (request.write || found->second.valid.contains(whole_));
  if (!held) report(SliceRule::kHit, text(id, request));
  if (request.write) {
    Line& line = lines_[request.line];
    copy_masked(line.data.data(), request.data.data(), request.mask, configuration_.line_bytes);
    line.valid |= request.mask;
    line.dirty |= request.mask;
  }
  // What a hit of nothing returns is not known.
  expect(id, request.port, false, request.write || !held ? nullptr : found->second.data.data());
}

void LlcSliceChecker::merge(std::uint32_t id, const Request& request) {
  const auto found = lines_.find(request.line);
  if (found == lines_.end() || !found->second.fetching) {
    return report(SliceRule::kHit, text(id, request) + ", which is not being fetched");
  }
  Fetch& f = fetches_[found->second.mshr];
  if (!f.keep) report(SliceRule::kHit, text(id, request) + ", whose copy has been dropped");
  if (f.targets.size() >= configuration_.targets) {
    report(SliceRule::kTargetLimit, text(id, request));
  }
  f.targets.emplace_back(id, request);
}

void LlcSliceChecker::fetch(std::uint32_t id, const Request& request, std::uint32_t mshr,
                            bool partial) {
  const std::string what = text(id, request) + ", MSHR " + std::to_string(mshr);
  if (partial) {
    const auto found = lines_.find(request.line);
    if (found == lines_.end() || found->second.fetching) report(SliceRule::kHit, what);
  } else {
    allocate(id, request);
  }
  if (fetching_ >= configuration_.mshrs) report(SliceRule::kMshrLimit, what);
  if (request.foreign) {
    const auto locked = std::count_if(fetches_.begin(), fetches_.end(), [&](const Fetch& f) {
      return f.open && f.set == request.set;
    });
    const std::uint32_t left = std::max(configuration_.mshrs / 4, 1U);
    if (fetching_ + left >= configuration_.mshrs || configuration_.ways < locked + 2) {
      report(SliceRule::kCopyLimit, what + ", " + std::to_string(fetching_) +
                                        " lines are being fetched, " + std::to_string(locked) +
                                        " of the set");
    }
  }
  Fetch& f = fetches_[mshr];
  if (f.open) {
    report(SliceRule::kMshrInUse, what + ", which fetches " + line_text(f.line));
  } else {
    ++fetching_;
  }
  f = {true, false, request.foreign, true, request.line, request.set, {{id, request}}};
  Line& line = lines_[request.line];
  line.copy = request.foreign;
  line.fetching = true;
  line.mshr = mshr;
}

/// The line without bytes, in place of what the slice held of it.
LlcSliceChecker::Line& LlcSliceChecker::allocate(std::uint32_t id, const Request& request) {
  Line& line = lines_[request.line];
  if (line.fetching) report(SliceRule::kOneFetch, text(id, request));
  if (!line.dirty.none()) left_.push_back({request.line, line.dirty, line.data});
  line = {};
  return line;
}

void LlcSliceChecker::end_flush() {
  if (configuration_.flush_copies) {
    for (auto l = lines_.begin(); l != lines_.end();) {
      l = l->second.copy ? lines_.erase(l) : std::next(l);
    }
    return;
  }
  for (const Left& l : left_) {
    report(SliceRule::kFlush, line_text(l.line) + ", dirty bytes " + text_of(l.dirty));
  }
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const auto& [number, line] : lines_) {
    if (!line.dirty.none()) lowest = std::min(lowest, number);
  }
  if (lowest != ~std::uint64_t{0}) {
    report(SliceRule::kFlush,
           line_text(lowest) + ", dirty bytes " + text_of(lines_.at(lowest).dirty));
  }
  if (writes_ != 0) {
    report(SliceRule::kFlush, std::to_string(writes_) + " write-backs are not acknowledged");
  }
  left_.clear();
  lines_.clear();
}

void LlcSliceChecker::replace(std::uint64_t address, const unsigned char* bytes,
                              const ByteMask& mask) {
  const std::uint64_t number = address / configuration_.line_bytes;
  for (Left& l : left_) {
    if (l.line == number) copy_masked(l.data.data(), bytes, mask, configuration_.line_bytes);
  }
  const auto found = lines_.find(number);
  if (found == lines_.end()) return;
  copy_masked(found->second.data.data(), bytes, mask, configuration_.line_bytes);
}

}  // namespace tessera
