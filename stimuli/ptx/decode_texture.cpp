// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces (PTX ISA 9.7.9, 9.7.10).
//
// A fetch is decoded to one load for each texel that linear filtering of its geometry reads, into
// hidden buffers of the warp, and to one filter operation, which computes the result registers. The
// filter is emitted before the first instruction that names a result, before the end of the basic
// block, or when another fetch needs its buffers. Until then the warp can issue other instructions,
// like after a load.

#include <algorithm>
#include <array>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

/// Issue cost of the filter in slots of the SFU (ours). An SM samples four texel quads per cycle, 8
/// cycles for a warp: two slots of SmConfig::sfu_interval (4).
constexpr unsigned kIntegerFetchCost = 1;
constexpr unsigned kFilterCost = 2;
constexpr unsigned kFilterCost3d = 4;

/// Number of hidden buffer sets, which limits the concurrent fetches of a warp.
constexpr unsigned texel_sets(unsigned corners) { return corners == 8 ? 2 : corners == 4 ? 4 : 8; }

constexpr const char* kFetchForms =
    "supported: tex{.level}.{1d,2d,3d,a1d,a2d}.v4.{f32,s32,u32}.{f32,s32}, "
    "tld4.{r,g,b,a}.{2d,a2d}.v4.{f32,s32,u32}.f32";
constexpr const char* kSurfaceForms =
    "supported: suld.b, sust.b .{1d,2d,3d,a1d,a2d}{.ca,.cg,.cs,.cv,.wb,.wt}{.v2,.v4}"
    ".{b8,b16,b32,b64}{.trap,.clamp,.zero}";

bool is_fetch(const std::string& opcode) { return opcode == "tex" || opcode == "tld4"; }

/// Number of texel loads of a fetch.
unsigned corners_of(const Instruction& i) {
  if (i.opcode == "tex" && !i.modifiers.empty() && i.modifiers.back() == "s32") return 1;
  return has_modifier(i, "3d") ? 8 : has_modifier(i, "1d") || has_modifier(i, "a1d") ? 2 : 4;
}

bool mentions(const Operand& o, const std::string& name) {
  return o.name == name || o.second_name == name ||
         std::any_of(o.elements.begin(), o.elements.end(),
                     [&](const Operand& e) { return mentions(e, name); });
}

/// Compares names, so that a vector register counts as a whole.
bool mentions_results_of(const Instruction& i, const Instruction& fetch) {
  const auto& results = fetch.operands[0].elements;
  return std::any_of(results.begin(), results.end(), [&](const Operand& r) {
    return i.guard == r.name || std::any_of(i.operands.begin(), i.operands.end(),
                                            [&](const Operand& o) { return mentions(o, r.name); });
  });
}

/// Also true for instructions at which lanes wait for other lanes of their warp, because those can
/// fetch in the meantime.
bool ends_block(const std::string& opcode) {
  return is_one_of(opcode, {"bra", "brx", "ret", "exit", "bar", "barrier", "trap", "brkpt", "shfl",
                            "vote", "match", "redux", "elect", "activemask", "wmma", kPrintCall,
                            kAssertCall, kCallOpcode, kReturnOpcode});
}

}  // namespace

bool Decoder::decode_texture() {
  const std::string& op = in_->opcode;
  if (is_fetch(op)) {
    decode_fetch();
  } else if (op == "suld" || op == "sust") {
    decode_surface();
  } else if (op == "txq" || op == "suq") {
    decode_query();
  } else {
    return false;
  }
  return true;
}

bool Decoder::is_texture_reference(const std::string& name) const {
  return std::any_of(module_.variables.begin(), module_.variables.end(), [&](const Variable& v) {
    return v.name == name && (v.type == Type::kTexref || v.type == Type::kSurfref);
  });
}

/// The slot of the handle that the launch binds to the reference.
Slot Decoder::texture_reference(const std::string& name) {
  for (const SymbolUse& use : kernel_->texture_references) {
    if (use.name == name) return Slot{BankId::kLaunch, use.launch_offset};
  }
  const Slot slot{BankId::kLaunch, kernel_->launch_bytes};
  kernel_->texture_references.push_back(SymbolUse{name, 0, slot.offset});
  kernel_->launch_bytes += kVector64;
  return slot;
}

