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
/// unless it holds the complete result of another run: then --overwrite has to be given (InputError
/// else).
class ResultFolder {
 public:
  /// `document`: the result's JSON file in the folder ("stats.json"). `out`: --out. `request`: what
  /// the command was asked for, kept as request.json; empty: it never goes on.
  ResultFolder(std::string document, const std::optional<std::string>& out,
               const std::string& standard, bool overwrite, const std::string& request = {});

  const std::string& path() const { return path_; }

  /// Where the result goes, once it is known whether it is complete: beside the folder
  /// (DIR-incomplete) when it is not and would replace one that is.
  OutputDirectory for_result(bool complete) const;

 private:
  void refuse_to_replace(const OutputDirectory& made, bool overwrite);

  std::string document_;
  std::string path_;
  bool holds_result_ = false;
};

/// Whether the JSON file is the document of a run that ended as it should.
bool is_complete_result(const std::string& file);

}  // namespace tessera::app
