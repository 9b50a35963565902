// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/packet.h"

#include <catch2/catch.hpp>

#include "modules/protocol/transaction_pool.h"

namespace tessera::packet_test {

namespace {

constexpr std::uint32_t kHeader = 8;

struct Sizes {
  std::uint32_t request;
  std::uint32_t response;
};

struct Line {
  explicit Line(RequestKind kind, unsigned useful = 0) {
    const bool reads = kind == RequestKind::kLoad || kind == RequestKind::kFill ||
                       kind == RequestKind::kTranslation || kind == RequestKind::kProbe;
    x.set_line(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, 0x1000, 128);
    x.request().kind = kind;
    x.request().useful_bytes = static_cast<std::uint16_t>(useful);
  }
  ~Line() {
    x.request().atomics = nullptr;
    x.release();
  }
  Sizes sizes() {
    return {tessera::request_packet_bytes(x, x.request(), kHeader),
            tessera::response_packet_bytes(x, x.request(), kHeader)};
  }
  tessera::TransactionPool pool;
  Transaction& x = pool.acquire();
};

void check(RequestKind kind, unsigned useful, Sizes expected) {
  Line line(kind, useful);
  CHECK(line.sizes().request == expected.request);
  CHECK(line.sizes().response == expected.response);
}

void check_atomic(AtomicOp op, AtomicType type, unsigned lanes, Sizes expected) {
  Line line(RequestKind::kAtomic);
  AtomicOperands operands;
  operands.op = op;
  operands.type = type;
  operands.count = static_cast<std::uint8_t>(lanes);
  line.x.request().atomics = &operands;
  CHECK(line.sizes().request == expected.request);
  CHECK(line.sizes().response == expected.response);
}

}  // namespace

TEST_CASE("reads send a header and bring back header and line") {
  check(RequestKind::kLoad, 128, {8, 136});
  check(RequestKind::kLoad, 4, {8, 136});
  check(RequestKind::kFill, 128, {8, 136});
  check(RequestKind::kProbe, 128, {8, 136});
}

TEST_CASE("writes carry their bytes, rounded up to eight, and are acknowledged by a header") {
  check(RequestKind::kStore, 8, {16, 8});
  check(RequestKind::kStore, 1, {16, 8});
  check(RequestKind::kStore, 9, {24, 8});
  check(RequestKind::kCoherentStore, 32, {40, 8});
  check(RequestKind::kWriteBack, 128, {136, 8});
}

TEST_CASE("a write that does not say how much it writes carries the line") {
  check(RequestKind::kStore, 0, {136, 8});
}

TEST_CASE("atomics carry an operand a lane each way, compare-and-swap two on the way there") {
  check_atomic(AtomicOp::kAdd, AtomicType::kU32, 1, {16, 16});
  check_atomic(AtomicOp::kAdd, AtomicType::kU32, 3, {24, 24});
  check_atomic(AtomicOp::kAdd, AtomicType::kU32, 32, {136, 136});
  check_atomic(AtomicOp::kMax, AtomicType::kU64, 16, {136, 136});
  check_atomic(AtomicOp::kCompareAndSwap, AtomicType::kU32, 3, {32, 24});
}

TEST_CASE("a translation brings back eight bytes") { check(RequestKind::kTranslation, 8, {8, 16}); }

TEST_CASE("coherence messages carry data where they write or read") {
  Line line(RequestKind::kCoherence, 128);
  CHECK(line.sizes().request == 136);
  CHECK(line.sizes().response == 8);
  line.x.set_command(tlm::TLM_READ_COMMAND);
  CHECK(line.sizes().request == 8);
  CHECK(line.sizes().response == 136);
  line.x.set_command(tlm::TLM_IGNORE_COMMAND);
  CHECK(line.sizes().request == 8);
  CHECK(line.sizes().response == 8);
}

TEST_CASE("a packet occupies whole cycles of a link, one at least") {
  CHECK(tessera::flits_of(0, 16) == 1);
  CHECK(tessera::flits_of(8, 16) == 1);
  CHECK(tessera::flits_of(16, 16) == 1);
  CHECK(tessera::flits_of(17, 16) == 2);
  CHECK(tessera::flits_of(136, 16) == 9);
  CHECK(tessera::flits_of(136, 32) == 5);
}

}  // namespace tessera::packet_test
