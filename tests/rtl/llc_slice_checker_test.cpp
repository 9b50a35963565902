// SPDX-License-Identifier: Apache-2.0
#include "rtl/llc_slice/llc_slice_checker.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace tessera::llc_slice_checker_test {

namespace {

using Rule = SliceRule;
using Rules = std::vector<Rule>;
using Outcome = LlcSlicePins::Outcome;
using Pins = LlcSlicePins;

constexpr std::uint32_t kLineBytes = 128;

/// A slice that a script plays: each step is one or more edges of its pins.
class Bench {
 public:
  explicit Bench(const Pins::Configuration& configuration = small())
      : checker("slice", clock_, pins_, configuration), latency_(configuration.latency) {
    checker.set_handler([this](const SliceViolation& v) { found.push_back(v); });
  }
  static Pins::Configuration small() {
    Pins::Configuration c;
    c.sets = 1;
    c.ways = 4;
    c.mshrs = 8;
    c.targets = 2;
    c.latency = 3;
    return c;
  }

  void read(std::uint32_t id, std::uint64_t line, std::uint32_t user = Pins::kKeep,
            std::uint32_t port = 0) {
    arrive(id, line, false, {}, user, port);
  }
  void write(std::uint32_t id, std::uint64_t line, const ByteMask& mask, unsigned char value,
             std::uint32_t user = Pins::kKeep) {
    bytes_.fill(value);
    arrive(id, line, true, mask, user, 0);
  }
  /// As early as the latency allows after the last arrival.
  void lookup(std::uint32_t id, Outcome outcome, std::uint32_t mshr = 0) {
    for (unsigned i = 2; i < latency_; ++i) edge();
    early_lookup(id, outcome, mshr);
  }
  void early_lookup(std::uint32_t id, Outcome outcome, std::uint32_t mshr = 0) {
    events_.lookup = true;
    events_.id = id;
    events_.outcome = outcome;
    events_.mshr = mshr;
    edge();
  }
  void fetch(std::uint32_t mshr, std::uint64_t line) { send(pins_.memory, mshr, line, false, {}); }
  void fetch_copy(std::uint32_t mshr, std::uint64_t line) {
    send(pins_.remote, mshr | Pins::kFetch, line, false, {});
  }
  void write_back(std::uint64_t line, const ByteMask& mask, unsigned char value) {
    bytes_.fill(value);
    send(pins_.memory, 0, line, true, mask);
  }
  void pass(std::uint32_t id, std::uint64_t line) { send(pins_.remote, id, line, false, {}); }
  void pass_write(std::uint32_t id, std::uint64_t line, const ByteMask& mask, unsigned char value) {
    bytes_.fill(value);
    send(pins_.remote, id, line, true, mask);
  }
  void fill(std::uint32_t mshr, unsigned char value, bool error = false) {
    answer(pins_.memory_response, mshr, value, false, error);
  }
  void fill_copy(std::uint32_t mshr, unsigned char value) {
    answer(pins_.remote_response, mshr | Pins::kFetch, value, false, false);
  }
  void acknowledge() { answer(pins_.memory_response, 0, 0, true, false); }
  void passed(std::uint32_t id, unsigned char value) {
    answer(pins_.remote_response, id, value, false, false);
  }
  void respond(std::uint32_t id, unsigned char value, std::uint32_t port = 0, bool error = false) {
    answer(pins_.out[port], id, value, false, error);
  }
  /// Both bytes of the line have the value, from `other_from` on another.
  void respond_two(std::uint32_t id, unsigned char value, unsigned other_from,
                   unsigned char other) {
    bytes_.fill(value);
    for (unsigned i = other_from; i < kLineBytes; ++i) bytes_[i] = other;
    put(pins_.out[0], id, false, false);
  }
  void drop_copies() {
    pins_.drop_copies = true;
    edge();
    pins_.drop_copies = false;
  }
  void end_flush() {
    flushed_ = true;
    edge();
  }

  // Whole transactions.

