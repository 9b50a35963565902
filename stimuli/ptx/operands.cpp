// SPDX-License-Identifier: Apache-2.0
// Operands of the decoder: registers, immediates, special registers, addresses.

#include <algorithm>
#include <cstring>

#include "common/text.h"
#include "stimuli/ptx/constant.h"
#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

namespace {

std::uint32_t float_bits(double v) {
  const auto f = static_cast<float>(v);
  std::uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

}  // namespace

const Decoder::Register* Decoder::find_register(const Operand& o) const {
  if (o.kind != Operand::Kind::kRegister && o.kind != Operand::Kind::kSymbol) return nullptr;
  static constexpr const char* kComponents[] = {".x", ".y", ".z", ".w"};
  if (o.component >= 0 && o.component < 4) {
    const auto it = registers_.find(o.name + kComponents[o.component]);
    if (it != registers_.end()) return &it->second;
  }
  const auto it = registers_.find(o.name);
  return it == registers_.end() ? nullptr : &it->second;
}

const Decoder::Place* Decoder::find_place(const std::string& name) const {
  const auto it = places_.find(name);
  return it == places_.end() ? nullptr : &it->second;
}

bool Decoder::is_sink(const Operand& o) const {
  return o.kind == Operand::Kind::kSink || o.name == "_";
}

const Operand& Decoder::operand(std::size_t i) const {
  if (i >= in_->operands.size()) refuse("operand " + std::to_string(i + 1) + " is missing");
  return in_->operands[i];
}

void Decoder::expect_operands(std::size_t least, std::size_t most) const {
  const std::size_t n = in_->operands.size();
  if (n >= least && n <= most) return;
  refuse("it has " + std::to_string(n) + " operands instead of " + std::to_string(least) +
         (most != least ? " to " + std::to_string(most) : ""));
}

void Decoder::reads(const Register& r) {
  if (std::find(read_names_.begin(), read_names_.end(), r.name) == read_names_.end()) {
    read_names_.push_back(r.name);
  }
}

void Decoder::writes(const Register& r) {
  if (std::find(write_names_.begin(), write_names_.end(), r.name) == write_names_.end()) {
    write_names_.push_back(r.name);
  }
}

Slot Decoder::source(const Operand& o, Kind kind) {
  if (const Register* r = find_register(o)) {
    if (r->bytes != kind_bytes(kind)) {
      refuse("register '" + o.name + "' has " +
             (r->bytes == 0 ? std::string("type .pred") : std::to_string(8 * r->bytes) + " bits") +
             " where " +
             (kind == Kind::kPred ? std::string("a predicate")
                                  : std::to_string(8 * kind_bytes(kind)) + " bits") +
             " are needed");
    }
    if (o.negated) refuse("'" + o.name + "' cannot be negated here");
    reads(*r);
    return Slot{BankId::kRegisters, r->offset};
  }
  if (o.kind == Operand::Kind::kInteger || o.kind == Operand::Kind::kFloat) {
    return constant(o, kind);
  }
  std::string name = o.name;
  static constexpr const char* kComponents[] = {".x", ".y", ".z", ".w"};
  if (o.component >= 0 && o.component < 4 && name.find('.') == std::string::npos) {
    name += kComponents[o.component];
  }
  Slot slot;
  if (special_register(name, slot)) {
    // Special registers have 32-bit cells; a 16-bit instruction reads the low half.
    const bool is_predicate = name == "%is_explicit_cluster";
    const bool is_wide = name == "%gridid" || name == "%current_graph_exec";
    if (kind == Kind::kPred && is_predicate) return constant_mask(0);
    if ((kind == Kind::kI32 || kind == Kind::kI16) && !is_predicate) return slot;
    if (kind == Kind::kI64 && is_wide) return constant64(0);
    refuse("special register '" + name + "' has 32 bits");
  }
  if (o.kind == Operand::Kind::kSymbol || find_place(o.name) != nullptr) {
    return symbol_address(o.name, o.integer, kind);
  }
  if (begins_with(name, "%envreg")) {
    refuse("register '" + name + "' is the driver's; supported: %envreg1 and %envreg2, the " +
           "address of a cooperative launch's workspace");
  }
  if (begins_with(name, "%")) refuse("register '" + name + "' is not declared or not supported");
  refuse("operand '" + name + "' is not of a kind that can stand here");
}

Slot Decoder::predicate_source(const Operand& o, std::uint32_t& flip) {
  flip = o.negated ? kAllLanes : 0;
  Operand plain = o;
  plain.negated = false;
  return source(plain, Kind::kPred);
}

Slot Decoder::result(const Operand& o, Kind kind) {
  if (is_sink(o)) return kind == Kind::kPred ? scratch_predicate_ : scratch_;
  const Register* r = find_register(o);
  if (r == nullptr) refuse("destination '" + o.name + "' is not a declared register");
  if (r->bytes != kind_bytes(kind)) {
    refuse("destination '" + o.name + "' has " + std::to_string(8 * r->bytes) +
           " bits instead of " + std::to_string(8 * kind_bytes(kind)));
  }
  writes(*r);
  return Slot{BankId::kRegisters, r->offset};
}

Slot Decoder::any_source(const Operand& o, Kind kind, unsigned& bytes) {
  if (const Register* r = find_register(o)) {
    if (r->bytes < std::max(1u, kind_bytes(kind))) {
      refuse("register '" + o.name + "' is narrower than the type");
    }
    if (r->bytes > 8) refuse("register '" + o.name + "' has 128 bits");
    bytes = r->bytes;
    reads(*r);
    return Slot{BankId::kRegisters, r->offset};
  }
  bytes = kind_bytes(kind);
  return source(o, kind);
}

Slot Decoder::any_result(const Operand& o, unsigned& bytes) {
  if (is_sink(o)) {
    bytes = 8;
    return scratch_;
  }
  const Register* r = find_register(o);
  if (r == nullptr) refuse("destination '" + o.name + "' is not a declared register");
  if (r->bytes == 0) refuse("destination '" + o.name + "' is a predicate");
  if (r->bytes > 8) refuse("destination '" + o.name + "' has 128 bits");
  bytes = r->bytes;
  writes(*r);
  return Slot{BankId::kRegisters, r->offset};
}

namespace {

/// The two 64-bit vectors of a 128-bit register.
std::array<Slot, 2> halves(std::uint32_t offset) {
  return {Slot{BankId::kRegisters, offset}, Slot{BankId::kRegisters, offset + kVector64}};
}

}  // namespace

std::array<Slot, 2> Decoder::wide_source(const Operand& o) {
  const Register* r = find_register(o);
  if (r == nullptr || r->bytes != 16) refuse("'" + o.name + "' is not a register of 128 bits");
  reads(*r);
  return halves(r->offset);
}

std::array<Slot, 2> Decoder::wide_result(const Operand& o) {
  if (is_sink(o)) return {scratch_, scratch_};
  const Register* r = find_register(o);
  if (r == nullptr || r->bytes != 16) refuse("'" + o.name + "' is not a register of 128 bits");
  writes(*r);
  return halves(r->offset);
}

Slot Decoder::constant(const Operand& o, Kind kind) {
  const bool is_float = o.kind == Operand::Kind::kFloat;
  const auto integer = static_cast<std::uint64_t>(o.integer);
  switch (kind) {
    case Kind::kPred:
      if (is_float) break;
      return constant_mask(o.integer != 0 ? kAllLanes : 0);
    case Kind::kF32:
      if (is_float) return constant32(float_bits(double_of_bits(o.float_bits)));
      return constant32(float_bits(static_cast<double>(o.integer)));
    case Kind::kF64:
      if (is_float) return constant64(o.float_bits);
      return constant64([&] {
        const auto v = static_cast<double>(o.integer);
        std::uint64_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        return bits;
      }());
    case Kind::kI32:
      // Untyped moves of float literals: mov.b32 %r1, 0f3F800000.
      if (is_float) return constant32(float_bits(double_of_bits(o.float_bits)));
      return constant32(static_cast<std::uint32_t>(integer));
    case Kind::kI64:
      return constant64(is_float ? o.float_bits : integer);
    case Kind::kI8:
      if (is_float) break;
      return constant32(static_cast<std::uint8_t>(integer));
    case Kind::kI16:
    case Kind::kF16:
      if (is_float) break;
      return constant32(static_cast<std::uint16_t>(integer));
  }
  refuse("a floating-point literal cannot stand here");
}

std::int64_t Decoder::immediate(const Operand& o) const {
  if (o.kind != Operand::Kind::kInteger) refuse("an integer constant is missing");
  return o.integer;
}

Slot Decoder::constant32(std::uint32_t value) {
  const auto [it, fresh] = constant_offsets_.try_emplace({4u, value}, 0);
  if (fresh) {
    it->second = static_cast<std::uint32_t>(kernel_->constants.size());
    std::array<std::uint32_t, kWarpLanes> lanes;
    lanes.fill(value);
    return constant_vector(lanes);
  }
  return Slot{BankId::kConstants, it->second};
}

Slot Decoder::constant64(std::uint64_t value) {
  const auto [it, fresh] = constant_offsets_.try_emplace({8u, value}, 0);
  if (fresh) {
    it->second = static_cast<std::uint32_t>(kernel_->constants.size());
    kernel_->constants.resize(it->second + kVector64);
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      std::memcpy(kernel_->constants.data() + it->second + 8 * i, &value, 8);
    }
  }
  return Slot{BankId::kConstants, it->second};
}

