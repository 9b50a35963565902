// SPDX-License-Identifier: Apache-2.0
#pragma once

// A value of a JSON file together with its place, and typed access that explains what it expected.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/located_json.h"

namespace tessera {

/// Every access throws InputError "FILE:LINE: POINTER: message" when the value is not what it must
/// be. Refers to its document, which must outlive it.
class JsonNode {
 public:
  /// The root of a document.
  explicit JsonNode(const LocatedJson& source) : JsonNode(source, source.value, "") {}
  /// `value` may lie outside of `source`, which then only knows the places.
  JsonNode(const LocatedJson& source, const nlohmann::json& value, std::string pointer)
      : source_(&source), value_(&value), pointer_(std::move(pointer)) {}

  const std::string& pointer() const { return pointer_; }
  const nlohmann::json& value() const { return *value_; }

  /// "FILE:LINE: POINTER", for the beginning of a message.
  std::string where() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// fail("expected WHAT, found ...")
  [[noreturn]] void expected(const std::string& what) const;

  /// Checks that this is an object with known keys only. "spdx" and "comment" may stand anywhere.
  void object(const std::vector<std::string>& known) const;
  std::optional<JsonNode> member(const std::string& key) const;
  JsonNode required(const std::string& key) const;
  /// The one member of an object that has one: {"uniform": ...}.
  std::pair<std::string, JsonNode> only_member() const;
  /// The members of an object, sorted by key.
  std::vector<std::pair<std::string, JsonNode>> members() const;
  std::vector<JsonNode> elements() const;

  std::string string() const;
  bool boolean() const;
  double number() const;
  std::int64_t integer() const;
  bool is_int64() const;
  /// A string that is one of `choices`; fails with the nearest one.
  std::string one_of(const std::vector<std::string>& choices) const;

 private:
  std::string describe() const;

  const LocatedJson* source_;
  const nlohmann::json* value_;
  std::string pointer_;
};

/// "FILE:LINE: POINTER: message", as JsonNode::fail says it.
[[noreturn]] void fail_at(const LocatedJson& source, const std::string& pointer,
                          const std::string& message);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace tessera
