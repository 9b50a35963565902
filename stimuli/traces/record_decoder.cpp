// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/record_decoder.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "common/hex.h"
#include "stimuli/traces/tokens.h"

namespace tessera::traces {
namespace {

constexpr std::uint16_t kNoRegister = 0xffff;
/// Bytes of a register.
constexpr unsigned kRegisterBytes = 4;

/// The scoreboard name of "R12", "UR4", "P0" or "UP1"; kNoRegister for RZ, PT and the like, and for
/// registers that cause no dependence: convergence barriers, scoreboards and special registers.
std::uint16_t register_name(std::string_view word) {
  struct File {
    std::string_view prefix;
    unsigned first;
    unsigned zero;  ///< the register that is constant
  };
  static constexpr File kFiles[] = {{"R", 0, 255}, {"UR", 256, 63}, {"P", 512, 7}, {"UP", 768, 7}};
  std::size_t letters = 0;
  while (letters < word.size() && word[letters] >= 'A' && word[letters] <= 'Z') ++letters;
  const std::string_view prefix = word.substr(0, letters);
  const std::string_view digits = word.substr(letters);
  unsigned number = 0;
  const auto is_file = [](std::string_view name) {
    for (const std::string_view other : {"B", "SB", "SR"}) {
      if (name == other) return true;
    }
    return std::any_of(std::begin(kFiles), std::end(kFiles),
                       [name](const File& f) { return f.prefix == name; });
  };
  const bool constant =
      digits.empty() && !prefix.empty() && (prefix.back() == 'Z' || prefix.back() == 'T');
  const bool known =
      constant ? is_file(prefix.substr(0, prefix.size() - 1)) : is_file(prefix) && !digits.empty();
  if (!known) {
    fail_expected("a register (R, UR, P, UP, B, SB or SR and a number, or RZ, URZ, PT or UPT)",
                  word);
  }
  if (constant) return kNoRegister;
  if (!read_number(digits, 10, number) || number > 255) {
    fail_expected("a register's number from 0 to 255", word);
  }
  for (const File& f : kFiles) {
    if (f.prefix == prefix) {
      return number == f.zero ? kNoRegister : static_cast<std::uint16_t>(f.first + number);
    }
  }
  return kNoRegister;
}

struct Registers {
  static constexpr unsigned kMost = 64;
  std::array<std::uint16_t, kMost> name;
  unsigned count = 0;
};

void read_registers(Tokens& tokens, std::string_view what, Registers& out) {
  const auto count = tokens.number<unsigned>("the number of " + std::string(what));
  if (count > Registers::kMost) {
    throw FormatError("expected at most " + std::to_string(Registers::kMost) + " " +
                      std::string(what) + ", found " + std::to_string(count));
  }
  out.count = count;
  for (unsigned i = 0; i < count; ++i) out.name[i] = register_name(tokens.next());
}

/// Sources, then destinations. A load of more than 4 bytes also writes the registers after the
/// destination that is named.
void set_registers(TraceOperation& o, const Registers& sources, const Registers& destinations) {
  unsigned n = 0;
  const auto add = [&](std::uint16_t name) {
    if (name == kNoRegister || n == TraceOperation::kMaxRegisters) return;
    o.registers[n++] = name;
  };
  for (unsigned i = 0; i < sources.count; ++i) add(sources.name[i]);
  o.read_count = static_cast<std::uint8_t>(n);
  const bool loads = o.action == TraceAction::kMemory && o.access != AccessKind::kStore &&
                     o.space != Space::kConst && destinations.count == 1;
  const unsigned each = loads ? std::max(1U, o.lane_bytes / kRegisterBytes) : 1;
  for (unsigned i = 0; i < destinations.count; ++i) {
    for (unsigned k = 0; k < each; ++k) {
      const std::uint16_t first = destinations.name[i];
      if (first == kNoRegister || first % 256 + k > 255) break;
      add(static_cast<std::uint16_t>(first + k));
    }
  }
  o.write_count = static_cast<std::uint8_t>(n - o.read_count);
}

/// `at` and a signed difference. Throws FormatError for a sum that is no address.
Address moved(Address at, std::int64_t by, const char* what) {
  const Address to = at + static_cast<Address>(by);
  if (by < 0 ? to > at : to < at) {
    throw FormatError("expected an address below the end of the address space, found " + hex(at) +
                      " and " + what + " of " + std::to_string(by));
  }
  return to;
}

/// Throws FormatError if `bytes` bytes reach the end of the address space.
void check_end(Address at, std::uint64_t bytes) {
  if (at + bytes < at) {
    throw FormatError("expected an access below the end of the address space, found " +
                      std::to_string(bytes) + " bytes at " + hex(at));
  }
}

/// The addresses of the active lanes, in ascending order of lanes.
void read_addresses(Tokens& tokens, TraceInstruction& out) {
  const auto mode = tokens.number<unsigned>("the mode of the addresses, 0, 1 or 2");
  if (mode > 2) {
    throw FormatError(
        "expected the mode of the addresses, 0 (list), 1 (base and stride) or 2 "
        "(base and differences), found " +
        std::to_string(mode));
  }
  const auto lanes = static_cast<unsigned>(__builtin_popcount(out.mask));
  if (mode == 0) {
    for (std::uint32_t left = out.mask; left != 0; left &= left - 1) {
      out.address[static_cast<unsigned>(__builtin_ctz(left))] = tokens.number<Address>(
          "a hexadecimal address of each of " + std::to_string(lanes) + " active lanes", 16);
    }
    return;
  }
  auto at = tokens.number<Address>("a hexadecimal base address", 16);
  std::int64_t stride = 0;
  // A record without lanes has a stride, too ("1 0x0 0").
  if (mode == 1) stride = tokens.number<std::int64_t>("a decimal stride");
  bool first = true;
  for (std::uint32_t left = out.mask; left != 0; left &= left - 1) {
    if (!first && mode == 1) at = moved(at, stride, "a stride");
    if (!first && mode == 2) {
      at = moved(
          at,
          tokens.number<std::int64_t>("a decimal difference of each active lane after the first"),
          "a difference");
    }
    first = false;
    out.address[static_cast<unsigned>(__builtin_ctz(left))] = at;
  }
}

void check_ends(const TraceInstruction& i) {
  const std::uint64_t width = i.operation.lane_bytes;
  for (std::uint32_t left = i.mask; left != 0; left &= left - 1) {
    // A misaligned access is one to the multiple below.
    check_end(i.address[static_cast<unsigned>(__builtin_ctz(left))] & ~(width - 1), width);
  }
}

/// The fields of a bulk copy: barrier, multicast, mask of CTAs, bytes, addresses.
void read_bulk(Tokens& tokens, TraceInstruction& out) {
  constexpr std::uint32_t kMostPieces = 1U << 20;
  tokens.number<std::uint64_t>("the hexadecimal address of the bulk copy's mbarrier", 16);
  const auto multicast = tokens.number<unsigned>("the multicast flag, 0 or 1");
  if (multicast > 1) {
    throw FormatError("expected the multicast flag, 0 or 1, found " + std::to_string(multicast));
  }
  if (multicast == 1) tokens.number<std::uint64_t>("the hexadecimal mask of CTAs", 16);
  const auto bytes = tokens.number<std::uint64_t>("the bytes of the bulk copy");
  tokens.number<std::uint64_t>("the bytes that are out of bounds");
  const auto mode = tokens.number<unsigned>("the mode of the addresses, 3 or 4");
  if (mode != 3 && mode != 4) {
    throw FormatError(
        "expected the mode of a bulk copy's addresses, 3 (list) or 4 (base and "
        "differences), found " +
        std::to_string(mode));
  }
  Address at = 0;
  if (mode == 4) at = tokens.number<Address>("a hexadecimal base address", 16);
  const auto count = tokens.number<std::uint32_t>("the number of addresses");
  if (count > kMostPieces) {
    throw FormatError("expected at most " + std::to_string(kMostPieces) +
                      " addresses of a bulk copy, found " + std::to_string(count));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (mode == 3) {
      at = tokens.number<Address>("a hexadecimal address of the bulk copy", 16);
    } else if (i != 0) {
      at = moved(at, tokens.number<std::int64_t>("a decimal difference"), "a difference");
    }
    out.pieces.push_back(at);
  }
  constexpr std::uint64_t kMostPieceBytes = 1U << 20;
  if (count != 0) {
    const std::uint64_t each = (bytes + count - 1) / count;
    if (each > kMostPieceBytes) {
      throw FormatError("expected at most 1 MiB for each address of a bulk copy, found " +
                        std::to_string(each) + " bytes");
    }
    out.piece_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, each));
    for (const Address piece : out.pieces) check_end(piece, out.piece_bytes);
  }
}