Slot Decoder::constant_vector(const std::array<std::uint32_t, kWarpLanes>& lanes) {
  const auto offset = static_cast<std::uint32_t>(kernel_->constants.size());
  kernel_->constants.resize(offset + kVector32);
  std::memcpy(kernel_->constants.data() + offset, lanes.data(), kVector32);
  return Slot{BankId::kConstants, offset};
}

Slot Decoder::constant_bytes(const void* data, std::size_t bytes) {
  const auto offset = static_cast<std::uint32_t>(kernel_->constants.size());
  // A multiple of whole vectors, so that the bank stays aligned.
  const std::size_t whole = std::max<std::size_t>((bytes + kVector64 - 1) / kVector64, 1);
  kernel_->constants.resize(offset + whole * kVector64);
  if (bytes != 0) std::memcpy(kernel_->constants.data() + offset, data, bytes);
  return Slot{BankId::kConstants, offset};
}

Slot Decoder::constant_mask(std::uint32_t mask) {
  // A whole vector, so that the bank stays aligned.
  return constant32(mask);
}

bool Decoder::special_register(const std::string& name, Slot& slot) {
  static const std::map<std::string, Slot> fixed = [] {
    std::map<std::string, Slot> m;
    const char* axes[] = {".x", ".y", ".z"};
    for (std::uint32_t a = 0; a < 3; ++a) {
      m[std::string("%tid") + axes[a]] = Slot{BankId::kThread, a * kVector32};
      m[std::string("%ctaid") + axes[a]] = Slot{BankId::kCta, a * kVector32};
      m[std::string("%ntid") + axes[a]] = Slot{BankId::kLaunch, LaunchBank::kNtid + a * kVector32};
      m[std::string("%nctaid") + axes[a]] =
          Slot{BankId::kLaunch, LaunchBank::kNctaid + a * kVector32};
      // A cluster has one CTA.
      m[std::string("%clusterid") + axes[a]] = m[std::string("%ctaid") + axes[a]];
      m[std::string("%nclusterid") + axes[a]] = m[std::string("%nctaid") + axes[a]];
    }
    m["%aggr_smem_size"] = Slot{BankId::kLaunch, LaunchBank::kTotalShared};
    m["%dynamic_smem_size"] = Slot{BankId::kLaunch, LaunchBank::kDynamicShared};
    m["%total_smem_size"] = Slot{BankId::kLaunch, LaunchBank::kTotalShared};
    m["%nwarpid"] = Slot{BankId::kLaunch, LaunchBank::kNwarps};
    return m;
  }();
  const auto it = fixed.find(name);
  if (it != fixed.end()) {
    slot = it->second;
    return true;
  }
  const auto per_lane = [&](auto f) {
    std::array<std::uint32_t, kWarpLanes> lanes;
    for (std::uint32_t i = 0; i < kWarpLanes; ++i) lanes[i] = f(i);
    slot = constant_vector(lanes);
    return true;
  };
  if (name == "%laneid") return per_lane([](std::uint32_t i) { return i; });
  if (name == "%lanemask_eq") return per_lane([](std::uint32_t i) { return 1u << i; });
  if (name == "%lanemask_lt") return per_lane([](std::uint32_t i) { return (1u << i) - 1; });
  if (name == "%lanemask_le") return per_lane([](std::uint32_t i) { return (2u << i) - 1; });
  if (name == "%lanemask_gt") return per_lane([](std::uint32_t i) { return ~((2u << i) - 1); });
  if (name == "%lanemask_ge") return per_lane([](std::uint32_t i) { return ~((1u << i) - 1); });
  static constexpr const char* kZeros[] = {"%gridid",
                                           "%tid.w",
                                           "%ctaid.w",
                                           "%clusterid.w",
                                           "%cluster_ctaid.x",
                                           "%cluster_ctaid.y",
                                           "%cluster_ctaid.z",
                                           "%cluster_ctaid.w",
                                           "%cluster_ctarank",
                                           "%is_explicit_cluster",
                                           "%current_graph_exec"};
  static constexpr const char* kOnes[] = {
      "%ntid.w",           "%nctaid.w",         "%nclusterid.w",     "%cluster_nctaid.x",
      "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_nctaid.w", "%cluster_nctarank"};
  const auto is_in = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (is_in(kZeros) || is_in(kOnes)) {
    slot = constant32(is_in(kOnes) ? 1 : 0);
    return true;
  }
  if (name == "%reserved_smem_offset_1") {
    slot = constant32(reserved_shared_);
    return true;
  }
  if (name == "%envreg1" || name == "%envreg2") {
    if (kernel_->workspace_offset == 0) {
      kernel_->workspace_offset = kernel_->launch_bytes;
      kernel_->launch_bytes += 2 * kVector32;
    }
    slot = Slot{BankId::kLaunch, kernel_->workspace_offset + (name == "%envreg1" ? 0u : kVector32)};
    return true;
  }
  return false;
}

