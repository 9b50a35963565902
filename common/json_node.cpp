// SPDX-License-Identifier: Apache-2.0
#include "common/json_node.h"

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"

namespace tessera {

using nlohmann::json;

namespace {

std::string place(const LocatedJson& source, const std::string& pointer) {
  return source.where(pointer) + (pointer.empty() ? "" : ": " + pointer);
}

}  // namespace

void fail_at(const LocatedJson& source, const std::string& pointer, const std::string& message) {
  throw InputError(place(source, pointer) + ": " + message);
}

std::string JsonNode::where() const { return place(*source_, pointer_); }

void JsonNode::fail(const std::string& message) const { fail_at(*source_, pointer_, message); }

void JsonNode::expected(const std::string& what) const {
  fail("expected " + what + ", found " + describe());
}

void JsonNode::object(const std::vector<std::string>& known) const {
  if (!value_->is_object()) expected("an object");
  for (auto it = value_->begin(); it != value_->end(); ++it) {
    if (it.key() == "spdx" || it.key() == "comment") continue;
    if (std::find(known.begin(), known.end(), it.key()) != known.end()) continue;
    fail_at(*source_, json_pointer(pointer_, it.key()),
            "unknown key \"" + it.key() + "\"" + did_you_mean(it.key(), known) +
                " (known: " + joined(known) + ")");
  }
}

std::optional<JsonNode> JsonNode::member(const std::string& key) const {
  const auto it = value_->find(key);
  if (it == value_->end()) return std::nullopt;
  return JsonNode(*source_, *it, json_pointer(pointer_, key));
}

JsonNode JsonNode::required(const std::string& key) const {
  auto found = member(key);
  if (!found) fail("the key \"" + key + "\" is missing");
  return *found;
}

std::pair<std::string, JsonNode> JsonNode::only_member() const {
  if (!value_->is_object() || value_->size() != 1) expected("an object with one key");
  return members().front();
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!value_->is_object()) expected("an object");
  std::vector<std::pair<std::string, JsonNode>> out;
  for (auto it = value_->begin(); it != value_->end(); ++it) {
    out.emplace_back(it.key(), JsonNode(*source_, *it, json_pointer(pointer_, it.key())));
  }
  return out;
}

std::vector<JsonNode> JsonNode::elements() const {
  if (!value_->is_array()) expected("a list");
  std::vector<JsonNode> out;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    out.emplace_back(*source_, (*value_)[i], json_pointer(pointer_, i));
  }
  return out;
}

std::string JsonNode::string() const {
  if (!value_->is_string()) expected("a string");
  return value_->get<std::string>();
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

double JsonNode::number() const {
  if (!value_->is_number()) expected("a number");
  return value_->get<double>();
}

std::int64_t JsonNode::integer() const {
  if (!is_int64()) expected("an integer");
  return value_->get<std::int64_t>();
}

bool JsonNode::is_int64() const {
  return value_->is_number_integer() &&
         !(value_->is_number_unsigned() &&
           value_->get<std::uint64_t>() >
               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

std::string JsonNode::one_of(const std::vector<std::string>& choices) const {
  std::string given = string();
  if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
    fail("\"" + given + "\" is not one of " + joined(choices) + did_you_mean(given, choices));
  }
  return given;
}

std::string JsonNode::describe() const {
  std::string text = value_->dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

}  // namespace tessera
