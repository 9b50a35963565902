// SPDX-License-Identifier: Apache-2.0
// wmma (PTX ISA 9.7.14). A load or store is decoded to an address computation and vector accesses.
// An accumulator in column order is transposed within the warp. matrix.h describes the layout.

#include <algorithm>
#include <cstring>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/matrix.h"

namespace tessera::ptx {

namespace {

constexpr const char* kMatrixForms =
    "supported: wmma.{load.a,load.b,load.c,store.d}.sync.aligned.{row,col}"
    ".{m16n16k16,m32n8k16,m8n32k16}{.global,.shared}.{f16,bf16,u8,s8 (a, b),f32,s32 (c, d)}, "
    "wmma.mma.sync.aligned.{row,col}.{row,col}.shape.{f16,f32}.{f16,f32}, .f32.bf16.bf16.f32, "
    ".s32.{u8.u8,s8.s8}.s32{.satfinite}";

unsigned element_bytes(const std::string& type) {
  return type == "f32" || type == "s32" ? 4 : type == "u8" || type == "s8" ? 1 : 2;
}

/// Hidden registers of kernels with wmma; '@' is not valid in PTX names.
constexpr const char* kAddresses[] = {"wmma@address0", "wmma@address1"};
constexpr const char* kTransposed[] = {"wmma@data0", "wmma@data1", "wmma@data2", "wmma@data3",
                                       "wmma@data4", "wmma@data5", "wmma@data6", "wmma@data7"};

unsigned log2_of(unsigned power) { return static_cast<unsigned>(__builtin_ctz(power)); }

Operand named(const char* name) {
  Operand o;
  o.name = name;
  return o;
}

}  // namespace

void declare_matrix_registers(Function& function) {
  const bool used = std::any_of(function.body.begin(), function.body.end(),
                                [](const Instruction& i) { return i.opcode == "wmma"; });
  if (!used) return;
  const auto declare = [&](const char* name, Type type) {
    Variable v;
    v.line = function.line;
    v.type = type;
    v.name = name;
    function.variables.push_back(std::move(v));
  };
  for (const char* name : kAddresses) declare(name, Type::kB64);
  for (const char* name : kTransposed) declare(name, Type::kB32);
}

/// The modifiers of a wmma instruction, in any order that the manual permits.
struct Decoder::WmmaForm {
  std::string what;  ///< "load.a", "store.d", "mma"
  StateSpace space = StateSpace::kGeneric;
  unsigned rows = 0;     ///< M
  unsigned columns = 0;  ///< N
  std::vector<bool> by_rows;
  std::vector<std::string> types;
  bool saturates = false;
};

Decoder::WmmaForm Decoder::parse_wmma() const {
  WmmaForm form;
  bool sync = false;
  bool aligned = false;
  for (const std::string& m : in_->modifiers) {
    if (form.what.empty()) {
      form.what = m;
    } else if (form.what == "load" || form.what == "store") {
      form.what += "." + m;
    } else if (m == "sync") {
      sync = true;
    } else if (m == "aligned") {
      aligned = true;
    } else if (m == "row" || m == "col") {
      form.by_rows.push_back(m == "row");
    } else if (m == "global") {
      form.space = StateSpace::kGlobal;
    } else if (m == "shared" || m == "shared::cta") {
      form.space = StateSpace::kShared;
    } else if (m == "m16n16k16" || m == "m32n8k16" || m == "m8n32k16") {
      form.rows = m[1] == '8' ? 8 : m[1] == '1' ? 16 : 32;
      form.columns = 256 / form.rows;
    } else if (m == "f16" || m == "f32" || m == "bf16" || m == "s32" || m == "u8" || m == "s8") {
      form.types.push_back(m);
    } else if (m == "satfinite" && form.what == "mma") {
      form.saturates = true;
    } else {
      refuse("'." + m + "'; " + kMatrixForms);
    }
  }
  if (!sync || !aligned || form.rows == 0) refuse(kMatrixForms);
  return form;
}

Slot Decoder::slot_list(const std::vector<Slot>& slots) {
  const auto offset = static_cast<std::uint32_t>(kernel_->constants.size());
  // A multiple of whole vectors, so that the bank stays aligned.
  const std::size_t bytes = (slots.size() * sizeof(Slot) + kVector64 - 1) / kVector64 * kVector64;
  kernel_->constants.resize(offset + std::max<std::size_t>(bytes, kVector64));
  if (!slots.empty()) {
    std::memcpy(kernel_->constants.data() + offset, slots.data(), slots.size() * sizeof(Slot));
  }
  return Slot{BankId::kConstants, offset};
}

/// The registers of a fragment operand; their number must be `expected`.
std::vector<Operand> Decoder::fragment(const Operand& o, unsigned expected) const {
  if (o.kind != Operand::Kind::kVector || o.elements.size() != expected) {
    refuse("a fragment of " + std::to_string(expected) + " registers is needed, not of " +
           std::to_string(o.elements.size()));
  }
  return o.elements;
}

void Decoder::decode_wmma() {
  const WmmaForm form = parse_wmma();
  if (form.what == "mma") return decode_wmma_multiply(form);
  const bool is_store = form.what == "store.d";
  const char role = form.what.back();
  const bool accumulator = role == 'c' || role == 'd';
  const bool known =
      is_store || form.what == "load.a" || form.what == "load.b" || form.what == "load.c";
  if (!known || form.types.size() != 1 || form.by_rows.size() != 1) refuse(kMatrixForms);
  const std::string& type = form.types[0];
  const unsigned element = element_bytes(type);
  if (type != "f16" && accumulator != (element == 4)) refuse(kMatrixForms);
  expect_operands(2, 3);

  const unsigned depth = MatrixProduct::kDepth;
  const unsigned rows = role == 'b' ? depth : form.rows;
  const unsigned columns = role == 'a' ? depth : form.columns;
  const unsigned bytes = rows * columns * element;
  const unsigned line = (form.by_rows[0] ? columns : rows) * element;
  const unsigned count = fragment_registers(bytes);
  // Fragments of .f16 matrices have eight registers in the manual, independent of their size.
  const unsigned expected = !accumulator && type == "f16" ? 8 : count;
  const std::vector<Operand> data = fragment(operand(is_store ? 1 : 0), expected);
  const bool transposes = accumulator && !form.by_rows[0];
  const FragmentTranspose turned{is_store ? rows : columns, is_store ? columns : rows, element};
  const auto part = [&](unsigned r) { return transposes ? named(kTransposed[r]) : data[r]; };

  if (transposes && is_store) emit_transpose(turned, data, true);
  FragmentAddress at;
  at.lane_bytes = fragment_lane_bytes(bytes);
  at.line_shift = log2_of(line);
  at.element_shift = log2_of(element);
  at.accesses = fragment_accesses(bytes);
  at.cleared = expected - count;
  const std::vector<Operand> unused(data.begin() + count, data.end());
  const StateSpace space = emit_fragment_address(form, at, line / element, unused, is_store);

  const unsigned words = at.lane_bytes / 4;
  for (unsigned access = 0; access < at.accesses; ++access) {
    begin(*in_);
    MemoryForm& m = d_.memory;
    m.space = space;
    m.elements = static_cast<std::uint8_t>(words);
    m.wide_address = true;
    d_.slot[Decoded::kAddress] = source(named(kAddresses[access]), Kind::kI64);
    for (unsigned k = 0; k < words; ++k) {
      const Operand o = part(access * words + k);
      d_.slot[k] = is_store ? source(o, Kind::kI32) : result(o, Kind::kI32);
    }
    d_.action = is_store ? Action::kStore : Action::kLoad;
    emit(Unit::kMemory, 1);
  }
  if (transposes && !is_store) emit_transpose(turned, data, false);
}

/// Emits the computation of the lanes' addresses. Returns their state space.
StateSpace Decoder::emit_fragment_address(const WmmaForm& form, FragmentAddress at,
                                          unsigned line_elements,
                                          const std::vector<Operand>& unused, bool is_store) {
  begin(*in_);
  const AddressOperand a = address(operand(is_store ? 0 : 1));
  StateSpace space = form.space;
  if (a.has_symbol && space == StateSpace::kGeneric) space = a.space;
  if (a.has_symbol && a.space != space) refuse("the variable is in another state space");
  if (space != StateSpace::kGeneric && space != StateSpace::kGlobal &&
      space != StateSpace::kShared) {
    refuse(kMatrixForms);
  }
  const AluEntry& e = entry("_wmma_address");
  at.wide_base = a.wide ? 1 : 0;
  d_.run = e.run;
  d_.action = Action::kTogether;
  d_.aux = at.pack();
  d_.displacement = a.displacement;
  d_.slot[2] = a.base;
  d_.slot[3] =
      in_->operands.size() == 3 ? source(operand(2), Kind::kI32) : constant32(line_elements);
  std::vector<Slot> cleared;
  for (const Operand& o : unused) cleared.push_back(result(o, Kind::kI32));
  d_.slot[5] = slot_list(cleared);
  for (unsigned access = 0; access < at.accesses; ++access) {
    d_.slot[access] = result(named(kAddresses[access]), Kind::kI64);
  }
  emit(e.unit, e.cost);
  return space;
}

/// Emits a transposition between the operand's registers, packed by rows, and the hidden registers,
/// packed by columns.
void Decoder::emit_transpose(const FragmentTranspose& form, const std::vector<Operand>& data,
                             bool to_hidden) {
  begin(*in_);
  std::vector<Slot> from;
  std::vector<Slot> to;
  for (std::size_t r = 0; r < data.size(); ++r) {
    const Operand hidden = named(kTransposed[r]);
    from.push_back(source(to_hidden ? data[r] : hidden, Kind::kI32));
    to.push_back(result(to_hidden ? hidden : data[r], Kind::kI32));
  }
  from.insert(from.end(), to.begin(), to.end());
  const AluEntry& e = entry("_wmma_transpose");
  d_.run = e.run;
  d_.action = Action::kTogether;
  d_.aux = form.pack();
  d_.slot[5] = slot_list(from);
  emit(e.unit, e.cost);
}

void Decoder::decode_wmma_multiply(const WmmaForm& form) {
  const std::vector<std::string>& t = form.types;
  const bool bfloat =
      t.size() == 4 && t[1] == "bf16" && t[2] == "bf16" && t[0] == "f32" && t[3] == "f32";
  const auto is_half = [](const std::string& type) { return type == "f16" || type == "f32"; };
  const bool half = t.size() == 2 && is_half(t[0]) && is_half(t[1]);
  const bool integer =
      t.size() == 4 && t[0] == "s32" && t[3] == "s32" && t[1] == t[2] && element_bytes(t[1]) == 1;
  if ((!bfloat && !half && !integer) || form.by_rows.size() != 2 || (form.saturates && !integer)) {
    refuse(kMatrixForms);
  }
  expect_operands(4, 4);
  MatrixProduct product;
  product.rows = form.rows;
  product.columns = form.columns;
  product.a_by_rows = form.by_rows[0] ? 1 : 0;
  product.b_by_rows = form.by_rows[1] ? 1 : 0;
  product.bfloat = bfloat ? 1 : 0;
  product.d_single = t.front() != "f16" ? 1 : 0;
  product.c_single = t.back() != "f16" ? 1 : 0;
  product.integer = integer ? 1 : 0;
  product.is_signed = integer && t[1] == "s8" ? 1 : 0;
  product.saturates = form.saturates ? 1 : 0;

  std::vector<Slot> slots;
  const auto sources = [&](std::size_t i, unsigned expected, unsigned used) {
    const std::vector<Operand> data = fragment(operand(i), expected);
    for (unsigned r = 0; r < used; ++r) slots.push_back(source(data[r], Kind::kI32));
  };
  const unsigned element = integer ? 1 : 2;
  const unsigned a = fragment_registers(element * form.rows * MatrixProduct::kDepth);
  const unsigned b = fragment_registers(element * form.columns * MatrixProduct::kDepth);
  const unsigned c = product.c_single != 0 ? 8 : 4;
  sources(1, half ? 8 : a, a);
  sources(2, half ? 8 : b, b);
  sources(3, c, c);
  for (const Operand& o : fragment(operand(0), product.d_single != 0 ? 8 : 4)) {
    slots.push_back(result(o, Kind::kI32));
  }
  const AluEntry& e = entry(integer ? "_wmma_multiply_integer" : "_wmma_multiply");
  d_.run = e.run;
  d_.action = Action::kTogether;
  d_.aux = product.pack();
  d_.slot[5] = slot_list(slots);
  emit(e.unit, form.rows * form.columns * MatrixProduct::kDepth / kProductsPerCost);
}

}  // namespace tessera::ptx
