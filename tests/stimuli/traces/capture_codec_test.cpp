// SPDX-License-Identifier: Apache-2.0
// Records of captured runs: what is encoded is decoded, in the bytes that the documentation says.
#include "stimuli/traces/capture_codec.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "common/json.h"
#include "stimuli/traces/captured_run.h"

namespace tessera::traces {
namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<CapturedRecord>& records) {
  std::string out;
  CaptureState state;
  for (const CapturedRecord& r : records) encode(r, state, out);
  return {out.begin(), out.end()};
}

CapturedRecord compute(std::uint32_t operation, std::uint32_t mask) {
  CapturedRecord r;
  r.operation = operation;
  r.mask = r.lanes = mask;
  return r;
}

TEST_CASE("captured records have the bytes of the documented layout") {
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  CapturedRecord load = compute(7, 7);
  load.has_addresses = true;
  load.address[0] = 0x100;
  load.address[1] = 0x104;
  load.address[2] = 0x108;
  CapturedRecord scattered = load;
  scattered.operation = 8;
  scattered.address[2] = 0x102;
  CapturedRecord waits = compute(9, 7);
  waits.has_wait = true;
  waits.wait.first_copies = 2;
  waits.wait.copies = 3;
  waits.wait.warps = {{200, 1}};
  CHECK(bytes_of({compute(0, kAll), compute(1, kAll), compute(3, kAll), load, scattered, waits}) ==
        std::vector<std::uint8_t>{
            3,                              // the next operation, the same lanes
            3,                              //
            1,  2,                          // one operation further
            4,  6, 7, 0x80, 4, 8,           // three further, mask 7, 0x100 from 0, stride 4
            15, 0, 8, 3,                    // the same lanes; differences 0, 4, -2
            35, 2, 2, 3,    1, 0xc8, 1, 1,  // of other warps: 2 and 3 copies; 1 warp: 200 and 1
        });
}

TEST_CASE("captured records are decoded as they were encoded") {
  std::mt19937_64 random(11);
  const auto some = [&](unsigned bits) { return random() >> random() % bits; };
  std::vector<CapturedRecord> records(3000);
  std::string bytes;
  CaptureState writing;
  for (CapturedRecord& r : records) {
    r.operation = static_cast<std::uint32_t>(some(64));
    r.mask = random() % 3 == 0 ? ~0U : static_cast<std::uint32_t>(some(64));
    r.lanes = random() % 4 == 0 ? static_cast<std::uint32_t>(some(64)) : r.mask;
    r.has_addresses = random() % 2 == 0;
    if (!r.has_addresses) r.lanes = r.mask;
    const std::uint64_t stride = some(64);
    const std::uint64_t base = some(64);
    const bool strided = random() % 2 == 0;
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      // Lanes of a full mask: one stride. Of others, the lanes' distances differ.
      r.address[i] = strided ? base + i * stride : some(64);
    }
    r.has_wait = random() % 8 == 0;
    r.wait.limited = r.has_wait && random() % 2 == 0;
    if (r.has_wait && !r.wait.limited) {
      r.wait.first_copies = static_cast<std::uint32_t>(some(64));
      r.wait.copies = static_cast<std::uint32_t>(some(64));
      r.wait.warps.resize(random() % 5);
      for (auto& w : r.wait.warps) {
        w.issued = static_cast<std::uint32_t>(some(64));
        w.copies = static_cast<std::uint32_t>(some(64));
      }
    }
    encode(r, writing, bytes);
  }
  std::size_t at = 0;
  CaptureState reading;
  CapturedRecord out;
  for (const CapturedRecord& r : records) {
    decode(bytes, at, reading, out);
    REQUIRE(out.operation == r.operation);
    REQUIRE(out.mask == r.mask);
    REQUIRE(out.lanes == r.lanes);
    REQUIRE(out.has_addresses == r.has_addresses);
    REQUIRE(out.has_wait == r.has_wait);
    for (unsigned i = 0; r.has_addresses && i < kWarpLanes; ++i) {
      if ((r.lanes >> i & 1U) != 0) REQUIRE(out.address[i] == r.address[i]);
    }
    if (!r.has_wait) continue;
    REQUIRE(out.wait.limited == r.wait.limited);
    REQUIRE(out.wait.first_copies == r.wait.first_copies);
    REQUIRE(out.wait.copies == r.wait.copies);
    REQUIRE(out.wait.warps.size() == r.wait.warps.size());
    for (std::size_t w = 0; w < r.wait.warps.size(); ++w) {
      REQUIRE(out.wait.warps[w].issued == r.wait.warps[w].issued);
      REQUIRE(out.wait.warps[w].copies == r.wait.warps[w].copies);
    }
  }
  CHECK(at == bytes.size());
}

TEST_CASE("captured records that end early or have an unknown form are refused") {
  const auto decoded = [](const std::string& bytes) {
    std::size_t at = 0;
    CaptureState state;
    CapturedRecord out;
    decode(bytes, at, state, out);
  };
  CHECK_THROWS_AS(decoded(""), InputError);
  CHECK_THROWS_AS(decoded("\x01"), InputError);                      // without its operation
  CHECK_THROWS_AS(decoded(std::string("\x07\x80", 2)), InputError);  // within a number
  CHECK_THROWS_AS(decoded("\x43"), InputError);                      // a bit that has no meaning
}

}  // namespace
TEST_CASE("captured runs whose parameters or launches cannot be are refused") {
  CapturedRun run;
  CapturedLaunch& launch = run.launches.emplace_back();
  launch.kernel = "k";
  launch.grid = launch.block = {1, 1, 1};
  launch.facts.argument_bytes = 16;
  launch.facts.parameters = {{"a", 8, 8, false}};
  launch.arguments.push_back({std::vector<std::byte>(8)});
  const nlohmann::ordered_json whole = contents_of(run);
  CapturedRun read;
  read_contents(whole, read);
  REQUIRE(read.launches.size() == 1);

  const auto refused = [&whole](const char* pointer, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json damaged = whole;
    damaged["launches"][0][nlohmann::ordered_json::json_pointer(pointer)] = value;
    CapturedRun out;
    CHECK_THROWS_AS(read_contents(damaged, out), InputError);
  };
  refused("/parameters/0/offset", 9);
  refused("/parameters/0/offset", 4'000'000'000);
  refused("/argument_bytes", 15);
  refused("/argument_bytes", 4'000'000'000);
  refused("/at_make", {{{"do", "launch"}, {"launch", 0}}});
  refused("/at_facts", {{{"do", "enqueue"}, {"stream", "s"}, {"launch", 7}}});
}

}  // namespace tessera::traces
