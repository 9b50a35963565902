// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/modules/umh/umh_system.h"

namespace tessera::figures_test {

using namespace tessera::umh;
using namespace tessera::umh::test;

namespace {

using Kind = CoherentAccess::Kind;
using Log = std::vector<std::string>;

/// Systems of the figures: one L1 per GPU and one CPU core, 4 KB secondary blocks. Every message
/// takes one step.
struct Figure {
  explicit Figure(const Shape& shape) : system(shape, 0, 1) { system.record = true; }

  static Shape shape(unsigned gpus, bool peer, std::uint32_t block_lines = 64) {
    Shape s;
    s.gpus = gpus;
    s.cus = 1;
    s.cores = 1;
    s.block_lines = block_lines;
    s.smd_blocks = 128;
    s.l1_ways = s.l2_ways = s.llc_ways = 16;
    s.peer_transfer = peer;
    return s;
  }

  /// Performs an access and returns its messages.
  Log access(unsigned device, Kind kind, std::uint64_t line, unsigned first, unsigned size,
             unsigned char value = 0) {
    CoherentAccess a;
    a.kind = kind;
    a.line = line;
    a.mask = size == 0 ? ByteMask{} : ByteMask::range(first, size);
    a.bytes.fill(value);
    bool done = false;
    system.l1(device, 0).access(a, [&](const CoherentAccess& r) {
      done = true;
      result = r;
    });
    system.run();
    REQUIRE(done);
    REQUIRE(system.idle());
    REQUIRE(system.check(line).empty());
    return take();
  }

  Log take() {
    Log log;
    log.swap(system.log);
    return log;
  }

  std::string states(unsigned gpu, std::uint64_t line) {
    return {letter(system.l1(gpu, 0).state(line)), letter(system.l2(gpu, 0).state(line)),
            letter(system.smd(gpu, 0).state(line))};
  }
  std::string cpu_states(std::uint64_t line) {
    const unsigned cpu = system.cpu();
    return {letter(system.l1(cpu, 0).state(line)), letter(system.l2(cpu, 0).state(line)),
            letter(system.llc().state(line))};
  }

