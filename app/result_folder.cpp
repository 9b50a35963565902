// SPDX-License-Identifier: Apache-2.0
#include "app/result_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "common/error.h"
#include "common/json.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

constexpr char kRequest[] = "request.json";
/// Documents of the commands that write a report.html.
constexpr const char* kDocuments[] = {"stats.json", "compare.json", "study.json"};

/// "out/" and "out" are one folder.
std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// The folder that holds the path; "." if it names none.
std::string parent_of(const std::string& path) {
  const fs::path parent = fs::path(without_slash(path)).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool exists(const std::optional<std::string>& path) {
  std::error_code error;
  return path && fs::exists(*path, error);
}

/// Whether the JSON file is the document of a command that completed.
bool is_complete(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const auto document = nlohmann::json::parse(in, nullptr, false);
  if (!document.is_object() || document.contains("failure") || document.contains("interrupted")) {
    return false;
  }
  const auto points = document.find("points");  // of a comparison
  return points == document.end() || !points->is_array() ||
         std::none_of(points->begin(), points->end(),
                      [](const auto& p) { return p.is_object() && p.contains("error"); });
}

}  // namespace

ResultFolder::ResultFolder(std::string document, const std::optional<std::string>& out,
                           const std::string& standard, bool overwrite, std::string request)
    : document_(std::move(document)),
      request_(std::move(request)),
      overwrite_(overwrite),
      was_there_(exists(out)),
      parent_was_there_(exists(parent_of(out.value_or(standard)))),
      path_(out ? without_slash(*out) : fresh_folder(standard)) {
  const OutputDirectory made(path_);
  if (made_for_request(path_)) return;
  if (holds_result(path_)) {
    if (overwrite_) return;
    throw InputError("--out: " + path_ +
                     " holds the results of an earlier run; --overwrite replaces them, another "
                     "folder keeps them");
  }
  if (!request_.empty()) made.write(kRequest, request_);
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;
  // Fails unless it is empty.
  if (!was_there_) fs::remove(path_, ignored);
  if (!parent_was_there_) fs::remove(parent_of(path_), ignored);
}

OutputDirectory ResultFolder::for_result(bool complete) const {
  const bool own = made_for_request(path_);
  // A continued command can replace its own result unless that result is complete.
  const bool holds = own ? is_complete(fs::path(path_) / document_) : holds_result(path_);
  if (!holds || (complete && (own || overwrite_))) {
    OutputDirectory folder(path_);
    if (!request_.empty() && !own) folder.write(kRequest, request_);
    return folder;
  }
  return OutputDirectory(fresh_folder(complete ? path_ : path_ + "-incomplete"));
}

std::string ResultFolder::fresh_folder(const std::string& path) const {
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  for (unsigned n = 1; n < 100'000 && !error; ++n) {
    std::string candidate = n == 1 ? path : path + "-" + std::to_string(n);
    // Returns false if the folder exists, also if another process has just created it.
    if (fs::create_directory(candidate, error)) return candidate;
    if (made_for_request(candidate)) return candidate;
    if (error == std::errc::file_exists) error.clear();  // a file of that name
  }
  throw InputError(path + " cannot be made: " + (error ? error.message() : "too many of them"));
}

bool ResultFolder::made_for_request(const std::string& folder) const {
  if (request_.empty()) return false;
  std::ifstream in(fs::path(folder) / kRequest, std::ios::binary);
  return in && request_ == std::string(std::istreambuf_iterator<char>(in), {});
}

bool ResultFolder::holds_result(const std::string& folder) const {
  return std::any_of(std::begin(kDocuments), std::end(kDocuments),
                     [&folder](const char* name) { return is_complete(fs::path(folder) / name); });
}

}  // namespace tessera::app
