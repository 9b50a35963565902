// SPDX-License-Identifier: Apache-2.0
// wmma (PTX ISA 9.7.14). A load or store is decoded to an address computation and vector accesses.
// An accumulator in column order is transposed within the warp. matrix.h describes the layout.

#include <algorithm>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/matrix.h"

namespace tessera::ptx {

namespace {

constexpr const char* kMatrixForms =
    "supported: wmma.{load.a,load.b,load.c,store.d}.sync.aligned.{row,col}.shape{.global,.shared}"
    ".type, wmma.mma.sync.aligned.{row,col}.{row,col}.shape.dtype.{atype.btype.}ctype: "
    "{m16n16k16,m32n8k16,m8n32k16} of f16 (f16, f32), bf16 (f32), u8 and s8 (s32, .satfinite), "
    "m16n16k8 of tf32 (f32), m8n8k4 of f64, row.col m8n8k32 of u4 and s4 and m8n8k128 of "
    "b1.{xor,and}.popc (s32)";

struct MatrixTypeName {
  const char* name;
  MatrixType type;
};
constexpr MatrixTypeName kMatrixTypes[] = {
    {"f16", MatrixType::kF16},   {"bf16", MatrixType::kBf16}, {"tf32", MatrixType::kTf32},
    {"e4m3", MatrixType::kE4m3}, {"e5m2", MatrixType::kE5m2}, {"s8", MatrixType::kS8},
    {"u8", MatrixType::kU8},     {"s4", MatrixType::kS4},     {"u4", MatrixType::kU4},
    {"b1", MatrixType::kB1},     {"f64", MatrixType::kF64}};

struct ShapeName {
  const char* name;
  std::uint8_t rows;
  std::uint8_t columns;
  std::uint8_t depth;
};
constexpr ShapeName kShapes[] = {{"m16n16k16", 16, 16, 16}, {"m32n8k16", 32, 8, 16},
                                 {"m8n32k16", 8, 32, 16},   {"m16n16k8", 16, 16, 8},
                                 {"m8n8k4", 8, 8, 4},       {"m8n8k32", 8, 8, 32},
                                 {"m8n8k128", 8, 8, 128}};

bool is_fp8(MatrixType t) { return t == MatrixType::kE4m3 || t == MatrixType::kE5m2; }

/// Whether the shape is one of the type of A and B.
bool shape_fits(MatrixType type, const MatrixProduct& p) {
  switch (type) {
    case MatrixType::kE4m3:
    case MatrixType::kE5m2:
      return false;
    case MatrixType::kTf32:
      return p.columns == 16 && p.depth == 8;
    case MatrixType::kF64:
      return p.depth == 4;
    case MatrixType::kU4:
    case MatrixType::kS4:
      return p.depth == 32;
    case MatrixType::kB1:
      return p.depth == 128;
    default:
      return p.depth == 16;
  }
}
/// Whether an accumulator of this type has the shape.
bool accumulator_fits(const std::string& type, const MatrixProduct& p) {
  if (type == "f16") return p.depth == 16;
  if (type == "f32") return p.depth == 16 || (p.depth == 8 && p.columns == 16);
  if (type == "f64") return p.depth == 4;
  return type == "s32" && (p.depth == 16 || p.depth == 32 || p.depth == 128);
}

unsigned bits_of(const std::string& type) {
  if (type == "f32" || type == "s32") return 32;
  MatrixType factor;
  return find_matrix_type(type, factor) && !is_fp8(factor) ? matrix_bits(factor) : 0;
}

/// Hidden registers of kernels with wmma; '@' is not valid in PTX names.
constexpr const char* kAddresses[] = {"wmma@address0", "wmma@address1"};
constexpr const char* kTransposed[] = {"wmma@data0", "wmma@data1", "wmma@data2", "wmma@data3",
                                       "wmma@data4", "wmma@data5", "wmma@data6", "wmma@data7"};
constexpr const char* kTransposedWide[] = {"wmma@wide0", "wmma@wide1"};

unsigned log2_of(unsigned power) { return static_cast<unsigned>(__builtin_ctz(power)); }

Operand named(const char* name) {
  Operand o;
  o.name = name;
  return o;
}

}  // namespace

bool find_matrix_type(const std::string& name, MatrixType& type) {
  const auto* const found = std::find_if(std::begin(kMatrixTypes), std::end(kMatrixTypes),
                                         [&](const MatrixTypeName& t) { return name == t.name; });
  if (found == std::end(kMatrixTypes)) return false;
  type = found->type;
  return true;
}

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
  for (const char* name : kTransposedWide) declare(name, Type::kB64);
}

