// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a shell can offer at a place of the command line, from the verbs' own tables.

#include <string>
#include <vector>

namespace tessera::app {

struct Candidates {
  /// Whole words, each with the word to complete as its beginning. One that ends in '=', '.' or '/'
  /// goes on.
  std::vector<std::string> words;
  /// What also fits: "words" (nothing), "files" or "folders".
  std::string also = "words";
};

/// The candidates for the last of `words` (which can be empty), after "tessera" and the other
/// words. Throws InputError if presets or studies cannot be read.
Candidates candidates_for(const std::vector<std::string>& words);

}  // namespace tessera::app
