// SPDX-License-Identifier: Apache-2.0
#include "app/import/report.h"

#include "common/json.h"

namespace tessera::import {

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const ParameterValue& value) {
  return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

ordered_json json_of(const std::vector<Setting>& settings) {
  ordered_json out = ordered_json::object();
  for (const Setting& s : settings) out[s.parameter] = json_of(s.value);
  return out;
}

std::string text_of(const GivenOption& option) {
  return option.name + (option.value.empty() ? "" : " " + option.value);
}

std::string text_of(const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& s : settings) {
    const ordered_json value = json_of(s.value);
    out += (out.empty() ? "" : ", ") + s.parameter + " = " +
           (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

std::string line_of(const char* kind, const RemarkedOption& r) {
  return std::string(kind) + ": " + text_of(r.option) + (r.part.empty() ? "" : ": " + r.part) +
         (r.text.empty() ? "" : " (" + r.text + ")") + "\n";
}

/// The source of a default value in a document, and in a line.
struct SourceName {
  const char* key;
  const char* text;
};
SourceName name_of(DefaultValue::Source source) {
  constexpr SourceName kNames[] = {
      {"gpgpu-sim", "GPGPU-Sim's"}, {kBase, "of the base"}, {"importer", "the importer's"}};
  return kNames[static_cast<std::size_t>(source)];
}

std::string text_of(const DefaultValue& d) {
  const std::string source = name_of(d.source).text;
  const std::string why = d.why.empty() ? "" : ": " + d.why;
  if (d.option.empty()) return text_of(d.settings) + " (" + source + why + ")";
  return d.option + " " + d.value + " (" + source + why + "): " + text_of(d.settings);
}

ordered_json entry(const GivenOption& option) {
  return {{"option", option.name}, {"value", option.value}, {"line", option.line}};
}

ordered_json entries(const std::vector<RemarkedOption>& all, const char* text, bool parts = false) {
  ordered_json out = ordered_json::array();
  for (const RemarkedOption& r : all) {
    out.push_back(entry(r.option));
    if (parts) out.back()["part"] = r.part;
    out.back()[text] = r.text;
  }
  return out;
}

}  // namespace

std::string report_text(const Import& imported) {
  std::string out = imported.file + ": " + std::to_string(imported.mapped.size()) +
                    " options mapped, " + std::to_string(imported.built_in.size()) +
                    " as Tessera works, " + std::to_string(imported.none.size()) +
                    " without counterpart, " + std::to_string(imported.unknown.size()) +
                    " unknown\n";
  for (const MappedOption& m : imported.mapped) {
    out += "mapped: " + text_of(m.option) + ": " + text_of(m.settings) + "\n";
  }
  for (const RemarkedOption& r : imported.adjusted) out += line_of("adjusted", r);
  for (const RemarkedOption& r : imported.built_in) out += line_of("as Tessera works", r);
  for (const RemarkedOption& r : imported.parts) out += line_of("part without counterpart", r);
  for (const RemarkedOption& r : imported.none) out += line_of("no counterpart", r);
  for (RemarkedOption r : imported.unknown) {
    if (!r.text.empty()) r.text = "did you mean '" + r.text + "'?";
    out += line_of("unknown option", r);
  }
  for (const RepeatedOption& r : imported.repeated) {
    out += "given again: " + text_of(r.used) + " (line " + std::to_string(r.used.line) +
           " counts; not line";
    for (const unsigned line : r.ignored_lines) out += " " + std::to_string(line);
    out += ")\n";
  }
  for (const DefaultValue& d : imported.defaults) out += "default: " + text_of(d) + "\n";
  out += std::string("default: all other parameters are those of ") + kBase + "\n";
  return out;
}

ordered_json report_document(const Import& imported) {
  ordered_json mapped = ordered_json::array();
  for (const MappedOption& m : imported.mapped) {
    mapped.push_back(entry(m.option));
    mapped.back()["parameters"] = json_of(m.settings);
  }
  ordered_json repeated = ordered_json::array();
  for (const RepeatedOption& r : imported.repeated) {
    repeated.push_back(entry(r.used));
    repeated.back()["ignored_lines"] = r.ignored_lines;
  }
  ordered_json defaults = ordered_json::array();
  for (const DefaultValue& d : imported.defaults) {
    defaults.push_back({{"source", name_of(d.source).key}});
    if (!d.option.empty()) {
      defaults.back()["option"] = d.option;
      defaults.back()["value"] = d.value;
    }
    defaults.back()["parameters"] = json_of(d.settings);
    if (!d.why.empty()) defaults.back()["why"] = d.why;
  }
  return {{"file", imported.file},
          {"preset", imported.preset()},
          {"mapped", std::move(mapped)},
          {"adjusted", entries(imported.adjusted, "what")},
          {"as_tessera_works", entries(imported.built_in, "why")},
          {"parts_without_counterpart", entries(imported.parts, "why", true)},
          {"no_counterpart", entries(imported.none, "why")},
          {"unknown", entries(imported.unknown, "did_you_mean")},
          {"given_again", std::move(repeated)},
          {"defaults", std::move(defaults)}};
}

}  // namespace tessera::import
