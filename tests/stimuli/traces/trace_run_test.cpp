// SPDX-License-Identifier: Apache-2.0
// A trace as a kernel's program: records through the spool, CTAs, barriers, copies, local memory.
#include <catch2/catch.hpp>
#include <random>

#include "stimuli/functional_run.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/traces/spool_codec.h"
#include "stimuli/traces/trace_program.h"
#include "stimuli/traces/trace_source.h"
#include "stimuli/traces/trace_summary.h"
#include "stimuli/workload.h"
#include "tests/stimuli/traces/trace_support.h"

namespace tessera::traces {
namespace {

using test::block;
using test::header;
using test::one_warp;
using test::toy_records;
using test::TraceFolder;
using test::warp;

/// A program whose trace addresses are the device's from `kDevice` on.
constexpr Address kDevice = Address{1} << 32;
std::unique_ptr<TraceProgram> program_of(const std::string& path, const LocalSlots& local = {}) {
  const auto reader = open_kernel(path);
  auto spool = std::make_shared<KernelSpool>(*reader, [](double) {});
  auto map = std::make_shared<AddressMap>();
  Address device = kDevice;
  for (const TraceRange& r : merged_ranges(spool->chunks(), {})) {
    map->add({r.begin, r.bytes, device});
    device += r.bytes;
  }
  return std::make_unique<TraceProgram>(spool, map, local);
}

/// Issues the warp's next instruction.
IssueResult issue(WarpProgram& w) {
  IssueResult result;
  w.issue(IssueContext{}, result);
  return result;
}

TEST_CASE("records come out of the spool's code as they went in") {
  std::mt19937_64 random(7);
  std::string bytes;
  SpoolState state;
  std::vector<TraceInstruction> instructions(2000);
  std::vector<std::uint32_t> operations;
  for (TraceInstruction& i : instructions) {
    const unsigned form = random() % 4;
    i.operation.action = form == 0 ? TraceAction::kCompute : TraceAction::kMemory;
    i.mask = random() % 3 == 0 ? ~0U : static_cast<std::uint32_t>(random() >> random() % 33);
    const Address base = random() >> random() % 60;
    const std::uint64_t stride = random() >> random() % 64;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      i.address[lane] = form == 1 ? base + lane * stride : random() >> random() % 60;
    }
    if (form == 3 && random() % 8 == 0) {
      i.piece_bytes = static_cast<std::uint32_t>(random());
      i.pieces.resize(1 + random() % 5);
      for (Address& a : i.pieces) a = random();
    }
    operations.push_back(static_cast<std::uint32_t>(random() >> 32 >> random() % 32));
    encode(i, operations.back(), state, bytes);
  }
  std::size_t at = 0;
  SpoolState reading;
  SpoolRecord r;
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    const TraceInstruction& i = instructions[n];
    decode(reading, r, [&] { return static_cast<unsigned char>(bytes.at(at++)); });
    REQUIRE(r.operation == operations[n]);
    REQUIRE(r.mask == i.mask);
    REQUIRE(r.pieces == i.pieces);
    if (!i.pieces.empty()) REQUIRE(r.piece_bytes == i.piece_bytes);
    if (i.operation.action != TraceAction::kMemory || !i.pieces.empty()) continue;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      if ((i.mask >> lane & 1) != 0) REQUIRE(r.address[lane] == i.address[lane]);
    }
  }
  CHECK(at == bytes.size());
}

TEST_CASE("a warp issues the trace's instructions with the device's addresses") {
  const TraceFolder folder;
  const auto program = program_of(folder.put("k.traceg", one_warp(toy_records())));
  const auto cta = program->start_cta(CtaId(0));
  WarpProgram& w = cta->warp(0);
  CHECK(w.next().unit == Unit::kMemory);
  CHECK(w.where() == "kernel 'toy', CTA (0,0,0), warp 0, k.traceg, PC 0x0 'LDG.E.SYS'");
  IssueResult r = issue(w);
  REQUIRE(r.kind == IssueResult::Kind::kMemory);
  CHECK(r.active == ~0U);
  CHECK(r.memory.values_done);
  CHECK(r.memory.lane_bytes == 4);
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    CHECK(r.memory.address[lane] == kDevice + 4 * lane);
  }
  r = issue(w);
  CHECK(r.memory.lane_bytes == 8);
  CHECK(r.active == 7);
  CHECK(r.memory.address[1] == kDevice + 0x1100);
  r = issue(w);
  CHECK(r.memory.kind == AccessKind::kStore);
  CHECK(w.next().unit == Unit::kExit);
  r = issue(w);
  CHECK(r.kind == IssueResult::Kind::kExit);
  CHECK(r.warp_done);
}