/// Values of registers after "Val": for each register, 1 or 32 hexadecimal numbers.
void skip_values(Tokens& tokens, unsigned registers) {
  for (unsigned i = 0; i < registers; ++i) {
    const auto count = tokens.number<unsigned>("the number of a register's values, 1 or 32");
    if (count != 1 && count != kWarpLanes) {
      throw FormatError("expected the number of a register's values, 1 or 32, found " +
                        std::to_string(count));
    }
    for (unsigned k = 0; k < count; ++k) {
      tokens.number<std::uint64_t>("a hexadecimal value of a register", 16);
    }
  }
}

/// The fields after the addresses: immediates, values of registers, numbers of SM and warp. Returns
/// the first immediate, or 0.
std::int64_t read_end(Tokens& tokens, unsigned version, unsigned registers) {
  constexpr unsigned kMostNumbers = 4;  // two immediates, SM and warp
  std::int64_t immediate = 0;
  unsigned numbers = 0;
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) {
    if (version >= 6 && (word == "Val" || word == "NoVal")) {
      if (word == "Val") skip_values(tokens, registers);
      continue;
    }
    std::int64_t value = 0;
    std::uint64_t bits = 0;
    if (numbers == kMostNumbers) fail_expected("the end of the record", word);
    if (!read_number(word, 10, value) && !read_number(word, 16, bits)) {
      fail_expected(version >= 6 ? "an immediate, 'Val' or 'NoVal'" : "an immediate", word);
    }
    if (numbers++ == 0) immediate = value;
  }
  return immediate;
}

}  // namespace

