// SPDX-License-Identifier: Apache-2.0
#include "app/import/import.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/import/options.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"
#include "platforms/config_check.h"
#include "platforms/simulation.h"

namespace tessera::import {

namespace {

bool is_of(const std::string& name, Treatment treatment) {
  const OptionRow* const row = find_option(name);
  return row != nullptr && row->treatment == treatment;
}

std::vector<GivenOption> options_of(std::string_view text, const std::string& file) {
  std::vector<GivenOption> given = read_options(
      text, file,
      [](const std::string& name) {
        const OptionRow* const row = find_option(name);
        return row != nullptr && row->flag;
      },
      [](const std::string& name) { return find_option(name) != nullptr; });
  if (given.empty()) throw InputError(file + ": no options, as a gpgpusim.config has");
  for (const GivenOption& option : given) {
    if (!is_of(option.name, Treatment::kRefused)) continue;
    throw InputError(file + ":" + std::to_string(option.line) + ": " + option.name + ": " +
                     find_option(option.name)->text);
  }
  return given;
}

/// Keeps the last of each option, in the file's order, and records the others.
std::vector<GivenOption> last_ones(const std::vector<GivenOption>& given,
                                   std::vector<RepeatedOption>& repeated) {
  std::vector<GivenOption> out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto same = [&](const GivenOption& o) { return o.name == given[i].name; };
    const auto after = given.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find_if(after, given.end(), same) != given.end()) continue;
    out.push_back(given[i]);
    RepeatedOption r{given[i], {}};
    for (std::size_t k = 0; k < i; ++k) {
      if (same(given[k])) r.ignored_lines.push_back(given[k].line);
    }
    if (!r.ignored_lines.empty()) repeated.push_back(std::move(r));
  }
  return out;
}

std::map<std::string, std::string> fallbacks() {
  std::map<std::string, std::string> all;
  for (const OptionRow& row : option_rows()) {
    if (row.treatment == Treatment::kMapped && *row.value != '\0') all[row.name] = row.value;
  }
  return all;
}

/// What the rules make of the options.
struct Applied {
  std::map<std::string, std::vector<Setting>> of_option;
  std::map<std::string, std::string> why_not;  ///< by option: the first reason
  /// Parameters that keep the base's values, with the reasons.
  std::vector<std::pair<std::string, std::string>> kept;
  std::map<std::string, std::string> origins;  ///< by parameter: the options and their places
};

/// Those options that are given, with their places; all of them if none is given.
std::string origin_of(const std::set<std::string>& options, const OptionValues& values) {
  std::vector<std::string> given;
  std::vector<std::string> all;
  for (const std::string& option : options) {
    all.push_back(values.where(option));
    if (values.is_given(option)) given.push_back(all.back());
  }
  return joined(given.empty() ? all : given, "; ");
}

Applied apply_rules(const OptionValues& values, Import& out) {
  Applied applied;
  for (const Rule& rule : rules()) {
    const auto lacks = std::find_if(rule.options.begin(), rule.options.end(),
                                    [&](const char* o) { return !values.has(o); });
    if (lacks != rule.options.end()) {
      applied.kept.emplace_back(rule.parameter, std::string("the file has no ") + *lacks);
      continue;
    }
    values.take_read();
    const Outcome outcome = rule.value(values);
    const std::set<std::string> read = values.take_read();
    if (!outcome.value()) {
      if (outcome.has_effect()) applied.kept.emplace_back(rule.parameter, outcome.why());
      for (const std::string& option : read) applied.why_not.emplace(option, outcome.why());
      continue;
    }
    const Setting setting{rule.parameter, *outcome.value()};
    out.settings.push_back(setting);
    if (rule.options.empty()) {
      out.defaults.push_back({DefaultValue::Source::kImporter, {}, {}, {setting}, rule.why});
      continue;
    }
    applied.origins[rule.parameter] = origin_of(read, values);
    for (const std::string& option : read) applied.of_option[option].push_back(setting);
  }
  return applied;
}

void sort_options(const std::vector<GivenOption>& given, const Applied& applied, Import& out) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_rows()) names.emplace_back(row.name);
  for (const GivenOption& option : given) {
    const OptionRow* const row = find_option(option.name);
    if (row == nullptr) {
      // Early names lack the prefix.
      const OptionRow* const longer = find_option("-gpgpu_" + option.name.substr(1));
      out.unknown.push_back(
          {option, longer != nullptr ? longer->name : nearest_name(option.name, names)});
      continue;
    }
    const auto made = applied.of_option.find(option.name);
    const auto why = applied.why_not.find(option.name);
    if (made != applied.of_option.end()) {
      out.mapped.push_back({option, made->second});
    } else if (why != applied.why_not.end()) {
      out.none.push_back({option, why->second});
    } else {
      const bool same = row->treatment == Treatment::kBuiltIn && option.value == row->value;
      (same ? out.built_in : out.none).push_back({option, row->text});
    }
  }
}

