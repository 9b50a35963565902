// SPDX-License-Identifier: Apache-2.0
#include "app/arguments.h"
#include "app/console.h"
#include "app/verbs.h"

namespace tessera::app {

int config_verb(const std::vector<std::string>& arguments) {
  ArgumentParser parser("config",
                        "Prints every parameter of a platform with its value as JSON, in the form "
                        "that a\nplatform file has: save it, change it, run it.");
  parser.positional("PLATFORM", "a preset (tessera list platforms) or a JSON file");
  add_set_option(parser);
  parser.options()("json", "the output is JSON anyway");
  const auto values = parser.parse(arguments);
  if (!values) return 0;
  std::vector<std::string> sets;
  if (values->count("set") != 0) sets = (*values)["set"].as<std::vector<std::string>>();
  write_document(resolve_config(positional_argument(*values, 0), sets).to_json());
  return 0;
}

}  // namespace tessera::app
