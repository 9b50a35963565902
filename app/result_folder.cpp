// SPDX-License-Identifier: Apache-2.0
#include "app/result_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "app/console.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

constexpr char kRequest[] = "request.json";

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
  if (!names_something(file)) return false;
  const auto document =
      nlohmann::json::parse(read_input_file(file, kMostResultBytes), nullptr, false);
  if (!document.is_object() || document.contains("failure") || document.contains("interrupted")) {
    return false;
  }
  const auto points = document.find("points");  // of a comparison
  return points == document.end() || !points->is_array() ||
         std::none_of(points->begin(), points->end(),
                      [](const auto& p) { return p.is_object() && p.contains("error"); });
}

}  // namespace

void refuse_other_results(const std::string& folder, const std::string& document) {
  for (const std::string other : kResultDocuments) {
    if (other == document || !names_something((fs::path(folder) / other).string())) continue;
    throw InputError(folder + " has another command's result (" + other +
                     "); choose another folder with --out");
  }
}

namespace {

/// Text that changes if a document is written to the folder.
std::string documents_of(const std::string& folder) {
  std::string text;
  for (const char* name : kResultDocuments) {
    struct stat s {};
    if (::stat((fs::path(folder) / name).c_str(), &s) != 0) continue;
    text += std::string(name) + " " + std::to_string(s.st_ino) + " " +
            std::to_string(s.st_mtim.tv_sec) + " " + std::to_string(s.st_mtim.tv_nsec) + "\n";
  }
  return text;
}

/// Creates the folder if it is not there, and locks it.
ResultFolder::Target locked(const std::string& path) {
  while (true) {
    OutputDirectory directory(path);
    FileLock lock(directory.path_of(".result.lock"), [] { return false; });
    // Another command can have removed the folder while it was empty.
    if (lock.held() || names_something(path)) return {std::move(directory), std::move(lock)};
  }
}

}  // namespace

ResultFolder::ResultFolder(std::string document, const std::optional<std::string>& out,
                           const std::string& standard, bool overwrite, std::string request)
    : document_(std::move(document)),
      request_(std::move(request)),
      overwrite_(overwrite),
      was_there_(exists(out)),
      parent_was_there_(exists(parent_of(out.value_or(standard)))),
      path_(out ? without_slash(*out) : fresh_folder(standard)),
      documents_(documents_of(path_)) {
  const OutputDirectory made(path_);
  if (made_for_request(path_)) return;
  if (holds_result(path_)) {
    if (overwrite_) return;
    throw InputError("--out: " + path_ +
                     " holds the results of an earlier run; --overwrite replaces them, another "
                     "folder keeps them");
  }
  write_request(made);
}

ResultFolder::~ResultFolder() {
  std::error_code ignored;
  // Fails unless it is empty.
  if (!was_there_) fs::remove(path_, ignored);
  if (!parent_was_there_) fs::remove(parent_of(path_), ignored);
}

ResultFolder::Target ResultFolder::for_result(bool complete) const {
  // The choice and the writing are one step for other commands: two commands that end at the same
  // time cannot both find the folder without a result.
  Target target = locked(path_);
  bool may_write = false;
  if (made_for_request(path_)) {
    // A continued command replaces its own result, but not a complete one by an incomplete one.
    may_write = complete || !is_complete(fs::path(path_) / document_);
  } else if (documents_of(path_) == documents_) {
    // --overwrite means the result that was there at the begin.
    may_write = !holds_result(path_) || (complete && overwrite_);
    if (may_write) write_request(target.directory);
  }
  if (may_write) return target;
  return locked(fresh_folder(complete ? path_ : path_ + "-incomplete"));
}

void ResultFolder::write_request(const OutputDirectory& directory) const {
  if (request_.empty()) return;
  try {
    directory.write(kRequest, request_);
  } catch (const RunError& e) {
    // The results are not lost, but no other command continues this one.
    complain(std::string("warning: ") + e.what());
  }
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
  const fs::path file = fs::path(folder) / kRequest;
  return names_something(file) && read_input_file(file, kMostResultBytes) == request_;
}

bool ResultFolder::holds_result(const std::string& folder) const {
  return std::any_of(std::begin(kResultDocuments), std::end(kResultDocuments),
                     [&folder](const char* name) { return is_complete(fs::path(folder) / name); });
}

}  // namespace tessera::app
