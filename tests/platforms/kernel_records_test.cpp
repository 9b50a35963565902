// SPDX-License-Identifier: Apache-2.0
#include "platforms/kernel_records.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <systemc>

#include "common/json.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"

namespace tessera::kernel_records_test {

namespace {

const ClockDomain kClock(1'000'000'000);

class Named final : public KernelProgram {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {2, 3, 4}; }
  Dim3 block() const override { return {32, 1, 1}; }
  CtaResources resources() const override { return {32, 16, 128}; }
  unsigned register_names() const override { return 1; }
  std::unique_ptr<CtaProgram> start_cta(CtaId) override { return nullptr; }

 private:
  std::string name_;
};

/// Two caches and a memory, whose counts the test makes itself.
struct Rig {
  LaunchCounts first;
  LaunchCounts second;
  LaunchCounts memory;
  std::map<unsigned, std::uint64_t> instructions;
  Named a{"a"};
  Named b{"b"};
  KernelRecords records{kClock};

  ProcessTimer clock;

  Rig() {
    clock.bind<&Rig::tick>(*this);
    records.count({{"l1", true, {&first, &second}}, {"dram", false, {&memory}}},
                  [this](LaunchSlot slot) { return instructions[slot.value]; });
  }
  void run_to(std::uint64_t cycle) {
    clock.at(kClock.time_of(cycle));
    sc_core::sc_start(to_sc_time(kClock.time_of(cycle) - now()));
  }
  void tick() {}
  StartedLaunch launch(LaunchId id, unsigned slot, const std::string& stream = "") const {
    return {id, LaunchSlot(slot), stream, now()};
  }
};

}  // namespace

TEST_CASE("a record has the launch's shape, stream, cycles, instructions and counts") {
  Rig rig;
  rig.run_to(10);
  rig.records.start(rig.launch(1, 1, "left"), rig.a);
  CHECK(rig.records.open_names() == "a");
  rig.first[LaunchSlot(1)] = {1, 2, 3, 400};
  rig.second[LaunchSlot(1)] = {10, 20, 30, 4000};
  rig.memory[LaunchSlot(1)].bytes = 64;
  rig.instructions[1] = 77;
  rig.run_to(25);
  rig.records.end(1, kClock.time_of(12));
  CHECK(rig.records.open_names().empty());
  rig.records.collect();
  const auto kernels = rig.records.to_json();
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0] ==
        nlohmann::ordered_json::parse(
            R"({"name": "a", "grid": [2, 3, 4], "block": [32, 1, 1], "start_cycle": 10,
                "cycles": 15, "instructions": 77, "registers_per_thread": 16, "shared_bytes": 128,
                "stream": "left", "first_cta_cycle": 12,
                "levels": {"l1": {"hits": 11, "merged": 22, "misses": 33, "bytes": 4400},
                           "dram": {"bytes": 64}}})"));
}

TEST_CASE("cycles in which kernels overlap count once, and records are in the order of launches") {
  Rig rig;
  rig.run_to(10);
  rig.records.start(rig.launch(2, 1), rig.b);  // its dependencies were met first
  rig.run_to(15);
  rig.records.start(rig.launch(1, 2), rig.a);
  rig.run_to(20);
  rig.records.end(2, kNever);
  rig.run_to(30);
  rig.records.end(1, kNever);
  rig.run_to(40);
  rig.records.start(rig.launch(3, 3), rig.b);
  rig.run_to(45);
  rig.records.begin(3);  // it has waited for other kernels
  rig.run_to(50);
  rig.records.end(3, kNever);
  CHECK(rig.records.cycles() == 20 + 5);
  const auto kernels = rig.records.to_json();
  CHECK(kernels[0]["name"] == "a");
  CHECK(kernels[1]["name"] == "b");
  CHECK(kernels[1]["stream"].is_null());
  CHECK(kernels[1]["first_cta_cycle"].is_null());
  CHECK(kernels[2]["start_cycle"] == 45);
}

TEST_CASE("a launch number that is used again begins with no counts") {
  Rig rig;
  rig.records.start(rig.launch(1, 5), rig.a);
  rig.first[LaunchSlot(5)].hits = 3;
  rig.records.end(1, kNever);
  rig.first[LaunchSlot(5)].hits += 1;  // of requests that have outlived it
  rig.records.start(rig.launch(64, 5), rig.b);
  rig.first[LaunchSlot(5)].hits += 7;
  rig.records.end(64, kNever);
  rig.records.collect();
  const auto kernels = rig.records.to_json();
  CHECK(kernels[0]["levels"]["l1"]["hits"] == 4);
  CHECK(kernels[1]["levels"]["l1"]["hits"] == 7);
}

TEST_CASE("what belongs to no launch is counted outside kernels") {
  Rig rig;
  rig.records.start(rig.launch(1, 1), rig.a);
  rig.memory[LaunchSlot()].bytes = 32;
  rig.records.end(1, kNever);
  rig.records.collect();
  rig.memory[LaunchSlot()].bytes = 8;
  rig.records.collect();
  CHECK(rig.records.outside_json() ==
        nlohmann::ordered_json::parse(
            R"({"levels": {"l1": {"hits": 0, "merged": 0, "misses": 0, "bytes": 0},
                           "dram": {"bytes": 40}}})"));
}

TEST_CASE("at the begin of a window, counts are zero and an open kernel begins") {
  Rig rig;
  rig.records.start(rig.launch(1, 1), rig.a);
  rig.first[LaunchSlot(1)].misses = 9;
  rig.run_to(100);
  rig.records.begin_window();
  rig.first[LaunchSlot(1)].misses += 2;
  rig.run_to(130);
  rig.records.end_all();
  rig.records.collect();
  const auto kernels = rig.records.to_json();
  CHECK(kernels[0]["start_cycle"] == 100);
  CHECK(kernels[0]["cycles"] == 30);
  CHECK(kernels[0]["levels"]["l1"]["misses"] == 2);
}

}  // namespace tessera::kernel_records_test