/// The modifiers of a wmma instruction, in any order that the manual permits.
struct Decoder::WmmaForm {
  std::string what;  ///< "load.a", "store.d", "mma"
  StateSpace space = StateSpace::kGeneric;
  MatrixProduct product;  ///< shape and modes; the types and layouts are those below
  std::vector<bool> by_rows;
  std::vector<std::string> types;
  bool combines = false;  ///< .xor or .and, with .popc
};

Decoder::WmmaForm Decoder::parse_wmma() const {
  WmmaForm form;
  bool sync = false;
  bool aligned = false;
  bool shaped = false;
  bool counts = false;
  for (const std::string& m : in_->modifiers) {
    const auto* const shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                           [&](const ShapeName& s) { return m == s.name; });
    const bool multiplies = form.what == "mma";
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
    } else if (shape != std::end(kShapes) && !shaped) {
      shaped = true;
      form.product.rows = shape->rows;
      form.product.columns = shape->columns;
      form.product.depth = shape->depth;
    } else if (bits_of(m) != 0) {
      form.types.push_back(m);
    } else if (m == "satfinite" && multiplies) {
      form.product.saturates = true;
    } else if ((m == "xor" || m == "and") && multiplies) {
      form.combines = true;
      form.product.exclusive = m == "xor";
    } else if (m == "popc" && multiplies) {
      counts = true;
    } else if (m != "rn" || !multiplies) {
      refuse("'." + m + "'; " + kMatrixForms);
    }
  }
  if (!sync || !aligned || !shaped || counts != form.combines) refuse(kMatrixForms);
  return form;
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
  const MatrixProduct& p = form.product;
  MatrixType factor;
  const bool fits = accumulator ? accumulator_fits(type, p)
                                : find_matrix_type(type, factor) && shape_fits(factor, p);
  // The lines of 4-bit and 1-bit matrices are rows of A and columns of B.
  const bool ordered = bits_of(type) >= 8 || form.by_rows[0] == (role == 'a');
  if (!fits || !ordered) refuse(kMatrixForms);
  expect_operands(2, 3);

  const unsigned bits = bits_of(type);
  const unsigned width = bits == 64 ? 8 : 4;  // of a register
  const unsigned rows = role == 'b' ? p.depth : p.rows;
  const unsigned columns = role == 'a' ? p.depth : p.columns;
  const unsigned bytes = rows * columns * bits / 8;
  const unsigned line = form.by_rows[0] ? columns : rows;
  const unsigned count = fragment_registers(bytes, width);
  // Fragments of .f16 matrices have eight registers in the manual, independent of their size.
  const unsigned expected = !accumulator && type == "f16" ? 8 : count;
  const std::vector<Operand> data = fragment(operand(is_store ? 1 : 0), expected);
  const bool transposes = accumulator && !form.by_rows[0];
  const FragmentTranspose turned{is_store ? rows : columns, is_store ? columns : rows, bits / 8};
  const auto part = [&](unsigned r) {
    if (!transposes) return data[r];
    return named(width == 8 ? kTransposedWide[r] : kTransposed[r]);
  };

  if (transposes && is_store) emit_transpose(turned, data, true);
  FragmentAddress at;
  at.lane_bytes = fragment_lane_bytes(bytes);
  at.line_shift = log2_of(line * bits / 8);
  at.bit_shift = log2_of(bits);
  at.accesses = fragment_accesses(bytes);
  at.cleared = expected - count;
  const std::vector<Operand> unused(data.begin() + count, data.end());
  const StateSpace space = emit_fragment_address(form, at, line, unused, is_store);

  const unsigned words = at.lane_bytes / width;
  const Kind kind = width == 8 ? Kind::kI64 : Kind::kI32;
  for (unsigned access = 0; access < at.accesses; ++access) {
    begin(*in_);
    MemoryForm& m = d_.memory;
    m.space = space;
    m.elements = static_cast<std::uint8_t>(words);
    m.element_bytes = static_cast<std::uint8_t>(width);
    m.wide_register = width == 8;
    m.wide_address = true;
    d_.slot[Decoded::kAddress] = source(named(kAddresses[access]), Kind::kI64);
    for (unsigned k = 0; k < words; ++k) {
      const Operand o = part(access * words + k);
      d_.slot[k] = is_store ? source(o, kind) : result(o, kind);
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
  const bool wide = form.element_bytes == 8;
  const Kind kind = wide ? Kind::kI64 : Kind::kI32;
  for (std::size_t r = 0; r < data.size(); ++r) {
    const Operand hidden = named(wide ? kTransposedWide[r] : kTransposed[r]);
    from.push_back(source(to_hidden ? data[r] : hidden, kind));
    to.push_back(result(to_hidden ? hidden : data[r], kind));
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
  // .f16 names the types of D and C only.
  std::vector<std::string> t = form.types;
  if (t.size() == 2) t = {t[0], "f16", "f16", t[1]};
  MatrixProduct product = form.product;
  const MatrixType& factor = product.type;
  if (t.size() != 4 || !find_matrix_type(t[1], product.type) || t[1] != t[2] ||
      form.by_rows.size() != 2) {
    refuse(kMatrixForms);
  }
  product.a_by_rows = form.by_rows[0];
  product.b_by_rows = form.by_rows[1];
  product.d_half = t[0] == "f16";
  product.c_half = t[3] == "f16";
  const bool integer = is_integer_matrix(factor);
  const bool wide = factor == MatrixType::kF64;
  const bool half = factor == MatrixType::kF16;
  const auto accumulates = [&](const std::string& type) {
    if (integer) return type == "s32";
    return type == (wide ? "f64" : "f32") || (half && type == "f16");
  };
  const bool bits = factor == MatrixType::kB1;
  const bool ordered = matrix_bits(factor) >= 8 || (product.a_by_rows && !product.b_by_rows);
  if (!shape_fits(factor, product) || !accumulates(t[0]) || !accumulates(t[3]) || !ordered ||
      bits != form.combines || (product.saturates && (!integer || bits))) {
    refuse(kMatrixForms);
  }
  expect_operands(4, 4);

  std::vector<Slot> slots;
  const Kind kind = wide ? Kind::kI64 : Kind::kI32;
  const auto sources = [&](std::size_t i, unsigned expected, unsigned used) {
    const std::vector<Operand> data = fragment(operand(i), expected);
    for (unsigned r = 0; r < used; ++r) slots.push_back(source(data[r], kind));
  };
  const unsigned width = wide ? 8 : 4;
  const unsigned element = matrix_bits(factor);
  const unsigned a = fragment_registers(element * product.rows * product.depth / 8, width);
  const unsigned b = fragment_registers(element * product.columns * product.depth / 8, width);
  const auto accumulators = [&](bool is_half) {
    const unsigned bytes = is_half ? 2 : width;
    return fragment_registers(bytes * product.rows * product.columns, width);
  };
  sources(1, half ? 8 : a, a);
  sources(2, half ? 8 : b, b);
  sources(3, accumulators(product.c_half), accumulators(product.c_half));
  for (const Operand& o : fragment(operand(0), accumulators(product.d_half))) {
    slots.push_back(result(o, kind));
  }
  const AluEntry& e = entry(wide      ? "_wmma_multiply_double"
                            : bits    ? "_wmma_multiply_bits"
                            : integer ? "_wmma_multiply_integer"
                                      : "_wmma_multiply");
  d_.run = e.run;
  d_.action = Action::kTogether;
  d_.slot[4] = constant_bytes(&product, sizeof product);
  d_.slot[5] = slot_list(slots);
  emit(e.unit, matrix_cost(factor, unsigned{product.rows} * product.columns * product.depth));
}

}  // namespace tessera::ptx