TEST_CASE("CTAs start in any order, whatever their order in the file is") {
  const TraceFolder folder;
  std::string text = header(5, "(3,2,1)");
  for (const unsigned cta : {4U, 0U, 5U, 2U, 1U, 3U}) {
    text += block(std::to_string(cta % 3) + "," + std::to_string(cta / 3) + ",0",
                  warp(0, {"0000 00000001 1 R2 LDG.E 1 R4 4 0 0x" +
                               std::to_string(1000000 + 100 * cta) + " 0",
                           "0010 00000001 0 EXIT 0 0 0"}));
  }
  const auto program = program_of(folder.put("k.traceg", text));
  for (const unsigned cta : {3U, 5U, 0U, 1U, 4U, 2U}) {
    const auto running = program->start_cta(CtaId(cta));
    CHECK(issue(running->warp(0)).memory.address[0] == kDevice + 0x100 * cta);
  }
}

TEST_CASE("a warp ends with its last record, and a warp without records has ended") {
  const TraceFolder folder;
  const std::string head = header(5, "(2,1,1)", "(96,1,1)");
  const std::string path = folder.put(
      "k.traceg",
      head +
          block("0,0,0", warp(0, {"0000 ffffffff 0 MOV 0 0 0", "0010 0000ffff 0 EXIT 0 0 0",
                                  "0020 ffff0000 0 EXIT 0 0 0"}) +
                             warp(2, {"0000 ffffffff 0 MOV 0 0 0"})) +
          block("1,0,0", warp(1, {})));
  const auto program = program_of(path);
  const auto cta = program->start_cta(CtaId(0));
  CHECK(cta->ended_warps() == 2);
  issue(cta->warp(0));
  CHECK_FALSE(issue(cta->warp(0)).warp_done);
  CHECK(issue(cta->warp(0)).warp_done);
  CHECK(issue(cta->warp(2)).kind == IssueResult::Kind::kCompute);
  IssueResult exit = issue(cta->warp(2));
  CHECK(exit.kind == IssueResult::Kind::kExit);
  CHECK(exit.warp_done);
  CHECK(exit.active == 0);
  const auto empty = program->start_cta(CtaId(1));
  CHECK(empty->live_warps() == 1);
  CHECK(issue(empty->warp(0)).warp_done);
}

TEST_CASE("warps wait at barriers for the live warps of their CTA") {
  const TraceFolder folder;
  const std::vector<std::string> two = {"0000 ffffffff 0 BAR.SYNC 0 0 0",
                                        "0010 ffffffff 0 BAR.SYNC 0 0 0",
                                        "0020 ffffffff 0 EXIT 0 0 0"};
  const std::vector<std::string> one = {"0000 ffffffff 0 BAR.ARV 0 0 0",
                                        "0020 ffffffff 0 EXIT 0 0 0"};
  const auto program = program_of(
      folder.put("k.traceg", header(5, "(1,1,1)", "(96,1,1)") +
                                 block("0,0,0", warp(0, two) + warp(1, two) + warp(2, one))));
  const Executed executed = run_functionally(*program);
  CHECK(executed.warp_instructions == 8);
  CHECK(executed.thread_instructions == 8 * 32);
}

