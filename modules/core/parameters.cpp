// SPDX-License-Identifier: Apache-2.0
#include "modules/core/parameters.h"

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

std::string range_text(const ParameterInfo& info) {
  std::ostringstream out;
  out.precision(15);
  out << info.min << " to " << info.max;
  if (!info.unit.empty()) out << ' ' << info.unit;
  return out.str();
}

}  // namespace

void ParameterLister::enter(const std::string& group, const std::string&) {
  path_.push_back(group);
}

void ParameterLister::leave() { path_.pop_back(); }

void ParameterLister::add(const ParameterInfo& info, const char* kind, ordered_json value) {
  ListedParameter p{info, kind, std::move(value)};
  if (!path_.empty()) p.info.name = join(path_, ".") + "." + info.name;
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
  path_.push_back(group);
}

void ParameterReader::leave() { path_.pop_back(); }

std::string ParameterReader::full(const std::string& name) const {
  return path_.empty() ? name : join(path_, ".") + "." + name;
}

// The last setting of a path wins: files first, --set after them.
const ParameterSetting* ParameterReader::find(const ParameterInfo& info) {
  const std::string path = full(info.name);
  known_.push_back(path);
  const ParameterSetting* found = nullptr;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (settings_[i].path == path) {
      used_[i] = true;
      found = &settings_[i];
    }
  }
  return found;
}

void ParameterReader::fail(const ParameterSetting& s, const std::string& what) {
  errors_.push_back(s.origin + ": " + s.path + ": " + what);
}

void ParameterReader::on_integer(const ParameterInfo& info, std::uint64_t& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  const bool whole = s->value.is_number_unsigned() ||
                     (s->value.is_number_float() && s->value.get<double>() >= 0 &&
                      s->value.get<double>() < 1e18 &&
                      std::floor(s->value.get<double>()) == s->value.get<double>());
  const double v = s->value.is_number() ? s->value.get<double>() : 0;
  if (!whole || v < info.min || v > info.max) {
    fail(*s, s->value.dump() + " is not a whole number from " + range_text(info));
    return;
  }
  value = s->value.is_number_unsigned() ? s->value.get<std::uint64_t>()
                                        : static_cast<std::uint64_t>(v);
}

void ParameterReader::on_real(const ParameterInfo& info, double& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_number() || s->value.get<double>() < info.min ||
      s->value.get<double>() > info.max) {
    fail(*s, s->value.dump() + " is not a number from " + range_text(info));
    return;
  }
  value = s->value.get<double>();
}

void ParameterReader::on_flag(const ParameterInfo& info, bool& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_boolean()) {
    fail(*s, s->value.dump() + " is not true or false");
    return;
  }
  value = s->value.get<bool>();
}

void ParameterReader::on_text(const ParameterInfo& info, std::string& value) {
  const ParameterSetting* s = find(info);
  if (s == nullptr) return;
  if (!s->value.is_string()) {
    fail(*s, s->value.dump() + " is not a text");
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
                     did_you_mean(settings_[i].path, known_));
  }
  if (!errors.empty()) throw InputError(join(errors, "\n"));
}

namespace {

void flatten(const json& value, const std::string& pointer, const std::string& path,
             const LocatedJson& document, std::vector<ParameterSetting>& out) {
  for (const auto& [key, child] : value.items()) {
    std::string escaped;
    for (char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    const std::string child_pointer = pointer + "/" + escaped;
    const std::string child_path = path.empty() ? key : path + "." + key;
    if (child.is_object()) {
      flatten(child, child_pointer, child_path, document, out);
    } else {
      out.push_back({child_path, child,
                     document.file + ":" + std::to_string(document.line_of(child_pointer))});
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
  std::vector<ParameterSetting> out;
  flatten(parameters, "", "", document, out);
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
  return {argument.substr(0, equals), value, "--set"};
}

}  // namespace tessera
