// SPDX-License-Identifier: Apache-2.0
// Records and headers: versions, address forms, opcodes.
#include <catch2/catch.hpp>

#include "stimuli/traces/record_decoder.h"
#include "tests/stimuli/traces/trace_support.h"

namespace tessera::traces {
namespace {

using test::addresses;

TraceInstruction decoded(const std::string& record, unsigned version = 5, bool lines = false) {
  static TraceKernel kernel;
  kernel.version = version;
  kernel.has_lines = lines;
  kernel.shared_base = 0x7e0000000000;
  kernel.local_base = 0x7e1000000000;
  // One for all cases: the instructions refer to its opcodes.
  static RecordDecoder decoder(kernel);
  TraceInstruction out;
  decoder.decode(record, out);
  return out;
}

std::string failure(const std::string& record, unsigned version = 5) {
  try {
    decoded(record, version);
  } catch (const FormatError& e) {
    return e.what();
  }
  return {};
}

std::vector<unsigned> registers(const TraceOperation& o, bool written) {
  std::vector<unsigned> out;
  const unsigned begin = written ? o.read_count : 0;
  const unsigned end = written ? o.read_count + o.write_count : o.read_count;
  for (unsigned i = begin; i < end; ++i) out.push_back(o.registers[i]);
  return out;
}

TEST_CASE("a list has one address of each active lane") {
  const TraceInstruction i = decoded("0020 00000012 0 STG.E.SYS 2 R4 R2 4 0 0x10002000 0x2100 0");
  CHECK(i.mask == 0x12);
  CHECK(addresses(i) == std::vector<Address>{0x10002000, 0x2100});
  CHECK(i.operation.pc == 0x20);
  CHECK(i.operation.access == AccessKind::kStore);
  CHECK(registers(i.operation, false) == std::vector<unsigned>{4, 2});
}

TEST_CASE("a base and a stride give the addresses of all active lanes") {
  const TraceInstruction i = decoded("0 00000ff0 1 R2 LDG.E.SYS 1 R4 4 1 0x10000000 -8 0");
  std::vector<Address> expected;
  for (unsigned k = 0; k < 8; ++k) expected.push_back(0x10000000 - 8 * k);
  CHECK(addresses(i) == expected);
}

TEST_CASE("a base and differences give each address from the one before") {
  const TraceInstruction i = decoded("10 7 1 R3 LDG.E.64.SYS 1 R6 8 2 0x10001000 256 -128 0");
  CHECK(addresses(i) == std::vector<Address>{0x10001000, 0x10001100, 0x10001080});
  CHECK(i.operation.lane_bytes == 8);
  CHECK(registers(i.operation, true) == std::vector<unsigned>{3, 4});
  const TraceInstruction one = decoded("10 80000000 1 R3 LDG.E 1 R6 4 2 0x4440 0");
  CHECK(addresses(one) == std::vector<Address>{0x4440});
}

TEST_CASE("a record without active lanes has no address") {
  const TraceInstruction i = decoded("10 00000000 1 R3 LDG.E 1 R6 4 1 0x0 0 0");
  CHECK(i.mask == 0);
  CHECK(i.operation.action == TraceAction::kMemory);
}

TEST_CASE("the immediate can be missing, and the numbers of SM and warp can follow it") {
  for (const char* end : {"", " 0", " 17", " -3 5", " 0 12 63"}) {
    INFO(end);
    const TraceInstruction i =
        decoded("0 ffffffff 1 R2 LDG.E 1 R4 4 1 0x100 4" + std::string(end), 4);
    CHECK(i.address[31] == 0x100 + 31 * 4);
  }
  CHECK(failure("0 ffffffff 1 R2 FADD 1 R4 0 x", 4) == "expected an immediate, found 'x'");
  CHECK(failure("0 ffffffff 1 R2 FADD 1 R4 0 1 2 3 4 5") ==
        "expected the end of the record, found '5'");
}

TEST_CASE("version 6 has values of registers, which are skipped") {
  std::string values;
  for (unsigned i = 0; i < 32; ++i) values += " " + std::to_string(i) + "abcdef";
  const std::string record = "0 ffffffff 1 R2 IADD3 2 R4 R5 0 7 1 Val 32" + values + " 1 ff 1 0x1";
  CHECK(decoded(record, 6).operation.write_count == 1);
  CHECK(decoded("0 ffffffff 1 R2 IADD3 1 R4 0 7 NoVal", 6).operation.read_count == 1);
  CHECK(failure("0 ffffffff 1 R2 IADD3 1 R4 0 7 Val 1 ff 2 0 0", 6) ==
        "expected the number of a register's values, 1 or 32, found 2");
  CHECK(failure("0 ffffffff 1 R2 IADD3 1 R4 0 7 Val 1 ff", 6) ==
        "expected the number of a register's values, 1 or 32, found the end of the line");
  CHECK(failure("0 ffffffff 1 R2 IADD3 1 R4 0 NoVal", 5) == "expected an immediate, found 'NoVal'");
}

TEST_CASE("a record with line information begins with the line") {
  const TraceInstruction i = decoded("42 0010 ffffffff 0 EXIT 0 0 0", 5, true);
  CHECK(i.operation.line == 42);
  CHECK(i.operation.pc == 0x10);
}

TEST_CASE("a record of versions 1 and 2 begins with the CTA and the warp") {
  const TraceInstruction i = decoded("7 0 1 12 00a0 3 1 R2 LDG.E.SYS 1 R4 4 1 0x100 4", 2);
  CHECK(i.operation.pc == 0xa0);
  CHECK(addresses(i) == std::vector<Address>{0x100, 0x104});
  CHECK(failure("7 0 1 x 00a0 3 0 NOP 0 0", 1) == "expected the number of the warp, found 'x'");
}

TEST_CASE("registers of all files have names of their own, and constant registers none") {
  const TraceOperation o = decoded("0 1 2 P0 UP1 ISETP.GE 5 R1 UR1 RZ R255 PT 0 0").operation;
  CHECK(registers(o, false) == std::vector<unsigned>{1, 257});
  CHECK(registers(o, true) == std::vector<unsigned>{512, 769});
  CHECK(
      failure("0 1 1 12 MOV 0 0 0") ==
      "expected a register (R, UR, P, UP, B, SB or SR and a number, or RZ, URZ, PT or UPT), found "
      "'12'");
  CHECK(failure("0 1 1 R256 MOV 0 0 0") ==
        "expected a register's number from 0 to 255, found 'R256'");
}

TEST_CASE("a register of a file that SASS does not have is refused") {
  const std::string expected =
      "expected a register (R, UR, P, UP, B, SB or SR and a number, or RZ, URZ, PT or UPT), found ";
  for (const std::string name : {"Q26", "Z", "QZ", "R", "r2", "RP1"}) {
    INFO(name);
    CHECK(failure("0 1 1 " + name + " MOV 0 0 0") == expected + "'" + name + "'");
  }
  // Convergence barriers, scoreboards and special registers cause no dependence.
  const TraceOperation o = decoded("0 1 1 B0 BSSY 5 SB3 SR33 SRZ URZ UPT 0 0").operation;
  CHECK(registers(o, false).empty());
  CHECK(registers(o, true).empty());
}

TEST_CASE("addresses beyond the end of the address space are refused") {
  const std::string load = "0 3 1 R2 LDG.E 1 R4 4 ";
  CHECK(failure("0 ffffffff 1 R2 LDG.E 1 R4 4 1 0xffffffffffffffc0 4 0") ==
        "expected an address below the end of the address space, found 0xfffffffffffffffc and a "
        "stride of 4");
  CHECK(failure("0 000000ff 1 R2 LDG.E 1 R4 4 1 0x10 -4 0") ==
        "expected an address below the end of the address space, found 0x0 and a stride of -4");
  CHECK(failure(load + "2 0x10 -17 0") ==
        "expected an address below the end of the address space, found 0x10 and a difference of "
        "-17");
  CHECK(failure(load + "0 0x10 0xffffffffffffffff 0") ==
        "expected an access below the end of the address space, found 4 bytes at "
        "0xfffffffffffffffc");
  CHECK(failure("0 1 0 UTMALDG 0 4 0x10 0 256 0 4 0x40 2 -65") ==
        "expected an address below the end of the address space, found 0x40 and a difference of "
        "-65");
  CHECK(failure("0 1 0 UTMALDG 0 4 0x10 0 256 0 3 1 0xfffffffffffffff0") ==
        "expected an access below the end of the address space, found 256 bytes at "
        "0xfffffffffffffff0");
  // Up to both ends, and without active lanes.
  CHECK(addresses(decoded(load + "1 0x4 -4 0")) == std::vector<Address>{4, 0});
  CHECK(addresses(decoded(load + "0 0 0xfffffffffffffff8 0")) ==
        std::vector<Address>{0, 0xfffffffffffffff8});
  CHECK(addresses(decoded("0 0 1 R2 LDG.E 1 R4 4 1 0xffffffffffffffff 4 0")).empty());
}

TEST_CASE("the width of an access is the first modifier that is a number of bits") {
  for (const auto& [opcode, bytes] :
       std::vector<std::pair<std::string, unsigned>>{{"LDG.E.SYS", 4},
                                                     {"LDG.E.64.SYS", 8},
                                                     {"LDG.E.128", 16},
                                                     {"LDG.E.U8", 1},
                                                     {"LDG.E.U16.SYS", 2},
                                                     {"LDG.E.S16", 4},
                                                     {"LDG.E.ENL2.256", 32},
                                                     {"ATOMG.E.ADD.64.STRONG.GPU", 8}}) {
    INFO(opcode);
    CHECK(sass_lane_bytes(opcode) == bytes);
    CHECK(classify_sass(opcode).operation.lane_bytes == bytes);
  }
}

TEST_CASE("memory opcodes have their spaces and kinds") {
  struct Case {
    const char* opcode;
    Space space;
    AccessKind kind;
    bool asynchronous;
  };
  for (const Case& c : {Case{"LDG.E", Space::kGlobal, AccessKind::kLoad, false},
                        Case{"LDGSTS.E.BYPASS.128", Space::kGlobal, AccessKind::kLoad, true},
                        Case{"STG.E", Space::kGlobal, AccessKind::kStore, false},
                        Case{"ATOM.E.ADD", Space::kGlobal, AccessKind::kAtomic, false},
                        Case{"ATOMG.E.CAS", Space::kGlobal, AccessKind::kAtomic, false},
                        Case{"RED.E.ADD", Space::kGlobal, AccessKind::kAtomic, false},
                        Case{"LDL", Space::kLocal, AccessKind::kLoad, false},
                        Case{"STL", Space::kLocal, AccessKind::kStore, false},
                        Case{"LDS.U.64", Space::kShared, AccessKind::kLoad, false},
                        Case{"LDSM.16.M88.4", Space::kShared, AccessKind::kLoad, false},
                        Case{"STS", Space::kShared, AccessKind::kStore, false},
                        Case{"ATOMS.ADD", Space::kShared, AccessKind::kAtomic, false},
                        Case{"LDC.64", Space::kConst, AccessKind::kLoad, false},
                        Case{"TEX.SCR", Space::kConst, AccessKind::kLoad, false},
                        Case{"SUST.D.BA", Space::kConst, AccessKind::kLoad, false}}) {
    INFO(c.opcode);
    const SassOpcode o = classify_sass(c.opcode);
    CHECK(o.known);
    CHECK(o.operation.action == TraceAction::kMemory);
    CHECK(o.operation.unit == Unit::kMemory);
    CHECK(o.operation.space == c.space);
    CHECK(o.operation.access == c.kind);
    CHECK(o.operation.asynchronous == c.asynchronous);
  }
}

TEST_CASE("strong, volatile and .cg loads bypass the L1, and constant loads are read-only") {
  CHECK(classify_sass("LDGSTS.E.STRONG.GPU").operation.scope == CacheScope::kBypassL1);
  CHECK(classify_sass("LDG.E.STRONG.GPU").operation.scope == CacheScope::kBypassL1);
  CHECK(classify_sass("LDG.E.STRONG.CTA").operation.scope == CacheScope::kL1);
  CHECK(classify_sass("LDG.E.SYS").operation.scope == CacheScope::kL1);
  CHECK(classify_sass("LDG.E.CG").operation.scope == CacheScope::kBypassL1);
  CHECK(classify_sass("LDG.E.CV.64").operation.scope == CacheScope::kBypassL1);
  CHECK(classify_sass("LDGSTS.E.BYPASS.128").operation.scope == CacheScope::kBypassL1);
  CHECK(classify_sass("LDGSTS.E.128").operation.scope == CacheScope::kL1);
  CHECK(classify_sass("LDG.E.CONSTANT.SYS").operation.read_only);
  CHECK_FALSE(classify_sass("LDG.E.SYS").operation.read_only);
}

TEST_CASE("compute opcodes have units, and unknown ones are counted as ALU operations") {
  CHECK(classify_sass("FFMA.FTZ").operation.unit == Unit::kAlu);
  CHECK(classify_sass("IMAD.MOV.U32").operation.unit == Unit::kIntMul);
  CHECK(classify_sass("DFMA").operation.unit == Unit::kFp64);
  CHECK(classify_sass("MUFU.RCP").operation.unit == Unit::kSfu);
  CHECK(classify_sass("F2I.TRUNC").operation.unit == Unit::kSfu);
  // 16 x 8 x 16 multiply-adds at 1024 a slot; a quarter of 64 x 128 x 16.
  CHECK(classify_sass("HMMA.16816.F32").operation.cost == 2);
  CHECK(classify_sass("HGMMA.64x128x16.F32").operation.cost == 32);
  CHECK(classify_sass("MEMBAR.SC.GPU").operation.action == TraceAction::kFence);
  CHECK(classify_sass("MEMBAR.ALL.CTA").operation.action == TraceAction::kCompute);
  CHECK(classify_sass("BAR.SYNC").operation.action == TraceAction::kBarrier);
  CHECK(classify_sass("BAR.ARV").operation.action == TraceAction::kBarrierArrive);
  CHECK(classify_sass("DEPBAR.LE").operation.action == TraceAction::kWaitCopies);
  CHECK(classify_sass("LDGDEPBAR").operation.action == TraceAction::kCommitCopies);
  CHECK(classify_sass("EXIT").operation.action == TraceAction::kExit);
  const SassOpcode unknown = classify_sass("FROBNICATE.X");
  CHECK_FALSE(unknown.known);
  CHECK(unknown.operation.unit == Unit::kAlu);

  TraceKernel kernel;
  kernel.version = 5;
  RecordDecoder decoder(kernel);
  TraceInstruction i;
  decoder.decode("0 1 0 FROBNICATE.X 0 0 0", i);
  decoder.decode("0 1 0 FROBNICATE.X 0 0 0", i);
  decoder.decode("0 1 0 MOV 0 0 0", i);
  REQUIRE(decoder.unknown_opcodes().size() == 1);
  CHECK(decoder.unknown_opcodes()[0].opcode == "FROBNICATE.X");
  CHECK(decoder.unknown_opcodes()[0].count == 2);
}

TEST_CASE("a generic access is in the space of its first active address") {
  const auto space = [](const std::string& address) {
    return decoded("0 00000002 1 R2 LD.E 1 R4 4 0 " + address + " 0").operation.space;
  };
  CHECK(space("0x7e0000000010") == Space::kShared);
  CHECK(space("0x7e1000000010") == Space::kLocal);
  CHECK(space("0x7e0001000000") == Space::kGlobal);
  CHECK(space("0x7dffffffffff") == Space::kGlobal);

  for (const bool shared_known : {false, true}) {
    TraceKernel kernel;
    kernel.version = 5;
    (shared_known ? kernel.shared_base : kernel.local_base) = 0x7e0000000000;
    RecordDecoder decoder(kernel);
    TraceInstruction i;
    decoder.decode("0 00000002 0 ST.E 2 R4 R5 4 0 0x1000 0", i);
    CHECK(i.operation.space == Space::kShared);
  }
}

TEST_CASE("a warpgroup's matrix product has a flag before the width") {
  CHECK(decoded("0 ffffffff 1 R24 HGMMA.64x64x16.F32 1 R4 1 0 0").operation.cost == 16);
  CHECK(failure("0 ffffffff 1 R24 HGMMA.64x64x16.F32 1 R4 x 0 0") ==
        "expected the commit-group flag of a warpgroup's MMA, found 'x'");
}

TEST_CASE("bulk copies have a barrier, a multicast mask, bytes and addresses") {
  const TraceInstruction list =
      decoded("0 1 0 UTMALDG.2D 2 UR4 UR8 4 0x7e00000010 0 256 0 3 2 0x1000 0x2000 0");
  CHECK(list.pieces == std::vector<Address>{0x1000, 0x2000});
  CHECK(list.piece_bytes == 128);
  CHECK(list.operation.asynchronous);
  CHECK(list.operation.access == AccessKind::kLoad);
  const TraceInstruction base =
      decoded("0 1 0 UBLKRED 2 UR4 UR8 4 0x10 1 0xf 300 12 4 0x1000 3 128 -64");
  CHECK(base.pieces == std::vector<Address>{0x1000, 0x1080, 0x1040});
  CHECK(base.piece_bytes == 100);
  CHECK(base.operation.access == AccessKind::kStore);
  for (const char* opcode :
       {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"}) {
    INFO(opcode);
    CHECK(classify_sass(opcode).bulk);
  }
  CHECK(failure("0 1 0 UTMALDG 0 4 0x10 2 256 0 3 1 0x10") ==
        "expected the multicast flag, 0 or 1, found 2");
  CHECK(failure("0 1 0 UTMALDG 0 4 0x10 0 256 0 1 0x10 4") ==
        "expected the mode of a bulk copy's addresses, 3 (list) or 4 (base and differences), "
        "found 1");
  CHECK(failure("0 1 0 UTMALDG 0 4 0x10 0 256 0 3 2 0x10") ==
        "expected a hexadecimal address of the bulk copy, found the end of the line");
}

TEST_CASE("the number of groups that can be outstanding is the immediate") {
  CHECK(decoded("0 ffffffff 0 DEPBAR.LE 0 0 1").operation.groups == 1);
  CHECK(decoded("0 ffffffff 0 DEPBAR.LE 0 0 0").operation.groups == 0);
  CHECK(decoded("0 ffffffff 0 DEPBAR.LE 0 0").operation.groups == 0);
}

TEST_CASE("what a record lacks is named") {
  CHECK(failure("") == "expected a hexadecimal PC, found the end of the line");
  CHECK(failure("zz") == "expected a hexadecimal PC, found 'zz'");
  CHECK(failure("0 fffffffff 0 EXIT 0 0") ==
        "expected a hexadecimal mask of 32 lanes, found 'fffffffff'");
  CHECK(failure("0 1 x") == "expected the number of destination registers, found 'x'");
  CHECK(failure("0 1 65 R1") == "expected at most 64 destination registers, found 65");
  CHECK(failure("0 1 0 4") == "expected an opcode, found '4'");
  CHECK(failure("0 1 0 MOV R4") == "expected the number of source registers, found 'R4'");
  CHECK(failure("0 1 0 MOV 0") ==
        "expected the width of the memory access (0: none), found the end of the line");
  CHECK(failure("0 1 1 R2 LDG 1 R4 4 3 0x10") ==
        "expected the mode of the addresses, 0 (list), 1 (base and stride) or 2 (base and "
        "differences), found 3");
  CHECK(failure("0 3 1 R2 LDG 1 R4 4 0 0x10") ==
        "expected a hexadecimal address of each of 2 active lanes, found the end of the line");
  CHECK(failure("0 3 1 R2 LDG 1 R4 4 1 0x10 y") == "expected a decimal stride, found 'y'");
  CHECK(failure("0 3 1 R2 LDG 1 R4 4 2 0x10") ==
        "expected a decimal difference of each active lane after the first, found the end of the "
        "line");
}

}  // namespace
}  // namespace tessera::traces
