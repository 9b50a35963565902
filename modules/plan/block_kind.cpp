// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/block_kind.h"

#include <algorithm>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera {

namespace {

struct Kinds {
  std::map<std::string, BlockKind> all;
  std::string fault;
};

Kinds& kinds() {
  static Kinds kinds;
  return kinds;
}

}  // namespace

void register_kind(BlockKind kind) {
  const std::string name = kind.name;
  if (!kinds().all.emplace(name, std::move(kind)).second) {
    kinds().fault =
        "a kind of block named '" + name + "' exists already: register yours under another name";
  }
}

const std::map<std::string, BlockKind>& block_kinds() {
  if (!kinds().fault.empty()) throw InputError(kinds().fault);
  return kinds().all;
}

std::vector<const BlockKind*> kinds_from_memory() {
  std::vector<const BlockKind*> all;
  for (const auto& [name, kind] : block_kinds()) all.push_back(&kind);
  std::stable_sort(all.begin(), all.end(),
                   [](const BlockKind* a, const BlockKind* b) { return a->rank < b->rank; });
  return all;
}

const BlockKind& kind_of(const std::string& name) {
  const auto& all = block_kinds();
  const auto it = all.find(name);
  if (it != all.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& k : all) known.push_back(k.first);
  throw InputError("unknown kind of block '" + name + "'" + did_you_mean(name, known));
}

const BlockKind& kind_of(const PlannedBlock& block) { return kind_of(block.kind); }

}  // namespace tessera
