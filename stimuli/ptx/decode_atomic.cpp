// SPDX-License-Identifier: Apache-2.0
// Atomics: atom and red (PTX ISA 9.7.13.5, 9.7.13.6). The operand of a lane has up to 16 bytes: a
// scalar, a vector (.v2 to .v8), or 128 bits.

#include <algorithm>
#include <array>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

constexpr const char* kAtomicForms =
    "supported: atom/red{.relaxed,.acquire,.release,.acq_rel}{.cta,.gpu,.sys}{.global,.shared}"
    ".{add,min,max,inc,dec,and,or,xor,exch,cas}.{u32,s32,b32,u64,s64,b64,f32,f64}, "
    "add.noftz.{f16,f16x2,bf16,bf16x2}, cas.b16, {exch,cas}.b128; .global only: add.{v2,v4}.f32, "
    "{add,min,max}.noftz.{v2,v4,v8}.{f16,bf16}, {add,min,max}.noftz.{v2,v4}.{f16x2,bf16x2}";

struct AtomicName {
  const char* name;
  AtomicOp op;
};
constexpr std::array<AtomicName, 10> kAtomics = {{{"add", AtomicOp::kAdd},
                                                  {"min", AtomicOp::kMin},
                                                  {"max", AtomicOp::kMax},
                                                  {"inc", AtomicOp::kInc},
                                                  {"dec", AtomicOp::kDec},
                                                  {"and", AtomicOp::kAnd},
                                                  {"or", AtomicOp::kOr},
                                                  {"xor", AtomicOp::kXor},
                                                  {"exch", AtomicOp::kExchange},
                                                  {"cas", AtomicOp::kCompareAndSwap}}};

struct TypeName {
  Type type;
  unsigned vector;  ///< registers of the operand; 1: a scalar
  AtomicType atomic;
};
constexpr std::array<TypeName, 26> kTypes = {
    {{Type::kU32, 1, AtomicType::kU32},       {Type::kS32, 1, AtomicType::kS32},
     {Type::kB32, 1, AtomicType::kB32},       {Type::kF32, 1, AtomicType::kF32},
     {Type::kU64, 1, AtomicType::kU64},       {Type::kS64, 1, AtomicType::kS64},
     {Type::kB64, 1, AtomicType::kB64},       {Type::kF64, 1, AtomicType::kF64},
     {Type::kB16, 1, AtomicType::kB16},       {Type::kF16, 1, AtomicType::kF16},
     {Type::kF16x2, 1, AtomicType::kF16x2},   {Type::kBf16, 1, AtomicType::kBf16},
     {Type::kBf16x2, 1, AtomicType::kBf16x2}, {Type::kB128, 1, AtomicType::kB128},
     {Type::kF32, 2, AtomicType::kF32x2},     {Type::kF32, 4, AtomicType::kF32x4},
     {Type::kF16, 2, AtomicType::kF16x2},     {Type::kF16, 4, AtomicType::kF16x4},
     {Type::kF16, 8, AtomicType::kF16x8},     {Type::kF16x2, 2, AtomicType::kF16x4},
     {Type::kF16x2, 4, AtomicType::kF16x8},   {Type::kBf16, 2, AtomicType::kBf16x2},
     {Type::kBf16, 4, AtomicType::kBf16x4},   {Type::kBf16, 8, AtomicType::kBf16x8},
     {Type::kBf16x2, 2, AtomicType::kBf16x4}, {Type::kBf16x2, 4, AtomicType::kBf16x8}}};

bool is_small_float(Type t) {
  return t == Type::kF16 || t == Type::kF16x2 || t == Type::kBf16 || t == Type::kBf16x2;
}

bool atomic_type(Type t, unsigned vector, AtomicType& to) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& n) {
    return n.type == t && n.vector == vector;
  });
  if (found == kTypes.end()) return false;
  to = found->atomic;
  return true;
}

/// Whether an operation is defined for a type.
bool atomic_fits(AtomicOp op, Type t, unsigned vector) {
  const bool is_bits = t == Type::kB32 || t == Type::kB64;
  const bool is_float = t == Type::kF32 || t == Type::kF64 || is_small_float(t);
  if (t == Type::kB16) return op == AtomicOp::kCompareAndSwap;
  if (t == Type::kB128) {
    return op == AtomicOp::kExchange || op == AtomicOp::kCompareAndSwap;
  }
  switch (op) {
    case AtomicOp::kAdd:
      return !is_bits;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return !is_bits && (!is_float || (is_small_float(t) && vector > 1));
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return t == Type::kU32;
    case AtomicOp::kAnd:
    case AtomicOp::kOr:
    case AtomicOp::kXor:
      return is_bits;
    case AtomicOp::kExchange:
    case AtomicOp::kCompareAndSwap:
      return !is_float;
  }
  return false;
}

}  // namespace