  UmhSystem system;
  CoherentAccess result;
};

/// The messages of a CPU access that is granted `state` without a snoop: to the LLC, `snoops` of
/// the HMD, and back to the L1.
Log cpu_access(const std::string& request, char state, std::uint64_t number, const Log& snoops) {
  const std::string line = " line " + std::to_string(number);
  const std::string data = line + " " + state + " 64 B";
  Log log = {request + " cpu.l1_0 -> cpu.l2_0" + line, request + " cpu.l2_0 -> cpu.llc" + line,
             request + " cpu.llc -> hmd0" + line};
  log.insert(log.end(), snoops.begin(), snoops.end());
  for (const std::string& m :
       {"grant hmd0 -> cpu.llc" + data, "grant-ack cpu.llc -> hmd0" + line,
        "grant cpu.llc -> cpu.l2_0" + data, "grant-ack cpu.l2_0 -> cpu.llc" + line,
        "grant cpu.l2_0 -> cpu.l1_0" + data, "grant-ack cpu.l1_0 -> cpu.l2_0" + line}) {
    log.push_back(m);
  }
  return log;
}

/// Dirty bytes of one line of GPU 0 return to the HMD: figure 6, b and c.
Log recalled(const std::string& line, const std::string& block) {
  return {"invalidate-snoop hmd0 -> gpu0.smd0 line " + block,
          "invalidate-snoop gpu0.smd0 -> gpu0.l2_0 line " + line,
          "invalidate-snoop gpu0.l2_0 -> gpu0.l1_0 line " + line,
          "snoop-data gpu0.l1_0 -> gpu0.l2_0 line " + line + " I 4 B non-coherent",
          "snoop-data gpu0.l2_0 -> gpu0.smd0 line " + line + " I 4 B",
          "snoop-data gpu0.smd0 -> hmd0 line " + block + " I 4 B"};
}

/// One GPU has computed lines 0 and 1 of a secondary block, and a line of another.
constexpr std::uint64_t kOtherBlock = 64;
void compute(Figure& f) {
  for (const std::uint64_t line : {std::uint64_t{0}, std::uint64_t{1}, kOtherBlock}) {
    f.access(0, Kind::kNStore, line, 0, 4, static_cast<unsigned char>(20 + line));
  }
}

}  // namespace

TEST_CASE("figure 5a: a non-coherent store misses in L1, L2 and SMD, and the host has the data") {
  Figure f(Figure::shape(2, false));
  CHECK(
      f.access(0, Kind::kNStore, 3, 0, 4, 10) ==
      Log{"read-request gpu0.l1_0 -> gpu0.l2_0 line 3",
          "read-request gpu0.l2_0 -> gpu0.smd0 line 3", "read-request gpu0.smd0 -> hmd0 line 0+64",
          "grant hmd0 -> gpu0.smd0 line 0+64 E 4096 B", "grant-ack gpu0.smd0 -> hmd0 line 0+64",
          "grant gpu0.smd0 -> gpu0.l2_0 line 3 E 64 B", "grant-ack gpu0.l2_0 -> gpu0.smd0 line 3",
          "grant gpu0.l2_0 -> gpu0.l1_0 line 3 E 64 B", "grant-ack gpu0.l1_0 -> gpu0.l2_0 line 3"});
  CHECK(f.states(0, 3) == "NEE");
  CHECK(static_cast<Smd&>(f.system.smd(0, 0)).owner_bit(3));
  CHECK_FALSE(static_cast<Smd&>(f.system.smd(0, 0)).owner_bit(4));
  CHECK(f.system.hmd().entry(3).owner == 0);
  // Another line of the block hits in the SMD.
  CHECK(f.access(0, Kind::kLoad, 4, 0, 4) == Log{"read-request gpu0.l1_0 -> gpu0.l2_0 line 4",
                                                 "read-request gpu0.l2_0 -> gpu0.smd0 line 4",
                                                 "grant gpu0.smd0 -> gpu0.l2_0 line 4 E 64 B",
                                                 "grant-ack gpu0.l2_0 -> gpu0.smd0 line 4",
                                                 "grant gpu0.l2_0 -> gpu0.l1_0 line 4 E 64 B",
                                                 "grant-ack gpu0.l1_0 -> gpu0.l2_0 line 4"});
}

TEST_CASE("figure 5b-1: the other GPU's copy is only acknowledged, and the host has the data") {
  Figure f(Figure::shape(2, false));
  f.access(0, Kind::kNStore, 3, 0, 4, 10);
  CHECK(
      f.access(1, Kind::kNStore, 3, 4, 4, 11) ==
      Log{"read-request gpu1.l1_0 -> gpu1.l2_0 line 3",
          "read-request gpu1.l2_0 -> gpu1.smd0 line 3", "read-request gpu1.smd0 -> hmd0 line 0+64",
          "read-snoop hmd0 -> gpu0.smd0 line 0+64", "read-snoop gpu0.smd0 -> gpu0.l2_0 line 3",
          "read-snoop gpu0.l2_0 -> gpu0.l1_0 line 3", "snoop-ack gpu0.l1_0 -> gpu0.l2_0 line 3 N",
          "snoop-ack gpu0.l2_0 -> gpu0.smd0 line 3 S", "snoop-ack gpu0.smd0 -> hmd0 line 0+64 S",
          "grant hmd0 -> gpu1.smd0 line 0+64 S 4096 B", "grant-ack gpu1.smd0 -> hmd0 line 0+64",
          "grant gpu1.smd0 -> gpu1.l2_0 line 3 S 64 B", "grant-ack gpu1.l2_0 -> gpu1.smd0 line 3",
          "grant gpu1.l2_0 -> gpu1.l1_0 line 3 S 64 B", "grant-ack gpu1.l1_0 -> gpu1.l2_0 line 3"});
  CHECK(f.states(0, 3) == "NSS");
  CHECK(f.states(1, 3) == "NSS");
  CHECK(f.system.hmd().entry(3).owner == Hmd::kNoOwner);
  CHECK(f.system.hmd().entry(3).sharers == 3);
}

TEST_CASE("figure 5b-2: the SMD that owns the block sends it to the other GPU") {
  Figure f(Figure::shape(2, true));
  f.access(0, Kind::kNStore, 3, 0, 4, 10);
  CHECK(f.access(1, Kind::kNStore, 3, 4, 4, 11) ==
        Log{"read-request gpu1.l1_0 -> gpu1.l2_0 line 3",
            "read-request gpu1.l2_0 -> gpu1.smd0 line 3",
            "read-request gpu1.smd0 -> hmd0 line 0+64", "listen hmd0 -> gpu1.smd0 line 0+64",
            "read-snoop hmd0 -> gpu0.smd0 line 0+64", "read-snoop gpu0.smd0 -> gpu0.l2_0 line 3",
            "read-snoop gpu0.l2_0 -> gpu0.l1_0 line 3", "snoop-ack gpu0.l1_0 -> gpu0.l2_0 line 3 N",
            "snoop-ack gpu0.l2_0 -> gpu0.smd0 line 3 S",
            "peer-data gpu0.smd0 -> gpu1.smd0 line 0+64 S 4096 B",
            "snoop-ack gpu0.smd0 -> hmd0 line 0+64 S supplied",
            "grant-ack gpu1.smd0 -> hmd0 line 0+64", "grant gpu1.smd0 -> gpu1.l2_0 line 3 S 64 B",
            "grant-ack gpu1.l2_0 -> gpu1.smd0 line 3", "grant gpu1.l2_0 -> gpu1.l1_0 line 3 S 64 B",
            "grant-ack gpu1.l1_0 -> gpu1.l2_0 line 3"});
  CHECK(f.states(0, 3) == "NSS");
  CHECK(f.states(1, 3) == "NSS");
  CHECK(f.system.hmd().entry(3).sharers == 3);
}

TEST_CASE("figure 5c: a CPU store invalidates both GPUs' copies and obtains the merged bytes") {
  Figure f(Figure::shape(2, false));
  f.access(0, Kind::kNStore, 3, 0, 4, 10);
  f.access(1, Kind::kNStore, 3, 4, 4, 11);
  CHECK(f.access(2, Kind::kStore, 3, 8, 4, 12) ==
        cpu_access("write-request", 'M', 3,
                   {"invalidate-snoop hmd0 -> gpu0.smd0 line 0+64",
                    "invalidate-snoop hmd0 -> gpu1.smd0 line 0+64",
                    "invalidate-snoop gpu0.smd0 -> gpu0.l2_0 line 3",
                    "invalidate-snoop gpu1.smd0 -> gpu1.l2_0 line 3",
                    "invalidate-snoop gpu0.l2_0 -> gpu0.l1_0 line 3",
                    "invalidate-snoop gpu1.l2_0 -> gpu1.l1_0 line 3",
                    "snoop-data gpu0.l1_0 -> gpu0.l2_0 line 3 I 4 B non-coherent",
                    "snoop-data gpu1.l1_0 -> gpu1.l2_0 line 3 I 4 B non-coherent",
                    "snoop-data gpu0.l2_0 -> gpu0.smd0 line 3 I 4 B non-coherent",
                    "snoop-data gpu1.l2_0 -> gpu1.smd0 line 3 I 4 B non-coherent",
                    "snoop-data gpu0.smd0 -> hmd0 line 0+64 I 4 B non-coherent",
                    "snoop-data gpu1.smd0 -> hmd0 line 0+64 I 4 B non-coherent"}));
  CHECK(f.states(0, 3) == "III");
  CHECK(f.states(1, 3) == "III");
  CHECK(f.cpu_states(3) == "MMM");
  CHECK(f.access(2, Kind::kLoad, 3, 0, 16).empty());
  const unsigned char* const bytes = f.result.bytes.data();
  CHECK(std::vector<int>(bytes, bytes + 16) ==
        std::vector<int>{10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 0, 0, 0, 0});
}

TEST_CASE("figure 6a: the final flush brings all bytes to the host before the CPU loads them") {
  Figure f(Figure::shape(1, true));
  compute(f);
  bool flushed = false;
  flush_device(f.system.stages(0), [&] { flushed = true; });
  CHECK_FALSE(flushed);
  f.system.run();
  CHECK(flushed);
  CHECK(f.take() == Log{"write-back gpu0.l1_0 -> gpu0.l2_0 line 0 4 B non-coherent",
                        "write-back gpu0.l1_0 -> gpu0.l2_0 line 1 4 B non-coherent",
                        "write-back gpu0.l1_0 -> gpu0.l2_0 line 64 4 B non-coherent",
                        "write-back-ack gpu0.l2_0 -> gpu0.l1_0 line 0",
                        "write-back-ack gpu0.l2_0 -> gpu0.l1_0 line 1",
                        "write-back-ack gpu0.l2_0 -> gpu0.l1_0 line 64",
                        "write-back gpu0.l2_0 -> gpu0.smd0 line 0 4 B",
                        "write-back gpu0.l2_0 -> gpu0.smd0 line 1 4 B",
                        "write-back gpu0.l2_0 -> gpu0.smd0 line 64 4 B",
                        "write-back-ack gpu0.smd0 -> gpu0.l2_0 line 0",
                        "write-back-ack gpu0.smd0 -> gpu0.l2_0 line 1",
                        "write-back-ack gpu0.smd0 -> gpu0.l2_0 line 64",
                        "write-back gpu0.smd0 -> hmd0 line 0+64 8 B",
                        "write-back gpu0.smd0 -> hmd0 line 64+64 4 B",
                        "write-back-ack hmd0 -> gpu0.smd0 line 0+64",
                        "write-back-ack hmd0 -> gpu0.smd0 line 64+64"});
  for (const std::uint64_t line : {std::uint64_t{0}, std::uint64_t{1}, kOtherBlock}) {
    CHECK(f.states(0, line) == "III");
    CHECK(f.access(1, Kind::kLoad, line, 0, 4) == cpu_access("read-request", 'E', line, {}));
    CHECK(f.result.bytes[3] == 20 + line);
    CHECK(f.result.bytes[4] == 0);
  }
}

TEST_CASE("section 4.2: a final flush leaves clean blocks in the SMD") {
  Figure f(Figure::shape(2, true));
  f.access(0, Kind::kLoad, 0, 0, 4);
  f.access(0, Kind::kNStore, kOtherBlock, 0, 4, 21);
  flush_device(f.system.stages(0), [] {});
  f.system.run();
  CHECK(f.states(0, 0) == "IIE");
  CHECK(f.states(0, kOtherBlock) == "III");
  f.take();
  // The next load gets its line from the SMD.
  CHECK(f.access(0, Kind::kLoad, 0, 0, 4) == Log{"read-request gpu0.l1_0 -> gpu0.l2_0 line 0",
                                                 "read-request gpu0.l2_0 -> gpu0.smd0 line 0",
                                                 "grant gpu0.smd0 -> gpu0.l2_0 line 0 E 64 B",
                                                 "grant-ack gpu0.l2_0 -> gpu0.smd0 line 0",
                                                 "grant gpu0.l2_0 -> gpu0.l1_0 line 0 E 64 B",
                                                 "grant-ack gpu0.l1_0 -> gpu0.l2_0 line 0"});
}

TEST_CASE("section 4.2: a flush of one GPU invalidates the blocks that stayed in another") {
  Figure f(Figure::shape(2, true));
  f.access(0, Kind::kLoad, 0, 0, 4);
  f.access(1, Kind::kLoad, 0, 0, 4);
  flush_device(f.system.stages(0), [] {});
  f.system.run();
  CHECK(f.states(0, 0) == "IIS");
  // GPU 1 has the block in S. Its store is not coherent, so that GPU 0 keeps the older bytes.
  f.access(1, Kind::kNStore, 0, 0, 4, 33);
  CHECK(f.states(0, 0) == "IIS");
  flush_device(f.system.stages(1), [] {});
  f.system.run();
  CHECK(f.states(0, 0) == "III");
  CHECK(f.states(1, 0) == "III");
  f.access(0, Kind::kLoad, 0, 0, 4);
  CHECK(f.result.bytes[0] == 33);
}

TEST_CASE("figure 6b: a dynamic synchronisation flushes one line if that is the secondary block") {
  Figure f(Figure::shape(1, true, 1));
  compute(f);
  CHECK(f.access(1, Kind::kStore, 0, 0, 0) ==
        cpu_access("write-request", 'M', 0, recalled("0", "0")));
  CHECK(f.access(1, Kind::kLoad, 0, 0, 4).empty());
  CHECK(f.result.bytes[3] == 20);
  CHECK(f.states(0, 0) == "III");
  CHECK(f.states(0, 1) == "NEE");
  CHECK(f.states(0, kOtherBlock) == "NEE");
  // The next line needs a synchronisation with a snoop of its own.
  CHECK(f.access(1, Kind::kStore, 1, 0, 0) ==
        cpu_access("write-request", 'M', 1, recalled("1", "1")));
}

TEST_CASE("figure 6c: a dynamic synchronisation of a line flushes its secondary block") {
  Figure f(Figure::shape(1, true));
  compute(f);
  Log snoops = {"invalidate-snoop hmd0 -> gpu0.smd0 line 0+64"};
  for (const std::string step :
       {"invalidate-snoop gpu0.smd0 -> gpu0.l2_0 line ",
        "invalidate-snoop gpu0.l2_0 -> gpu0.l1_0 line ", "snoop-data gpu0.l1_0 -> gpu0.l2_0 line ",
        "snoop-data gpu0.l2_0 -> gpu0.smd0 line "}) {
    for (const std::string line : {"0", "1"}) {
      std::string m = step + line;
      if (step[0] == 's') m += " I 4 B";
      if (step.find("gpu0.l1_0 ->") != std::string::npos) m += " non-coherent";
      snoops.push_back(m);
    }
  }
  snoops.push_back("snoop-data gpu0.smd0 -> hmd0 line 0+64 I 8 B");
  CHECK(f.access(1, Kind::kStore, 0, 0, 0) == cpu_access("write-request", 'M', 0, snoops));
  CHECK(f.access(1, Kind::kLoad, 0, 0, 4).empty());
  CHECK(f.states(0, 0) == "III");
  CHECK(f.states(0, 1) == "III");
  CHECK(f.states(0, kOtherBlock) == "NEE");
  // The next line of the block is in host memory: no snoop.
  CHECK(f.access(1, Kind::kStore, 1, 0, 0) == cpu_access("write-request", 'M', 1, {}));
  CHECK(f.access(1, Kind::kLoad, 1, 0, 4).empty());
  CHECK(f.result.bytes[3] == 21);
}

TEST_CASE("an SMD evicts a secondary block with its dirty bytes and fetches the next one") {
  Shape shape = Figure::shape(1, true);
  shape.smd_blocks = 1;
  Figure f(shape);
  f.access(0, Kind::kNStore, 3, 0, 4, 10);
  CHECK(
      f.access(0, Kind::kLoad, kOtherBlock, 0, 4) ==
      Log{"read-request gpu0.l1_0 -> gpu0.l2_0 line 64",
          "read-request gpu0.l2_0 -> gpu0.smd0 line 64",
          "invalidate-snoop gpu0.smd0 -> gpu0.l2_0 line 3",
          "invalidate-snoop gpu0.l2_0 -> gpu0.l1_0 line 3",
          "snoop-data gpu0.l1_0 -> gpu0.l2_0 line 3 I 4 B non-coherent",
          "snoop-data gpu0.l2_0 -> gpu0.smd0 line 3 I 4 B",
          "write-back gpu0.smd0 -> hmd0 line 0+64 4 B", "read-request gpu0.smd0 -> hmd0 line 64+64",
          "write-back-ack hmd0 -> gpu0.smd0 line 0+64",
          "grant hmd0 -> gpu0.smd0 line 64+64 E 4096 B", "grant-ack gpu0.smd0 -> hmd0 line 64+64",
          "grant gpu0.smd0 -> gpu0.l2_0 line 64 E 64 B", "grant-ack gpu0.l2_0 -> gpu0.smd0 line 64",
          "grant gpu0.l2_0 -> gpu0.l1_0 line 64 E 64 B",
          "grant-ack gpu0.l1_0 -> gpu0.l2_0 line 64"});
  CHECK(f.states(0, 3) == "III");
  CHECK(f.system.memory().read(3)[3] == 10);
  CHECK(f.system.memory().read(3)[4] == 0);
}

TEST_CASE("a GPU's atomics and a CPU's count one counter") {
  Figure f(Figure::shape(2, true));
  unsigned completed = 0;
  std::array<AtomicOperands, 30> adds;
  for (unsigned i = 0; i < 30; ++i) {
    CoherentAccess a;
    adds[i].count = 1;
    adds[i].lanes[0].offset = 4;
    adds[i].lanes[0].operand = 1;
    a.kind = Kind::kAtomic;
    a.line = 7;
    a.operands = &adds[i];
    f.system.l1(i % 3, 0).access(a, [&](const CoherentAccess&) { ++completed; });
  }
  f.system.run();
  CHECK(completed == 30);
  f.access(2, Kind::kLoad, 7, 4, 4);
  CHECK(f.result.bytes[4] == 30);
}

}  // namespace tessera::figures_test
