// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics.

#include <algorithm>
#include <array>

#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

namespace {

constexpr const char* kLoadForms =
    "supported: ld/st{.weak,.volatile,.relaxed.scope,.acquire.scope,.release.scope}"
    "{.global,.shared,.local,.const,.param}{.nc}{.ca,.cg,.cs,.lu,.cv,.wb,.wt}{.v2,.v4}"
    ".{b,u,s}{8,16,32,64} or .f16, .f32, .f64, of up to 16 bytes";
constexpr const char* kAtomicForms =
    "supported: atom/red{.relaxed,.acquire,.release,.acq_rel}{.cta,.gpu,.sys}{.global,.shared}"
    ".{add,min,max,inc,dec,and,or,xor,exch,cas}.{u32,s32,b32,u64,s64,b64,f32,f64}, "
    "add.noftz.{f16,f16x2}, cas.b16";

bool is_one_of(const std::string& s, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* x) { return s == x; });
}

/// Cache hints, which do not change values.
bool is_cache_hint(const std::string& m) {
  return is_one_of(m, {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                       "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first",
                       "L2::evict_last", "L2::64B", "L2::128B", "L2::256B"});
}

bool parse_space(const std::string& m, StateSpace& space) {
  if (m == "global")
    space = StateSpace::kGlobal;
  else if (m == "shared" || m == "shared::cta")
    space = StateSpace::kShared;
  else if (m == "local")
    space = StateSpace::kLocal;
  else if (m == "const")
    space = StateSpace::kConst;
  else if (m == "param" || m == "param::entry" || m == "param::func")
    space = StateSpace::kParam;
  else
    return false;
  return true;
}

bool is_signed_type(Type t) {
  return t == Type::kS8 || t == Type::kS16 || t == Type::kS32 || t == Type::kS64;
}

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

bool atomic_type(Type t, AtomicType& to) {
  switch (t) {
    case Type::kU32:
      to = AtomicType::kU32;
      return true;
    case Type::kS32:
      to = AtomicType::kS32;
      return true;
    case Type::kB32:
      to = AtomicType::kB32;
      return true;
    case Type::kF32:
      to = AtomicType::kF32;
      return true;
    case Type::kU64:
      to = AtomicType::kU64;
      return true;
    case Type::kS64:
      to = AtomicType::kS64;
      return true;
    case Type::kB64:
      to = AtomicType::kB64;
      return true;
    case Type::kF64:
      to = AtomicType::kF64;
      return true;
    case Type::kF16x2:
      to = AtomicType::kF16x2;
      return true;
    case Type::kB16:
      to = AtomicType::kB16;
      return true;
    case Type::kF16:
      to = AtomicType::kF16;
      return true;
    default:
      return false;
  }
}

