// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/coherent_cache.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/modules/umh/umh_system.h"

namespace tessera::coherent_cache_test {

using namespace tessera::umh;
using namespace tessera::umh::test;

namespace {

constexpr AgentId kParent = AgentId{0};
constexpr AgentId kSelf = AgentId{1};
constexpr AgentId kPeer = AgentId{2};
constexpr AgentId kChild = AgentId{3};
constexpr AgentId kOtherChild = AgentId{4};
constexpr std::uint64_t kLine = 5;

/// A cache whose parent and children are the test.
struct Scripted final : CoherenceNetwork {
  explicit Scripted(CoherentCacheConfig config = {}, std::vector<AgentId> children = {})
      : cache(config, kSelf, *this, {kParent}, std::move(children)) {}

  void send(CoherenceMessage m) override { sent.push_back(std::move(m)); }

  /// The messages since the last call: type, receiver and, for data, the count of bytes.
  std::string take() {
    std::string text;
    for (const CoherenceMessage& m : sent) {
      if (!text.empty()) text += ", ";
      text += name_of(m.type);
      if (m.to != kParent) text += " to " + std::to_string(static_cast<unsigned>(m.to));
      unsigned bytes = 0;
      for (const LineBytes& l : m.data) bytes += l.mask.count();
      if (bytes != 0) text += " " + std::to_string(bytes) + " B";
      if (!m.voided.empty()) text += " voids";
    }
    sent.clear();
    return text;
  }

  void receive(MessageType type, State state = State::kI, unsigned char fill = 0,
               AgentId from = kParent, AgentId peer = kNoAgent, std::uint64_t line = kLine) {
    CoherenceMessage m;
    m.type = type;
    m.from = from;
    m.to = kSelf;
    m.line = line;
    m.lines = cache.config().block_lines;
    m.state = state;
    m.peer = peer;
    if (type == MessageType::kGrant) {
      for (std::uint32_t i = 0; i < m.lines; ++i) {
        LineBytes l{line + i, ByteMask::first(kLineBytes), {}};
        l.bytes.fill(fill);
        m.data.push_back(l);
      }
    }
    cache.receive(m);
  }

  bool access(CoherentAccess::Kind kind, ByteMask mask = ByteMask::range(0, 4),
              unsigned char value = 0xaa, std::uint64_t line = kLine) {
    CoherentAccess a;
    a.kind = kind;
    a.line = line;
    a.mask = mask;
    a.bytes.fill(value);
    completed = false;
    cache.access(a, [this](const CoherentAccess& r) {
      completed = true;
      result = r;
    });
    return completed;
  }

  /// Brings the line into a state, with 4 dirty bytes in N and M.
  void reach(State s) {
    switch (s) {
      case State::kI:
        break;
      case State::kS:
      case State::kE:
        access(CoherentAccess::Kind::kLoad);
        receive(MessageType::kGrant, s, 1);
        break;
      case State::kM:
      case State::kO:
        access(CoherentAccess::Kind::kStore);
        receive(MessageType::kGrant, State::kM, 1);
        if (s == State::kO) receive(MessageType::kReadSnoop);
        break;
      case State::kN:
        access(CoherentAccess::Kind::kNStore);
        receive(MessageType::kGrant, State::kS, 1);
        break;
    }
    REQUIRE(cache.state(kLine) == s);
    sent.clear();
  }

