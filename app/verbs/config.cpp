// SPDX-License-Identifier: Apache-2.0
#include "app/arguments.h"
#include "app/console.h"
#include "app/report/difference.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "platforms/topology/picture.h"
#include "platforms/topology/shape.h"

namespace tessera::app {

namespace {

/// The parameters that have a source, with value, unit and source. With `json`, as a document.
void print_sources(const ResolvedConfig& config, bool json) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "unit", "source"}};
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const ListedParameter& p : config.parameters()) {
    const auto source = config.sources.find(p.info.name);
    if (source == config.sources.end()) continue;
    const nlohmann::ordered_json& value = *p.value;
    document.push_back({{"parameter", p.info.name},
                        {"value", value},
                        {"unit", p.info.unit},
                        {"source", source->second}});
    rows.push_back({p.info.name, value.is_string() ? value.get<std::string>() : value.dump(),
                    p.info.unit, source->second});
  }
  if (json) {
    write_document(document);
  } else if (document.empty()) {
    print_text(printable(config.platform) + ": its files name no sources\n");
  } else {
    print_text(printable(table_text(rows)));
  }
}

}  // namespace

ArgumentParser config_arguments() {
  ArgumentParser parser("config",
                        "Prints every parameter of a platform with its value as JSON, in the form "
                        "that a\nplatform file has: save it, change it, run it. Of two platforms: "
                        "the parameters in\nwhich they differ.");
  parser.positional("PLATFORM", "a preset (tessera list platforms) or a JSON file",
                    {Completes::Kind::kPlatform, {}});
  parser.optional_positional("OTHER", "another, to compare it with",
                             {Completes::Kind::kPlatform, {}});
  add_set_option(parser);
  parser.options()("json",
                   "of two platforms, or with --sources: one JSON document (of one, the output is "
                   "JSON anyway)")(
      "plan", "print the platform's plan instead: nodes, blocks, links, traffic")(
      "picture", "print a block diagram of the platform instead, as SVG")(
      "sources", "print where the platform's values come from instead, as its files say");
  add_plugin_option(parser);
  return parser;
}

int config_verb(const std::vector<std::string>& arguments) {
  const auto values = config_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  std::vector<std::string> sets;
  if (values->count("set") != 0) sets = (*values)["set"].as<std::vector<std::string>>();
  const std::string platform = positional_argument(*values, 0);
  std::vector<ResolvedConfig> both = {resolve_config(platform, sets)};
  if (has_positional(*values, 1))
    both.push_back(resolve_config(positional_argument(*values, 1), sets));
  std::vector<const ResolvedConfig*> all;
  for (const ResolvedConfig& c : both) all.push_back(&c);
  warn_of_unused_parameters(all, sets);
  if (values->count("plan") != 0) {
    if (has_positional(*values, 1)) throw InputError("config --plan takes one platform");
    write_document(plan_of(both.front().gpu).to_json());
    return 0;
  }
  if (values->count("picture") != 0) {
    if (has_positional(*values, 1)) throw InputError("config --picture takes one platform");
    print_text(picture_of(plan_of(both.front().gpu), platform));
    return 0;
  }
  if (values->count("sources") != 0) {
    if (has_positional(*values, 1)) throw InputError("config --sources takes one platform");
    print_sources(both.front(), values->count("json") != 0);
    return 0;
  }
  const nlohmann::ordered_json config = both.front().to_json();
  if (!has_positional(*values, 1)) {
    write_document(config);
    return 0;
  }
  const std::string other = positional_argument(*values, 1);
  const nlohmann::ordered_json changes = changed_settings(config, both.back().to_json());
  if (values->count("json") != 0) {
    write_document({{"a", platform}, {"b", other}, {"changes", changes}});
  } else {
    print_text(printable(settings_text(changes, platform, other)));
  }
  return 0;
}

}  // namespace tessera::app