  void read_miss(std::uint32_t id, std::uint64_t line, unsigned char value) {
    read(id, line);
    lookup(id, Outcome::kMiss, 1);
    fetch(1, line);
    fill(1, value);
    respond(id, value);
  }
  void read_copy(std::uint32_t id, std::uint64_t line, unsigned char value) {
    read(id, line, Pins::kKeep | Pins::kForeign);
    lookup(id, Outcome::kMiss, 1);
    fetch_copy(1, line);
    fill_copy(1, value);
    respond(id, value);
  }
  void write_allocate(std::uint32_t id, std::uint64_t line, const ByteMask& mask,
                      unsigned char value) {
    write(id, line, mask, value);
    lookup(id, Outcome::kWriteAllocate);
    respond(id, 0);
  }

  Rules rules() const {
    Rules all;
    for (const SliceViolation& v : found) all.push_back(v.rule);
    return all;
  }

  std::vector<SliceViolation> found;

 private:
  void arrive(std::uint32_t id, std::uint64_t line, bool write, const ByteMask& mask,
              std::uint32_t user, std::uint32_t port) {
    pins_.in[port].user = user;
    send(pins_.in[port], id, line, write, mask);
  }
  void send(LineRequestPins& channel, std::uint32_t id, std::uint64_t line, bool write,
            const ByteMask& mask) {
    channel.id = id;
    channel.address = line * kLineBytes;
    channel.write = write;
    channel.mask = mask;
    channel.data = bytes_.data();
    channel.valid = channel.ready = true;
    edge();
    channel.valid = channel.ready = false;
  }
  void answer(LineResponsePins& channel, std::uint32_t id, unsigned char value, bool write,
              bool error) {
    bytes_.fill(value);
    put(channel, id, write, error);
  }
  void put(LineResponsePins& channel, std::uint32_t id, bool write, bool error) {
    channel.id = id;
    channel.write = write;
    channel.error = error;
    channel.data = bytes_.data();
    channel.valid = channel.ready = true;
    edge();
    channel.valid = channel.ready = false;
  }
  void edge() {
    const Tick t = clock_.time_of(cycle_++);
    checker.sample(t);
    pins_.events = events_;
    pins_.flush_done = flushed_;
    checker.collect(t);
    events_ = {};
    flushed_ = false;
  }