/// Whether an operation is defined for a type.
bool atomic_fits(AtomicOp op, AtomicType t) {
  if (t == AtomicType::kB16) return op == AtomicOp::kCompareAndSwap;
  const bool is_bits = t == AtomicType::kB32 || t == AtomicType::kB64;
  const bool is_float = t == AtomicType::kF32 || t == AtomicType::kF64 || t == AtomicType::kF16x2 ||
                        t == AtomicType::kF16;
  switch (op) {
    case AtomicOp::kAdd:
      return !is_bits;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return !is_bits && !is_float;
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return t == AtomicType::kU32;
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

void Decoder::parse_memory_modifiers(bool is_store, Type& type) {
  MemoryForm& m = d_.memory;
  m.space = StateSpace::kGeneric;
  bool ordered = false;
  bool cta_scope = false;
  fence_before_ = false;
  fence_after_ = false;
  for (const std::string& t : in_->modifiers) {
    if (parse_space(t, m.space) || is_cache_hint(t)) continue;
    if (is_one_of(t, {"weak", "ca", "cs", "lu", "wb"})) continue;
    if (is_one_of(t, {"volatile", "cg", "cv", "wt", "mmio"})) {
      m.scope = CacheScope::kBypassL1;
      if (t == "volatile" || t == "mmio") m.strength = Strength::kGpu;
    } else if (t == "relaxed") {
      ordered = true;
    } else if (t == "acquire" && !is_store) {
      ordered = fence_after_ = true;
    } else if (t == "release" && is_store) {
      ordered = fence_before_ = true;
    } else if (t == "cta") {
      cta_scope = true;
    } else if (is_one_of(t, {"cluster", "gpu", "sys"})) {
      cta_scope = false;
    } else if (t == "nc" && !is_store) {
      m.read_only = true;
    } else if (t == "v2" || t == "v4") {
      m.elements = t == "v2" ? 2 : 4;
    } else if (type = type_from_name(t); type == Type::kNone || &t != &in_->modifiers.back()) {
      refuse("'." + t + "'; " + kLoadForms);
    }
  }
  if (ordered && !cta_scope) m.scope = CacheScope::kBypassL1;
  if (ordered) m.strength = cta_scope ? Strength::kCta : Strength::kGpu;
  const unsigned bytes = type_bytes(type);
  if (bytes == 0 || bytes > 8 || bytes * m.elements > kMaxLaneBytes) refuse(kLoadForms);
  m.element_bytes = static_cast<std::uint8_t>(bytes);
  m.is_signed = is_signed_type(type);
}

/// Decodes the register, or the vector of registers, of a load or store. All elements must have
/// cells of the same width.
void Decoder::data_operands(const Operand& o, Type type, bool is_store) {
  MemoryForm& m = d_.memory;
  std::vector<Operand> elements;
  if (m.elements > 1) {
    if (o.kind != Operand::Kind::kVector || o.elements.size() != m.elements) {
      refuse("a vector of " + std::to_string(m.elements) + " registers is needed");
    }
    elements = o.elements;
  } else {
    elements.push_back(o);
  }
  const unsigned bytes = type_bytes(type);
  const Kind kind = type == Type::kF32   ? Kind::kF32
                    : type == Type::kF64 ? Kind::kF64
                    : bytes == 8         ? Kind::kI64
                    : bytes == 4         ? Kind::kI32
                    : bytes == 2         ? Kind::kI16
                                         : Kind::kI8;
  unsigned cell = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    unsigned register_bytes = 0;
    const bool sink = !is_store && is_sink(elements[i]);
    d_.slot[i] = is_store ? any_source(elements[i], kind, register_bytes)
                          : any_result(elements[i], register_bytes);
    if (sink) continue;
    if (register_bytes < bytes) refuse("register '" + elements[i].name + "' is too narrow");
    const unsigned width = register_bytes == 8 ? 8 : 4;
    if (cell != 0 && cell != width) refuse("the registers of the vector differ in width");
    cell = width;
  }
  m.wide_register = cell == 8;
}

void Decoder::emit_fence() {
  const Decoded kept = d_;
  const std::vector<std::uint32_t> read = read_names_;
  const std::vector<std::uint32_t> written = write_names_;
  begin(*in_);
  d_.action = Action::kFence;
  emit(Unit::kFence, 1);
  d_ = kept;
  read_names_ = read;
  write_names_ = written;
}

/// Kernel parameters and parameters of device functions by name. In hardware the former are in the
/// constant bank and the latter in registers, so that neither is a memory access.
void Decoder::decode_fixed(const AddressOperand& from, bool is_store) {
  const Place* place = find_place(operand(is_store ? 0 : 1).name);
  const std::uint64_t inside = static_cast<std::uint64_t>(from.displacement) - place->offset;
  const std::uint64_t bytes = std::uint64_t{d_.memory.element_bytes} * d_.memory.elements;
  if (inside > place->bytes || inside + bytes > place->bytes) {
    refuse("it runs over the end of the parameter, which has " + std::to_string(place->bytes) +
           " bytes");
  }
  if (from.is_entry_parameter && is_store) refuse("a kernel parameter cannot be written");
  const AluEntry& e = entry(from.is_entry_parameter ? "_load_parameter"
                            : is_store              ? "_store_fixed"
                                                    : "_load_fixed");
  d_.run = e.run;
  d_.slot[5] = Slot{from.is_entry_parameter ? BankId::kParam : BankId::kLocal,
                    static_cast<std::uint32_t>(from.displacement)};
  emit(e.unit, d_.memory.elements);
}

void Decoder::decode_memory() {
  const bool is_store = in_->opcode == "st" || in_->opcode == kSaveOpcode;
  expect_operands(2, 2);
  Type type = Type::kNone;
  parse_memory_modifiers(is_store, type);
  MemoryForm& m = d_.memory;
  const Operand& where = operand(is_store ? 0 : 1);
  data_operands(operand(is_store ? 1 : 0), type, is_store);
  const AddressOperand a = address(where);
  if (a.has_symbol && m.space == StateSpace::kGeneric) m.space = a.space;
  if (m.space == StateSpace::kParam && a.has_symbol) {
    if (a.space != StateSpace::kParam) refuse("'" + where.name + "' is not a parameter");
    return decode_fixed(a, is_store);
  }
  if (a.has_symbol && a.space != m.space) refuse("'" + where.name + "' is in another state space");
  if (m.space == StateSpace::kParam && is_store) refuse("a kernel parameter cannot be written");
  if (m.space == StateSpace::kConst) {
    // Constants are kept in device memory and read as read-only global data.
    if (is_store) refuse("constant memory cannot be written");
    m.space = StateSpace::kGlobal;
    m.read_only = true;
  }
  if (m.read_only && m.space != StateSpace::kGlobal) refuse(".nc needs .global");
  m.wide_address = a.wide;
  d_.slot[Decoded::kAddress] = a.base;
  d_.displacement = a.displacement;
  d_.action = is_store ? Action::kStore : Action::kLoad;
  if (in_->opcode == "ldu") m.read_only = m.space == StateSpace::kGlobal;
  if (fence_before_) emit_fence();
  emit(Unit::kMemory, 1);
  if (fence_after_) emit_fence();
}

void Decoder::decode_atomic() {
  const bool returns = in_->opcode == "atom";
  MemoryForm& m = d_.memory;
  m.space = StateSpace::kGeneric;
  m.scope = CacheScope::kBypassL1;
  m.strength = Strength::kGpu;
  bool has_op = false;
  bool noftz = false;
  Type type = Type::kNone;
  fence_before_ = fence_after_ = false;
  for (const std::string& t : in_->modifiers) {
    if (parse_space(t, m.space) || is_cache_hint(t)) continue;
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
    } else if (type = type_from_name(t); type == Type::kNone || &t != &in_->modifiers.back()) {
      refuse("'." + t + "'; " + kAtomicForms);
    }
  }
  if (!has_op || !atomic_type(type, m.atomic_type) || !atomic_fits(m.atomic, m.atomic_type) ||
      noftz != (type == Type::kF16x2 || type == Type::kF16)) {
    refuse(kAtomicForms);
  }
  if (m.space != StateSpace::kGlobal && m.space != StateSpace::kShared &&
      m.space != StateSpace::kGeneric) {
    refuse(kAtomicForms);
  }
  const std::size_t first = returns ? 1 : 0;
  const bool swaps = m.atomic == AtomicOp::kCompareAndSwap;
  expect_operands(first + (swaps ? 3 : 2), first + (swaps ? 3 : 2));
  const unsigned bytes = atomic_bytes(m.atomic_type);
  m.element_bytes = static_cast<std::uint8_t>(bytes);
  m.wide_register = bytes == 8;
  const Kind kind = type == Type::kF32   ? Kind::kF32
                    : type == Type::kF64 ? Kind::kF64
                    : bytes == 8         ? Kind::kI64
                    : bytes == 2         ? Kind::kI16
                                         : Kind::kI32;
  const AddressOperand a = address(operand(first));
  if (a.has_symbol && m.space == StateSpace::kGeneric) m.space = a.space;
  if (a.has_symbol && a.space != m.space) refuse("the variable is in another state space");
  m.wide_address = a.wide;
  d_.slot[Decoded::kAddress] = a.base;
  d_.displacement = a.displacement;
  // atom.cas d, [a], compare, new
  if (swaps) d_.slot[Decoded::kComparand] = source(operand(first + 1), kind);
  d_.slot[Decoded::kOperand] = source(operand(first + (swaps ? 2 : 1)), kind);
  d_.slot[Decoded::kResult] = returns ? result(operand(0), kind) : scratch_;
  d_.action = Action::kAtomic;
  if (fence_before_) emit_fence();
  emit(Unit::kMemory, 1);
  if (fence_after_) emit_fence();
}

}  // namespace tessera::ptx
