// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON that knows where it stands in its file, so that a message about a value can name the line.

#include <map>
#include <string>
#include <string_view>

#include "common/json.h"

namespace tessera {

struct LocatedJson {
  nlohmann::json value;
  /// For messages.
  std::string file;
  /// JSON pointer ("/launches/0/kernel") -> 1-based line: of the key for a member of an object, of
  /// the value's first character for an element of an array. The root is "".
  std::map<std::string, unsigned> lines;

  /// The line of `pointer`, or of the nearest ancestor that is there (1 for an empty document).
  unsigned line_of(std::string_view pointer) const;
  /// "FILE:LINE", for the beginning of a message.
  std::string where(std::string_view pointer) const;
};

/// One more step of a JSON pointer: `parent` + "/" + `key`, with '~' and '/' escaped.
std::string json_pointer(std::string_view parent, std::string_view key);
std::string json_pointer(std::string_view parent, std::size_t index);

/// Parses strict JSON (no comments). Throws InputError "FILE:LINE: ..." for malformed text, for a
/// key that an object has twice, and for nesting deeper than 256.
LocatedJson parse_located_json(std::string_view text, const std::string& file);
/// Reads and parses a file. Throws InputError when it cannot be read.
LocatedJson load_located_json(const std::string& path);

}  // namespace tessera
