// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters: the configuration of a block or of a policy is a plain struct, and one function
//
//   void describe(ParameterVisitor& v, LlcSliceConfig& c);
//
// names every field once (name, unit, description, legal range). Reading from JSON, writing the
// resolved configuration, listing and range checks are visitors over that one description
// (modules/kernel/parameters.h).

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
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

/// A value of an enumeration, with its name in configurations.
struct NamedValue {
  template <class E>
  constexpr NamedValue(const char* of, E e) : name(of), value(static_cast<std::int64_t>(e)) {}
  const char* name;
  std::int64_t value;
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
  /// `aliases`: ParameterInfo::aliases.
  template <class T, class = std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>>
  void integer(std::string_view name, T& field, std::string_view unit, std::string_view description,
               std::uint64_t min, std::uint64_t max,
               std::initializer_list<const char*> aliases = {}) {
    constexpr std::uint64_t kMost = std::numeric_limits<T>::max();
    field = static_cast<T>(
        whole_number(name, field, unit, description, min, max < kMost ? max : kMost, aliases));
  }
  void real(std::string_view name, double& field, std::string_view unit,
            std::string_view description, double min, double max,
            std::initializer_list<const char*> aliases = {});
  void flag(std::string_view name, bool& field, std::string_view description,
            std::initializer_list<const char*> aliases = {});
  void text(std::string_view name, std::string& field, std::string_view description,
            std::vector<std::string> choices = {}, std::vector<std::string> aliases = {});
  /// A field of an enumeration, of which `choices` names values: {{"open", RowPolicy::kOpen}, ...}.
  template <class E>
  void choice(std::string_view name, E& field, std::string_view description,
              std::initializer_list<NamedValue> choices,
              std::initializer_list<const char*> aliases = {}) {
    field = static_cast<E>(
        named_value(name, static_cast<std::int64_t>(field), description, choices, aliases));
  }

 private:
  // Not templates, because each struct of parameters calls them a dozen times.
  std::uint64_t whole_number(std::string_view name, std::uint64_t value, std::string_view unit,
                             std::string_view description, std::uint64_t min, std::uint64_t max,
                             std::initializer_list<const char*> aliases);
  std::int64_t named_value(std::string_view name, std::int64_t value, std::string_view description,
                           std::initializer_list<NamedValue> choices,
                           std::initializer_list<const char*> aliases);
};

}  // namespace tessera
