// SPDX-License-Identifier: Apache-2.0
#include "app/report/inputs.h"

#include "app/report/csv.h"
#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

ordered_json inputs_of(const ordered_json& stats) {
  ordered_json inputs = ordered_json::object();
  if (!stats.is_object()) return inputs;
  for (const char* key : {"scale", "seed", "values", "settings"}) {
    if (stats.contains(key)) inputs[key] = stats[key];
  }
  const auto window = stats.find("window");
  if (window == stats.end() || !window->is_object()) return inputs;
  for (const char* key : {"skip", "detail"}) {
    if (window->contains(key)) inputs["window"][key] = (*window)[key];
  }
  return inputs;
}

std::string inputs_text(const ordered_json& inputs) {
  std::string text;
  const auto add = [&text](const std::string& name, const ordered_json& value) {
    text += (text.empty() ? "" : ", ") + name + " " + csv_value(value);
  };
  for (const char* key : {"scale", "seed", "values"}) {
    if (inputs.contains(key)) add(key, inputs[key]);
  }
  if (inputs.contains("window")) {
    for (const auto& [key, value] : inputs["window"].items()) {
      if (value.is_number_unsigned() && value != 0) add(key, grouped(value.get<std::uint64_t>()));
    }
  }
  return text;
}

std::string settings_line(const ordered_json& inputs) {
  std::string text;
  if (!inputs.contains("settings") || !inputs["settings"].is_object()) return text;
  for (const auto& [path, value] : inputs["settings"].items()) {
    text += (text.empty() ? "" : ", ") + path + "=" + csv_value(value);
  }
  return text;
}

std::string inputs_line(const ordered_json& inputs) {
  const std::string text = inputs_text(inputs);
  const std::string settings = settings_line(inputs);
  return settings.empty() ? text : text + (text.empty() ? "" : "; ") + "settings " + settings;
}

}  // namespace tessera::app