void add_remarks(const std::vector<GivenOption>& given, const OptionValues& values, Import& out) {
  for (const GivenOption& option : given) {
    for (const RemarkRule& rule : remark_rules()) {
      if (option.name != rule.option) continue;
      Remarks remarks;
      rule.add(values, remarks);
      for (const Part& p : remarks.parts) out.parts.push_back({option, p.why, p.name});
      for (const Adjustment& text : remarks.adjustments) out.adjusted.push_back({option, text});
    }
  }
}

/// Values that GPGPU-Sim has for options that the file lacks, and Tessera's for parameters that the
/// options do not determine.
void add_defaults(const OptionValues& values, const Applied& applied, const ResolvedConfig& base,
                  Import& out) {
  for (const OptionRow& row : option_rows()) {
    const auto made = applied.of_option.find(row.name);
    if (row.treatment != Treatment::kMapped || values.is_given(row.name) ||
        made == applied.of_option.end()) {
      continue;
    }
    out.defaults.push_back({DefaultValue::Source::kGpgpuSim, row.name, row.value, made->second});
  }
  std::map<std::string, ParameterValue> of_base;
  for (const ListedParameter& p : base.parameters()) {
    const nlohmann::ordered_json& value = p.value;
    if (value.is_boolean()) of_base[p.info.name] = value.get<bool>();
    if (value.is_number_unsigned()) of_base[p.info.name] = value.get<std::uint64_t>();
    if (value.is_string()) of_base[p.info.name] = value.get<std::string>();
  }
  for (const auto& [parameter, why] : applied.kept) {
    out.defaults.push_back(
        {DefaultValue::Source::kTessera, {}, {}, {{parameter, of_base.at(parameter)}}, why});
  }
}

nlohmann::json json_value(const ParameterValue& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v); }, value);
}

/// Words of a message that can be names of parameters.
std::set<std::string> words_of(const std::string& message) {
  std::set<std::string> words;
  std::string word;
  for (const char c : message + " ") {
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (part) {
      word += c;
    } else if (!word.empty()) {
      words.insert(word);
      word.clear();
    }
  }
  return words;
}

/// The options, with their places, that have set the parameters that an error names.
std::vector<std::string> origins_of(const std::string& error, const Applied& applied,
                                    bool any_group) {
  const std::set<std::string> words = words_of(error);
  std::vector<std::string> origins;
  for (const auto& [parameter, origin] : applied.origins) {
    const std::size_t dot = parameter.rfind('.');
    // "dram.t_ras ... t_rcd", "noc: input_buffer_flits ...".
    const std::string group = parameter.substr(0, dot);
    const bool in_group =
        any_group || begins_with(error, group + ".") || begins_with(error, group + ":");
    const bool named =
        words.count(parameter) != 0 || (in_group && words.count(parameter.substr(dot + 1)) != 0);
    if (named && std::find(origins.begin(), origins.end(), origin) == origins.end()) {
      origins.push_back(origin);
    }
  }
  return origins;
}

std::string located(const std::string& error, const Applied& applied, const std::string& file) {
  std::vector<std::string> origins = origins_of(error, applied, false);
  // Policies name parameters without a group.
  if (origins.empty()) origins = origins_of(error, applied, true);
  return (origins.empty() ? file : joined(origins, "; ")) + ": " + error;
}

/// Checks the platform as a simulation does, so that messages name options.
void check(const Import& imported, const Applied& applied, const ResolvedConfig& base) {
  std::vector<ParameterSetting> settings;
  for (const Setting& s : imported.settings) {
    const auto origin = applied.origins.find(s.parameter);
    settings.push_back({s.parameter, json_value(s.value),
                        origin == applied.origins.end() ? imported.file : origin->second});
  }
  GpuConfig gpu = base.gpu;
  ParameterReader reader(std::move(settings));
  describe(reader, gpu);
  reader.throw_if_failed();
  gpu.propagate();
  std::vector<std::string> errors;
  for (const std::string& e : config_errors(gpu)) {
    errors.push_back(located(e, applied, imported.file));
  }
  if (!errors.empty()) throw InputError(joined(errors, "\n"));
}

}  // namespace

nlohmann::ordered_json Import::preset() const {
  nlohmann::ordered_json out = {
      {"base", kBase}, {"description", "imported from the GPGPU-Sim configuration " + file}};
  for (const Setting& s : settings) {
    nlohmann::ordered_json* at = &out;
    std::string rest = s.parameter;
    for (std::size_t dot; (dot = rest.find('.')) != std::string::npos;
         rest = rest.substr(dot + 1)) {
      at = &(*at)[rest.substr(0, dot)];
    }
    (*at)[rest] = json_value(s.value);
  }
  return out;
}

Import import_text(std::string_view text, const std::string& file) {
  Import out;
  out.file = file;
  const std::vector<GivenOption> given = last_ones(options_of(text, file), out.repeated);
  const OptionValues values(file, given, fallbacks());
  const Applied applied = apply_rules(values, out);
  sort_options(given, applied, out);
  add_remarks(given, values, out);
  const ResolvedConfig base = resolve_config(kBase, {});
  add_defaults(values, applied, base, out);
  check(out, applied, base);
  return out;
}

Import import_file(const std::string& path) { return import_text(read_input_file(path), path); }

}  // namespace tessera::import