/// Reads the modifiers, in any order. Returns the type of a register; `vector`: the number of
/// registers.
Type Decoder::parse_atomic_modifiers(unsigned& vector) {
  MemoryForm& m = d_.memory;
  m.space = StateSpace::kGeneric;
  m.scope = CacheScope::kBypassL1;
  m.strength = Strength::kGpu;
  bool has_op = false;
  bool noftz = false;
  Type type = Type::kNone;
  fence_before_ = fence_after_ = hinted_ = false;
  for (const std::string& t : in_->modifiers) {
    if (parse_space(t, m.space) || take_cache_hint(t)) continue;
    if (t == "cta") m.strength = Strength::kCta;
    if (is_one_of(t, {"relaxed", "cta", "cluster", "gpu", "sys"})) continue;
    const auto op = std::find_if(kAtomics.begin(), kAtomics.end(),
                                 [&](const AtomicName& a) { return t == a.name; });
    if (is_one_of(t, {"acquire", "acq_rel", "release"})) {
      fence_before_ = t != "acquire";
      fence_after_ = t != "release";
    } else if (op != kAtomics.end() && !has_op) {
      has_op = true;
      m.atomic = op->op;
    } else if (t == "noftz") {
      noftz = true;
    } else if (is_one_of(t, {"v2", "v4", "v8"}) && vector == 1) {
      vector = static_cast<unsigned>(t[1] - '0');
    } else if (type != Type::kNone || (type = type_from_name(t)) == Type::kNone) {
      refuse("'." + t + "'; " + kAtomicForms);
    }
  }
  if (!has_op || !atomic_type(type, vector, m.atomic_type) ||
      !atomic_fits(m.atomic, type, vector) || noftz != is_small_float(type)) {
    refuse(kAtomicForms);
  }
  return type;
}

/// Decodes result, operand and comparand. `first`: the operand after the address.
void Decoder::atomic_operands(std::size_t first, Type type, unsigned vector) {
  MemoryForm& m = d_.memory;
  const bool returns = in_->opcode == "atom";
  const bool swaps = m.atomic == AtomicOp::kCompareAndSwap;
  const unsigned bytes = atomic_bytes(m.atomic_type);
  m.element_bytes = static_cast<std::uint8_t>(bytes);
  if (vector == 1 && bytes <= 8) {
    m.wide_register = bytes == 8;
    const Kind kind = type == Type::kF32   ? Kind::kF32
                      : type == Type::kF64 ? Kind::kF64
                      : bytes == 8         ? Kind::kI64
                      : bytes == 2         ? Kind::kI16
                                           : Kind::kI32;
    // atom.cas d, [a], compare, new
    if (swaps) d_.slot[Decoded::kComparand] = source(operand(first), kind);
    d_.slot[Decoded::kOperand] = source(operand(first + (swaps ? 1 : 0)), kind);
    d_.slot[Decoded::kResult] = returns ? result(operand(0), kind) : scratch_;
    return;
  }
  // Several registers, or the halves of 128 bits: the slots of the result, of the operand, and of
  // the comparand.
  std::vector<Slot> slots;
  const auto add = [&](const Operand& o, bool is_result) {
    if (vector == 1) {
      const std::array<Slot, 2> halves = is_result ? wide_result(o) : wide_source(o);
      slots.insert(slots.end(), halves.begin(), halves.end());
      return;
    }
    if (o.kind != Operand::Kind::kVector || o.elements.size() != vector) {
      refuse("a vector of " + std::to_string(vector) + " registers is needed");
    }
    const Kind kind = bytes / vector == 2  ? Kind::kI16
                      : type == Type::kF32 ? Kind::kF32
                                           : Kind::kI32;
    for (const Operand& e : o.elements)
      slots.push_back(is_result ? result(e, kind) : source(e, kind));
  };
  m.parts = static_cast<std::uint8_t>(vector == 1 ? 2 : vector);
  if (returns) {
    add(operand(0), true);
  } else {
    slots.assign(m.parts, scratch_);
  }
  add(operand(first + (swaps ? 1 : 0)), false);
  if (swaps) add(operand(first), false);
  d_.slot[Decoded::kParts] = slot_list(slots);
}

void Decoder::decode_atomic() {
  unsigned vector = 1;
  const Type type = parse_atomic_modifiers(vector);
  MemoryForm& m = d_.memory;
  const bool vectors = vector > 1;
  const bool fits = m.space == StateSpace::kGlobal || m.space == StateSpace::kGeneric ||
                    (m.space == StateSpace::kShared && !vectors);
  if (!fits) refuse(kAtomicForms);
  const std::size_t first = in_->opcode == "atom" ? 1 : 0;
  expect_with_policy(first + (m.atomic == AtomicOp::kCompareAndSwap ? 3 : 2));
  const AddressOperand a = address(operand(first));
  if (a.has_symbol && m.space == StateSpace::kGeneric) m.space = a.space;
  if (a.has_symbol && a.space != m.space) refuse("the variable is in another state space");
  m.wide_address = a.wide;
  d_.slot[Decoded::kAddress] = a.base;
  d_.displacement = a.displacement;
  atomic_operands(first + 1, type, vector);
  d_.action = Action::kAtomic;
  if (fence_before_) emit_fence();
  emit(Unit::kMemory, 1);
  if (fence_after_) emit_fence();
}

}  // namespace tessera::ptx
