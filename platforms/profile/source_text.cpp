// SPDX-License-Identifier: Apache-2.0
#include "platforms/profile/source_text.h"

#include <filesystem>
#include <sstream>

#include "common/error.h"
#include "common/input_file.h"

namespace tessera {

namespace {

constexpr std::uint64_t kMostSourceBytes = std::uint64_t{16} << 20;

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

const std::vector<std::string>& SourceTexts::lines_of(const std::string& path) {
  const auto [file, fresh] = files_.try_emplace(path);
  if (!fresh) return file->second;
  try {
    std::istringstream text(read_input_file(path, kMostSourceBytes));
    for (std::string line; std::getline(text, line);) {
      file->second.push_back(without_blanks(line));
    }
  } catch (const InputError&) {
    // A PTX file is often run without its source.
  }
  return file->second;
}

std::string SourceTexts::line(const std::string& program, const SourcePlace& place) {
  const std::filesystem::path file(place.file);
  std::vector<std::string> paths = {place.file};
  if (file.is_relative()) {
    paths.insert(paths.begin(), (std::filesystem::path(program).parent_path() / file).string());
  }
  for (const std::string& path : paths) {
    const std::vector<std::string>& lines = lines_of(path);
    if (place.line != 0 && place.line <= lines.size()) return lines[place.line - 1];
  }
  return "";
}

}  // namespace tessera
