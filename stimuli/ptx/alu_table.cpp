// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/alu_table.h"

#include "common/text.h"

namespace tessera::ptx {

namespace portable {
void add_all(AluTable& table);
}
#ifdef TESSERA_PTX_AVX2
namespace avx2 {
void add_all(AluTable& table);
}
#endif

const AluTable& AluTable::get() {
  static const AluTable table(true);
  return table;
}

const AluTable& AluTable::portable() {
  static const AluTable table(false);
  return table;
}

AluTable::AluTable([[maybe_unused]] bool allow_avx2) {
#ifdef TESSERA_PTX_AVX2
  avx2_ = allow_avx2 && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
          __builtin_cpu_supports("bmi2") != 0;
  if (avx2_) {
    avx2::add_all(*this);
    return;
  }
#endif
  ptx::portable::add_all(*this);
}

void AluTable::add(const AluEntry& entry, const char* a, const char* b, const char* c,
                   const char* d, const char* e) {
  std::string name = a;
  for (const char* part : {b, c, d, e}) {
    if (*part != '\0') name += std::string(".") + part;
  }
  entries_[name] = entry;
}

const AluEntry* AluTable::find(const std::string& name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

std::string AluTable::names_of(const std::string& opcode) const {
  std::string names;
  for (auto it = entries_.lower_bound(opcode); it != entries_.end(); ++it) {
    const std::string& name = it->first;
    if (!begins_with(name, opcode)) break;
    if (name.size() > opcode.size() && name[opcode.size()] != '.') continue;
    if (names.size() > 600) return names + ", ...";
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::vector<std::string> AluTable::opcodes() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) {
    if (name[0] == '_') continue;  // the decoder's own
    std::string opcode = name.substr(0, name.find('.'));
    if (result.empty() || result.back() != opcode) result.push_back(opcode);
  }
  return result;
}

}  // namespace tessera::ptx
