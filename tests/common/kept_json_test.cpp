// SPDX-License-Identifier: Apache-2.0
#include "common/kept_json.h"

#include <catch2/catch.hpp>
#include <utility>

#include "common/json.h"

using namespace tessera;
using nlohmann::json;
using nlohmann::ordered_json;

TEST_CASE("a kept document is null at first") { CHECK(KeptJson<json>()->is_null()); }

TEST_CASE("a kept document is that from which it was made") {
  const KeptJson<ordered_json> kept = ordered_json{{"b", 1}, {"a", {2, 3}}};
  CHECK(kept->dump() == R"({"b":1,"a":[2,3]})");
  const ordered_json copy = kept;
  CHECK(copy == *kept);
  ordered_json document;
  document["kept"] = kept;
  CHECK(document.dump() == R"({"kept":{"b":1,"a":[2,3]}})");
}

TEST_CASE("numbers, flags and texts keep their types") {
  CHECK(KeptJson<json>(3U)->is_number_unsigned());
  CHECK(KeptJson<json>(-3)->get<int>() == -3);
  CHECK(KeptJson<json>(0.5)->is_number_float());
  CHECK(KeptJson<json>(true)->is_boolean());
  CHECK(KeptJson<json>("text") == "text");
  CHECK(KeptJson<json>(nullptr)->is_null());
}

TEST_CASE("copies of a kept document are apart") {
  KeptJson<json> first = json{{"a", 1}};
  KeptJson<json> second = first;
  (*second)["a"] = 2;
  CHECK(first->dump() == R"({"a":1})");
  first = second;
  (*second)["a"] = 3;
  CHECK(first->dump() == R"({"a":2})");
  first = *&first;
  CHECK(first->dump() == R"({"a":2})");
}

TEST_CASE("a kept document that was moved can be assigned") {
  KeptJson<json> first = json{{"a", 1}};
  KeptJson<json> second = std::move(first);
  CHECK(second->dump() == R"({"a":1})");
  first = json("again");
  CHECK(first == "again");
  second = std::move(first);
  CHECK(second == "again");
}
