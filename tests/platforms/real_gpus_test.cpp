// SPDX-License-Identifier: Apache-2.0
// Presets of real GPUs, and "sources" of platform files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "common/json.h"
#include "common/located_json.h"
#include "platforms/simulation.h"
#include "tests/support/temporary_file.h"

namespace tessera::real_gpus_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

struct Sizes {
  std::uint32_t sms;
  std::uint64_t llc_bytes;
  double dram_bytes_per_s;
  std::uint64_t dram_bytes;
};

void check_preset(const std::string& name, const Sizes& sizes) {
  INFO(name);
  const ResolvedConfig config = resolve_config(name, {});
  const GpuConfig& c = config.gpu;
  CHECK(c.system.sms == sizes.sms);
  CHECK(std::uint64_t{c.llc.sets} * c.llc.ways * c.llc.line_bytes * c.system.slices() ==
        sizes.llc_bytes);
  CHECK(c.system.channels * static_cast<double>(c.dram.clock_hz) * c.dram.bus_bytes_per_clock ==
        Approx(sizes.dram_bytes_per_s).epsilon(0.001));
  CHECK(c.system.channel_bytes * c.system.channels == sizes.dram_bytes);
  const LocatedJson file =
      load_located_json(TESSERA_SOURCE_DIR "/platforms/presets/" + name + ".json");
  unsigned settings = 0;
  for (const auto& [group, values] : file.value->items()) {
    if (!values.is_object() || group == "sources") continue;
    const nlohmann::json flat = values.flatten();
    for (const auto& [pointer, value] : flat.items()) {
      ++settings;
      std::string path = group + pointer;
      std::replace(path.begin(), path.end(), '/', '.');
      INFO(path);
      CHECK(config.sources.count(path) == 1);
    }
  }
  CHECK(settings > 60);
}

/// What is wrong with a file of these contents.
std::string refusal(const std::string& text) {
  const TemporaryFile file(text);
  try {
    resolve_config(file.path(), {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("presets of real GPUs have published sizes, and each of their values has a source") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  check_preset("v100", {80, 6 * kMiB, 898.0e9, 16384 * kMiB});
  check_preset("a100", {108, 40 * kMiB, 1555.2e9, 40960 * kMiB});
  check_preset("h100", {132, 50 * kMiB, 3352.3e9, 81920 * kMiB});
}

TEST_CASE("a parameter's own source precedes its group's, and the file's its base's") {
  const TemporaryFile base(R"({"base": "uba-mem-small",
      "sources": {"llc": "base, group", "llc.ways": "base, own", "dram.t_rc": "base"}})");
  const TemporaryFile file(R"({"base": ")" + base.path() + R"(",
      "sources": {"llc.sets": "file", "dram.t_rc": "file"}})");
  const auto sources = resolve_config(file.path(), {}).sources;
  CHECK(sources.at("llc.ways") == "base, own");
  CHECK(sources.at("llc.sets") == "file");
  CHECK(sources.at("llc.latency_cycles") == "base, group");
  CHECK(sources.at("dram.t_rc") == "file");
  CHECK(sources.count("dram.t_cl") == 0);
  CHECK(resolve_config("uba-mem", {}).sources.empty());
}

TEST_CASE("a source of no parameter, and one that is no text, are refused with their place") {
  CHECK_THAT(refusal("{\"base\": \"uba-mem\",\n \"sources\": {\"llc.wys\": \"a\"}}"),
             Catch::Contains(".json:2: sources: no parameter or group 'llc.wys'; did you "
                             "mean 'llc.ways'?"));
  CHECK_THAT(refusal("{\"base\": \"uba-mem\",\n \"sources\": {\"llc.ways\": 16}}"),
             Catch::Contains(".json:2: llc.ways: a source must be a text"));
  CHECK_THAT(refusal("{\"base\": \"uba-mem\", \"sources\": [\"llc.ways\"]}"),
             Catch::Contains(".json:1: sources must be an object of texts"));
}

}  // namespace tessera::real_gpus_test
