// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters: the configuration of a block or of a policy is a plain struct, and one function
//
//   void describe(ParameterVisitor& v, LlcSliceConfig& c);
//
// names every field once (name, unit, description, legal range). Reading from JSON, writing the
// resolved configuration, listing and range checks are visitors over that one description
// (modules/kernel/parameters.h).

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

struct ParameterInfo {
  std::string name;
  std::string unit;
  std::string description;
  double min = 0;
  double max = 0;
  /// Legal texts; empty: all texts.
  std::vector<std::string> choices;
  /// Earlier names that readers still accept: with a dot, the whole path ("system.lab_threshold");
  /// without a dot, a name in the same group.
  std::vector<std::string> aliases;
};

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  /// Begins a nested group: "llc" is the prefix of "llc.sets".
  virtual void enter(const std::string& group, const std::string& description) = 0;
  virtual void leave() = 0;

  virtual void on_integer(const ParameterInfo& info, std::uint64_t& value) = 0;
  virtual void on_real(const ParameterInfo& info, double& value) = 0;
  virtual void on_flag(const ParameterInfo& info, bool& value) = 0;
  virtual void on_text(const ParameterInfo& info, std::string& value) = 0;

  /// A field of any unsigned integer type, with its legal range, limited to that of the type.
  template <class T, class = std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>>
  void integer(const std::string& name, T& field, const std::string& unit,
               const std::string& description, std::uint64_t min, std::uint64_t max,
               std::vector<std::string> aliases = {}) {
    std::uint64_t value = field;
    max = std::min<std::uint64_t>(max, std::numeric_limits<T>::max());
    on_integer({name,
                unit,
                description,
                static_cast<double>(min),
                static_cast<double>(max),
                {},
                std::move(aliases)},
               value);
    field = static_cast<T>(value);
  }
  void real(const std::string& name, double& field, const std::string& unit,
            const std::string& description, double min, double max,
            std::vector<std::string> aliases = {}) {
    on_real({name, unit, description, min, max, {}, std::move(aliases)}, field);
  }
  void flag(const std::string& name, bool& field, const std::string& description,
            std::vector<std::string> aliases = {}) {
    on_flag({name, "", description, 0, 1, {}, std::move(aliases)}, field);
  }
  void text(const std::string& name, std::string& field, const std::string& description,
            std::vector<std::string> choices = {}, std::vector<std::string> aliases = {}) {
    on_text({name, "", description, 0, 0, std::move(choices), std::move(aliases)}, field);
  }
  template <class E>
  void choice(const std::string& name, E& field, const std::string& description,
              const std::vector<std::pair<std::string, E>>& choices,
              std::vector<std::string> aliases = {}) {
    std::vector<std::string> names;
    std::string value;
    for (const auto& [text_of, e] : choices) {
      names.push_back(text_of);
      if (e == field) value = text_of;
    }
    on_text({name, "", description, 0, 0, names, std::move(aliases)}, value);
    for (const auto& [text_of, e] : choices) {
      if (text_of == value) field = e;
    }
  }
};

}  // namespace tessera
