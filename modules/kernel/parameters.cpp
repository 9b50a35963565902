// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/parameters.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "common/error.h"
#include "common/json.h"
#include "common/located_json.h"
#include "common/quantity.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr char kInteger[] = "integer";
constexpr char kReal[] = "real";
constexpr char kFlag[] = "flag";
constexpr char kText[] = "text";

std::string range_text(const ParameterInfo& info) {
  std::ostringstream out;
  out.precision(15);
  out << info.min << " to " << info.max;
  if (!info.unit.empty()) out << ' ' << plural(info.unit);
  return out.str();
}

std::string meant(const std::string& name) { return "; did you mean '" + name + "'?"; }

/// Whether a text, a flag or a number can be meant for the parameter.
bool can_take(const ListedParameter& p, const json& value) {
  if (p.kind == kFlag) return value.is_boolean();
  if (p.kind != kText) return value.is_number();
  return value.is_string() && (p.info.choices.empty() ||
                               !nearest_name(value.get<std::string>(), p.info.choices).empty());
}

/// "llc.sets, llc.ways, ... and 12 more": the parameters of a group.
std::string members_of(const std::string& group, const std::vector<ListedParameter>& known) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> names;
  for (const ListedParameter& p : known) {
    if (begins_with(p.info.name, group + ".")) names.push_back(p.info.name);
  }
  const std::size_t all = names.size();
  names.resize(std::min(all, kShown));
  const std::string list = joined(names);
  return all <= kShown
             ? list
             : list + " and " + std::to_string(all - kShown) + " more (tessera list parameters)";
}

/// What is wrong with a name that no parameter has. In this order: the name without a group before
/// it, the name with one ("page_placement" is "system.page_placement"), a group and its parameters,
/// the nearest name.
std::string unknown(const ParameterSetting& s, const std::vector<ListedParameter>& known,
                    const std::vector<std::string>& groups) {
  const std::string none = "no such parameter";
  const std::string path = lower_case(s.path);
  const bool is_group = std::find(groups.begin(), groups.end(), path) != groups.end();
  const std::string rest = path.substr(path.find('.') + 1);
  const std::string end = "." + path;
  std::vector<std::string> names;
  for (const ListedParameter& p : known) {
    const std::string& name = p.info.name;
    if (name == rest || name == path) return none + meant(name);
    names.push_back(name);
  }
  for (const ListedParameter& p : known) {
    const std::string& name = p.info.name;
    if (name.size() == end.size() || !ends_with(name, end)) continue;
    if (!is_group || can_take(p, s.value)) return none + meant(name);
  }
  if (is_group) return "a group of parameters, not one of them: " + members_of(path, known);
  const std::string hint = did_you_mean(s.path, names);
  if (!hint.empty()) return none + hint;
  const std::string group = nearest_name(s.path, groups);
  return none + (group.empty() ? "" : "; did you mean the group '" + group + "'?");
}

/// An alias's whole path, in the group at `path`.
std::string alias_path(const std::vector<std::string>& path, const std::string& alias) {
  if (path.empty() || alias.find('.') != std::string::npos) return alias;
  return joined(path, ".") + "." + alias;
}

/// The file of "FILE:LINE", or "--set"; without the instance that may follow.
std::string source_of(const std::string& origin) {
  const std::string place = origin.substr(0, origin.find(": "));
  return place.substr(0, place.rfind(':'));
}

/// A value in a message: short, and safe whatever bytes it holds.
std::string shown(const json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

/// The number that a text with a suffix is; every other value as it is. `why`: the end of a message
/// that refuses the value.
json number_of(const json& value, const ParameterInfo& info, const std::string& kind,
               std::string& why) {
  if (!value.is_string()) return value;
  const std::optional<Quantity> q = read_quantity(value.get<std::string>(), info.unit, why);
  if (!q) return value;
  why = "; it is " + json(q->real()).dump();
  if (kind == kReal) return q->real();
  const std::optional<std::uint64_t> whole = q->whole();
  if (!whole) return value;
  why = "; it is " + std::to_string(*whole);
  return *whole;
}

}  // namespace

json in_unit(const ListedParameter& parameter, const json& value) {
  const bool number = parameter.kind == kInteger || parameter.kind == kReal;
  std::string ignored;
  return number ? number_of(value, parameter.info, parameter.kind, ignored) : value;
}

void ParameterLister::enter(const std::string& group, const std::string&) {
  path_.push_back(group);
}