TEST_CASE("a warp waits for the groups of its asynchronous copies") {
  const TraceFolder folder;
  const std::string copy = "0000 ffffffff 0 LDGSTS.E 2 R2 R4 4 1 0x10000000 4 0";
  const auto program = program_of(folder.put(
      "k.traceg", one_warp({copy, "0010 ffffffff 0 LDGDEPBAR 0 0 0", copy,
                            "0030 ffffffff 0 LDGDEPBAR 0 0 0", "0040 ffffffff 0 DEPBAR.LE 0 0 1",
                            "0050 ffffffff 0 DEPBAR.LE 0 0 0", "0060 ffffffff 0 EXIT 0 0 0"})));
  const auto cta = program->start_cta(CtaId(0));
  WarpProgram& w = cta->warp(0);
  const IssueResult first = issue(w);
  CHECK(first.memory.asynchronous);
  issue(w);
  const IssueResult second = issue(w);
  CHECK(second.memory.copy != first.memory.copy);
  issue(w);
  REQUIRE(w.next().unit == Unit::kWait);
  CHECK_FALSE(w.wait_ended());
  IssueResult blocked;
  IssueContext context;
  context.end_wait = false;
  w.issue(context, blocked);
  CHECK(blocked.kind == IssueResult::Kind::kBlocked);
  w.complete({0, 0, first.memory.copy}, nullptr);
  CHECK(w.wait_ended());
  issue(w);
  CHECK_FALSE(w.wait_ended());
  w.complete({0, 0, second.memory.copy}, nullptr);
  CHECK(w.wait_ended());
}

TEST_CASE("a bulk copy is a sequence of accesses of 16 bytes by each lane") {
  const TraceFolder folder;
  // 2 pieces of 300 bytes: 19 units of 16 bytes each.
  const auto program = program_of(
      folder.put("k.traceg", one_warp({"0000 1 0 UTMALDG.1D 0 4 0x10 0 600 0 3 2 0x20000 0x30000 0",
                                       "0010 ffffffff 0 EXIT 0 0 0"})));
  const auto cta = program->start_cta(CtaId(0));
  WarpProgram& w = cta->warp(0);
  std::vector<Address> units;
  std::vector<unsigned> lanes;
  while (w.next().unit == Unit::kMemory) {
    const IssueResult r = issue(w);
    CHECK(r.memory.asynchronous);
    CHECK(r.memory.lane_bytes == 16);
    CHECK(r.memory.scope == CacheScope::kBypassL1);
    lanes.push_back(static_cast<unsigned>(__builtin_popcount(r.memory.active)));
    for (unsigned lane = 0; lane < lanes.back(); ++lane) units.push_back(r.memory.address[lane]);
  }
  CHECK(lanes == std::vector<unsigned>{32, 6});
  std::vector<Address> expected;
  for (const Address piece : {Address{0}, Address{0x10000}}) {
    for (unsigned unit = 0; unit < 19; ++unit) expected.push_back(kDevice + piece + 16 * unit);
  }
  CHECK(units == expected);
}

TEST_CASE("an access of 32 bytes is two of 16") {
  const TraceFolder folder;
  const auto program = program_of(
      folder.put("k.traceg", one_warp({"0000 00000003 1 R2 LDG.E.ENL2.256 1 R4 32 1 0x10000 32 0",
                                       "0010 ffffffff 0 EXIT 0 0 0"})));
  const auto cta = program->start_cta(CtaId(0));
  for (const Address half : {0U, 16U}) {
    const IssueResult r = issue(cta->warp(0));
    CHECK(r.memory.lane_bytes == 16);
    CHECK(r.memory.address[0] == kDevice + half);
    CHECK(r.memory.address[1] == kDevice + 32 + half);
  }
  CHECK(cta->warp(0).next().unit == Unit::kExit);
}

TEST_CASE("local memory interleaves the lanes of a warp slot by words") {
  const TraceFolder folder;
  const auto program = program_of(
      folder.put("k.traceg",
                 one_warp({"0000 00000003 0 STL 2 R1 R2 4 0 0x7e10000ffe00 0x7e10000ffe04 0",
                           "0010 ffffffff 0 EXIT 0 0 0"})),
      LocalSlots{0x500000000, 0x100000, 0x400});
  CHECK(program->spool().local_begin() == 0xffe00);
  CHECK(program->spool().local_end() == 0xffe08);
  const auto cta = program->start_cta(CtaId(0));
  IssueResult r;
  IssueContext context;
  context.sm = 2;
  context.warp_slot = 3;
  cta->warp(0).issue(context, r);
  CHECK(r.memory.space == Space::kLocal);
  CHECK(r.memory.address[0] == 0x500000000 + 2 * 0x100000 + 3 * 0x400);
  CHECK(r.memory.address[1] == 0x500000000 + 2 * 0x100000 + 3 * 0x400 + 128 + 4);
}

