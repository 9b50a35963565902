// SPDX-License-Identifier: Apache-2.0
#pragma once

// The visitors over describe(ParameterVisitor&, Config&): listing, JSON, reading settings.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/kept_json.h"
#include "common/parameter_visitor.h"

namespace tessera {

struct LocatedJson;

/// A listed parameter.
struct ListedParameter {
  ParameterInfo info;  ///< name and aliases hold full paths
  std::string kind;    ///< "integer", "real", "flag", "text"
  KeptJson<nlohmann::ordered_json> value;
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
  KeptJson<nlohmann::json> value;
  std::string origin;  ///< "FILE:LINE" or "--set"
};

/// Applies settings to the fields that a describe() visits. Collects every error; call
/// throw_if_failed() after the visit. A setting that no field took is an unknown name.
///
/// The last setting of a parameter wins, also where it gives one of the parameter's aliases. One
/// source (a file, or the command line) that sets a parameter twice is an error.
///
/// A number can be a text with a suffix ("64K", "1.4GHz") that converts to the parameter's unit
/// (common/quantity.h).
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
  const ParameterSetting* find(const ParameterInfo& info, const char* kind);
  void check_repeated(const std::vector<const ParameterSetting*>& given, const std::string& path);
  void fail(const ParameterSetting& s, const std::string& what);
  std::string full(const std::string& name) const;

  std::vector<ParameterSetting> settings_;
  std::vector<bool> used_;
  std::vector<std::string> path_;
  std::vector<ListedParameter> known_;  ///< whole paths; without values
  std::vector<std::string> groups_;     ///< whole paths
  std::vector<std::string> errors_;
};

/// The setting of one block that names its implementation.
inline constexpr char kImplSetting[] = ".impl";

/// Of the settings of single blocks ("system.gpu0.llc3.sets"), those of the block at `path`,
/// without it ("sets") and without the one of its implementation.
std::vector<ParameterSetting> settings_of(const std::vector<ParameterSetting>& overrides,
                                          const std::string& path);

/// The configuration of one block: `base` with the block's own settings.
template <class Config>
Config instance_config(Config base, const std::vector<ParameterSetting>& overrides,
                       const std::string& path) {
  std::vector<ParameterSetting> mine = settings_of(overrides, path);
  if (mine.empty()) return base;
  ParameterReader reader(std::move(mine));
  describe(reader, base);
  reader.throw_if_failed();
  return base;
}

/// The value in the parameter's unit: the number that a text with a suffix is, every other value as
/// it is.
nlohmann::json in_unit(const ListedParameter& parameter, const nlohmann::json& value);

/// Flattens a JSON object to settings in file order; `skip` names top-level keys that are not
/// parameters ("base", "description"). An empty object is a setting too, so that the name of an
/// empty group is checked.
std::vector<ParameterSetting> settings_from(const LocatedJson& document,
                                            const std::vector<std::string>& skip);

/// The paths of the parameters that a setting of `path` reaches: itself, or those that have it as
/// an alias.
std::vector<std::string> reached_by(const std::vector<ListedParameter>& parameters,
                                    const std::string& path);

/// "path=value" of --set: value is read as JSON, or as text when it is not JSON. Throws InputError
/// for anything else and for text that is not UTF-8.
ParameterSetting setting_from_argument(const std::string& argument);

}  // namespace tessera
