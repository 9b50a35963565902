// SPDX-License-Identifier: Apache-2.0
#pragma once

// The folder of a command's results. No complete result is replaced without --overwrite.

#include <optional>
#include <string>

#include "app/file_lock.h"
#include "app/output_directory.h"

namespace tessera::app {

/// Documents of the commands' results.
inline constexpr const char* kResultDocuments[] = {"stats.json", "compare.json", "study.json",
                                                   "sweep.json"};

/// Throws InputError if the folder has a document of another kind: the files of two results in one
/// folder would replace each other.
void refuse_other_results(const std::string& folder, const std::string& document);

/// The folder that `run` and `compare` write to.
///
/// Without --out: `standard`, or `standard`-2, -3, ... if it exists already; each command gets its
/// own folder, even if two commands start at the same time. A command that can continue an
/// interrupted one passes its request: it uses a folder that was created for the same request. With
/// --out: that folder. If it holds a complete result of another command, --overwrite is required
/// (otherwise InputError).
class ResultFolder {
 public:
  /// `document`: the result's JSON file in the folder ("stats.json"). `out`: --out. `request`: the
  /// command's request, saved as request.json; empty if the command cannot be continued.
  ResultFolder(std::string document, const std::optional<std::string>& out,
               const std::string& standard, bool overwrite, std::string request = {});
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  /// Removes a folder that was created for this command if it is empty, and its parent likewise.
  ~ResultFolder();

  const std::string& path() const { return path_; }

  /// A directory with its lock: no other command chooses the directory for its result before the
  /// object's end. The files must be written before.
  struct Target {
    OutputDirectory directory;
    FileLock lock;
  };
  /// The directory for the result. If another command has written its result to the folder in the
  /// meantime, a complete result goes to DIR-2, also with --overwrite, and an incomplete one to
  /// DIR-incomplete. An incomplete result never replaces a complete one. Waits while another
  /// command writes its result to the folder. Throws RunError and InputError.
  Target for_result(bool complete) const;

 private:
  /// The first of PATH, PATH-2, PATH-3, ... that does not exist (created here) or that was created
  /// for the request.
  std::string fresh_folder(const std::string& path) const;
  /// Saves the request, or warns that it cannot be saved.
  void write_request(const OutputDirectory& directory) const;
  bool made_for_request(const std::string& folder) const;
  bool holds_result(const std::string& folder) const;

  std::string document_;
  std::string request_;
  bool overwrite_;
  bool was_there_;
  bool parent_was_there_;
  std::string path_;
  std::string documents_;  ///< those in the folder when the command began
};

}  // namespace tessera::app