TEST_CASE("addresses become multiples of the width") {
  const TraceFolder folder;
  const auto program = program_of(folder.put(
      "k.traceg",
      one_warp({"0000 00000001 1 R2 LDG.E.64 1 R4 8 0 0x10005 0", "0010 ffffffff 0 EXIT 0 0 0"})));
  CHECK(program->spool().unaligned() == 1);
  CHECK(issue(program->start_cta(CtaId(0))->warp(0)).memory.address[0] == kDevice);
}

TEST_CASE("ranges with small gaps are one, and copies belong to them") {
  const std::uint64_t gap = kMergeBytes / kChunkBytes;
  const auto ranges = merged_ranges({100, 100 + gap, 101 + 2 * gap}, {});
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].begin == 100 * kChunkBytes);
  CHECK(ranges[0].bytes == (gap + 1) * kChunkBytes);
  CHECK(ranges[1].begin == (101 + 2 * gap) * kChunkBytes);
  const auto copies = merged_ranges({}, {{kChunkBytes - 1, 2}, {50 * kMergeBytes, 0}});
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].bytes == 2 * kChunkBytes);
}

TEST_CASE("a summary counts classes, accesses and transactions") {
  const TraceFolder folder;
  const auto reader = open_kernel(folder.put(
      "k.traceg", one_warp({"0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x10000040 4 0",
                            "0010 00000007 1 R3 LDG.E.64 1 R6 8 2 0x10001000 256 0 0",
                            "0020 ffffffff 0 STS 2 R0 R1 4 1 0x7e0000000000 4 0",
                            "0030 ffffffff 1 R4 HMMA.16816.F32 2 R2 R3 0 0",
                            "0038 ffffffff 1 R4 HMMA.884.F16 2 R2 R3 0 0",
                            "0040 ffffffff 0 WHAT 0 0 0", "0050 ffffffff 0 EXIT 0 0 0"})));
  TraceSummary s;
  s.add(*reader, [](double) {});
  CHECK(s.ctas() == 1);
  CHECK(s.warps() == 1);
  CHECK(s.warp_instructions() == 7);
  CHECK(s.thread_instructions() == 6 * 32 + 3);
  CHECK(s.classes() == std::map<std::string, std::uint64_t>{
                           {"alu", 1}, {"exit", 1}, {"matrix", 2}, {"memory", 3}});
  const AccessCounts& loads = s.accesses().at("global load");
  CHECK(loads.instructions == 2);
  CHECK(loads.lanes == 35);
  CHECK(loads.lines == 2 + 2);
  CHECK(loads.sectors == 4 + 2);
  CHECK(loads.bytes == 128 + 16);
  CHECK(s.accesses().at("shared store").lanes == 32);
  CHECK(s.bytes_touched() == 6 * 32);
  CHECK(s.unknown_opcodes() == std::map<std::string, std::uint64_t>{{"WHAT", 1}});
}

TEST_CASE("a trace runs as a workload, and its values are not verified") {
  const TraceFolder folder;
  folder.put("kernel-1.traceg", one_warp(toy_records()));
  folder.put("kernelslist.g", "MemcpyHtoD,0x10000000,4096\nkernel-1.traceg\nkernel-1.traceg\n");
  const auto workload = make_workload(folder.path());
  kernels::FunctionalDevice device;
  workload->run(device, Scale::kSmall, 1);
  CHECK(device.launches() == 2);
  CHECK(device.instructions() == 2 * 4);
  REQUIRE(device.allocations().all().size() == 1);
  CHECK(device.allocations().all()[0].name == "trace 0x10000000");
  CHECK_FALSE(workload->verify(device));
  CHECK(workload->info().without_reference == "no reference: a trace has no values");
  CHECK(workload_files(folder.path()).size() == 2);
}

}  // namespace
}  // namespace tessera::traces
