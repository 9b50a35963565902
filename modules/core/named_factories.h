// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera {

/// Factories of one kind of part (an L1's role, a warp scheduler), by name. Each part's file adds
/// its own.
template <class Factory>
class NamedFactories {
 public:
  /// `kind`: for messages, "L1 role".
  explicit NamedFactories(std::string kind) : kind_(std::move(kind)) {}

  /// Returns true. Throws InputError when the name belongs to another factory already.
  bool add(const std::string& name, Factory factory) {
    const auto [it, is_new] = factories_.emplace(name, factory);
    if (!is_new && it->second != factory) {
      throw InputError(kind_ + " '" + name + "' exists already: register yours under another name");
    }
    return true;
  }

  /// Throws InputError with the nearest name when there is none of this name.
  Factory get(const std::string& name) const {
    const auto it = factories_.find(name);
    if (it != factories_.end()) return it->second;
    std::string list;
    for (const std::string& n : names()) list += (list.empty() ? "" : ", ") + n;
    throw InputError("unknown " + kind_ + " '" + name + "' (known: " + list + ")" +
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