  ClockDomain clock_{1'000'000'000};
  Pins pins_;
  Pins::Events events_;
  bool flushed_ = false;
  std::array<unsigned char, kMaxLineBytes> bytes_{};

 public:
  LlcSliceChecker checker;

 private:
  std::uint32_t latency_;
  std::uint64_t cycle_ = 1;
};

const ByteMask kFirst = ByteMask::first(4);

}  // namespace

TEST_CASE("Slice checker: a sound slice breaks no rule") {
  Bench b;
  b.read_miss(1, 7, 0x11);
  b.read(2, 7);
  b.lookup(2, Outcome::kReadHit);
  b.respond(2, 0x11);
  // A write that hits, then a read of both values.
  b.write(3, 7, kFirst, 0x22);
  b.lookup(3, Outcome::kWriteHit);
  b.respond(3, 0);
  b.read(4, 7);
  b.lookup(4, Outcome::kReadHit);
  b.respond_two(4, 0x22, 4, 0x11);
  // The line is replaced: its write-back leaves before it is fetched again.
  b.read(5, 7);
  b.lookup(5, Outcome::kMiss, 2);
  b.write_back(7, kFirst, 0x22);
  b.fetch(2, 7);
  b.acknowledge();
  // Two accesses to the pending line: the first does not see the second.
  b.write(6, 7, ByteMask::range(8, 120), 0x33);
  b.lookup(6, Outcome::kMerge);
  b.fill(2, 0x44);
  b.respond(5, 0x44);
  b.respond(6, 0);
  b.read(7, 7);
  b.lookup(7, Outcome::kReadHit);
  b.respond_two(7, 0x44, 8, 0x33);
  // Bytes of an allocated line; a read fetches the others.
  b.write_allocate(8, 9, kFirst, 0x55);
  b.read(9, 9);
  b.lookup(9, Outcome::kPartialFetch, 3);
  b.fetch(3, 9);
  b.fill(3, 0x66);
  b.respond_two(9, 0x55, 4, 0x66);
  // A request that passes, a copy, and a forwarded one.
  b.read(10, 20, Pins::kBypass);
  b.pass(10, 20);
  b.passed(10, 0x77);
  b.respond(10, 0x77);
  b.read_copy(11, 21, 0x78);
  b.read(12, 22, Pins::kForeign);
  b.lookup(12, Outcome::kForward);
  b.pass(12, 22);
  b.passed(12, 0x79);
  b.respond(12, 0x79);
  b.write(13, 23, kFirst, 0x7a, Pins::kBypass);
  b.pass_write(13, 23, kFirst, 0x7a);
  b.passed(13, 0);
  b.respond(13, 0);
  // A flush: two lines are dirty.
  b.write_back(7, ByteMask::range(8, 120), 0x33);
  b.write_back(9, kFirst, 0x55);
  b.acknowledge();
  b.acknowledge();
  b.end_flush();
  CHECK(b.rules() == Rules{});
}

TEST_CASE("Slice checker: a fetch with an error") {
  Bench b;
  b.read(1, 7);
  b.lookup(1, Outcome::kMiss, 1);
  b.write(2, 7, kFirst, 0x22);
  b.lookup(2, Outcome::kMerge);
  b.fetch(1, 7);
  b.fill(1, 0x11, true);
  b.respond(1, 0x99, 0, true);
  b.respond(2, 0, 0, true);
  CHECK(b.rules() == Rules{});
  SECTION("the line is not held afterwards") {
    b.read(3, 7);
    b.lookup(3, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("the merged write leaves no dirty bytes") {
    b.write_back(7, kFirst, 0x22);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
  }
}

TEST_CASE("Slice checker: a response does not hide the error of its fetch") {
  Bench b;
  b.read(1, 7);
  b.lookup(1, Outcome::kMiss, 1);
  b.fetch(1, 7);
  b.fill(1, 0x11, true);
  b.respond(1, 0x11);
  CHECK(b.rules() == Rules{Rule::kResponseError});
}

TEST_CASE("Slice checker: lookups") {
  Bench b;
  SECTION("of nothing") {
    b.lookup(5, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kLookup});
  }
  SECTION("twice") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.lookup(1, Outcome::kMerge);
    CHECK(b.rules() == Rules{Rule::kLookup});
  }
  SECTION("out of order") {
    b.read(1, 7);
    b.read(2, 8);
    b.lookup(2, Outcome::kMiss, 1);
    CHECK(b.rules() == Rules{Rule::kLookupOrder});
  }
  SECTION("ports have no common order") {
    b.read(1, 7);
    b.read(2, 8, Pins::kKeep, 1);
    b.lookup(2, Outcome::kMiss, 1);
    CHECK(b.rules() == Rules{});
  }
  SECTION("an edge early") {
    b.read(1, 7);
    b.early_lookup(1, Outcome::kMiss, 1);
    CHECK(b.rules() == Rules{Rule::kLookupLatency});
  }
  SECTION("with the outcome of a write") {
    b.read(1, 7);
    b.lookup(1, Outcome::kWriteAllocate);
    CHECK(b.rules() == Rules{Rule::kOutcome});
  }
  SECTION("that forwards a line of the slice's own") {
    b.read(1, 7);
    b.lookup(1, Outcome::kForward);
    CHECK(b.rules() == Rules{Rule::kOutcome});
  }
}

TEST_CASE("Slice checker: hits") {
  Bench b;
  SECTION("a line that was never there") {
    b.read(1, 7);
    b.lookup(1, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("a line of which bytes are missing") {
    b.write_allocate(1, 7, kFirst, 0x11);
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("a line that is still being fetched") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("a merge with nothing") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMerge);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("a line that was not to be kept") {
    b.read(1, 7, 0);
    b.lookup(1, Outcome::kMiss, 1);
    b.fetch(1, 7);
    b.fill(1, 0x11);
    b.respond(1, 0x11);
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
}

TEST_CASE("Slice checker: copies") {
  Bench b;
  SECTION("a dropped copy is not hit") {
    b.read_copy(1, 7, 0x11);
    b.drop_copies();
    b.read(2, 7, Pins::kKeep | Pins::kForeign);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("nor one that was being fetched") {
    b.read(1, 7, Pins::kKeep | Pins::kForeign);
    b.lookup(1, Outcome::kMiss, 1);
    b.fetch_copy(1, 7);
    b.drop_copies();
    b.fill_copy(1, 0x11);
    b.respond(1, 0x11);
    CHECK(b.rules() == Rules{});
    b.read(2, 7, Pins::kKeep | Pins::kForeign);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("nor merged with") {
    b.read(1, 7, Pins::kKeep | Pins::kForeign);
    b.lookup(1, Outcome::kMiss, 1);
    b.drop_copies();
    b.read(2, 7, Pins::kKeep | Pins::kForeign);
    b.lookup(2, Outcome::kMerge);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
  SECTION("the slice's own lines stay") {
    b.read_miss(1, 7, 0x11);
    b.drop_copies();
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    b.respond(2, 0x11);
    CHECK(b.rules() == Rules{});
  }
  SECTION("they leave two of eight MSHRs and one of four ways") {
    for (std::uint32_t i = 0; i < 3; ++i) {
      b.read(i, 10 + i, Pins::kKeep | Pins::kForeign);
      b.lookup(i, Outcome::kMiss, i);
    }
    CHECK(b.rules() == Rules{});
    b.read(5, 15, Pins::kKeep | Pins::kForeign);
    b.lookup(5, Outcome::kMiss, 5);
    CHECK(b.rules() == Rules{Rule::kCopyLimit});
  }
}

TEST_CASE("Slice checker: copies leave MSHRs also where sets have ways") {
  Pins::Configuration c = Bench::small();
  c.ways = 16;
  Bench b(c);
  for (std::uint32_t i = 0; i < 6; ++i) {
    b.read(i, 10 + i, Pins::kKeep | Pins::kForeign);
    b.lookup(i, Outcome::kMiss, i);
  }
  CHECK(b.rules() == Rules{});
  b.read(6, 16, Pins::kKeep | Pins::kForeign);
  b.lookup(6, Outcome::kMiss, 6);
  CHECK(b.rules() == Rules{Rule::kCopyLimit});
}

TEST_CASE("Slice checker: MSHRs") {
  Bench b;
  SECTION("one of two lines") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.read(2, 8);
    b.lookup(2, Outcome::kMiss, 1);
    CHECK(b.rules() == Rules{Rule::kMshrInUse});
  }
  SECTION("two of one line") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.read(2, 7);
    b.lookup(2, Outcome::kMiss, 2);
    CHECK(b.rules() == Rules{Rule::kOneFetch});
  }
  SECTION("a write allocates a line that is being fetched") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.write(2, 7, kFirst, 0x11);
    b.lookup(2, Outcome::kWriteAllocate);
    CHECK(b.rules() == Rules{Rule::kOneFetch});
  }
  SECTION("more than there are") {
    for (std::uint32_t i = 0; i < 8; ++i) {
      b.read(i, i);
      b.lookup(i, Outcome::kMiss, i);
    }
    CHECK(b.rules() == Rules{});
    b.read(8, 8);
    b.lookup(8, Outcome::kMiss, 8);
    CHECK(b.rules() == Rules{Rule::kMshrLimit});
  }
  SECTION("more accesses than an MSHR has") {
    b.read(1, 7);
    b.lookup(1, Outcome::kMiss, 1);
    b.read(2, 7);
    b.lookup(2, Outcome::kMerge);
    CHECK(b.rules() == Rules{});
    b.read(3, 7);
    b.lookup(3, Outcome::kMerge);
    CHECK(b.rules() == Rules{Rule::kTargetLimit});
  }
}

TEST_CASE("Slice checker: requests for lines") {
  Bench b;
  b.read(1, 7);
  b.lookup(1, Outcome::kMiss, 1);
  SECTION("of another line") {
    b.fetch(1, 8);
    CHECK(b.rules() == Rules{Rule::kFetch});
  }
  SECTION("by the other way") {
    b.fetch_copy(1, 7);
    CHECK(b.rules() == Rules{Rule::kFetch});
  }
  SECTION("twice") {
    b.fetch(1, 7);
    b.fetch(1, 7);
    CHECK(b.rules() == Rules{Rule::kFetch});
  }
  SECTION("by no miss") {
    b.fetch(2, 7);
    CHECK(b.rules() == Rules{Rule::kFetch});
  }
}

TEST_CASE("Slice checker: write-backs") {
  Bench b;
  b.write_allocate(1, 7, kFirst, 0x11);
  SECTION("with more bytes than are dirty") {
    b.write_back(7, ByteMask::first(8), 0x11);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
  }
  SECTION("with other values") {
    b.write_back(7, kFirst, 0x12);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
    CHECK(b.found[0].what == "line 0x380, byte 0 is 0x12, not 0x11");
  }
  SECTION("of another line") {
    b.write_back(8, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
  }
  SECTION("twice") {
    b.write_back(7, kFirst, 0x11);
    b.write_back(7, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
  }
  SECTION("behind the fetch of their line") {
    b.read(2, 7);
    b.lookup(2, Outcome::kMiss, 1);
    b.fetch(1, 7);
    CHECK(b.rules() == Rules{Rule::kWriteBackFirst});
  }
  SECTION("of a line that has been allocated again have the old bytes") {
    b.write_allocate(2, 7, ByteMask::range(4, 4), 0x22);
    b.write_back(7, kFirst, 0x11);
    b.write_back(7, ByteMask::range(4, 4), 0x22);
    CHECK(b.rules() == Rules{});
  }
}

TEST_CASE("Slice checker: requests that pass") {
  Bench b;
  b.write(1, 7, kFirst, 0x11, Pins::kBypass);
  SECTION("with another mask") {
    b.pass_write(1, 7, ByteMask::first(8), 0x11);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
  SECTION("with other bytes") {
    b.pass_write(1, 7, kFirst, 0x12);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
  SECTION("as a read") {
    b.pass(1, 7);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
  SECTION("to another line") {
    b.pass_write(1, 8, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
  SECTION("of another port") {
    b.pass_write(1 | 1U << Pins::kPortShift, 7, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
  SECTION("twice") {
    b.pass_write(1, 7, kFirst, 0x11);
    b.pass_write(1, 7, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kPass});
  }
}

TEST_CASE("Slice checker: a response comes after the lookup and the fill") {
  Bench b;
  b.read(1, 7);
  b.respond(1, 0x11);
  CHECK(b.rules() == Rules{Rule::kResponse});
  b.lookup(1, Outcome::kMiss, 1);
  b.fetch(1, 7);
  b.respond(1, 0x11);
  CHECK(b.rules() == Rules{Rule::kResponse, Rule::kResponse});
  b.fill(1, 0x11);
  b.respond(1, 0x11);
  CHECK(b.found.size() == 2);
}

TEST_CASE("Slice checker: responses") {
  Bench b;
  b.read(1, 7);
  b.lookup(1, Outcome::kMiss, 1);
  b.fetch(1, 7);
  b.fill(1, 0x11);
  SECTION("by another port") {
    b.respond(1, 0x11, 1);
    CHECK(b.rules() == Rules{Rule::kResponsePort});
  }
  SECTION("with an error that memory has not returned") {
    b.respond(1, 0x11, 0, true);
    CHECK(b.rules() == Rules{Rule::kResponseError});
  }
  SECTION("with other bytes") {
    b.respond_two(1, 0x11, 100, 0x12);
    CHECK(b.rules() == Rules{Rule::kResponseData});
    CHECK(b.found[0].what == "id 1, port 0, byte 100 is 0x12, not 0x11");
  }
  SECTION("twice") {
    b.respond(1, 0x11);
    b.respond(1, 0x11);
    CHECK(b.rules() == Rules{Rule::kResponse});
  }
}

TEST_CASE("Slice checker: flushes") {
  Bench b;
  b.write_allocate(1, 7, kFirst, 0x11);
  SECTION("a line stays dirty") {
    b.end_flush();
    CHECK(b.rules() == Rules{Rule::kFlush});
  }
  SECTION("a write-back is not acknowledged") {
    b.write_back(7, kFirst, 0x11);
    b.end_flush();
    CHECK(b.rules() == Rules{Rule::kFlush});
  }
  SECTION("afterwards no line is held") {
    b.write_back(7, kFirst, 0x11);
    b.acknowledge();
    b.end_flush();
    CHECK(b.rules() == Rules{});
    b.write(2, 7, kFirst, 0x11);
    b.lookup(2, Outcome::kWriteHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
}

TEST_CASE("Slice checker: a flush of copies keeps the slice's own lines") {
  Pins::Configuration c = Bench::small();
  c.flush_copies = true;
  Bench b(c);
  b.write_allocate(1, 7, kFirst, 0x11);
  b.read_copy(2, 8, 0x22);
  b.end_flush();
  CHECK(b.rules() == Rules{});
  b.write(3, 7, kFirst, 0x12);
  b.lookup(3, Outcome::kWriteHit);
  CHECK(b.rules() == Rules{});
  b.read(4, 8, Pins::kKeep | Pins::kForeign);
  b.lookup(4, Outcome::kReadHit);
  CHECK(b.rules() == Rules{Rule::kHit});
}

TEST_CASE("Slice checker: untimed changes are followed") {
  Bench b;
  const std::array<unsigned char, kMaxLineBytes> fresh{0x77, 0x77};
  SECTION("of a line that is held") {
    b.read_miss(1, 7, 0x11);
    b.checker.replace(7 * kLineBytes, fresh.data(), ByteMask::first(128));
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    b.respond(2, 0x11);
    CHECK(b.rules() == Rules{Rule::kResponseData});
  }
  SECTION("of bytes on their way to memory") {
    b.write_allocate(1, 7, kFirst, 0x11);
    b.write_allocate(2, 7, ByteMask::range(8, 4), 0x22);
    b.checker.replace(7 * kLineBytes, fresh.data(), ByteMask::first(1));
    b.write_back(7, kFirst, 0x11);
    CHECK(b.rules() == Rules{Rule::kWriteBack});
  }
  SECTION("of a page that has moved away") {
    b.read_miss(1, 7, 0x11);
    b.checker.drop(7 * kLineBytes);
    b.read(2, 7);
    b.lookup(2, Outcome::kReadHit);
    CHECK(b.rules() == Rules{Rule::kHit});
  }
}

TEST_CASE("Slice checker: a reset forgets requests and lines") {
  Bench b;
  b.read_miss(1, 7, 0x11);
  b.read(2, 8);
  b.checker.on_reset(true);
  b.respond(2, 0);  // in reset
  b.checker.on_reset(false);
  CHECK(b.rules() == Rules{});
  b.read(3, 7);
  b.lookup(3, Outcome::kReadHit);
  CHECK(b.rules() == Rules{Rule::kHit});
}

TEST_CASE("Slice checker: without a handler a broken rule is an error with rule, cycle and place") {
  const ClockDomain clock(1'000'000'000);
  Pins pins;
  LlcSliceChecker checker("gpu0.llc3", clock, pins, Bench::small());
  checker.sample(clock.time_of(5));
  pins.events.lookup = true;
  pins.events.id = 9;
  CHECK_THROWS_WITH(
      checker.collect(clock.time_of(5)),
      Catch::Contains("gpu0.llc3: the slice breaks SLICE_LOOKUP (a lookup is that of a request "
                      "which waits for one) at cycle 5, 5000 ps: id 9"));
  CHECK(checker.violations() == 1);
}

TEST_CASE("Slice checker: each rule has a name of its own, in the order of the rules") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < slice_rules().size(); ++i) {
    CHECK(slice_rules()[i].rule == static_cast<Rule>(i));
    names.insert(slice_rules()[i].name);
  }
  CHECK(names.size() == slice_rules().size());
}

}  // namespace tessera::llc_slice_checker_test
