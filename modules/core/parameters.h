// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters: each block's configuration is a plain struct, and one function
//
//   void describe(ParameterVisitor& v, LlcSliceConfig& c);
//
// names every field once (name, unit, description, legal range). Reading from JSON, writing the
// resolved configuration, listing and range checks are visitors over that one description.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/located_json.h"

namespace tessera {

struct ParameterInfo {
  std::string name;
  std::string unit;
  std::string description;
  double min = 0;
  double max = 0;
  /// Legal texts; empty = any.
  std::vector<std::string> choices;
};

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  /// A nested group: "llc" makes "llc.sets".
  virtual void enter(const std::string& group, const std::string& description) = 0;
  virtual void leave() = 0;

  virtual void on_integer(const ParameterInfo& info, std::uint64_t& value) = 0;
  virtual void on_real(const ParameterInfo& info, double& value) = 0;
  virtual void on_flag(const ParameterInfo& info, bool& value) = 0;
  virtual void on_text(const ParameterInfo& info, std::string& value) = 0;

  /// An integer field of any unsigned type, with its legal range (never wider than the type's).
  template <class T, class = std::enable_if_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>>>
  void integer(const std::string& name, T& field, const std::string& unit,
               const std::string& description, std::uint64_t min, std::uint64_t max) {
    std::uint64_t value = field;
    max = std::min<std::uint64_t>(max, std::numeric_limits<T>::max());
    on_integer({name, unit, description, static_cast<double>(min), static_cast<double>(max), {}},
               value);
    field = static_cast<T>(value);
  }
  void real(const std::string& name, double& field, const std::string& unit,
            const std::string& description, double min, double max) {
    on_real({name, unit, description, min, max, {}}, field);
  }
  void flag(const std::string& name, bool& field, const std::string& description) {
    on_flag({name, "", description, 0, 1, {}}, field);
  }
  void text(const std::string& name, std::string& field, const std::string& description,
            std::vector<std::string> choices = {}) {
    on_text({name, "", description, 0, 0, std::move(choices)}, field);
  }
  template <class E>
  void choice(const std::string& name, E& field, const std::string& description,
              const std::vector<std::pair<std::string, E>>& choices) {
    std::vector<std::string> names;
    std::string value;
    for (const auto& [text_of, e] : choices) {
      names.push_back(text_of);
      if (e == field) value = text_of;
    }
    on_text({name, "", description, 0, 0, names}, value);
    for (const auto& [text_of, e] : choices) {
      if (text_of == value) field = e;
    }
  }
};

/// A listed parameter.
struct ListedParameter {
  ParameterInfo info;  ///< name holds the full path
  std::string kind;    ///< "integer", "real", "flag", "text"
  nlohmann::ordered_json value;
};

/// Collects every parameter with its present value.
class ParameterLister final : public ParameterVisitor {
 public:
  void enter(const std::string& group, const std::string& description) override;
  void leave() override;
  void on_integer(const ParameterInfo& info, std::uint64_t& value) override;
  void on_real(const ParameterInfo& info, double& value) override;
  void on_flag(const ParameterInfo& info, bool& value) override;
  void on_text(const ParameterInfo& info, std::string& value) override;

  const std::vector<ListedParameter>& parameters() const { return parameters_; }
  /// Nested objects, as a configuration file has them.
  nlohmann::ordered_json to_json() const;

 private:
  void add(const ParameterInfo& info, const char* kind, nlohmann::ordered_json value);
  std::vector<std::string> path_;
  std::vector<ListedParameter> parameters_;
};

/// One value to be applied, and where it came from (for messages).
struct ParameterSetting {
  std::string path;  ///< "llc.sets"
  nlohmann::json value;
  std::string origin;  ///< "FILE:LINE" or "--set"
};

/// Applies settings to the fields that a describe() visits. Collects every error; call
/// throw_if_failed() after the visit. A setting that no field took is an unknown name.
class ParameterReader final : public ParameterVisitor {
 public:
  explicit ParameterReader(std::vector<ParameterSetting> settings);

  void enter(const std::string& group, const std::string& description) override;
  void leave() override;
  void on_integer(const ParameterInfo& info, std::uint64_t& value) override;
  void on_real(const ParameterInfo& info, double& value) override;
  void on_flag(const ParameterInfo& info, bool& value) override;
  void on_text(const ParameterInfo& info, std::string& value) override;

  /// Throws InputError with every error, one a line: origin, path, what is wrong, what was
  /// expected, nearest known name.
  void throw_if_failed() const;

 private:
  const ParameterSetting* find(const ParameterInfo& info);
  void fail(const ParameterSetting& s, const std::string& what);
  std::string full(const std::string& name) const;

  std::vector<ParameterSetting> settings_;
  std::vector<bool> used_;
  std::vector<std::string> path_;
  std::vector<std::string> known_;
  std::vector<std::string> errors_;
};

/// Flattens a JSON object to settings in file order; `skip` names top-level keys that are not
/// parameters ("base", "description"). An empty object is a setting too, so that the name of an
/// empty group is checked.
std::vector<ParameterSetting> settings_from(const LocatedJson& document,
                                            const std::vector<std::string>& skip);

/// "path=value" of --set: value is read as JSON, or as text when it is not JSON. Throws InputError
/// for anything else and for text that is not UTF-8.
ParameterSetting setting_from_argument(const std::string& argument);

}  // namespace tessera
