// SPDX-License-Identifier: Apache-2.0
#pragma once

// A value of a JSON file with its location, and typed access with error messages that name the
// expected value.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/json_fwd.h"
#include "common/located_json.h"

namespace tessera {

/// A value with its location. Every access throws InputError "FILE:LINE: POINTER: message" if the
/// value has the wrong type or range. The document must outlive the node.
class JsonNode {
 public:
  /// The root of a document.
  explicit JsonNode(const LocatedJson& source) : JsonNode(source, source.value, "") {}
  /// `value` can be outside of `source`, which then supplies only the locations.
  JsonNode(const LocatedJson& source, const nlohmann::json& value, std::string pointer)
      : source_(&source), value_(&value), pointer_(std::move(pointer)) {}

  const std::string& pointer() const { return pointer_; }
  const nlohmann::json& value() const { return *value_; }

  /// "FILE:LINE: POINTER", the prefix of a message.
  std::string where() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// Fails with "expected WHAT, found ...".
  [[noreturn]] void expected(const std::string& what) const;

  /// Checks that the value is an object with known keys only. "spdx" and "comment" are always
  /// known.
  void object(const std::vector<std::string>& known) const;
  std::optional<JsonNode> member(const std::string& key) const;
  JsonNode required(const std::string& key) const;
  /// The member of an object that must have exactly one: {"uniform": ...}.
  std::pair<std::string, JsonNode> only_member() const;
  /// The members of an object, sorted by key.
  std::vector<std::pair<std::string, JsonNode>> members() const;
  std::vector<JsonNode> elements() const;

  std::string string() const;
  bool boolean() const;
  double number() const;
  std::int64_t integer() const;
  bool is_int64() const;
  /// A string that must be one of `choices`; otherwise fails with the nearest one.
  std::string one_of(const std::vector<std::string>& choices) const;

 private:
  std::string describe() const;

  const LocatedJson* source_;
  const nlohmann::json* value_;
  std::string pointer_;
};

/// Throws InputError "FILE:LINE: POINTER: message", like JsonNode::fail.
[[noreturn]] void fail_at(const LocatedJson& source, const std::string& pointer,
                          const std::string& message);

}  // namespace tessera