const RecordDecoder::Opcode& RecordDecoder::opcode(std::string_view text, std::string_view& kept) {
  key_.assign(text);
  auto found = opcodes_.find(key_);
  if (found == opcodes_.end()) {
    found = opcodes_.emplace(key_, Opcode{classify_sass(text), 0}).first;
  }
  ++found->second.count;
  kept = found->first;
  return found->second;
}

/// The space of a generic access, by its first address.
void RecordDecoder::settle_generic(TraceInstruction& out) const {
  TraceOperation& o = out.operation;
  if (kernel_.shared_base == 0 || kernel_.local_base == 0) {
    o.space = Space::kShared;
  } else if (out.mask != 0) {
    const Address a = out.address[static_cast<unsigned>(__builtin_ctz(out.mask))];
    if (a - kernel_.shared_base < kWindowBytes) o.space = Space::kShared;
    if (a - kernel_.local_base < kWindowBytes) o.space = Space::kLocal;
  }
  if (o.space != Space::kGlobal) o.scope = CacheScope::kL1;
}

void RecordDecoder::decode(std::string_view record, TraceInstruction& out) {
  Tokens tokens(record);
  if (kernel_.version < kFirstVersionWithoutPlace) {
    for (const char* what : {"the CTA's x coordinate", "the CTA's y coordinate",
                             "the CTA's z coordinate", "the number of the warp"}) {
      tokens.number<std::uint32_t>(what);
    }
  }
  const std::uint32_t line =
      kernel_.has_lines ? tokens.number<std::uint32_t>("the number of the source line") : 0;
  const auto pc = tokens.number<std::uint32_t>("a hexadecimal PC", 16);
  out.mask = tokens.number<std::uint32_t>("a hexadecimal mask of 32 lanes", 16);
  out.pieces.clear();
  Registers destinations;
  read_registers(tokens, "destination registers", destinations);
  const std::string_view text = tokens.next();
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') fail_expected("an opcode", text);
  std::string_view kept;
  const SassOpcode& facts = opcode(text, kept).facts;
  out.operation = facts.operation;
  TraceOperation& o = out.operation;
  o.opcode = kept;
  o.pc = pc;
  o.line = line;
  Registers sources;
  read_registers(tokens, "source registers", sources);
  if (facts.has_flag) tokens.number<unsigned>("the commit-group flag of a warpgroup's MMA");
  const auto width = tokens.number<unsigned>("the width of the memory access (0: none)");
  if (facts.bulk) {
    read_bulk(tokens, out);
  } else if (width != 0) {
    read_addresses(tokens, out);
    if (o.action == TraceAction::kMemory && o.space != Space::kConst) check_ends(out);
  }
  const std::int64_t immediate =
      read_end(tokens, kernel_.version, destinations.count + sources.count);
  const bool empty =
      o.action == TraceAction::kMemory && width == 0 && !facts.bulk && o.space != Space::kConst;
  // Without active lanes there is nothing to access.
  out.lacks_addresses = empty && out.mask != 0;
  if (empty) {
    o.action = TraceAction::kCompute;
    o.unit = Unit::kAlu;
  }
  if (facts.generic && o.action == TraceAction::kMemory) settle_generic(out);
  if (o.action == TraceAction::kWaitCopies) {
    constexpr std::int64_t kMostGroups = 63;
    o.groups = immediate > 0 && immediate <= kMostGroups ? static_cast<std::uint8_t>(immediate) : 0;
  }
  set_registers(o, sources, destinations);
}

std::vector<KernelTraceReader::Unknown> RecordDecoder::unknown_opcodes() const {
  std::vector<KernelTraceReader::Unknown> out;
  for (const auto& [text, opcode] : opcodes_) {
    if (!opcode.facts.known && opcode.count != 0) out.push_back({text, opcode.count});
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.opcode < b.opcode; });
  return out;
}

}  // namespace tessera::traces