bool Decoder::parse_geometry(const std::string& word, TextureForm& form) const {
  if (is_one_of(word, {"cube", "acube"})) {
    refuse("cube maps are not modelled; supported: .1d, .2d, .3d, .a1d, .a2d");
  }
  if (is_one_of(word, {"2dms", "a2dms"})) {
    refuse("multi-sample textures are not modelled; supported: .1d, .2d, .3d, .a1d, .a2d");
  }
  form.layered = word == "a1d" || word == "a2d";
  const std::string plain = form.layered ? word.substr(1) : word;
  if (!is_one_of(plain, {"1d", "2d", "3d"})) return false;
  form.dimensions = static_cast<std::uint8_t>(plain[0] - '0');
  return true;
}

/// Decodes "[handle, {layer, x, y, z}]". Three-dimensional and layered two-dimensional coordinates
/// have a fourth element that is ignored.
void Decoder::texture_operand(const Operand& o, TextureForm& form) {
  if (o.kind != Operand::Kind::kAddress || o.elements.empty()) {
    refuse("operands in brackets are missing: [texture, {coordinates}]");
  }
  if (o.elements.size() > 1) {
    refuse(
        "separate samplers (.samplerref) are not supported; supported: [texture, {coordinates}]");
  }
  if (o.integer != 0) refuse("a texture has no offset");
  Operand handle;
  handle.name = o.name;
  handle.component = o.component;
  form.is_reference = find_register(handle) == nullptr && is_texture_reference(o.name);
  form.handle = form.is_reference ? texture_reference(o.name) : source(handle, Kind::kI64);
  const Operand& tuple = o.elements[0];
  const std::vector<Operand> at =
      tuple.kind == Operand::Kind::kVector ? tuple.elements : std::vector<Operand>{tuple};
  const std::size_t first = form.layered ? 1 : 0;
  const std::size_t count = first + form.dimensions;
  if (at.size() != count && !(count == 3 && at.size() == 4)) {
    refuse(std::to_string(at.size()) + " coordinates where " + std::to_string(count) +
           " are needed");
  }
  if (form.layered) form.layer = source(at[0], Kind::kI32);
  for (std::size_t i = first; i < count; ++i) {
    form.coordinate[i - first] = source(at[i], form.integer_coordinates ? Kind::kI32 : Kind::kF32);
  }
}

void Decoder::decode_fetch() {
  TextureForm form;
  form.gathers = in_->opcode == "tld4";
  std::size_t at = 0;
  const auto next = [&] {
    return at < in_->modifiers.size() ? in_->modifiers[at++] : std::string();
  };
  std::string word = next();
  if (form.gathers) {
    if (!is_one_of(word, {"r", "g", "b", "a"})) refuse(kFetchForms);
    form.channel = static_cast<std::uint8_t>(std::string("rgba").find(word));
    word = next();
  } else if (word == "grad") {
    refuse(
        "gradients choose mipmaps, which are not modelled; supported: tex, tex.level of level 0");
  } else if (word == "level") {
    form.has_level = true;
    word = next();
  }
  if (!parse_geometry(word, form)) refuse(kFetchForms);
  if (form.gathers && form.dimensions != 2) refuse(kFetchForms);
  if (next() != "v4") refuse(kFetchForms);
  word = next();
  if (!is_one_of(word, {"f32", "s32", "u32"})) refuse(kFetchForms);
  form.type = word == "f32"   ? TextureResult::kF32
              : word == "s32" ? TextureResult::kS32
                              : TextureResult::kU32;
  word = next();
  form.integer_coordinates = word == "s32";
  if (!is_one_of(word, {"f32", "s32"}) || at != in_->modifiers.size()) refuse(kFetchForms);
  if (form.gathers && form.integer_coordinates) refuse(kFetchForms);

  const std::size_t count = form.has_level ? 3 : 2;
  if (in_->operands.size() > count) {
    refuse("offsets and depth comparison are not modelled; supported: [texture, {coordinates}]");
  }
  expect_operands(count, count);
  const Operand& to = operand(0);
  if (to.kind != Operand::Kind::kVector || to.elements.size() != 4) {
    refuse("a vector of 4 registers is needed");
  }
  if (!to.second_name.empty()) refuse("the residency predicate is not modelled");
  texture_operand(operand(1), form);
  if (form.has_level) {
    form.level = source(operand(2), form.integer_coordinates ? Kind::kI32 : Kind::kF32);
    form.integer_level = form.integer_coordinates;
  }
  const Kind kind = form.type == TextureResult::kF32 ? Kind::kF32 : Kind::kI32;
  for (std::size_t i = 0; i < 4; ++i) form.result[i] = result(to.elements[i], kind);
  emit_texel_loads(form, corners_of(*in_),
                   form.integer_coordinates ? kIntegerFetchCost
                   : form.dimensions == 3   ? kFilterCost3d
                                            : kFilterCost);
}

