// SPDX-License-Identifier: Apache-2.0
#include "studies/run_inputs.h"

#include "common/input_file.h"
#include "common/json.h"

namespace tessera::studies {
namespace {

std::uint64_t instructions(const JsonNode& n, std::int64_t least) {
  if (!n.is_int64() || n.integer() < least) n.expected("a whole number of thread instructions");
  return static_cast<std::uint64_t>(n.integer());
}

}  // namespace

const std::vector<std::pair<std::string, Scale>>& scales() {
  static const std::vector<std::pair<std::string, Scale>> all = {
      {"small", Scale::kSmall}, {"medium", Scale::kMedium}, {"paper", Scale::kPaper}};
  return all;
}

WindowOptions read_window(const JsonNode& n) {
  n.object({"skip", "detail", "rest"});
  WindowOptions w;
  w.detail = instructions(n.required("detail"), 1);
  if (const auto skip = n.member("skip")) w.skip = instructions(*skip, 0);
  if (const auto rest = n.member("rest")) w.rest = rest->boolean();
  return w;
}

std::string setting_text(const JsonNode& n) {
  if (n.value().is_string()) return n.string();
  if (!n.value().is_number() && !n.value().is_boolean()) n.expected("a parameter's value");
  return n.value().dump();
}

std::string file_beside(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path file = folder / name;
  return file.extension() == ".json" && names_something(file) ? file.string() : name;
}

}  // namespace tessera::studies
