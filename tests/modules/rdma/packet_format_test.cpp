// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/packet_format.h"

#include <catch2/catch.hpp>

#include "modules/protocol/transaction_pool.h"

namespace tessera::packet_format_test {

namespace {

struct Line {
  explicit Line(RequestKind kind, unsigned useful = 64) {
    const bool reads = kind == RequestKind::kLoad || kind == RequestKind::kFill;
    x.set_line(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, 0x1000, 64);
    x.request().kind = kind;
    x.request().useful_bytes = static_cast<std::uint16_t>(useful);
  }
  ~Line() { x.release(); }
  std::uint32_t request() const { return PacketFormat{}.request_bytes(x, x.request()); }
  std::uint32_t response() const { return PacketFormat{}.answer_bytes(x, x.request()); }
  TransactionPool pool;
  Transaction& x = pool.acquire();
};

PacketFormat with_transfer(std::uint32_t bytes) {
  PacketFormat f;
  f.transfer_bytes = bytes;
  return f;
}

}  // namespace

TEST_CASE("RDMA packets: reads send 12 bytes and get 68, the paper's 64-byte line and a header") {
  for (const RequestKind kind : {RequestKind::kLoad, RequestKind::kFill}) {
    const Line line(kind);
    CHECK(line.request() == 12);
    CHECK(line.response() == 4 + 64);
  }
}

TEST_CASE("RDMA packets: writes send their bytes rounded up to 4 and get a header") {
  for (const RequestKind kind :
       {RequestKind::kStore, RequestKind::kCoherentStore, RequestKind::kWriteBack}) {
    CHECK(Line(kind, 1).request() == 12 + 4);
    CHECK(Line(kind, 4).request() == 12 + 4);
    CHECK(Line(kind, 5).request() == 12 + 8);
    CHECK(Line(kind, 64).request() == 12 + 64);
    CHECK(Line(kind, 5).response() == 4);
  }
}

TEST_CASE("RDMA packets: atomics send an operand a lane, two for compare-and-swap") {
  Line line(RequestKind::kAtomic);
  AtomicOperands operands;
  operands.type = AtomicType::kU32;
  operands.count = 3;
  line.x.request().atomics = &operands;
  CHECK(line.request() == 12 + 12);
  CHECK(line.response() == 4 + 12);
  operands.op = AtomicOp::kCompareAndSwap;
  CHECK(line.request() == 12 + 24);
  CHECK(line.response() == 4 + 12);
  line.x.request().atomics = nullptr;
}

TEST_CASE(
    "RDMA packets: figure 9, ten responses of one piece in one packet of 64 bytes, not in 680") {
  const PacketFormat f;
  CHECK(f.granules_per_packet() == 10);
  CHECK(f.coalesced_bytes(10) == 4 + 10 * 6);
  CHECK(10 * Line(RequestKind::kLoad).response() == 680);
  CHECK(10 * f.fine_grained_bytes(1) == 80);
}

TEST_CASE("RDMA packets: granules of 4, 8 and 16 bytes hold the wanted pieces") {
  struct Case {
    std::uint32_t transfer;
    std::uint32_t word_mask;
    std::uint32_t granules;
    std::uint32_t alone;
  };
  const Case cases[] = {
      {4, 0x0001, 1, 8},   {4, 0x8001, 2, 12},  {4, 0x0003, 2, 12},    {4, 0xFFFF, 16, 68},
      {8, 0x0001, 1, 12},  {8, 0x8001, 2, 20},  {8, 0x0003, 1, 12},    {8, 0x0006, 2, 20},
      {8, 0xFFFF, 8, 68},  {16, 0x0001, 1, 20}, {16, 0x8001, 2, 36},   {16, 0x000F, 1, 20},
      {16, 0x0018, 2, 36}, {16, 0xFFFF, 4, 68}, {4, 0x80000000, 1, 8},
  };
  for (const Case& c : cases) {
    INFO(c.transfer << " " << c.word_mask);
    const PacketFormat f = with_transfer(c.transfer);
    CHECK(f.granules(c.word_mask) == c.granules);
    CHECK(f.fine_grained_bytes(c.granules) == c.alone);
  }
  CHECK(with_transfer(8).granules_per_packet() == 6);   // 64 / 10
  CHECK(with_transfer(16).granules_per_packet() == 3);  // 64 / 18
  CHECK(with_transfer(8).coalesced_bytes(6) == 4 + 60);
  CHECK(with_transfer(16).coalesced_bytes(3) == 4 + 54);
}

}  // namespace tessera::packet_format_test
