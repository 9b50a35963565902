// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON with line numbers, so that a message about a value can name its line.

#include <map>
#include <string>
#include <string_view>

#include "common/kept_json.h"

namespace tessera {

struct LocatedJson {
  KeptJson<nlohmann::json> value;
  /// File name for messages.
  std::string file;
  /// JSON pointer ("/launches/0/kernel") -> 1-based line: of the key for a member of an object, of
  /// the value's first character for an element of an array. The root is "".
  std::map<std::string, unsigned> lines;

  /// The line of `pointer`, or of its nearest existing ancestor (1 for an empty document).
  unsigned line_of(std::string_view pointer) const;
  /// "FILE:LINE", the prefix of a message.
  std::string where(std::string_view pointer) const;
};

/// A JSON pointer: `parent` + "/" + `key`, with '~' and '/' escaped.
std::string json_pointer(std::string_view parent, std::string_view key);
std::string json_pointer(std::string_view parent, std::size_t index);

/// Parses strict JSON and ignores comments: `// to the line's end` and `/* to */`. Throws
/// InputError "FILE:LINE: ..." for malformed text, for duplicate keys in an object, and for nesting
/// deeper than 256.
LocatedJson parse_located_json(std::string_view text, const std::string& file);
/// Reads and parses a file. Throws InputError if it cannot be read.
LocatedJson load_located_json(const std::string& path);

}  // namespace tessera
