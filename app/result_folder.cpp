// SPDX-License-Identifier: Apache-2.0
#include "app/result_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "common/error.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

constexpr char kRequest[] = "request.json";

bool made_for(const std::string& folder, const std::string& request) {
  if (request.empty()) return false;
  std::ifstream in(fs::path(folder) / kRequest, std::ios::binary);
  return in && request == std::string(std::istreambuf_iterator<char>(in), {});
}

/// The first of PATH, PATH-2, PATH-3, ... that is not there, made, or that was made for the
/// request.
std::string fresh_folder(const std::string& path, const std::string& request = {}) {
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  for (unsigned n = 1; n < 100'000 && !error; ++n) {
    const std::string candidate = n == 1 ? path : path + "-" + std::to_string(n);
    // False when it is there already, whoever was faster.
    if (fs::create_directory(candidate, error)) return candidate;
    if (made_for(candidate, request)) return candidate;
    if (error == std::errc::file_exists) error.clear();  // a file of that name
  }
  throw InputError(path + " cannot be made: " + (error ? error.message() : "too many of them"));
}

}  // namespace

bool is_complete_result(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const auto document = nlohmann::json::parse(in, nullptr, false);
  return document.is_object() && !document.contains("failure") && !document.contains("interrupted");
}

ResultFolder::ResultFolder(std::string document, const std::optional<std::string>& out,
                           const std::string& standard, bool overwrite, const std::string& request)
    : document_(std::move(document)), path_(out ? *out : fresh_folder(standard, request)) {
  const OutputDirectory made(path_);
  if (made_for(path_, request)) return;
  if (out) refuse_to_replace(made, overwrite);
  if (!request.empty()) made.write(kRequest, request);
}

void ResultFolder::refuse_to_replace(const OutputDirectory& made, bool overwrite) {
  holds_result_ = is_complete_result(made.path_of(document_));
  if (!holds_result_ || overwrite) return;
  throw InputError("--out: " + path_ +
                   " holds the results of an earlier run; --overwrite replaces " +
                   "them, another folder keeps them");
}

OutputDirectory ResultFolder::for_result(bool complete) const {
  return OutputDirectory(complete || !holds_result_ ? path_ : fresh_folder(path_ + "-incomplete"));
}

}  // namespace tessera::app
