// SPDX-License-Identifier: Apache-2.0
// A farm limits a job's address space: a run takes what it needs, not what it could.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/app/command.h"

using namespace tessera::test;

namespace {

constexpr rlim_t kEightGigabytes = rlim_t{8} << 30;

/// Of this process and what it starts; the test is a process of its own.
void limit_address_space(rlim_t bytes) {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

}  // namespace

TEST_CASE("every small preset runs in 8 GB of address space, bytes carried or not", "[address]") {
  const ScratchFolder folder;
  const auto presets = run_tessera({"list", "platforms", "--json"}, folder.path()).document();
  limit_address_space(kEightGigabytes);
  unsigned ran = 0;
  for (const auto& preset : presets.at("platforms")) {
    const auto name = preset.at("name").get<std::string>();
    if (name.size() < 6 || name.substr(name.size() - 6) != "-small") continue;
    for (const char* values : {"functional", "carried"}) {
      INFO(name << ", " << values);
      const CommandResult r =
          run_tessera({"run", name, "vecadd", "--values", values, "--json"}, folder.path());
      CHECK(r.status == 0);
      CHECK(r.document().at("verified") == true);
      ++ran;
    }
  }
  CHECK(ran >= 20);
}

TEST_CASE("arrays for which there is no address space are named with the limit", "[address]") {
  const ScratchFolder folder;
  folder.write("k.ptx",
               ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const std::string manifest = folder.write("m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "a", "type": "u8", "count": 1073741824}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}]})");
  limit_address_space(rlim_t{1} << 30);
  const CommandResult r = run_tessera({"run", "uba-mem-small", manifest}, folder.path());
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Catch::Contains("no address space for") && Catch::Contains("ulimit -v"));
}
