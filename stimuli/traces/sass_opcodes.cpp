// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/sass_opcodes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <unordered_map>

#include "stimuli/ptx/matrix.h"

namespace tessera::traces {
namespace {

/// Groups of opcodes with one behaviour.
enum class Group : std::uint8_t {
  kAlu,
  kIntMul,
  kFp64,
  kSfu,
  kMatrix,
  kWarpgroupMatrix,
  kGlobalLoad,
  kAsyncCopy,
  kGlobalStore,
  kGlobalAtomic,
  kReduction,
  kLocalLoad,
  kLocalStore,
  kSharedLoad,
  kMatrixRows,
  kSharedStore,
  kSharedAtomic,
  kGenericLoad,
  kGenericStore,
  kConstant,
  kTexture,
  kBulkLoad,
  kBulkStore,
  kBulkPrefetch,
  kBarrier,
  kFence,
  kCommit,
  kWait,
  kExit,
};

struct Row {
  Group group;
  const char* opcodes;  ///< first tokens, with a blank between
};

constexpr Row kTable[] = {
    {Group::kAlu,
     "ACQBULK ACQSHMINIT ALD AST B2R BMOV BMSK BPT BRA BREAK BRX "
     "BRXU BSSY BSYNC CALL CCTL CCTLL CCTLT CLMAD CONT CREDUX CS2R CS2UR CSET CSETP CSMTEST ELECT "
     "ENDCOLLECTIVE ERRBAR FADD FADD2 FADD32I FCCO FCHK FCMP FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL "
     "FMUL2 FMUL32I FSEL FSET FSETP FSWZ FSWZADD GENMETADATA GETCRSPTR GETLMEMBASE HADD2 HADD2_32I "
     "HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 I2FP I2IP IABS IADD IADD2 IADD3 "
     "IADD32I IADD64 ICMP IMNMX IPA ISBERD ISCADD ISCADD32I ISET ISETP ISUB JCAL JMP JMX JMXU "
     "KILL LDTRAM LEA LEPC LOP LOP3 LOP32I LONGJMP MAPA MATCH MOV MOV32I MOVM NANOSLEEP NANOTRAP "
     "NOP "
     "OUT P2R P2UR PBK PCNT PEXIT PIXLD PLONGJMP PLOP3 PRET PREEXIT PRMT PSET PSETP QSPC R2B R2P "
     "R2UR "
     "REDUX RET RPCMOV RTT S2R S2UR SEL SETCTAID SETLMEMBASE SETMAXREG SGXT SHF SHFL SHL SHR SSY "
     "STP SYNC SYNCS UCGABAR_ARV UCGABAR_WAIT UF2FP UFADD UFFMA UFMNMX UFMUL "
     "UFSEL UFSET UFSETP UI2FP UIADD3 UIADD3_64 UIMNMX UISETP UGETNEXTWORKID ULEA ULEPC ULOP ULOP3 "
     "ULOP32I UMOV UP2UR UPLOP3 UPRMT UPSETP UR2UP US2UR USEL USETMAXREG USGXT USHF USHL USHR "
     "VABSDIFF "
     "VABSDIFF4 VADD VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 VMNMX VOTE VOTEU VSET VSETP VSHL VSHR "
     "WARPSYNC WARPGROUP WARPGROUPSET YIELD BFE BFI F2FP PLOP R2T T2R CGAERRBAR "
     "UTMACCTL UTMACMDFLUSH UBMSK UCLEA"},
    {Group::kIntMul, "IDP IDP4A IMAD IMADSP IMUL IMUL32I UIMAD VMAD XMAD IDE IMADX UIDP4A"},
    {Group::kFp64, "DADD DFMA DMNMX DMUL DSET DSETP DMMA"},
    {Group::kSfu, "BREV F2F F2I FLO FRND I2F I2I MUFU POPC RRO UBREV UFLO UPOPC UF2F UF2I UI2F"},
    {Group::kMatrix, "BMMA HMMA IMMA OMMA QMMA"},
    {Group::kWarpgroupMatrix, "BGMMA HGMMA IGMMA QGMMA"},
    {Group::kGlobalLoad, "LDG"},
    {Group::kAsyncCopy, "LDGSTS"},
    {Group::kGlobalStore, "STG"},
    {Group::kGlobalAtomic, "ATOM ATOMG"},
    {Group::kReduction, "RED REDG"},
    {Group::kLocalLoad, "LDL"},
    {Group::kLocalStore, "STL"},
    {Group::kSharedLoad, "LDS"},
    {Group::kMatrixRows, "LDSM"},
    {Group::kSharedStore, "STS"},
    {Group::kSharedAtomic, "ATOMS"},
    {Group::kGenericLoad, "LD"},
    {Group::kGenericStore, "ST"},
    {Group::kConstant, "LDC LDCU ULDC"},
    {Group::kTexture, "TEX TLD TLD4 TMML TXD TXQ FOOTPRINT SULD SUST SURED SUATOM SUQUERY"},
    {Group::kBulkLoad, "UTMALDG UBLKCP"},
    {Group::kBulkStore, "UTMASTG UTMAREDG UBLKRED"},
    {Group::kBulkPrefetch, "UTMAPF UBLKPF"},
    {Group::kBarrier, "BAR"},
    {Group::kFence, "MEMBAR"},
    {Group::kCommit, "LDGDEPBAR"},
    {Group::kWait, "DEPBAR"},
    {Group::kExit, "EXIT"},
};

using Table = std::unordered_map<std::string_view, Group>;

Table make_table() {
  Table table;
  for (const Row& row : kTable) {
    std::string_view left = row.opcodes;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find(' '), left.size());
      table.emplace(left.substr(0, end), row.group);
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return table;
}

/// Calls f for each modifier until it returns true; returns whether it did.
template <class F>
bool any_modifier(std::string_view opcode, F f) {
  std::size_t dot = opcode.find('.');
  while (dot != std::string_view::npos) {
    const std::size_t next = opcode.find('.', dot + 1);
    if (f(opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1))) {
      return true;
    }
    dot = next;
  }
  return false;
}

bool has_modifier(std::string_view opcode, std::string_view modifier) {
  return any_modifier(opcode, [&](std::string_view m) { return m == modifier; });
}

/// Multiply-adds of a matrix product's shape: "16816" is 16 x 8 x 16, "64x128x16" is that of a
/// warpgroup, of which a warp has a quarter. 0: no shape.
unsigned matrix_products(std::string_view modifier) {
  static constexpr struct {
    std::string_view shape;
    unsigned products;
  } kShapes[] = {{"884", 8 * 8 * 4},       {"1684", 16 * 8 * 4},    {"1688", 16 * 8 * 8},
                 {"16816", 16 * 8 * 16},   {"16832", 16 * 8 * 32},  {"8816", 8 * 8 * 16},
                 {"8832", 8 * 8 * 32},     {"16864", 16 * 8 * 64},  {"88128", 8 * 8 * 128},
                 {"168128", 16 * 8 * 128}, {"168256", 16 * 8 * 256}};
  for (const auto& s : kShapes) {
    if (s.shape == modifier) return s.products;
  }
  unsigned product = 1;
  unsigned factors = 0;
  while (!modifier.empty()) {
    unsigned factor = 0;
    const auto [end, error] =
        std::from_chars(modifier.data(), modifier.data() + modifier.size(), factor);
    if (error != std::errc() || factor == 0 || factor > 256) return 0;
    product *= factor;
    ++factors;
    modifier.remove_prefix(static_cast<std::size_t>(end - modifier.data()));
    if (!modifier.empty() && modifier.front() != 'x') return 0;
    if (!modifier.empty()) modifier.remove_prefix(1);
    if (factors > 3) return 0;
  }
  return factors == 3 ? product / 4 : 0;
}

/// Issue slots of a warp's matrix product; as those of PTX (ptx::kProductsPerCost).
unsigned matrix_cost(std::string_view opcode) {
  constexpr unsigned kUsualShape = 16 * 8 * 16;
  unsigned products = 0;
  any_modifier(opcode, [&](std::string_view m) {
    products = matrix_products(m);
    return products != 0;
  });
  if (products == 0) products = kUsualShape;
  return std::max(1U, products / ptx::kProductsPerCost);
}

/// CG and CV: ld.cg, ld.cv and volatile loads before Volta. BYPASS: cp.async.cg.
bool bypasses_l1(std::string_view opcode) {
  return (has_modifier(opcode, "STRONG") &&
          (has_modifier(opcode, "GPU") || has_modifier(opcode, "SYS"))) ||
         has_modifier(opcode, "CG") || has_modifier(opcode, "CV") || has_modifier(opcode, "BYPASS");
}

void set_memory(TraceOperation& o, AccessKind kind, Space space) {
  o.action = TraceAction::kMemory;
  o.unit = Unit::kMemory;
  o.access = kind;
  o.space = space;
}

/// Loads, stores and atomics.
bool set_access(Group group, std::string_view opcode, SassOpcode& out) {
  TraceOperation& o = out.operation;
  switch (group) {
    case Group::kGenericLoad:
      out.generic = true;
      [[fallthrough]];
    case Group::kGlobalLoad:
      set_memory(o, AccessKind::kLoad, Space::kGlobal);
      break;
    case Group::kAsyncCopy:
      set_memory(o, AccessKind::kLoad, Space::kGlobal);
      o.asynchronous = true;
      break;
    case Group::kGenericStore:
      out.generic = true;
      [[fallthrough]];
    case Group::kGlobalStore:
      set_memory(o, AccessKind::kStore, Space::kGlobal);
      break;
    case Group::kGlobalAtomic:
    case Group::kReduction:
      set_memory(o, AccessKind::kAtomic, Space::kGlobal);
      break;
    case Group::kLocalLoad:
      set_memory(o, AccessKind::kLoad, Space::kLocal);
      break;
    case Group::kLocalStore:
      set_memory(o, AccessKind::kStore, Space::kLocal);
      break;
    case Group::kSharedLoad:
    case Group::kMatrixRows:
      set_memory(o, AccessKind::kLoad, Space::kShared);
      break;
    case Group::kSharedStore:
      set_memory(o, AccessKind::kStore, Space::kShared);
      break;
    case Group::kSharedAtomic:
      set_memory(o, AccessKind::kAtomic, Space::kShared);
      break;
    case Group::kConstant:
    case Group::kTexture:
      set_memory(o, AccessKind::kLoad, Space::kConst);
      break;
    default:
      return false;
  }
  const bool loads_global = o.access == AccessKind::kLoad && o.space == Space::kGlobal;
  if (loads_global && bypasses_l1(opcode)) o.scope = CacheScope::kBypassL1;
  o.read_only = loads_global && has_modifier(opcode, "CONSTANT");
  // Each lane of an LDSM addresses a row of 16 bytes.
  o.lane_bytes =
      group == Group::kMatrixRows ? 16 : static_cast<std::uint8_t>(sass_lane_bytes(opcode));
  return true;
}

/// TMA's bulk copies.
bool set_bulk(Group group, SassOpcode& out) {
  TraceOperation& o = out.operation;
  const bool stores = group == Group::kBulkStore;
  if (!stores && group != Group::kBulkLoad && group != Group::kBulkPrefetch) return false;
  out.bulk = true;
  set_memory(o, stores ? AccessKind::kStore : AccessKind::kLoad, Space::kGlobal);
  o.scope = CacheScope::kBypassL1;
  o.asynchronous = true;
  o.lane_bytes = 16;
  return true;
}

void set_compute(Group group, std::string_view opcode, SassOpcode& out) {
  TraceOperation& o = out.operation;
  switch (group) {
    case Group::kIntMul:
      o.unit = Unit::kIntMul;
      break;
    case Group::kFp64:
      o.unit = Unit::kFp64;
      break;
    case Group::kSfu:
      o.unit = Unit::kSfu;
      break;
    case Group::kWarpgroupMatrix:
      out.has_flag = true;
      [[fallthrough]];
    case Group::kMatrix:
      o.cost = static_cast<std::uint8_t>(std::min(255U, matrix_cost(opcode)));
      o.matrix = true;
      break;
    case Group::kBarrier:
      o.unit = Unit::kBarrier;
      o.action = has_modifier(opcode, "ARV") ? TraceAction::kBarrierArrive : TraceAction::kBarrier;
      break;
    case Group::kFence:
      // A fence for the CTA only orders accesses that the SM performs in order.
      if (has_modifier(opcode, "CTA")) break;
      o.unit = Unit::kFence;
      o.action = TraceAction::kFence;
      break;
    case Group::kCommit:
      o.action = TraceAction::kCommitCopies;
      break;
    case Group::kWait:
      o.unit = Unit::kWait;
      o.action = TraceAction::kWaitCopies;
      break;
    case Group::kExit:
      o.unit = Unit::kExit;
      o.action = TraceAction::kExit;
      break;
    default:
      break;
  }
}

}  // namespace

unsigned sass_lane_bytes(std::string_view opcode) {
  static constexpr std::array<unsigned, 6> kBits = {8, 16, 32, 64, 128, 256};
  unsigned bytes = 4;
  any_modifier(opcode, [&](std::string_view m) {
    if (!m.empty() && m.front() == 'U') m.remove_prefix(1);
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(m.data(), m.data() + m.size(), bits);
    if (m.empty() || error != std::errc() || end != m.data() + m.size() ||
        std::find(kBits.begin(), kBits.end(), bits) == kBits.end()) {
      return false;
    }
    bytes = bits / 8;
    return true;
  });
  return bytes;
}

SassOpcode classify_sass(std::string_view opcode) {
  static const Table kOpcodes = make_table();
  SassOpcode out;
  const std::string_view first = opcode.substr(0, opcode.find('.'));
  const auto found = kOpcodes.find(first);
  if (found == kOpcodes.end()) {
    out.known = false;
    out.has_flag = first.find("GMMA") != std::string_view::npos;
    return out;
  }
  if (set_access(found->second, opcode, out) || set_bulk(found->second, out)) return out;
  set_compute(found->second, opcode, out);
  return out;
}

}  // namespace tessera::traces