Slot Decoder::launch_symbol(const std::string& name, std::int64_t addend) {
  const auto [it, fresh] = launch_symbols_.try_emplace({name, addend}, kernel_->launch_bytes);
  if (fresh) {
    kernel_->symbols.push_back(SymbolUse{name, addend, it->second});
    kernel_->launch_bytes += kVector64;
  }
  return Slot{BankId::kLaunch, it->second};
}

/// The address of a variable within its own space, as a value.
Slot Decoder::symbol_address(const std::string& name, std::int64_t offset, Kind kind) {
  if (name == kStackTop) return Slot{BankId::kLaunch, kernel_->stack_top_offset};
  const Place* place = find_place(name);
  if (place == nullptr && module_.function(name) != nullptr) {
    const std::uint64_t address = function_address(module_, name);
    if (address == 0) refuse("'" + name + "' is a kernel; supported: addresses of functions");
    if (kind != Kind::kI64) refuse("the address of '" + name + "' has 64 bits");
    return constant64(address + static_cast<std::uint64_t>(offset));
  }
  if (place == nullptr) refuse("'" + name + "' is not declared");
  if (kind == Kind::kI64 && offset == 0 && is_texture_reference(name)) {
    return texture_reference(name);
  }
  if (place->space == StateSpace::kGlobal || place->space == StateSpace::kConst) {
    if (kind != Kind::kI64) refuse("the address of '" + name + "' has 64 bits");
    return launch_symbol(name, offset);
  }
  const std::uint64_t value = place->offset + static_cast<std::uint64_t>(offset);
  if (kind == Kind::kI64) return constant64(value);
  if (kind == Kind::kI32) return constant32(static_cast<std::uint32_t>(value));
  refuse("the address of '" + name + "' does not fit the type");
}

Decoder::AddressOperand Decoder::address(const Operand& o) {
  if (o.kind != Operand::Kind::kAddress) refuse("an address in brackets is missing");
  if (!o.elements.empty()) refuse("an address has one part here");
  AddressOperand a;
  a.displacement = o.integer;
  Operand base;
  base.name = o.name;
  base.component = o.component;
  if (o.name.empty()) {
    a.base = constant64(0);
    return a;
  }
  if (const Register* r = find_register(base)) {
    if (r->bytes != 8 && r->bytes != 4) refuse("address register '" + o.name + "' is too narrow");
    a.wide = r->bytes == 8;
    reads(*r);
    a.base = Slot{BankId::kRegisters, r->offset};
    return a;
  }
  const Place* place = find_place(o.name);
  if (place == nullptr) refuse("'" + o.name + "' is not declared");
  a.has_symbol = true;
  a.space = place->space;
  a.is_entry_parameter = place->is_entry_parameter;
  if (place->space == StateSpace::kGlobal || place->space == StateSpace::kConst) {
    a.base = launch_symbol(o.name, 0);
  } else {
    a.base = constant64(0);
    a.displacement += static_cast<std::int64_t>(place->offset);
  }
  return a;
}

}  // namespace tessera::ptx
