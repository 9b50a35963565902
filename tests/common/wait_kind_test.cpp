// SPDX-License-Identifier: Apache-2.0
#include "common/wait_kind.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace tessera::wait_kind_test {

TEST_CASE("each kind of wait has a name of its own, and one sentence") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kWaitKinds; ++i) {
    const WaitKind kind = kAllWaitKinds[i];
    CHECK(static_cast<std::size_t>(kind) == i);
    names.insert(name_of(kind));
    const std::string meaning = meaning_of(kind);
    CAPTURE(meaning);
    CHECK(meaning.back() == '.');
    CHECK(meaning.find(". ") == std::string::npos);
  }
  CHECK(names == std::set<std::string>{"bandwidth", "coherence", "data dependence",
                                       "network transfer", "ordering", "queue full",
                                       "resource busy", "translation"});
}

}  // namespace tessera::wait_kind_test
