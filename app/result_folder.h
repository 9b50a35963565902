// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a command's results go, so that none is ever replaced without a word.

#include <optional>
#include <string>

#include "app/output_directory.h"

namespace tessera::app {

/// The folder that `run` and `compare` write to.
///
/// Without --out: `standard`, or `standard`-2, -3, ... when it is there already; a folder of its
/// own even when two commands begin at once. A command that goes on where it was stopped says what
/// it was asked for: a folder that was made for the same is its own. With --out: that folder,
/// unless it holds a complete result of another command: then --overwrite has to be given
/// (InputError else).
class ResultFolder {
 public:
  /// `document`: the result's JSON file in the folder ("stats.json"). `out`: --out. `request`: what
  /// the command was asked for, kept as request.json; empty: it never goes on.
  ResultFolder(std::string document, const std::optional<std::string>& out,
               const std::string& standard, bool overwrite, std::string request = {});
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;
  /// A folder that was made for this command goes again when nothing was written to it.
  ~ResultFolder();

  const std::string& path() const { return path_; }

  /// Where the result goes, once it is known whether it is complete. Not where it would replace a
  /// complete one: an incomplete result goes to DIR-incomplete; a complete one to DIR-2 when
  /// another command has finished in the folder meanwhile.
  OutputDirectory for_result(bool complete) const;

 private:
  /// The first of PATH, PATH-2, PATH-3, ... that is not there, made, or that was made for the
  /// request.
  std::string fresh_folder(const std::string& path) const;
  bool made_for_request(const std::string& folder) const;
  bool holds_result(const std::string& folder) const;

  std::string document_;
  std::string request_;
  bool overwrite_;
  bool was_there_;
  std::string path_;
};

}  // namespace tessera::app
