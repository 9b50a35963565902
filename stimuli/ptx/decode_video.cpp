// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA 9.7.17).

#include <algorithm>
#include <utility>

#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/video.h"

namespace tessera::ptx {

namespace {

using Operation = VideoForm::Operation;

constexpr const char* kVideoForms =
    "supported: v{add,sub,absdiff,min,max}.dtype.atype.btype{.sat}{.add,.min,.max}, "
    "v{shl,shr}.dtype.atype.u32{.sat}.{clamp,wrap}{.add,.min,.max}, "
    "vset.atype.btype.cmp{.add,.min,.max}, vmad.dtype.atype.btype{.po}{.sat}{.shr7,.shr15}, "
    "v{add,sub,avrg,absdiff,min,max}{2,4}.dtype.atype.btype{.sat,.add}, "
    "vset{2,4}.atype.btype.cmp{.add}, of .u32 and .s32";

struct VideoName {
  const char* stem;
  Operation operation;
  bool scalar;
  bool simd;
};
constexpr VideoName kNames[] = {{"vadd", Operation::kAdd, true, true},
                                {"vsub", Operation::kSubtract, true, true},
                                {"vabsdiff", Operation::kAbsoluteDifference, true, true},
                                {"vmin", Operation::kMinimum, true, true},
                                {"vmax", Operation::kMaximum, true, true},
                                {"vavrg", Operation::kAverage, false, true},
                                {"vshl", Operation::kShiftLeft, true, false},
                                {"vshr", Operation::kShiftRight, true, false},
                                {"vmad", Operation::kMultiplyAdd, true, false},
                                {"vset", Operation::kCompare, true, true}};
constexpr std::pair<const char*, VideoForm::Compare> kCompares[] = {
    {"eq", VideoForm::Compare::kEq}, {"ne", VideoForm::Compare::kNe},
    {"lt", VideoForm::Compare::kLt}, {"le", VideoForm::Compare::kLe},
    {"gt", VideoForm::Compare::kGt}, {"ge", VideoForm::Compare::kGe}};
constexpr std::pair<const char*, VideoForm::Second> kSeconds[] = {
    {"add", VideoForm::Second::kAdd},
    {"min", VideoForm::Second::kMinimum},
    {"max", VideoForm::Second::kMaximum}};

/// The value of a name in a list of pairs, or null.
template <class List>
auto find_name(const List& list, const std::string& name) {
  const auto* const found = std::find_if(std::begin(list), std::end(list),
                                         [&](const auto& entry) { return name == entry.first; });
  return found == std::end(list) ? nullptr : &found->second;
}

/// ".b2" or ".h1" of a scalar instruction. Returns false for another selector.
bool scalar_part(const std::string& selector, VideoForm::Part& part) {
  if (selector.empty()) return true;
  const unsigned width = selector[0] == 'b' ? 8 : 16;
  const auto index = static_cast<unsigned>(selector[1] - '0');
  if (selector.size() != 2 || index * width >= 32) return false;
  part.position = static_cast<std::uint8_t>(index * width);
  part.width = static_cast<std::uint8_t>(width);
  return true;
}

/// ".b3210" or ".h10", the most significant part first; without a selector, the parts from `first`
/// on.
bool simd_parts(const std::string& selector, unsigned parts, unsigned first,
                std::array<VideoForm::Part, 4>& to) {
  const unsigned width = 32 / parts;
  if (!selector.empty() &&
      (selector.size() != parts + 1 || selector[0] != (parts == 4 ? 'b' : 'h'))) {
    return false;
  }
  for (unsigned i = 0; i < parts; ++i) {
    const unsigned index =
        selector.empty() ? first + i : static_cast<unsigned>(selector[parts - i] - '0');
    if (index >= 2 * parts) return false;
    to[i].position = static_cast<std::uint8_t>(index * width);
    to[i].width = static_cast<std::uint8_t>(width);
  }
  return true;
}

bool simd_mask(const std::string& selector, unsigned parts, std::uint8_t& mask) {
  if (selector.empty()) return true;
  if (selector[0] != (parts == 4 ? 'b' : 'h') || selector.size() > parts + 1) return false;
  mask = 0;
  for (std::size_t i = 1; i < selector.size(); ++i) {
    const auto part = static_cast<unsigned>(selector[i] - '0');
    if (part >= parts) return false;
    mask |= static_cast<std::uint8_t>(1u << part);
  }
  return true;
}

}  // namespace

std::vector<std::string> video_opcodes() {
  std::vector<std::string> all;
  for (const VideoName& n : kNames) {
    if (n.scalar) all.emplace_back(n.stem);
    if (n.simd) {
      for (const char* parts : {"2", "4"}) all.push_back(n.stem + std::string(parts));
    }
  }
  return all;
}

/// Reads types and modifiers. Returns false if they are not those of the operation.
bool Decoder::parse_video(VideoForm& form) const {
  std::vector<bool> is_signed;
  bool has_compare = false;
  bool has_mode = false;
  for (const std::string& m : in_->modifiers) {
    const bool is_shift =
        form.operation == Operation::kShiftLeft || form.operation == Operation::kShiftRight;
    const bool is_mad = form.operation == Operation::kMultiplyAdd;
    if (m == "u32" || m == "s32") {
      is_signed.push_back(m == "s32");
    } else if (m == "sat" && form.operation != Operation::kCompare) {
      form.saturates = true;
    } else if (const auto* compare = find_name(kCompares, m);
               compare != nullptr && form.operation == Operation::kCompare) {
      form.compare = *compare;
      has_compare = true;
    } else if ((m == "clamp" || m == "wrap") && is_shift) {
      form.wraps = m == "wrap";
      has_mode = true;
    } else if ((m == "po" || m == "shr7" || m == "shr15") && is_mad) {
      if (m == "po") form.plus_one = true;
      if (m != "po") form.scale = m == "shr7" ? 7 : 15;
    } else if (const auto* second = find_name(kSeconds, m); second != nullptr && !is_mad) {
      if (form.parts > 1 && m != "add") return false;
      form.second = *second;
    } else {
      return false;
    }
    if (is_shift && is_signed.size() == 3 && is_signed[2]) return false;
  }
  // A comparison has no type of its result, which is unsigned.
  if (form.operation == Operation::kCompare) is_signed.insert(is_signed.begin(), false);
  if (is_signed.size() != 3) return false;
  form.d_signed = is_signed[0];
  form.a_signed = is_signed[1];
  form.b_signed = is_signed[2];
  const bool is_shift =
      form.operation == Operation::kShiftLeft || form.operation == Operation::kShiftRight;
  if (is_shift != has_mode || (form.operation == Operation::kCompare) != has_compare) return false;
  return form.parts == 1 || !form.saturates || form.second == VideoForm::Second::kNone;
}

/// Decodes a video instruction. Returns false for other instructions.
bool Decoder::decode_video() {
  const std::string& op = in_->opcode;
  VideoForm form;
  const char last = op.back();
  form.parts = last == '2' ? 2 : last == '4' ? 4 : 1;
  const std::string stem = form.parts == 1 ? op : op.substr(0, op.size() - 1);
  const auto* const name = std::find_if(std::begin(kNames), std::end(kNames),
                                        [&](const VideoName& n) { return stem == n.stem; });
  if (name == std::end(kNames) || !(form.parts == 1 ? name->scalar : name->simd)) return false;
  form.operation = name->operation;
  if (!parse_video(form)) refuse(kVideoForms);

  const bool is_mad = form.operation == Operation::kMultiplyAdd;
  const std::string merge = operand(0).selector;
  const bool has_third =
      is_mad || form.parts > 1 || form.second != VideoForm::Second::kNone || !merge.empty();
  // A third source that neither merges nor combines is permitted and not read.
  expect_operands(has_third ? 4 : 3, 4);
  const std::string a_part = operand(1).selector;
  const std::string b_part = operand(2).selector;
  const bool fits =
      form.parts == 1
          ? scalar_part(merge, form.merge) && scalar_part(a_part, form.a[0]) &&
                scalar_part(b_part, form.b[0]) &&
                (merge.empty() || (form.second == VideoForm::Second::kNone && !is_mad))
          : simd_mask(merge, form.parts, form.mask) && simd_parts(a_part, form.parts, 0, form.a) &&
                simd_parts(b_part, form.parts, form.parts, form.b);
  if (!fits) refuse(kVideoForms);

  std::array<Operand, 3> sources = {operand(1), operand(2), has_third ? operand(3) : Operand{}};
  if (is_mad) {
    form.negates_product = sources[0].negated != sources[1].negated;
    form.negates_c = sources[2].negated;
    const bool negates = sources[0].negated || sources[1].negated || form.negates_c;
    if (negates && (form.plus_one || (form.negates_product && form.negates_c))) {
      refuse(kVideoForms);
    }
    for (Operand& o : sources) o.negated = false;
  }
  const AluEntry& e = entry("_video");
  d_.run = e.run;
  d_.slot[2] = source(sources[0], Kind::kI32);
  d_.slot[3] = source(sources[1], Kind::kI32);
  d_.slot[4] = has_third ? source(sources[2], Kind::kI32) : constant32(0);
  d_.slot[5] = constant_bytes(&form, sizeof form);
  d_.slot[0] = result(operand(0), Kind::kI32);
  emit(e.unit, e.cost);
  return true;
}

}  // namespace tessera::ptx