/// Allocates buffer sets for the texels of the function's widest fetch, and their scoreboard names.
void Decoder::place_texels() {
  for (const Instruction& i : function_.body) {
    if (is_fetch(i.opcode)) texel_corners_ = std::max(texel_corners_, corners_of(i));
  }
  kernel_->texel_sets = texel_sets(texel_corners_);
  const std::uint32_t buffers = kernel_->texel_sets * texel_corners_;
  texel_offset_ = (kernel_->register_bytes + 63) / 64 * 64;
  kernel_->register_bytes = texel_offset_ + buffers * kTexelBuffer;
  texel_names_ = kernel_->register_names;
  kernel_->register_names += buffers;
  units_.resize(kernel_->register_names, 0);
  if (units_.size() > 0xffff) refuse("the kernel has more than 65535 registers");
}

void Decoder::emit_texel_loads(TextureForm& form, unsigned corners, unsigned cost) {
  if (texel_corners_ == 0) place_texels();
  form.set = static_cast<std::uint8_t>(next_texel_set_);
  next_texel_set_ = (next_texel_set_ + 1) % kernel_->texel_sets;
  const std::uint32_t buffer = form.set * texel_corners_;
  form.texels = Slot{BankId::kRegisters, texel_offset_ + buffer * kTexelBuffer};

  PendingFilter pending;
  pending.instruction = in_;
  pending.cost = cost;
  pending.set = form.set;
  pending.results = write_names_;
  d_.aux = static_cast<std::uint32_t>(kernel_->textures.size());
  kernel_->textures.push_back(form);
  const auto first = static_cast<std::uint32_t>(kernel_->code.size());
  for (unsigned c = 0; c < corners; ++c) {
    // A completed load writes 16 bytes per lane; the texel is in the first bytes.
    d_.action = Action::kTexelLoad;
    d_.displacement = c;
    d_.target = first + corners;
    d_.memory.element_bytes = 8;
    d_.memory.elements = 2;
    d_.memory.wide_register = true;
    d_.slot[0] = Slot{BankId::kRegisters, form.texels.offset + c * kTexelBuffer};
    d_.slot[1] = Slot{BankId::kRegisters, d_.slot[0].offset + kVector64};
    pending.texels.push_back(texel_names_ + buffer + c);
    write_names_ = {pending.texels.back()};
    emit(Unit::kMemory, 1);
  }
  pending.decoded.aux = d_.aux;
  pending.decoded.action = Action::kTextureFilter;
  pending.decoded.guard = Slot{BankId::kConstants, 0};  // no guard: uses the lanes of the loads
  pending_filters_.push_back(std::move(pending));
}

void Decoder::emit_filter(const PendingFilter& pending) {
  in_ = pending.instruction;
  d_ = pending.decoded;
  read_names_ = pending.texels;
  write_names_ = pending.results;
  emit(Unit::kSfu, pending.cost);
}

void Decoder::flush_filters(std::size_t n) {
  const auto& body = function_.body;
  const bool all = n == body.size() || ends_block(body[n].opcode) ||
                   std::any_of(function_.labels.begin(), function_.labels.end(),
                               [&](const Label& l) { return l.position == n; });
  std::vector<PendingFilter> kept;
  for (PendingFilter& p : pending_filters_) {
    const bool reused = !all && is_fetch(body[n].opcode) && p.set == next_texel_set_;
    if (all || reused || mentions_results_of(body[n], *p.instruction)) {
      emit_filter(p);
    } else {
      kept.push_back(std::move(p));
    }
  }
  pending_filters_ = std::move(kept);
}

