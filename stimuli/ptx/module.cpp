// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/module.h"

#include "common/input_file.h"

namespace tessera::ptx {
namespace {

struct TypeEntry {
  Type type;
  const char* name;
  unsigned bytes;
};

constexpr TypeEntry kTypeEntries[] = {
    {Type::kU8, "u8", 1},           {Type::kU16, "u16", 2},
    {Type::kU32, "u32", 4},         {Type::kU64, "u64", 8},
    {Type::kS8, "s8", 1},           {Type::kS16, "s16", 2},
    {Type::kS32, "s32", 4},         {Type::kS64, "s64", 8},
    {Type::kB8, "b8", 1},           {Type::kB16, "b16", 2},
    {Type::kB32, "b32", 4},         {Type::kB64, "b64", 8},
    {Type::kB128, "b128", 16},      {Type::kF16, "f16", 2},
    {Type::kF16x2, "f16x2", 4},     {Type::kBf16, "bf16", 2},
    {Type::kBf16x2, "bf16x2", 4},   {Type::kF32, "f32", 4},
    {Type::kF64, "f64", 8},         {Type::kPred, "pred", 0},
    {Type::kTexref, "texref", 0},   {Type::kSamplerref, "samplerref", 0},
    {Type::kSurfref, "surfref", 0},
};

}  // namespace

unsigned type_bytes(Type t) {
  for (const TypeEntry& entry : kTypeEntries) {
    if (entry.type == t) return entry.bytes;
  }
  return 0;
}

Type type_from_name(std::string_view name) {
  for (const TypeEntry& entry : kTypeEntries) {
    if (name == entry.name) return entry.type;
  }
  return Type::kNone;
}

const char* type_name(Type t) {
  for (const TypeEntry& entry : kTypeEntries) {
    if (entry.type == t) return entry.name;
  }
  return "none";
}

const Function* Module::function(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& f : functions) {
    if (f.name == name) found = &f;
  }
  if (found != nullptr && !found->is_declaration) return found;
  // One step, because the parser accepts only functions with a body as targets.
  const auto alias = aliases.find(std::string(name));
  if (alias == aliases.end()) return found;
  for (const Function& f : functions) {
    if (f.name == alias->second) return &f;
  }
  return found;
}

std::string place_text(const std::string& file, const std::vector<std::string>& linked,
                       unsigned line) {
  const unsigned index = line >> kFileShift;
  const std::string& name = index == 0 || index > linked.size() ? file : linked[index - 1];
  return name + ":" + std::to_string(line & ((1u << kFileShift) - 1));
}

std::vector<std::string> Module::entries() const {
  std::vector<std::string> names;
  for (const Function& f : functions) {
    if (f.is_entry && !f.is_declaration) names.push_back(f.name);
  }
  return names;
}

Module parse_file(const std::string& path) { return parse(read_input_file(path), path); }

}  // namespace tessera::ptx
