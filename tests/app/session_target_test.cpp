// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "app/session/http_target.h"

namespace tessera::app::session_target_test {

using Query = std::map<std::string, std::string>;

TEST_CASE("a target is a path and a query, decoded") {
  const auto target = read_target("/mem%6fry?address=0x10&text=a+b%2B%26c&flag&&x=1=2");
  REQUIRE(target);
  CHECK(target->path == "/memory");
  CHECK(target->query ==
        Query{{"address", "0x10"}, {"text", "a b+&c"}, {"flag", ""}, {"x", "1=2"}});
  REQUIRE(read_target("/a+b"));
  CHECK(read_target("/a+b")->path == "/a+b");
  REQUIRE(read_target("/state?"));
  CHECK(read_target("/state?")->query.empty());
}

TEST_CASE("a target with a broken escape, or a name twice, cannot be read") {
  for (const char* text : {"/%", "/%4", "/%4g", "/a?b=%", "/a?%zz=1", "/a?b=1&b=1"}) {
    INFO(text);
    CHECK_FALSE(read_target(text));
  }
}

TEST_CASE("only localhost and 127.0.0.1 are this host") {
  for (const char* host :
       {"localhost", "LocalHost:8000", "127.0.0.1", "127.0.0.1:1", "localhost:"}) {
    INFO(host);
    CHECK(is_local_host(host));
  }
  for (const char* host : {"", "example.org", "localhost.example.org", "127.0.0.1.example.org",
                           "127.0.0.2", "localhost:80.example.org", "localhost:80@example.org",
                           " localhost", "localhost,example.org"}) {
    INFO(host);
    CHECK_FALSE(is_local_host(host));
  }
}

TEST_CASE("JSON is the only content type of a POST") {
  CHECK(is_json_type("application/json"));
  CHECK(is_json_type("Application/JSON ; charset=utf-8"));
  for (const char* type : {"", "text/plain", "application/jsonx", "text/plain; application/json"}) {
    INFO(type);
    CHECK_FALSE(is_json_type(type));
  }
}

}  // namespace tessera::app::session_target_test