void Decoder::decode_surface() {
  const bool is_store = in_->opcode == "sust";
  TextureForm form;
  form.integer_coordinates = true;
  form.is_store = is_store;
  MemoryForm& m = d_.memory;
  Type type = Type::kNone;
  bool is_raw = false;
  bool has_geometry = false;
  for (const std::string& word : in_->modifiers) {
    if (word == "p") refuse("formatted surface accesses are not modelled; supported: .b");
    if (word == "b" && !is_raw) {
      is_raw = true;
    } else if (!has_geometry && parse_geometry(word, form)) {
      has_geometry = true;
    } else if (is_one_of(word, {"cg", "cv", "wt"})) {
      m.scope = CacheScope::kBypassL1;
    } else if (is_one_of(word, {"ca", "cs", "wb"})) {
      continue;
    } else if (word == "v2" || word == "v4") {
      m.elements = word == "v2" ? 2 : 4;
    } else if (is_one_of(word, {"b8", "b16", "b32", "b64"}) && type == Type::kNone) {
      type = type_from_name(word);
    } else if (is_one_of(word, {"trap", "clamp", "zero"}) && &word == &in_->modifiers.back()) {
      form.boundary = word == "trap"    ? SurfaceBoundary::kTrap
                      : word == "clamp" ? SurfaceBoundary::kClamp
                                        : SurfaceBoundary::kZero;
    } else {
      refuse("'." + word + "'; " + kSurfaceForms);
    }
  }
  m.element_bytes = static_cast<std::uint8_t>(type_bytes(type));
  if (!is_raw || !has_geometry || type == Type::kNone ||
      m.element_bytes * m.elements > kMaxLaneBytes) {
    refuse(kSurfaceForms);
  }
  expect_operands(2, 2);
  const Operand& data = operand(is_store ? 1 : 0);
  const bool single = data.kind == Operand::Kind::kVector && data.elements.size() == 1;
  data_operands(single ? data.elements[0] : data, type, is_store);
  texture_operand(operand(is_store ? 0 : 1), form);
  d_.action = Action::kSurfaceAccess;
  d_.aux = static_cast<std::uint32_t>(kernel_->textures.size());
  kernel_->textures.push_back(form);
  emit(Unit::kMemory, 1);
}

void Decoder::decode_query() {
  constexpr const char* kQueries =
      "supported: txq.{width,height,depth,array_size,normalized_coords,num_mipmap_levels}.b32, "
      "suq.{width,height,depth,array_size}.b32";
  struct Query {
    const char* name;
    TextureQuery query;
    bool of_surfaces;
  };
  static constexpr std::array<Query, 6> kKnown = {{
      {"width", TextureQuery::kWidth, true},
      {"height", TextureQuery::kHeight, true},
      {"depth", TextureQuery::kDepth, true},
      {"array_size", TextureQuery::kArraySize, true},
      {"normalized_coords", TextureQuery::kNormalized, false},
      {"num_mipmap_levels", TextureQuery::kOne, false},
  }};
  if (in_->modifiers.size() != 2 || in_->modifiers[1] != "b32") refuse(kQueries);
  const auto* const it = std::find_if(kKnown.begin(), kKnown.end(), [&](const Query& q) {
    return in_->modifiers[0] == q.name && (q.of_surfaces || in_->opcode == "txq");
  });
  if (it == kKnown.end()) refuse(kQueries);
  expect_operands(2, 2);
  const Operand& from = operand(1);
  if (from.kind != Operand::Kind::kAddress || !from.elements.empty() || from.integer != 0) {
    refuse("a texture in brackets is missing");
  }
  Operand handle;
  handle.name = from.name;
  handle.component = from.component;
  TextureForm form;
  form.query = it->query;
  form.is_reference = find_register(handle) == nullptr && is_texture_reference(from.name);
  form.handle = form.is_reference ? texture_reference(from.name) : source(handle, Kind::kI64);
  d_.slot[0] = result(operand(0), Kind::kI32);
  d_.action = Action::kTextureQuery;
  d_.aux = static_cast<std::uint32_t>(kernel_->textures.size());
  kernel_->textures.push_back(form);
  emit(Unit::kAlu, 1);
}

}  // namespace tessera::ptx
