// SPDX-License-Identifier: Apache-2.0
// mma.sync, ldmatrix, stmatrix and movmatrix (PTX ISA 9.7.14.5). mma.h has the layout.

#include <algorithm>
#include <string>

#include "common/text.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/matrix.h"
#include "stimuli/ptx/mma.h"

namespace tessera::ptx {

namespace {

using Element = MatrixType;

constexpr const char* kMmaForms =
    "supported: mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype: m16n8k{8,16} of f16 "
    "(f16, f32) and bf16 (f32), m8n8k4 of f16, m16n8k{4,8} of tf32 (f32), m16n8k{16,32} of e4m3 "
    "and e5m2 (f16, f32), {m8n8k16,m16n8k16,m16n8k32} of s8 and u8, {m8n8k32,m16n8k32,m16n8k64} of "
    "s4 and u4 (s32, .satfinite), {m8n8k128,m16n8k128,m16n8k256} of b1.{xor,and}.popc, "
    "{m8n8k4,m16n8k4,m16n8k8,m16n8k16} of f64";
constexpr const char* kMoveForms =
    "supported: ldmatrix, stmatrix.sync.aligned.m8n8.{x1,x2,x4}{.trans}{.shared}.b16, "
    "movmatrix.sync.aligned.m8n8.trans.b16";

/// "m16n8k32" to rows and depth.
bool parse_shape(const std::string& word, MmaForm& form) {
  for (const unsigned rows : {8u, 16u}) {
    const std::string start = "m" + std::to_string(rows) + "n8k";
    if (!begins_with(word, start)) continue;
    form.rows = static_cast<std::uint8_t>(rows);
    const std::string depth = word.substr(start.size());
    const bool number = depth.find_first_not_of("0123456789") == std::string::npos;
    if (depth.empty() || depth.size() > 3 || !number) return false;
    form.depth = static_cast<std::uint16_t>(std::stoul(depth));
    return true;
  }
  return false;
}

/// Whether A and B can have these types together.
bool types_fit(Element a, Element b) {
  const auto both = [&](Element x, Element y) { return (a == x || a == y) && (b == x || b == y); };
  return a == b || both(Element::kE4m3, Element::kE5m2) || both(Element::kS8, Element::kU8) ||
         both(Element::kS4, Element::kU4);
}

/// Whether the type has the shape: K elements of one row fill one or two registers of each lane of
/// a group, up to four for .f64.
bool shape_fits(const MmaForm& form) {
  const unsigned each = 4 * mma_per_register(form.a);
  if (form.quads) return form.rows == 8 && form.depth == 4;
  if (form.rows == 8)
    return (is_integer_matrix(form.a) || form.a == Element::kF64) && form.depth == each;
  return form.depth == each || form.depth == 2 * each ||
         (form.a == Element::kF64 && form.depth == 4 * each);
}

/// Whether C and D have types of the manual.
bool accumulators_fit(const MmaForm& form, const std::string& d, const std::string& c) {
  if (is_integer_matrix(form.a)) return d == "s32" && c == "s32";
  if (form.a == Element::kF64) return d == "f64" && c == "f64";
  const bool halves =
      form.a == Element::kF16 || form.a == Element::kE4m3 || form.a == Element::kE5m2;
  const auto is_float = [&](const std::string& t) { return t == "f32" || (halves && t == "f16"); };
  return is_float(d) && is_float(c) && (form.quads || c == d);
}

unsigned cost_of(const MmaForm& form) {
  const unsigned products =
      form.quads ? 4u * 8 * 8 * 4 : form.rows * MmaForm::kColumns * unsigned{form.depth};
  return matrix_cost(form.a, products);
}

}  // namespace

/// Reads the modifiers. The types are those of D, A, B and C.
MmaForm Decoder::parse_mma() const {
  MmaForm form;
  std::vector<std::string> types;
  std::vector<bool> by_rows;
  bool sync = false;
  bool aligned = false;
  bool shaped = false;
  bool combines = false;
  bool counts = false;
  for (const std::string& m : in_->modifiers) {
    Element type;
    if (m == "sp" || begins_with(m, "sp::")) {
      refuse("sparse matrices are not modelled; supported: mma of dense matrices");
    } else if (m == "block_scale") {
      refuse("scaled matrices are not modelled; supported: mma without .block_scale");
    } else if (m == "sync") {
      sync = true;
    } else if (m == "aligned") {
      aligned = true;
    } else if (m == "row" || m == "col") {
      by_rows.push_back(m == "row");
    } else if (m == "satfinite") {
      form.saturates = true;
    } else if (m == "xor" || m == "and") {
      combines = true;
      form.exclusive = m == "xor";
    } else if (m == "popc") {
      counts = true;
    } else if (m == "f32" || m == "s32" || find_matrix_type(m, type)) {
      types.push_back(m);
    } else if (m != "kind::f8f6f4" && m != "rn") {
      if (shaped || !parse_shape(m, form)) refuse("'." + m + "'; " + kMmaForms);
      shaped = true;
    }
  }
  const bool complete = sync && aligned && shaped && types.size() == 4 && by_rows.size() == 2 &&
                        find_matrix_type(types[1], form.a) && find_matrix_type(types[2], form.b) &&
                        types_fit(form.a, form.b);
  if (!complete) refuse(kMmaForms);
  form.quads = form.rows == 8 && form.a == Element::kF16;
  form.a_by_rows = by_rows[0];
  form.b_by_rows = by_rows[1];
  form.d_half = types[0] == "f16";
  form.c_half = types[3] == "f16";
  const bool bits = form.a == Element::kB1;
  const bool fits = shape_fits(form) && accumulators_fit(form, types[0], types[3]) &&
                    (form.quads || (form.a_by_rows && !form.b_by_rows)) && bits == combines &&
                    bits == counts && (!form.saturates || (is_integer_matrix(form.a) && !bits));
  if (!fits) refuse(kMmaForms);
  return form;
}

void Decoder::decode_mma() {
  const MmaForm form = parse_mma();
  expect_operands(4, 4);
  const bool wide = form.a == Element::kF64;
  const Kind kind = wide ? Kind::kI64 : Kind::kI32;
  std::vector<Slot> slots;
  const auto sources = [&](std::size_t i, unsigned count) {
    for (const Operand& o : fragment(operand(i), count)) slots.push_back(source(o, kind));
  };
  const auto accumulators = [&](bool half) {
    return form.quads ? (half ? 4u : 8u) : form.rows / (half ? 8u : 4u);
  };
  const unsigned a = form.quads ? 2 : mma_registers(form.a, form.rows * form.depth);
  const unsigned b = form.quads ? 2 : mma_registers(form.b, form.depth * MmaForm::kColumns);
  sources(1, a);
  sources(2, b);
  sources(3, accumulators(form.c_half));
  for (const Operand& o : fragment(operand(0), accumulators(form.d_half))) {
    slots.push_back(result(o, kind));
  }
  const AluEntry& e = entry(form.quads                  ? "_mma_quads"
                            : wide                      ? "_mma_double"
                            : form.a == Element::kB1    ? "_mma_bits"
                            : is_integer_matrix(form.a) ? "_mma_integer"
                                                        : "_mma");
  d_.run = e.run;
  d_.action = Action::kTogether;
  d_.slot[4] = constant_bytes(&form, sizeof form);
  d_.slot[5] = slot_list(slots);
  emit(e.unit, cost_of(form));
}

/// ldmatrix and stmatrix: an access of 16 bytes, a row of a matrix, for each of the first 8, 16 or
/// 32 lanes. Matrix m is in the registers of slot m.
void Decoder::decode_matrix_access() {
  const bool is_store = in_->opcode == "stmatrix";
  MemoryForm& m = d_.memory;
  m.space = StateSpace::kGeneric;
  unsigned count = 0;
  unsigned known = 0;
  bool transposed = false;
  for (const std::string& word : in_->modifiers) {
    if (word == "sync" || word == "aligned" || word == "m8n8" || word == "b16") {
      ++known;
    } else if (word == "x1" || word == "x2" || word == "x4") {
      count = static_cast<unsigned>(word[1] - '0');
    } else if (word == "trans") {
      transposed = true;
    } else if (word == "shared" || word == "shared::cta") {
      m.space = StateSpace::kShared;
    } else {
      refuse("'." + word + "'; " + kMoveForms);
    }
  }
  if (known != 4 || count == 0) refuse(kMoveForms);
  expect_operands(2, 2);
  const AddressOperand a = address(operand(is_store ? 0 : 1));
  if (a.has_symbol && a.space != StateSpace::kShared)
    refuse("the variable is not in shared memory");
  if (a.has_symbol) m.space = StateSpace::kShared;
  m.element_bytes = 4;
  m.elements = 4;
  m.wide_address = a.wide;
  d_.slot[Decoded::kAddress] = a.base;
  d_.displacement = a.displacement;
  d_.aux = count | (transposed ? Decoded::kTransposed : 0);
  const std::vector<Operand> data = fragment(operand(is_store ? 1 : 0), count);
  for (unsigned r = 0; r < count; ++r) {
    d_.slot[r] = is_store ? source(data[r], Kind::kI32) : result(data[r], Kind::kI32);
  }
  d_.action = is_store ? Action::kMatrixStore : Action::kMatrixLoad;
  emit(Unit::kMemory, 1);
}

void Decoder::decode_matrix_move() {
  const std::vector<std::string> form = {"sync", "aligned", "m8n8", "trans", "b16"};
  if (in_->modifiers != form) refuse(kMoveForms);
  expect_operands(2, 2);
  d_.action = Action::kTogether;
  decode_plain(entry("_movmatrix"));
}

}  // namespace tessera::ptx
