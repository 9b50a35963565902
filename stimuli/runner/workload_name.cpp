// SPDX-License-Identifier: Apache-2.0
#include "stimuli/workload_name.h"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "common/error.h"

namespace tessera {

WorkloadName parse_workload_name(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored) ||
      std::filesystem::is_directory(text, ignored)) {
    return {text, {}};
  }
  const std::size_t folder = text.rfind('/');
  const std::size_t end = text.find(':', folder == std::string::npos ? 0 : folder);
  WorkloadName out;
  out.name = text.substr(0, end);
  std::string_view rest =
      end == std::string::npos ? std::string_view() : std::string_view(text).substr(end);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view size = rest.substr(0, rest.find(':'));
    rest.remove_prefix(size.size());
    const std::size_t equals = size.find('=');
    const std::string_view digits =
        equals == std::string_view::npos ? std::string_view() : size.substr(equals + 1);
    std::int64_t value = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || equals == 0 || error != std::errc() ||
        last != digits.data() + digits.size()) {
      throw InputError("the workload '" + text + "': expected NAME=INTEGER after ':', found '" +
                       std::string(size) + "'");
    }
    const std::string name(size.substr(0, equals));
    if (!out.sizes.emplace(name, value).second) {
      throw InputError("the workload '" + text + "': the size '" + name + "' is given twice");
    }
  }
  return out;
}

}  // namespace tessera
