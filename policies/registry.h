// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera {

/// Factories of one kind of policy, by name.
template <class Factory>
class PolicyRegistry {
 public:
  /// `kind`: for messages, "page placement".
  PolicyRegistry(std::string kind, std::map<std::string, Factory> built_in)
      : kind_(std::move(kind)), factories_(std::move(built_in)) {}

  /// Throws InputError when the name belongs to another factory already.
  void add(const std::string& name, Factory factory) {
    if (name.empty()) throw InputError("a " + kind_ + " policy must have a name");
    const auto [it, fresh] = factories_.emplace(name, factory);
    if (!fresh && it->second != factory) {
      throw InputError("a " + kind_ + " policy named '" + name +
                       "' exists already: register yours under another name");
    }
  }

  /// Throws InputError with the nearest name when there is none of this name.
  Factory get(const std::string& name) const {
    const auto it = factories_.find(name);
    if (it != factories_.end()) return it->second;
    std::string list;
    for (const std::string& n : names()) list += (list.empty() ? "" : ", ") + n;
    throw InputError("unknown " + kind_ + " policy '" + name + "' (known: " + list + ")" +
                     did_you_mean(name, names()));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : factories_) all.push_back(entry.first);
    return all;
  }

 private:
  std::string kind_;
  std::map<std::string, Factory> factories_;
};

}  // namespace tessera