void ParameterLister::leave() { path_.pop_back(); }

void ParameterLister::add(const ParameterInfo& info, const char* kind, ordered_json value) {
  ListedParameter p{info, kind, std::move(value)};
  if (!path_.empty()) p.info.name = joined(path_, ".") + "." + info.name;
  for (std::string& alias : p.info.aliases) alias = alias_path(path_, alias);
  parameters_.push_back(std::move(p));
}

void ParameterLister::on_integer(const ParameterInfo& info, std::uint64_t& value) {
  add(info, kInteger, value);
}
void ParameterLister::on_real(const ParameterInfo& info, double& value) { add(info, kReal, value); }
void ParameterLister::on_flag(const ParameterInfo& info, bool& value) { add(info, kFlag, value); }
void ParameterLister::on_text(const ParameterInfo& info, std::string& value) {
  add(info, kText, value);
}

ordered_json ParameterLister::to_json() const {
  ordered_json out = ordered_json::object();
  for (const ListedParameter& p : parameters_) {
    ordered_json* at = &out;
    std::istringstream parts(p.info.name);
    std::string part;
    while (std::getline(parts, part, '.')) at = &(*at)[part];
    *at = *p.value;
  }
  return out;
}

ParameterReader::ParameterReader(std::vector<ParameterSetting> settings)
    : settings_(std::move(settings)), used_(settings_.size()) {}

void ParameterReader::enter(const std::string& group, const std::string&) {
  const std::string path = full(group);
  path_.push_back(group);
  groups_.push_back(path);
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const json& value = settings_[i].value;
    if (value.is_object() && value.empty() && settings_[i].path == path) used_[i] = true;
  }
}

void ParameterReader::leave() { path_.pop_back(); }

std::string ParameterReader::full(const std::string& name) const {
  return path_.empty() ? name : joined(path_, ".") + "." + name;
}

// The last setting of a parameter wins: files first, --set after them.
const ParameterSetting* ParameterReader::find(const ParameterInfo& info, const char* kind) {
  const std::string path = full(info.name);
  known_.push_back({info, kind, {}});
  known_.back().info.name = path;
  std::vector<std::string> names = {path};
  for (const std::string& alias : info.aliases) names.push_back(alias_path(path_, alias));
  std::vector<const ParameterSetting*> given;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (std::find(names.begin(), names.end(), settings_[i].path) == names.end()) continue;
    used_[i] = true;
    given.push_back(&settings_[i]);
  }
  if (given.empty()) return nullptr;
  check_repeated(given, path);
  return given.back();
}

void ParameterReader::check_repeated(const std::vector<const ParameterSetting*>& given,
                                     const std::string& path) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t k = i + 1; k < given.size(); ++k) {
      const ParameterSetting& first = *given[i];
      const ParameterSetting& second = *given[k];
      if (source_of(first.origin) != source_of(second.origin)) continue;
      if (first.path == second.path) {
        fail(second, "set here for the second time, to " + shown(second.value) + "; the first is " +
                         shown(first.value) +
                         (first.origin == second.origin ? "" : " (" + first.origin + ")"));
      } else {
        errors_.push_back(first.origin + ": " + first.path + " (" + shown(first.value) + ") and " +
                          second.path + " (" + shown(second.value) + ") are one parameter: give " +
                          path + " alone");
      }
      return;
    }
  }
}

void ParameterReader::fail(const ParameterSetting& s, const std::string& what) {
  errors_.push_back(s.origin + ": " + s.path + ": " + what);
}

void ParameterReader::on_integer(const ParameterInfo& info, std::uint64_t& value) {
  const ParameterSetting* s = find(info, kInteger);
  if (s == nullptr) return;
  std::string why;
  const json given = number_of(s->value, info, kInteger, why);
  const double v = given.is_number() ? given.get<double>() : -1;
  const bool whole = given.is_number_integer() || (v < 1e18 && std::floor(v) == v);
  if (!given.is_number() || v < 0 || !whole || v < info.min || v > info.max) {
    fail(*s, shown(s->value) + " is not a whole number from " + range_text(info) + why);
    return;
  }
  value = given.is_number_integer() ? given.get<std::uint64_t>() : static_cast<std::uint64_t>(v);
}

