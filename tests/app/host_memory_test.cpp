// SPDX-License-Identifier: Apache-2.0
// A farm limits a job's address space and memory: a run takes what it needs, not what it could.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/app/command.h"

namespace tessera::host_memory_test {

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

TEST_CASE("an array of 1.75 GiB takes memory for the pages that a kernel touches", "[address]") {
  // 65 536 threads, each of which loads one float of a page of its own: 256 MiB.
  const ScratchFolder folder;
  folder.write("k.ptx", R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry touch(.param .u64 a, .param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4096;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  mul.wide.u32 %rd5, %r4, 4;
  add.u64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f1;
  ret;
}
)");
  const std::string manifest =
      folder.write("m.json", R"({"name": "touch", "ptx": "k.ptx", "arrays": [
{"name": "a", "type": "f32", "count": 469762048, "init": {"iota": {"start": 0, "step": 0.0009765625}}},
{"name": "out", "type": "f32", "count": 65536}],
"launches": [{"kernel": "touch", "grid": 256, "block": 256, "arguments": ["a", "out"]}],
"outputs": [{"array": "out", "file": "out.bin"}]})");
  const double touched = 256.0 * 1024 * 1024;
  // Of the command and its libraries.
  const CommandResult small =
      run_tessera({"run", "uba-mem-small", "vecadd:n=4096", "--out", "small"}, folder.path());
  REQUIRE(small.status == 0);
  for (const char* values : {"functional", "carried"}) {
    INFO(values);
    const CommandResult r = run_tessera(
        {"run", "uba-mem-small", manifest, "--values", values, "--out", values}, folder.path());
    REQUIRE(r.status == 0);
    CHECK(static_cast<double>(r.peak_bytes) > touched);
    CHECK(static_cast<double>(r.peak_bytes - small.peak_bytes) < 1.1 * touched);
    // The kernel saw the contents: element 1024 i is i.
    const std::string out = folder.read(std::string(values) + "/out.bin");
    REQUIRE(out.size() == 65536 * sizeof(float));
    for (std::size_t i = 0; i < 65536; ++i) {
      float seen = 0;
      std::memcpy(&seen, out.data() + i * sizeof seen, sizeof seen);
      REQUIRE(seen == static_cast<float>(i));
    }
  }
}

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
          run_tessera({"run", name, "vecadd:n=16384", "--values", values, "--json"}, folder.path());
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

}  // namespace tessera::host_memory_test
