// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/block_family.h"

#include <map>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera {

namespace {

struct Family {
  /// Implementations can be registered before their family, in another source.
  bool declared = false;
  std::string alias;
  std::map<std::string, AnyBlockFactory> factories;
};

std::map<std::string, Family>& families() {
  static std::map<std::string, Family> all;
  return all;
}

Family& family_of(const std::string& name) {
  const auto it = families().find(name);
  if (it != families().end() && it->second.declared) return it->second;
  std::vector<std::string> known;
  for (const BlockFamily& f : block_families()) known.push_back(f.name);
  throw InputError("unknown kind of block '" + name + "'" + did_you_mean(name, known));
}

}  // namespace

void register_family(const BlockFamily& family, AnyBlockFactory make) {
  Family& f = families()[family.name];
  f.declared = true;
  f.alias = family.alias;
  f.factories.emplace("tlm", std::move(make));
}

std::vector<BlockFamily> block_families() {
  std::vector<BlockFamily> all;
  for (const auto& [name, family] : families()) {
    if (family.declared) all.push_back({name, family.alias});
  }
  return all;
}

void register_any_block(const std::string& family, const std::string& name,
                        AnyBlockFactory factory) {
  if (!families()[family].factories.emplace(name, std::move(factory)).second) {
    throw InputError("an implementation of '" + family + "' named '" + name + "' exists already");
  }
}

std::vector<std::string> block_implementations(const std::string& family) {
  std::vector<std::string> names;
  for (const auto& f : family_of(family).factories) names.push_back(f.first);
  return names;
}

BlockHandle make_any_block(const std::string& family, const std::string& name,
                           const BlockSite& site) {
  const auto& factories = family_of(family).factories;
  const auto it = factories.find(name);
  if (it == factories.end()) {
    throw InputError("no implementation of '" + family + "' is named '" + name + "'" +
                     did_you_mean(name, block_implementations(family)));
  }
  BlockHandle made = it->second(site);
  if (made.in.size() != site.inputs || made.out.size() != site.outputs) {
    const auto sockets = [](std::size_t in, std::size_t out) {
      return std::to_string(in) + " target and " + std::to_string(out) + " initiator sockets";
    };
    throw InputError(site.name + ": implementation '" + name + "' of '" + family + "' has " +
                     sockets(made.in.size(), made.out.size()) + ", this platform needs " +
                     sockets(site.inputs, site.outputs));
  }
  return made;
}

}  // namespace tessera
