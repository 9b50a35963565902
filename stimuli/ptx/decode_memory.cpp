// SPDX-License-Identifier: Apache-2.0
// Loads and stores.

#include <algorithm>
#include <array>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

constexpr const char* kLoadForms =
    "supported: ld/st{.weak,.volatile,.relaxed.scope,.acquire.scope,.release.scope}"
    "{.global,.shared,.local,.const,.param}{.nc}{.ca,.cg,.cs,.lu,.cv,.wb,.wt}{.v2,.v4}"
    ".{b,u,s}{8,16,32,64} or .f16, .f32, .f64, of up to 16 bytes, .b128";

bool is_signed_type(Type t) {
  return t == Type::kS8 || t == Type::kS16 || t == Type::kS32 || t == Type::kS64;
}

}  // namespace

/// Eviction priorities, prefetch sizes and cache policies (PTX ISA 9.7.9.8, ld). They do not change
/// values, and no cache of the model evicts or prefetches by them. CacheScope has no meaning for
/// L1::no_allocate: CacheScope::kBypassL1 is an access that reaches the line's home.
bool Decoder::take_cache_hint(const std::string& m) {
  if (m == "L2::cache_hint") {
    hinted_ = true;
    return true;
  }
  return is_one_of(m, {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                       "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first",
                       "L2::evict_last", "L2::64B", "L2::128B", "L2::256B"});
}

/// Expects `count` operands, and behind them the policy of .L2::cache_hint.
void Decoder::expect_with_policy(std::size_t count) {
  if (hinted_) ++count;
  expect_operands(count, count);
  if (hinted_) source(in_->operands.back(), Kind::kI64);
}

bool Decoder::parse_space(const std::string& m, StateSpace& space) {
  if (m == "global")
    space = StateSpace::kGlobal;
  else if (m == "shared" || m == "shared::cta" || m == "shared::cluster")
    space = StateSpace::kShared;  // a cluster has one CTA
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

void Decoder::parse_memory_modifiers(bool is_store, Type& type) {
  MemoryForm& m = d_.memory;
  m.space = StateSpace::kGeneric;
  bool ordered = false;
  bool cta_scope = false;
  fence_before_ = fence_after_ = hinted_ = false;
  for (const std::string& t : in_->modifiers) {
    if (parse_space(t, m.space) || take_cache_hint(t)) continue;
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
  if (bytes == 0 || bytes * m.elements > kMaxLaneBytes) refuse(kLoadForms);
  m.element_bytes = static_cast<std::uint8_t>(bytes);
  m.is_signed = is_signed_type(type);
}

/// Decodes the register, or the vector of registers, of a load or store. All elements must have
/// cells of the same width.
void Decoder::data_operands(const Operand& o, Type type, bool is_store) {
  MemoryForm& m = d_.memory;
  if (type == Type::kB128) {
    // Two elements of 64 bits.
    const std::array<Slot, 2> halves = is_store ? wide_source(o) : wide_result(o);
    std::copy(halves.begin(), halves.end(), d_.slot.begin());
    m.element_bytes = 8;
    m.elements = 2;
    m.wide_register = true;
    return;
  }
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
  Type type = Type::kNone;
  parse_memory_modifiers(is_store, type);
  expect_with_policy(2);
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

}  // namespace tessera::ptx
