// SPDX-License-Identifier: Apache-2.0
#include "app/output_paths.h"

#include <filesystem>
#include <system_error>

#include "common/error.h"
#include "common/partial_file.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return !fs::is_character_file(a, failed);
  const fs::path one = fs::weakly_canonical(fs::absolute(without_links(a), failed), failed);
  const fs::path other = fs::weakly_canonical(fs::absolute(without_links(b), failed), failed);
  return !failed && one == other;
}

}  // namespace

void check_output_paths(const std::vector<OutputPath>& outputs,
                        const std::vector<OutputPath>& others) {
  std::vector<OutputPath> before = others;
  for (const OutputPath& o : outputs) {
    const std::string why = why_not_writable(o.path);
    if (!why.empty()) throw InputError(o.option + ": " + o.path + " cannot be written: " + why);
    for (const OutputPath& other : before) {
      // An output is its partial file until it is complete.
      if (!same_file(other.path, o.path) && !same_file(other.path, partial_name(o.path)) &&
          !same_file(partial_name(other.path), o.path)) {
        continue;
      }
      throw InputError(other.option + " and " + o.option + " name one file: " + o.path);
    }
    before.push_back(o);
  }
}

}  // namespace tessera::app
