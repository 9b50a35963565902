// SPDX-License-Identifier: Apache-2.0
// A CPU core in front of its caches, beside GPUs.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/modules/umh/umh_model.h"
#include "tests/support/conformance.h"

namespace tessera::cpu_core_test {

using namespace tessera::umh;
using namespace tessera::umh::test;
using tessera::test::ScriptedRequest;

namespace {

Shape two_gpus() {
  Shape s;
  s.cus = 1;
  s.cores = 2;
  return s;
}

ModelTiming with_cpu() {
  ModelTiming t;
  t.cpu_cores = true;
  t.link.latency_ns = 20;
  return t;
}

void run(UmhModel& m) {
  while (m.step()) {
  }
  CHECK(m.describe_waiting() == "");
}

CpuOperation load(std::uint64_t address, std::uint64_t bytes) {
  CpuOperation op;
  op.address = address;
  op.bytes = bytes;
  return op;
}

CpuOperation store(std::uint64_t address, std::vector<unsigned char> data) {
  CpuOperation op;
  op.kind = CpuOperation::Kind::kStore;
  op.address = address;
  op.data = std::move(data);
  return op;
}

AtomicOperands one_at(unsigned offset) {
  AtomicOperands add;
  add.count = 1;
  add.lanes[0].offset = static_cast<std::uint8_t>(offset);
  add.lanes[0].operand = 1;
  return add;
}

/// Submits an operation and returns its result.
CpuOperation execute(UmhModel& m, unsigned core, const CpuOperation& op) {
  CpuOperation result;
  bool done = false;
  m.cpu_core(core).submit(op, [&](const CpuOperation& r) {
    result = r;
    done = true;
  });
  run(m);
  REQUIRE(done);
  return result;
}

}  // namespace

TEST_CASE("a CPU core's load of its own store hits its L1") {
  UmhModel m(two_gpus(), with_cpu());
  execute(m, 0, store(100, {1, 2, 3}));
  const auto before = m.cpu_core(0).stats().latency.sum();
  CHECK(execute(m, 0, load(101, 2)).data == std::vector<unsigned char>{2, 3});
  // An access arrives at the L1 one cycle after the operation's begin, and takes the L1's latency.
  CHECK(m.cpu_core(0).stats().latency.sum() - before == 1 + 2);
}

TEST_CASE("an operation over several lines sends one access a cycle") {
  Shape s = two_gpus();
  s.l1_ways = 4;
  s.l2_ways = 8;
  s.llc_ways = 8;
  UmhModel m(s, with_cpu());
  std::vector<unsigned char> bytes(200);
  for (unsigned i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  execute(m, 0, store(30, bytes));  // lines 0 to 3
  const auto before = m.cpu_core(0).stats().latency.sum();
  CHECK(execute(m, 0, load(30, 200)).data == bytes);
  CHECK(m.cpu_core(0).stats().latency.sum() - before == 1 + 2 + 3);
  CHECK(m.cpu_core(0).stats().lines == 8);
  // Another core reads the same bytes through its own caches.
  CHECK(execute(m, 1, load(30, 200)).data == bytes);
}

TEST_CASE("operations of a core are performed in order, waits included") {
  UmhModel m(two_gpus(), with_cpu());
  std::vector<int> order;
  CpuOperation wait;
  wait.kind = CpuOperation::Kind::kWait;
  wait.cycles = 1000;
  m.cpu_core(0).submit(store(0, {7}), [&](const CpuOperation&) { order.push_back(0); });
  m.cpu_core(0).submit(wait, [&](const CpuOperation&) { order.push_back(1); });
  m.cpu_core(0).submit(load(0, 1), [&](const CpuOperation& r) {
    order.push_back(2);
    CHECK(r.data[0] == 7);
  });
  run(m);
  CHECK(order == std::vector<int>{0, 1, 2});
  CHECK(m.cpu_core(0).stats().latency.max() == 1000);
}

TEST_CASE("a CPU's synchronised load sees the non-coherent stores of two GPUs") {
  UmhModel m(two_gpus(), with_cpu());
  for (unsigned g = 0; g < 2; ++g) {
    ScriptedRequest r;
    r.at = 10'000'000;
    r.command = tlm::TLM_WRITE_COMMAND;
    r.bytes = kLineBytes;
    r.mask = ByteMask::range(4 * g, 4);
    r.data.assign(kLineBytes, static_cast<unsigned char>(1 + g));
    m.core(g, 0).add(r);
  }
  run(m);
  CpuOperation op = load(0, 8);
  op.kind = CpuOperation::Kind::kSynchronisedLoad;
  CHECK(execute(m, 0, op).data == std::vector<unsigned char>{1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(m.l1(0, 0).cache().state(0) == State::kI);
  CHECK(m.l1(1, 0).cache().state(0) == State::kI);
}

TEST_CASE("CPU cores and GPUs that count one counter together give the exact sum") {
  UmhModel m(two_gpus(), with_cpu());
  constexpr unsigned kEach = 40;
  std::vector<AtomicOperands> of_gpus(2 * kEach, one_at(16));
  for (unsigned i = 0; i < kEach; ++i) {
    for (unsigned d = 0; d < 2; ++d) {
      ScriptedRequest r;
      r.at = 1'000'000;
      r.command = tlm::TLM_WRITE_COMMAND;
      r.bytes = kLineBytes;
      r.prepare = [operands = &of_gpus[d * kEach + i]](Transaction& t) {
        t.request().kind = RequestKind::kAtomic;
        t.request().atomics = operands;
        t.request().useful_bytes = 4;
      };
      m.core(d, 0).add(r);
      CpuOperation add;
      add.kind = CpuOperation::Kind::kAtomic;
      add.atomic = one_at(16);
      m.cpu_core(d).submit(add, {});
    }
  }
  run(m);
  std::uint32_t sum = 0;
  const CpuOperation result = execute(m, 0, load(16, 4));
  std::memcpy(&sum, result.data.data(), sizeof sum);
  CHECK(sum == 4 * kEach);
}

TEST_CASE("a CPU core's reset leaves nothing, and its statistics have units") {
  UmhModel m(two_gpus(), with_cpu());
  m.cpu_core(0).submit(load(0, 300), {});
  sc_core::sc_start(30, sc_core::SC_NS);
  CHECK_FALSE(m.cpu_core(0).idle());
  for (ProtocolChecker* c : m.checkers()) c->reset();
  for (Block* b : m.blocks()) b->reset();
  CHECK(m.idle());
  CHECK(execute(m, 0, load(0, 4)).data == std::vector<unsigned char>(4));
  tessera::test::check_statistics(m.cpu_core(0));
}

}  // namespace tessera::cpu_core_test
