// SPDX-License-Identifier: Apache-2.0
// Compute instructions: canonical name, table entry, operands.

#include <algorithm>
#include <array>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

constexpr const char* kOneScalar = "one side of a packing mov must be a scalar";

std::string join(const std::string& opcode, const std::vector<std::string>& modifiers) {
  std::string name = opcode;
  for (const std::string& m : modifiers) name += "." + m;
  return name;
}

}  // namespace

/// The name of the instruction in the table, without modifiers that do not change the value.
/// Rounding to nearest is the default of arithmetic; approximations are computed exactly.
std::string Decoder::canonical_name() const {
  std::string name = in_->opcode;
  const bool arithmetic =
      is_one_of(name, {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"});
  const bool approximate =
      is_one_of(name, {"div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"});
  // Inline assembly also uses vote.ballot.sync.b32.
  const bool sync_later =
      name == "vote" && in_->modifiers.size() == 3 && in_->modifiers[1] == "sync";
  if (sync_later) name += ".sync";
  // The manual writes min.relu.s32, nvcc min.s32.relu.
  std::vector<std::string> modifiers = in_->modifiers;
  if (modifiers.size() > 1 && modifiers.back() == "relu") {
    std::iter_swap(modifiers.end() - 1, modifiers.end() - 2);
  }
  for (const std::string& m : modifiers) {
    if (sync_later && m == "sync") continue;
    if (arithmetic && m == "rn") continue;
    if (approximate && (m == "full" || (m == "approx" && in_->opcode != "div"))) continue;
    if (m == "shared::cta" || m == "shared::cluster") {
      name += ".shared";  // a cluster has one CTA
    } else if (m == "param::entry") {
      name += ".param";
    } else {
      name += "." + m;
    }
  }
  return name;
}

void Decoder::decode_alu() {
  const std::string& op = in_->opcode;
  if (op == "setp" || op == "set") return decode_compare();
  if (op == "mov") return decode_move();
  if (op == "cvt") return decode_convert();
  if (is_one_of(op, {"shfl", "match", "vote", "redux", "elect"})) return decode_across_lanes();
  if (op == "isspacep") return decode_space_test();
  if (op[0] == 'v' && decode_video()) return;
  if (is_one_of(op, {"addc", "subc", "madc"}) ||
      std::find(in_->modifiers.begin(), in_->modifiers.end(), "cc") != in_->modifiers.end()) {
    return decode_carry();
  }
  if (op == "lop3") return decode_lop3();
  // PTX 8.8: min and max of three operands.
  const bool three = (op == "min" || op == "max") && in_->operands.size() == 4;
  const AluEntry& e =
      entry((three ? "_" + op + "3" + canonical_name().substr(3) : canonical_name()));
  expect_operands(std::size_t{1} + e.signature.sources, std::size_t{1} + e.signature.sources);
  decode_plain(e);
}

/// lop3{.or,.and}.b32: the truth table is the fifth operand; with .or or .and, the second
/// destination and the last operand are predicates.
void Decoder::decode_lop3() {
  const AluEntry& e = entry(canonical_name());
  const bool tests = e.signature.sources == 4;
  expect_operands(tests ? 6 : 5, tests ? 6 : 5);
  const Operand& table = operand(4);
  if (table.kind != Operand::Kind::kInteger) refuse("the truth table must be an immediate");
  d_.aux = static_cast<std::uint32_t>(table.integer) & 0xff;
  const Operand& to = operand(0);
  if (tests == to.second_name.empty()) {
    refuse(tests ? "it has two destinations" : "it has one destination");
  }
  d_.run = e.run;
  for (unsigned i = 0; i < 3; ++i) {
    d_.slot[Decoded::kSource + i] = source(operand(1 + i), Kind::kI32);
  }
  if (tests) {
    d_.slot[5] = predicate_source(operand(5), d_.flip);
    Operand second;
    second.name = to.second_name;
    d_.slot[Decoded::kResult2] = result(second, Kind::kPred);
  }
  d_.slot[Decoded::kResult] = result(to, Kind::kI32);
  emit(e.unit, e.cost);
}

/// Decodes one result and the sources of the signature.
void Decoder::decode_plain(const AluEntry& e) {
  const Signature& s = e.signature;
  d_.run = e.run;
  bool negated = false;
  for (unsigned i = 0; i < s.sources; ++i) {
    const Operand& o = operand(s.results + i);
    const Kind kind = s.kind[s.results + i];
    if (kind == Kind::kPred) {
      std::uint32_t flip = 0;
      d_.slot[Decoded::kSource + i] = predicate_source(o, flip);
      if (flip == 0) continue;
      if (negated) refuse("only one predicate can be negated");
      negated = true;
      d_.flip = flip;
      // The handlers of predicate logic negate their first source; all are commutative.
      if (i == 1 && s.kind[0] == Kind::kPred) std::swap(d_.slot[2], d_.slot[3]);
    } else {
      d_.slot[Decoded::kSource + i] = source(o, kind);
    }
  }
  d_.slot[Decoded::kResult] = result(operand(0), s.kind[0]);
  emit(e.unit, e.cost);
}

void Decoder::decode_compare() {
  std::vector<std::string> modifiers;
  for (std::size_t i = 0; i < in_->modifiers.size(); ++i) {
    const std::string& m = in_->modifiers[i];
    if (i == 1 && is_one_of(m, {"and", "or", "xor"})) {
      d_.aux = m == "and" ? 1 : m == "or" ? 2 : 3;
    } else {
      modifiers.push_back(m);
    }
  }
  const AluEntry& e = entry(join(in_->opcode, modifiers));
  const std::size_t count = d_.aux != 0 ? 4 : 3;
  expect_operands(count, count);
  const Signature& s = e.signature;
  d_.run = e.run;
  d_.slot[2] = source(operand(1), s.kind[1]);
  d_.slot[3] = source(operand(2), s.kind[2]);
  if (d_.aux != 0) d_.slot[4] = predicate_source(operand(3), d_.flip);
  const Operand& to = operand(0);
  d_.slot[1] = scratch_predicate_;
  if (!to.second_name.empty()) {
    if (in_->opcode == "set") refuse("set has one destination");
    Operand second;
    second.name = to.second_name;
    d_.slot[1] = result(second, Kind::kPred);
  }
  d_.slot[0] = result(to, s.kind[0]);
  emit(e.unit, e.cost);
}

/// Decodes mov.b64 %rd, {%r1, %r2} and the reverse. Returns false if neither side is a vector.
bool Decoder::decode_pack(const Operand& to, const Operand& from) {
  const bool packs = from.kind == Operand::Kind::kVector;
  const bool unpacks = to.kind == Operand::Kind::kVector;
  if (!packs && !unpacks) return false;
  if (packs && unpacks) refuse(kOneScalar);
  const Operand& parts = packs ? from : to;
  const Type type = type_from_name(in_->modifiers.empty() ? "" : in_->modifiers.back());
  const AluEntry* e =
      alu_.find(std::string(packs ? "_pack" : "_unpack") + ".b" +
                std::to_string(8 * type_bytes(type)) + "." + std::to_string(parts.elements.size()));
  if (e == nullptr)
    refuse("supported: mov of .b16 with 2, .b32 and .b64 with 2 or 4, .b128 with 2 elements");
  const Signature& s = e->signature;
  d_.run = e->run;
  if (packs) {
    for (unsigned i = 0; i < s.sources; ++i) {
      d_.slot[2 + i] = source(parts.elements[i], s.kind[1 + i]);
    }
    d_.slot[0] = result(to, s.kind[0]);
  } else {
    static constexpr std::array<unsigned, 4> kTo = {0, 1, 3, 4};
    d_.slot[2] = source(from, s.kind[s.results]);
    for (unsigned i = 0; i < s.results; ++i) {
      d_.slot[kTo[i]] = result(parts.elements[i], s.kind[i]);
    }
  }
  emit(e->unit, e->cost);
  return true;
}

/// Decodes mov.b128 between a register, or two of 64 bits, and another.
void Decoder::decode_move128(const Operand& to, const Operand& from) {
  const auto slots = [&](const Operand& o, bool is_result) -> std::array<Slot, 2> {
    if (o.kind != Operand::Kind::kVector) return is_result ? wide_result(o) : wide_source(o);
    if (o.elements.size() != 2) refuse("supported: mov.b128 with 2 elements");
    std::array<Slot, 2> both;
    for (unsigned i = 0; i < 2; ++i) {
      const Operand& e = o.elements[i];
      both[i] = is_result ? result(e, Kind::kI64) : source(e, Kind::kI64);
    }
    return both;
  };
  if (from.kind == Operand::Kind::kVector && to.kind == Operand::Kind::kVector) refuse(kOneScalar);
  const std::array<Slot, 2> sources = slots(from, false);
  const std::array<Slot, 2> results = slots(to, true);
  const AluEntry& e = entry("_move128");
  d_.run = e.run;
  for (unsigned i = 0; i < 2; ++i) {
    d_.slot[Decoded::kSource + i] = sources[i];
    d_.slot[i] = results[i];
  }
  emit(e.unit, e.cost);
}

void Decoder::decode_move() {
  expect_operands(2, 2);
  const Operand& to = operand(0);
  const Operand& from = operand(1);
  if (!in_->modifiers.empty() && in_->modifiers.back() == "b128") return decode_move128(to, from);
  if (decode_pack(to, from)) return;
  if (find_register(from) == nullptr) {
    // Special registers that change while the kernel runs.
    if (const AluEntry* e = alu_.find("_" + from.name)) {
      d_.run = e->run;
      d_.slot[0] = result(to, e->signature.kind[0]);
      emit(e->unit, e->cost);
      return;
    }
  }
  const AluEntry& e = entry(canonical_name());
  decode_plain(e);
}

void Decoder::decode_convert() {
  std::vector<std::string> modifiers = in_->modifiers;
  // The table's conversions from a float to an integer type always saturate.
  const AluEntry& e = entry(join("cvt", modifiers));
  const std::size_t count = std::size_t{1} + e.signature.sources;
  expect_operands(count, count);
  if (e.signature.sources >= 2) return decode_plain(e);
  const Kind to = e.signature.kind[0];
  const Kind from = e.signature.kind[1];
  unsigned source_bytes = 0;
  unsigned result_bytes = 0;
  d_.run = e.run;
  d_.slot[2] = any_source(operand(1), from, source_bytes);
  const bool narrows = source_bytes == 8 && kind_bytes(from) < 8;
  if (narrows && (from == Kind::kF32 || from == Kind::kF16)) refuse("the source is too wide");
  d_.slot[0] = any_result(operand(0), result_bytes);
  if (result_bytes < kind_bytes(to)) refuse("the destination is narrower than the type");
  const Type type = type_from_name(modifiers[modifiers.size() - 2]);
  const bool is_signed = type == Type::kS8 || type == Type::kS16 || type == Type::kS32;
  const bool is_float = to == Kind::kF16 || to == Kind::kF32;
  if (is_float && result_bytes != kind_bytes(to) && result_bytes != 4) {
    refuse("the destination is too wide");
  }
  // A narrow signed result is extended to its register; so is any result in a 64-bit register.
  const bool extends = !is_sink(operand(0)) && result_bytes > kind_bytes(to) && !is_float &&
                       (is_signed || result_bytes == 8);
  if (narrows && extends) refuse("source and destination are both wider than their types");
  if (narrows) {
    d_.inner = d_.run;
    d_.run = entry("_narrow_source").run;
  } else if (extends) {
    d_.inner = d_.run;
    d_.run = entry("_extend_result").run;
    d_.aux = 8 * kind_bytes(to) + (is_signed ? 256u : 0u) + (result_bytes == 8 ? 1024u : 0u);
  }
  emit(e.unit, e.cost);
}

/// Instructions across lanes: sources from slot 2, the member mask last; the second result is a
/// predicate ("d|p").
void Decoder::decode_across_lanes() {
  const std::string name = canonical_name();
  const AluEntry& e = entry(name);
  const Signature& s = e.signature;
  expect_operands(std::size_t{1} + s.sources, std::size_t{1} + s.sources);
  for (unsigned i = 0; i < s.sources; ++i) {
    const Operand& o = operand(1 + i);
    const Kind kind = s.kind[1 + i];
    d_.slot[Decoded::kSource + i] =
        kind == Kind::kPred ? predicate_source(o, d_.flip) : source(o, kind);
  }
  const Operand& to = operand(0);
  d_.slot[Decoded::kResult2] = scratch_predicate_;
  if (!to.second_name.empty()) {
    if (in_->opcode == "vote" || in_->opcode == "redux") refuse("it has one destination");
    Operand second;
    second.name = to.second_name;
    d_.slot[Decoded::kResult2] = result(second, Kind::kPred);
  }
  d_.slot[Decoded::kResult] = result(to, s.kind[0]);
  emit_sync(e, name);
}

/// Appends an instruction across lanes. With ".sync", its last source is the member mask.
void Decoder::emit_sync(const AluEntry& e, const std::string& name) {
  WarpSync sync;
  sync.form = name;
  sync.signature = e.signature;
  if (name.find(".sync") != std::string::npos) {
    --sync.signature.sources;
    sync.members = d_.slot[Decoded::kSource + sync.signature.sources];
  }
  if (in_->opcode == "shfl") {
    const auto has = [&](const char* mode) { return name.find(mode) != std::string::npos; };
    sync.shuffle = has(".up")     ? Shuffle::kUp
                   : has(".down") ? Shuffle::kDown
                   : has(".bfly") ? Shuffle::kButterfly
                                  : Shuffle::kIndex;
  }
  d_.run = e.run;
  d_.action = Action::kWarpSync;
  d_.aux = static_cast<std::uint32_t>(kernel_->syncs.size());
  kernel_->syncs.push_back(std::move(sync));
  emit(e.unit, e.cost);
}

/// aux bit 0: the carry flag is read; bit 1: it is written.
void Decoder::decode_carry() {
  const AluEntry& e = entry(canonical_name());
  const std::size_t count = std::size_t{1} + e.signature.sources;
  expect_operands(count, count);
  const bool takes = is_one_of(in_->opcode, {"addc", "subc", "madc"});
  const bool leaves =
      std::find(in_->modifiers.begin(), in_->modifiers.end(), "cc") != in_->modifiers.end();
  d_.aux = (takes ? 1u : 0u) | (leaves ? 2u : 0u);
  d_.slot[Decoded::kResult2] = Slot{BankId::kRegisters, carry_.offset};
  if (takes) reads(carry_);
  if (leaves) writes(carry_);
  decode_plain(e);
}

/// Decodes isspacep. Constant variables are in device memory: the tests of .const and .global need
/// their addresses.
void Decoder::decode_space_test() {
  const AluEntry& e = entry(canonical_name());
  expect_operands(2, 2);
  const std::string& space = in_->modifiers[0];
  if (space == "const" || space == "global") {
    std::vector<Slot> list;
    for (const Variable& v : module_.variables) {
      if (v.space != StateSpace::kConst || v.bytes() == 0) continue;
      list.push_back(launch_symbol(v.name, 0));
      list.push_back(constant64(v.bytes()));
    }
    d_.aux = static_cast<std::uint32_t>(list.size() / 2);
    d_.slot[5] = slot_list(list);
  }
  decode_plain(e);
}

}  // namespace tessera::ptx
