// SPDX-License-Identifier: Apache-2.0
#include "modules/core/parameters.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "common/error.h"
#include "common/suggest.h"

namespace tessera {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : separator) + p;
  return out;
}

/// "way" and "entry" are "ways" and "entries"; symbols ("Hz", "ns", "mm2", "fJ/bit") are as they
/// are.
std::string plural(const std::string& unit) {
  const bool word = unit.size() > 2 && std::all_of(unit.begin(), unit.end(),
                                                   [](char c) { return c >= 'a' && c <= 'z'; });
  if (!word) return unit;
  if (unit.compare(unit.size() - 2, 2, "ry") == 0) return unit.substr(0, unit.size() - 1) + "ies";
  return unit + (unit.back() == 's' ? "es" : "s");
}

std::string range_text(const ParameterInfo& info) {
  std::ostringstream out;
  out.precision(15);
  out << info.min << " to " << info.max;
  if (!info.unit.empty()) out << ' ' << plural(info.unit);
  return out.str();
}

/// "; did you mean 'X'?": the name without a group before it, the name with one ("page_placement"
/// is "system.page_placement"), else the nearest name.
std::string meant(const std::string& path, const std::vector<std::string>& known) {
  const std::string rest = path.substr(path.find('.') + 1);
  if (std::find(known.begin(), known.end(), rest) != known.end()) {
    return "; did you mean '" + rest + "'?";
  }
  const std::string end = "." + path;
  for (const std::string& k : known) {
    if (k.size() > end.size() && k.compare(k.size() - end.size(), end.size(), end) == 0) {
      return "; did you mean '" + k + "'?";
    }
  }
  return did_you_mean(path, known);
}

/// An alias's whole path, in the group at `path`.
std::string alias_path(const std::vector<std::string>& path, const std::string& alias) {
  if (path.empty() || alias.find('.') != std::string::npos) return alias;
  return join(path, ".") + "." + alias;
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

}  // namespace

void ParameterLister::enter(const std::string& group, const std::string&) {
  path_.push_back(group);
}

void ParameterLister::leave() { path_.pop_back(); }

void ParameterLister::add(const ParameterInfo& info, const char* kind, ordered_json value) {
  ListedParameter p{info, kind, std::move(value)};
  if (!path_.empty()) p.info.name = join(path_, ".") + "." + info.name;
  for (std::string& alias : p.info.aliases) alias = alias_path(path_, alias);
  parameters_.push_back(std::move(p));
}

void ParameterLister::on_integer(const ParameterInfo& info, std::uint64_t& value) {
  add(info, "integer", value);
}
void ParameterLister::on_real(const ParameterInfo& info, double& value) {
  add(info, "real", value);
}
void ParameterLister::on_flag(const ParameterInfo& info, bool& value) { add(info, "flag", value); }
void ParameterLister::on_text(const ParameterInfo& info, std::string& value) {
  add(info, "text", value);
}

ordered_json ParameterLister::to_json() const {
  ordered_json out = ordered_json::object();
  for (const ListedParameter& p : parameters_) {
    ordered_json* at = &out;
    std::istringstream parts(p.info.name);
    std::string part;
    while (std::getline(parts, part, '.')) at = &(*at)[part];
    *at = p.value;
  }
  return out;
}

ParameterReader::ParameterReader(std::vector<ParameterSetting> settings)
    : settings_(std::move(settings)), used_(settings_.size()) {}

void ParameterReader::enter(const std::string& group, const std::string&) {
  const std::string path = full(group);
  path_.push_back(group);
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const json& value = settings_[i].value;
    if (value.is_object() && value.empty() && settings_[i].path == path) used_[i] = true;
  }
}

void ParameterReader::leave() { path_.pop_back(); }

std::string ParameterReader::full(const std::string& name) const {
  return path_.empty() ? name : join(path_, ".") + "." + name;
}

// The last setting of a parameter wins: files first, --set after them.
const ParameterSetting* ParameterReader::find(const ParameterInfo& info) {
  const std::string path = full(info.name);
  known_.push_back(path);
  std::vector<std::string> names = {path};
  for (const std::string& alias : info.aliases) names.push_back(alias_path(path_, alias));
  std::vector<const ParameterSetting*> given;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (std::find(names.begin(), names.end(), settings_[i].path) == names.end()) continue;
    used_[i] = true;
    given.push_back(&settings_[i]);
  }
  if (given.empty()) return nullptr;
  if (names.size() > 1) check_names(given, path);
  return given.back();
}

void ParameterReader::check_names(const std::vector<const ParameterSetting*>& given,
                                  const std::string& path) {
  const ParameterSetting& last = *given.back();
  for (const ParameterSetting* s : given) {
    if (s->path == last.path || s->value == last.value) continue;
    if (source_of(s->origin) != source_of(last.origin)) continue;
    errors_.push_back(s->origin + ": " + s->path + " (" + shown(s->value) + ") and " + last.path +
                      " (" + shown(last.value) + ") are one parameter: give " + path + " alone");
    return;
  }
}

void ParameterReader::fail(const ParameterSetting& s, const std::string& what) {
  errors_.push_back(s.origin + ": " + s.path + ": " + what);
}

void ParameterReader::on_integer(const ParameterInfo& info, std::uint64_t& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  const json& given = s->value;
  const double v = given.is_number() ? given.get<double>() : -1;
  const bool whole = given.is_number_integer() || (v < 1e18 && std::floor(v) == v);
  if (!given.is_number() || v < 0 || !whole || v < info.min || v > info.max) {
    fail(*s, shown(given) + " is not a whole number from " + range_text(info));
    return;
  }
  value = given.is_number_integer() ? given.get<std::uint64_t>() : static_cast<std::uint64_t>(v);
}

void ParameterReader::on_real(const ParameterInfo& info, double& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_number() || s->value.get<double>() < info.min ||
      s->value.get<double>() > info.max) {
    fail(*s, shown(s->value) + " is not a number from " + range_text(info));
    return;
  }
  value = s->value.get<double>();
}

void ParameterReader::on_flag(const ParameterInfo& info, bool& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_boolean()) {
    fail(*s, shown(s->value) + " is not true or false");
    return;
  }
  value = s->value.get<bool>();
}

void ParameterReader::on_text(const ParameterInfo& info, std::string& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_string()) {
    fail(*s, shown(s->value) + " is not a text");
    return;
  }
  const auto text = s->value.get<std::string>();
  if (!info.choices.empty()) {
    bool legal = false;
    for (const std::string& c : info.choices) legal = legal || c == text;
    if (!legal) {
      fail(*s, "'" + text + "' is not one of " + join(info.choices, ", ") +
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
    errors.push_back(settings_[i].origin + ": " + settings_[i].path + ": no such parameter" +
                     meant(settings_[i].path, known_));
  }
  if (!errors.empty()) throw InputError(join(errors, "\n"));
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

std::vector<ParameterSetting> settings_from(const LocatedJson& document,
                                            const std::vector<std::string>& skip) {
  if (!document.value.is_object()) {
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