void ParameterReader::on_real(const ParameterInfo& info, double& value) {
  const ParameterSetting* s = find(info, kReal);
  if (s == nullptr) return;
  std::string why;
  const json given = number_of(s->value, info, kReal, why);
  if (!given.is_number() || given.get<double>() < info.min || given.get<double>() > info.max) {
    fail(*s, shown(s->value) + " is not a number from " + range_text(info) + why);
    return;
  }
  value = given.get<double>();
}

void ParameterReader::on_flag(const ParameterInfo& info, bool& value) {
  const ParameterSetting* s = find(info, kFlag);
  if (s == nullptr) return;
  if (!s->value->is_boolean()) {
    fail(*s, shown(s->value) + " is not true or false");
    return;
  }
  value = s->value->get<bool>();
}

void ParameterReader::on_text(const ParameterInfo& info, std::string& value) {
  const ParameterSetting* s = find(info, kText);
  if (s == nullptr) return;
  if (!s->value->is_string()) {
    fail(*s, shown(s->value) + " is not a text");
    return;
  }
  const auto text = s->value->get<std::string>();
  if (!info.choices.empty()) {
    bool legal = false;
    for (const std::string& c : info.choices) legal = legal || c == text;
    if (!legal) {
      fail(*s, "'" + text + "' is not one of " + joined(info.choices) +
                   did_you_mean(text, info.choices));
      return;
    }
  }
  value = text;
}

void ParameterReader::throw_if_failed() const {
  std::vector<std::string> errors = errors_;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (used_[i]) continue;
    errors.push_back(settings_[i].origin + ": " + settings_[i].path + ": " +
                     unknown(settings_[i], known_, groups_));
  }
  if (!errors.empty()) throw InputError(joined(errors, "\n"));
}

namespace {

struct LocatedSetting {
  unsigned line;
  ParameterSetting setting;
};

void flatten(const json& value, const std::string& pointer, const std::string& path,
             const LocatedJson& document, std::vector<LocatedSetting>& out) {
  for (const auto& [key, child] : value.items()) {
    const std::string child_pointer = json_pointer(pointer, key);
    const std::string child_path = path.empty() ? key : path + "." + key;
    if (child.is_object() && !child.empty()) {
      flatten(child, child_pointer, child_path, document, out);
    } else {
      out.push_back(
          {document.line_of(child_pointer), {child_path, child, document.where(child_pointer)}});
    }
  }
}

}  // namespace

std::vector<ParameterSetting> settings_of(const std::vector<ParameterSetting>& overrides,
                                          const std::string& path) {
  std::vector<ParameterSetting> mine;
  for (const ParameterSetting& s : overrides) {
    if (s.path.compare(0, path.size() + 1, path + ".") != 0) continue;
    if (s.path.compare(path.size(), std::string::npos, kImplSetting) == 0) continue;
    mine.push_back({s.path.substr(path.size() + 1), s.value, s.origin + ": " + path});
  }
  return mine;
}

std::vector<ParameterSetting> settings_from(const LocatedJson& document,
                                            const std::vector<std::string>& skip) {
  if (!document.value->is_object()) {
    throw InputError(document.file + ":1: expected a JSON object of parameters");
  }
  json parameters = document.value;
  for (const std::string& key : skip) parameters.erase(key);
  std::vector<LocatedSetting> located;
  flatten(parameters, "", "", document, located);
  // Objects hold their members by name; the file's order is that of the lines.
  std::stable_sort(
      located.begin(), located.end(),
      [](const LocatedSetting& a, const LocatedSetting& b) { return a.line < b.line; });
  std::vector<ParameterSetting> out;
  for (LocatedSetting& l : located) out.push_back(std::move(l.setting));
  return out;
}

std::vector<std::string> reached_by(const std::vector<ListedParameter>& parameters,
                                    const std::string& path) {
  std::vector<std::string> out;
  for (const ListedParameter& p : parameters) {
    const std::vector<std::string>& aliases = p.info.aliases;
    if (p.info.name == path || std::find(aliases.begin(), aliases.end(), path) != aliases.end()) {
      out.push_back(p.info.name);
    }
  }
  return out;
}

ParameterSetting setting_from_argument(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--set " + argument + ": expected PATH=VALUE");
  }
  const std::string text = argument.substr(equals + 1);
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;
  try {
    (void)value.dump();
  } catch (const json::exception&) {
    throw InputError("--set " + argument.substr(0, equals) + ": the value is not UTF-8 text");
  }
  return {argument.substr(0, equals), value, "--set"};
}

}  // namespace tessera