  std::vector<CoherenceMessage> sent;
  CoherentCache cache;
  bool completed = false;
  CoherentAccess result;
};

/// A row of Table II as a cache shows it: messages and the letter of the next state. "Send data"
/// moves the bytes that the lower level lacks; a peer receives the whole line.
struct Row {
  State state;
  const char* load;
  const char* store;
  const char* nstore;
  const char* eviction;
  const char* read;
  const char* write;
};
const std::vector<Row> kRows = {
    {State::kN, "hit N", "write-request M", "hit N", "write-back 4 B I", "snoop-ack N",
     "snoop-data 4 B I"},
    {State::kM, "hit M", "hit M", "hit M", "write-back 4 B I",
     "peer-data to 2 64 B, snoop-data 4 B O", "snoop-data 4 B I"},
    {State::kO, "hit O", "write-request M", "hit O", "write-back I",
     "peer-data to 2 64 B, snoop-ack I", "snoop-ack I"},
    {State::kE, "hit E", "hit M", "hit N", "I", "peer-data to 2 64 B, snoop-ack S", "snoop-ack I"},
    {State::kS, "hit S", "write-request M", "hit N", "I", "snoop-ack S", "snoop-ack I"},
    {State::kI, "read-request S", "write-request M", "read-request N", "I", "snoop-ack I",
     "snoop-ack I"},
};

std::string after_access(State from, CoherentAccess::Kind kind, State granted) {
  Scripted s;
  s.reach(from);
  std::string text = s.access(kind) ? "hit" : s.take();
  if (!s.completed) {
    s.receive(MessageType::kGrant, granted, 7);
    CHECK(s.completed);
    CHECK(s.take() == "grant-ack");
  }
  CHECK(s.take().empty());
  CHECK(s.cache.idle());
  return text + " " + letter(s.cache.state(kLine));
}

}  // namespace

TEST_CASE("a cache performs every transition of Table II with its messages") {
  for (const Row& row : kRows) {
    INFO("row " << letter(row.state));
    CHECK(after_access(row.state, CoherentAccess::Kind::kLoad, State::kS) == row.load);
    CHECK(after_access(row.state, CoherentAccess::Kind::kStore, State::kM) == row.store);
    CHECK(after_access(row.state, CoherentAccess::Kind::kNStore, State::kS) == row.nstore);
    {
      Scripted s;
      s.reach(row.state);
      s.cache.evict(kLine);
      const std::string sent = s.take();
      if (!sent.empty()) {
        CHECK_FALSE(s.cache.idle());
        s.receive(MessageType::kWriteBackAck);
      }
      CHECK((sent.empty() ? "" : sent + " ") + letter(s.cache.state(kLine)) == row.eviction);
      CHECK(s.cache.idle());
    }
    for (const bool read : {true, false}) {
      Scripted s;
      s.reach(row.state);
      s.receive(read ? MessageType::kReadSnoop : MessageType::kInvalidateSnoop, State::kI, 0,
                kParent, read ? kPeer : kNoAgent);
      const std::string sent = s.take();
      CHECK(sent + " " + letter(s.cache.state(kLine)) == (read ? row.read : row.write));
      CHECK(s.cache.idle());
    }
  }
  CHECK(after_access(State::kI, CoherentAccess::Kind::kLoad, State::kE) == "read-request E");
  CHECK(after_access(State::kI, CoherentAccess::Kind::kNStore, State::kE) == "read-request N");
}

TEST_CASE("with the switch of row O, an owner stays the owner after a read request") {
  CoherentCacheConfig config;
  config.owned_read = OwnedRead::kToOwned;
  Scripted s(config);
  s.reach(State::kO);
  s.receive(MessageType::kReadSnoop, State::kI, 0, kParent, kPeer);
  CHECK(s.take() == "peer-data to 2 64 B, snoop-ack");
  CHECK(s.cache.state(kLine) == State::kO);
}

TEST_CASE("bytes stored to an owned line are dirty again and go with the next read request") {
  Scripted s;
  s.reach(State::kO);
  CHECK(s.cache.dirty(kLine).none());
  s.access(CoherentAccess::Kind::kNStore, ByteMask::range(8, 2));
  CHECK(s.cache.dirty(kLine) == ByteMask::range(8, 2));
  s.receive(MessageType::kReadSnoop);
  REQUIRE(s.sent.size() == 1);
  CHECK(s.sent[0].non_coherent);
  CHECK(s.take() == "snoop-data 2 B");
}

TEST_CASE("a write grant leaves the bytes that the cache has stored and replaces the others") {
  Scripted s;
  s.reach(State::kN);
  s.access(CoherentAccess::Kind::kStore, ByteMask{});
  CHECK(s.take() == "write-request");
  s.receive(MessageType::kGrant, State::kM, 9);
  REQUIRE(s.completed);
  s.access(CoherentAccess::Kind::kLoad);
  CHECK(s.result.bytes[3] == 0xaa);
  CHECK(s.result.bytes[4] == 9);
  CHECK(s.cache.dirty(kLine) == ByteMask::range(0, 4));
}

TEST_CASE("a snoop is served while the cache waits for a grant of the same line") {
  Scripted s;
  s.reach(State::kN);
  CHECK_FALSE(s.access(CoherentAccess::Kind::kStore, ByteMask::range(4, 1), 0xbb));
  CHECK(s.take() == "write-request");
  s.receive(MessageType::kInvalidateSnoop);
  CHECK(s.take() == "snoop-data 4 B");
  CHECK(s.cache.state(kLine) == State::kI);
  CHECK_FALSE(s.completed);
  s.receive(MessageType::kGrant, State::kM, 9);
  CHECK(s.take() == "grant-ack");
  CHECK(s.completed);
  CHECK(s.cache.state(kLine) == State::kM);
  CHECK(s.cache.dirty(kLine) == ByteMask::range(4, 1));
}

TEST_CASE("a snoop takes the bytes of a write-back that is on its way, and voids it") {
  Scripted s;
  s.reach(State::kM);
  s.cache.evict(kLine);
  CHECK(s.take() == "write-back 4 B");
  s.receive(MessageType::kReadSnoop);
  CHECK(s.take() == "snoop-data 4 B voids");
  s.receive(MessageType::kInvalidateSnoop);  // of a later transaction
  CHECK(s.take() == "snoop-ack");
  CHECK_FALSE(s.access(CoherentAccess::Kind::kLoad));
  CHECK(s.take().empty());  // until the write-back is acknowledged
  s.receive(MessageType::kWriteBackAck);
  CHECK(s.take() == "read-request");
}

TEST_CASE("a directory drops a voided write-back, and merges the next one") {
  Scripted s({}, {kChild, kOtherChild});
  s.receive(MessageType::kWriteRequest, State::kI, 0, kChild);
  CHECK(s.take() == "write-request");
  s.receive(MessageType::kGrant, State::kM, 1);
  CHECK(s.take() == "grant-ack, grant to 3 64 B");
  s.receive(MessageType::kGrantAck, State::kI, 0, kChild);
  CHECK(s.cache.idle());
  CHECK(s.cache.directory(kLine).owner == 0);

  const auto with_byte = [](MessageType type, unsigned char value) {
    CoherenceMessage m;
    m.type = type;
    m.from = kChild;
    m.to = kSelf;
    m.line = kLine;
    LineBytes l{kLine, ByteMask::first(1), {}};
    l.bytes[0] = value;
    m.data.push_back(l);
    return m;
  };
  s.receive(MessageType::kReadRequest, State::kI, 0, kOtherChild);
  CHECK(s.take() == "read-snoop to 3");
  CoherenceMessage response = with_byte(MessageType::kSnoopData, 2);
  response.voided.push_back(kLine);
  s.cache.receive(response);
  CHECK(s.take() == "grant to 4 64 B");
  CHECK(s.cache.bytes(kLine)[0] == 2);
  s.receive(MessageType::kGrantAck, State::kI, 0, kOtherChild);
  CHECK(s.cache.directory(kLine).sharers == 2);
  s.cache.receive(with_byte(MessageType::kWriteBack, 3));
  CHECK(s.take() == "write-back-ack to 3");
  CHECK(s.cache.bytes(kLine)[0] == 2);
  s.cache.receive(with_byte(MessageType::kWriteBack, 4));
  CHECK(s.take() == "write-back-ack to 3");
  CHECK(s.cache.bytes(kLine)[0] == 4);
}

TEST_CASE("a snoop waits for the acknowledgement of a grant") {
  Scripted s({}, {kChild});
  s.receive(MessageType::kReadRequest, State::kI, 0, kChild);
  s.receive(MessageType::kGrant, State::kE, 1);
  CHECK(s.take() == "read-request, grant-ack, grant to 3 64 B");
  s.receive(MessageType::kInvalidateSnoop);
  CHECK(s.take().empty());
  CHECK(s.cache.describe_waiting() ==
        "agent 1, line 5: waits for an acknowledgement of its grant, 0 queued\n"
        "agent 1, block 5: a snoop is queued\n");
  s.receive(MessageType::kGrantAck, State::kI, 0, kChild);
  CHECK(s.take() == "invalidate-snoop to 3");
  s.receive(MessageType::kSnoopAck, State::kI, 0, kChild);
  CHECK(s.take() == "snoop-ack");
  CHECK(s.cache.state(kLine) == State::kI);
}

TEST_CASE("an eviction recalls the copies of the children first") {
  CoherentCacheConfig config;
  config.sets = 1;
  config.ways = 1;
  Scripted s(config, {kChild});
  s.receive(MessageType::kReadRequest, State::kI, 0, kChild);
  s.receive(MessageType::kGrant, State::kS, 1);
  s.receive(MessageType::kGrantAck, State::kI, 0, kChild);
  s.take();
  s.receive(MessageType::kReadRequest, State::kI, 0, kChild, kNoAgent, kLine + 1);
  CHECK(s.take() == "invalidate-snoop to 3");
  CoherenceMessage response;
  response.type = MessageType::kSnoopData;
  response.from = kChild;
  response.line = kLine;
  response.non_coherent = true;
  response.data.push_back({kLine, ByteMask::first(2), {}});
  s.cache.receive(response);
  CHECK(s.take() == "write-back 2 B, read-request");
  CHECK(s.cache.state(kLine) == State::kI);
}

TEST_CASE("lines of a secondary block are granted at the same time, and a snoop waits for both") {
  CoherentCacheConfig config;
  config.block_lines = 2;
  Scripted s(config, {kChild});
  CoherenceMessage request;
  request.type = MessageType::kReadRequest;
  request.from = kChild;
  request.line = 4;
  s.cache.receive(request);
  s.receive(MessageType::kGrant, State::kE, 1, kParent, kNoAgent, 4);
  CHECK(s.take() == "read-request, grant-ack, grant to 3 64 B");
  // The transaction that fetched the block is exclusive until it ends.
  request.line = 5;
  s.cache.receive(request);
  CHECK(s.take().empty());
  CoherenceMessage ack;
  ack.type = MessageType::kGrantAck;
  ack.from = kChild;
  ack.line = 4;
  s.cache.receive(ack);
  CHECK(s.take() == "grant to 3 64 B");
  // A hit on another line does not wait for the first.
  request.line = 4;
  s.cache.receive(request);
  CHECK(s.take() == "grant to 3 64 B");
  s.receive(MessageType::kInvalidateSnoop, State::kI, 0, kParent, kNoAgent, 4);
  CHECK(s.take().empty());
  s.cache.receive(ack);
  CHECK(s.take().empty());
  ack.line = 5;
  s.cache.receive(ack);
  CHECK(s.take() == "invalidate-snoop to 3, invalidate-snoop to 3");
}

TEST_CASE("a bank uses all of its sets") {
  CoherentCacheConfig config;
  config.sets = 128;
  config.ways = 1;
  for (const std::uint32_t banks : {4U, 1U}) {
    config.banks = banks;
    config.interleave_lines = 64;
    Scripted s(config);
    // Bank 0 of 4 has the lines 0 to 63, 256 to 319, ...
    for (std::uint64_t i = 0; i < 128; ++i) {
      const std::uint64_t line = i / 64 * 256 + i % 64;
      s.access(CoherentAccess::Kind::kLoad, ByteMask::first(1), 0, line);
      s.receive(MessageType::kGrant, State::kS, 1, kParent, kNoAgent, line);
    }
    unsigned resident = 0;
    for (std::uint64_t line = 0; line < 320; ++line) {
      resident += s.cache.state(line) == State::kI ? 0 : 1;
    }
    CHECK(resident == (banks == 4 ? 128 : 64));
  }
}

TEST_CASE("a non-coherent store of part of a mask bit becomes coherent") {
  for (const std::uint32_t granularity : {1U, 2U, 4U}) {
    CoherentCacheConfig config;
    config.mask_granularity = granularity;
    for (unsigned size = 1; size <= 4; ++size) {
      INFO(granularity << ", " << size);
      Scripted s(config);
      s.access(CoherentAccess::Kind::kNStore, ByteMask::range(4, size));
      CHECK(s.take() == (size % granularity == 0 ? "read-request" : "write-request"));
    }
  }
  CoherentCacheConfig config;
  config.mask_granularity = 4;
  Scripted s(config);
  s.access(CoherentAccess::Kind::kStore, ByteMask::range(5, 4));
  s.receive(MessageType::kGrant, State::kM);
  CHECK(s.cache.dirty(kLine) == ByteMask::range(4, 8));
}

TEST_CASE("an atomic addition returns the old value and needs M") {
  Scripted s;
  CoherentAccess a;
  AtomicOperands add;
  add.count = 1;
  add.lanes[0].offset = 8;
  add.lanes[0].operand = 5;
  a.kind = CoherentAccess::Kind::kAtomic;
  a.line = kLine;
  a.operands = &add;
  std::vector<std::uint64_t> olds;
  const auto done = [&](const CoherentAccess&) { olds.push_back(add.lanes[0].old); };
  s.cache.access(a, done);
  CHECK(s.take() == "write-request");
  s.receive(MessageType::kGrant, State::kM, 0);
  s.cache.access(a, done);
  CHECK(olds == std::vector<std::uint64_t>{0, 5});
  CHECK(s.cache.bytes(kLine)[8] == 10);
  CHECK(s.cache.dirty(kLine) == ByteMask::range(8, 4));
}

TEST_CASE("message sizes count the header, the bytes and a mask where one is needed") {
  CoherenceMessage m;
  CHECK(m.bytes(1) == 8);
  m.data.push_back({0, ByteMask::first(kLineBytes), {}});
  CHECK(m.bytes(1) == 8 + 64);
  m.data.push_back({1, ByteMask::first(4), {}});
  CHECK(m.bytes(1) == 8 + 64 + 4 + 8);
  CHECK(m.bytes(4) == 8 + 64 + 4 + 2);
}

TEST_CASE("each message has one class") {
  std::string classes;
  for (unsigned i = 0; i <= static_cast<unsigned>(MessageType::kWriteBackAck); ++i) {
    classes += name_of(class_of(static_cast<MessageType>(i)))[0];
  }
  CHECK(classes == "rrrssdaddaaa");
}

TEST_CASE("directory sizes are those of the paper") {
  SmdConfig smd;
  CHECK(smd.entry_bits() == 35 + 64);  // figure 7b
  smd.block_bytes = kLineBytes;
  CHECK(smd.entry_bits() == 32 + 3 + 1);  // figure 7a
  Shape shape;
  shape.gpus = 4;
  shape.stacks = 2;  // connected to this HMD
  UmhSystem system(shape, 1, 1);
  CHECK(system.hmd().entry_bits() == 8 + 4);
}

TEST_CASE("a message that belongs to no transaction is an error") {
  for (const MessageType type :
       {MessageType::kGrant, MessageType::kPeerData, MessageType::kGrantAck,
        MessageType::kWriteBackAck, MessageType::kSnoopAck}) {
    INFO(name_of(type));
    Scripted s({}, {kChild});
    CHECK_THROWS_AS(
        s.receive(type, State::kS, 0, type == MessageType::kSnoopAck ? kChild : kParent),
        std::logic_error);
    UmhSystem system({}, 0, 1);
    CoherenceMessage m;
    m.type = type;
    CHECK_THROWS_AS(system.hmd().receive(m), std::logic_error);
  }
}

TEST_CASE("impossible configurations are rejected") {
  CoherentCacheConfig config;
  config.mask_granularity = 3;
  CHECK_THROWS_AS(config.validate(), std::invalid_argument);
  config = {};
  config.block_lines = 0;
  CHECK_THROWS_AS(config.validate(), std::invalid_argument);
  SmdConfig smd;
  smd.block_bytes = 100;
  CHECK_THROWS_AS(smd.cache(), std::invalid_argument);
  smd.block_bytes = 4096;
  smd.stack_bytes = 2048;
  CHECK_THROWS_AS(smd.cache(), std::invalid_argument);
  HmdConfig hmd;
  hmd.block_bytes = 0;
  CHECK_THROWS_AS(hmd.validate(), std::invalid_argument);
}

TEST_CASE("an access that waits for the fetch of another one is merged, and a later one is a hit") {
  Scripted s;
  std::vector<std::pair<LaunchSlot, bool>> merged;
  const auto access = [&](unsigned launch, CoherentAccess::Kind kind) {
    CoherentAccess a;
    a.kind = kind;
    a.line = kLine;
    a.mask = ByteMask::range(0, 4);
    a.launch = LaunchSlot(launch);
    s.cache.access(a,
                   [&merged](const CoherentAccess& r) { merged.emplace_back(r.launch, r.merged); });
  };
  access(1, CoherentAccess::Kind::kLoad);
  access(2, CoherentAccess::Kind::kLoad);
  access(3, CoherentAccess::Kind::kStore);  // waits too, but needs the line for itself
  REQUIRE(s.sent.size() == 1);
  CHECK(s.sent[0].launch == LaunchSlot(1));
  s.sent.clear();
  s.receive(MessageType::kGrant, State::kS, 1);
  s.sent.erase(s.sent.begin());  // the acknowledgement
  REQUIRE(s.sent.size() == 1);
  CHECK(s.sent[0].type == MessageType::kWriteRequest);
  CHECK(s.sent[0].launch == LaunchSlot(3));
  s.receive(MessageType::kGrant, State::kM, 1);
  access(4, CoherentAccess::Kind::kLoad);
  CHECK(merged == std::vector<std::pair<LaunchSlot, bool>>{{LaunchSlot(1), false},
                                                           {LaunchSlot(2), true},
                                                           {LaunchSlot(3), false},
                                                           {LaunchSlot(4), false}});
}

TEST_CASE("requests of children count for their launches: one miss, a merged one, then hits") {
  Scripted s({}, {kChild, kOtherChild});
  LaunchCounts counts;
  s.cache.counts = &counts;
  const auto request = [&s](MessageType type, AgentId from, unsigned launch) {
    CoherenceMessage m;
    m.type = type;
    m.from = from;
    m.to = kSelf;
    m.line = kLine;
    m.launch = LaunchSlot(launch);
    s.cache.receive(m);
  };
  const auto check = [&counts](unsigned launch, Counter hits, Counter merged, Counter misses,
                               Counter bytes) {
    INFO("launch " << launch);
    const LevelCounts& c = counts[LaunchSlot(launch)];
    CHECK(c.hits == hits);
    CHECK(c.merged == merged);
    CHECK(c.misses == misses);
    CHECK(c.bytes == bytes);
  };
  request(MessageType::kReadRequest, kChild, 1);
  request(MessageType::kReadRequest, kOtherChild, 2);
  s.receive(MessageType::kGrant, State::kS, 1);
  request(MessageType::kGrantAck, kChild, 1);
  request(MessageType::kGrantAck, kOtherChild, 2);
  check(1, 0, 0, 1, 64);
  check(2, 0, 1, 0, 64);
  // The right to write is fetched as well.
  request(MessageType::kWriteRequest, kChild, 3);
  CHECK(s.sent.back().type == MessageType::kWriteRequest);
  s.receive(MessageType::kGrant, State::kM, 1);
  request(MessageType::kSnoopAck, kOtherChild, 3);
  request(MessageType::kGrantAck, kChild, 3);
  check(3, 0, 0, 1, 64);
  request(MessageType::kReadRequest, kOtherChild, 4);
  request(MessageType::kSnoopAck, kChild, 4);
  request(MessageType::kGrantAck, kOtherChild, 4);
  check(4, 1, 0, 0, 64);
  check(0, 0, 0, 0, 0);
}

}  // namespace tessera::coherent_cache_test
