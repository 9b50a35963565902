// SPDX-License-Identifier: Apache-2.0
#include "common/parameter_visitor.h"

#include <utility>

namespace tessera {
namespace {

ParameterInfo info_of(std::string_view name, std::string_view unit, std::string_view description,
                      double min, double max) {
  return {std::string(name), std::string(unit), std::string(description), min, max, {}, {}};
}

ParameterInfo info_of(std::string_view name, std::string_view unit, std::string_view description,
                      double min, double max, std::initializer_list<const char*> aliases) {
  ParameterInfo info = info_of(name, unit, description, min, max);
  info.aliases.assign(aliases.begin(), aliases.end());
  return info;
}

}  // namespace

std::uint64_t ParameterVisitor::whole_number(std::string_view name, std::uint64_t value,
                                             std::string_view unit, std::string_view description,
                                             std::uint64_t min, std::uint64_t max,
                                             std::initializer_list<const char*> aliases) {
  on_integer(
      info_of(name, unit, description, static_cast<double>(min), static_cast<double>(max), aliases),
      value);
  return value;
}

void ParameterVisitor::real(std::string_view name, double& field, std::string_view unit,
                            std::string_view description, double min, double max,
                            std::initializer_list<const char*> aliases) {
  on_real(info_of(name, unit, description, min, max, aliases), field);
}

void ParameterVisitor::flag(std::string_view name, bool& field, std::string_view description,
                            std::initializer_list<const char*> aliases) {
  on_flag(info_of(name, "", description, 0, 1, aliases), field);
}

void ParameterVisitor::text(std::string_view name, std::string& field, std::string_view description,
                            std::vector<std::string> choices, std::vector<std::string> aliases) {
  ParameterInfo info = info_of(name, "", description, 0, 0);
  info.choices = std::move(choices);
  info.aliases = std::move(aliases);
  on_text(info, field);
}

std::int64_t ParameterVisitor::named_value(std::string_view name, std::int64_t value,
                                           std::string_view description,
                                           std::initializer_list<NamedValue> choices,
                                           std::initializer_list<const char*> aliases) {
  ParameterInfo info = info_of(name, "", description, 0, 0, aliases);
  std::string text_of_value;
  for (const NamedValue& choice : choices) {
    info.choices.emplace_back(choice.name);
    if (choice.value == value) text_of_value = choice.name;
  }
  on_text(info, text_of_value);
  for (const NamedValue& choice : choices) {
    if (text_of_value == choice.name) value = choice.value;
  }
  return value;
}

}  // namespace tessera
