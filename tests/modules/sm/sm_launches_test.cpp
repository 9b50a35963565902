// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_launches.h"

#include <catch2/catch.hpp>

#include "modules/sm/ended_warps.h"
#include "modules/sm/sm_resources.h"
#include "tests/modules/sm/sm_rig.h"

namespace tessera::sm_launches_test {

using namespace tessera::test;

TEST_CASE("a launch leaves an SM with its last CTA or its last store, whichever is later, once") {
  SmLaunches launches;
  const ScriptedKernel kernel({});
  const LaunchSlot a(1);
  const LaunchSlot b(63);
  CHECK_FALSE(launches.has_left(a));
  launches.add_cta(a, kernel);
  launches.add_cta(a, kernel);
  launches.add_cta(b, kernel);
  launches.add_store(a);
  launches.remove_cta(a);
  launches.remove_cta(a);
  CHECK_FALSE(launches.has_left(a));
  launches.remove_store(a);
  CHECK(launches.has_left(a));
  CHECK_FALSE(launches.has_left(a));
  CHECK_FALSE(launches.has_left(b));
  launches.add_store(b);
  launches.remove_store(b);
  CHECK_FALSE(launches.has_left(b));
  launches.remove_cta(b);
  CHECK(launches.has_left(b));
  launches.add_cta(a, kernel);
  launches.remove_cta(a);
  CHECK(launches.has_left(a));
}

TEST_CASE("a warp that has ended is named until 256 others have ended after it") {
  class Grid final : public KernelProgram {
   public:
    const std::string& name() const override { return name_; }
    Dim3 grid() const override { return {4, 3, 2}; }
    Dim3 block() const override { return {64, 1, 1}; }
    CtaResources resources() const override { return {}; }
    unsigned register_names() const override { return 8; }
    std::unique_ptr<CtaProgram> start_cta(CtaId) override { return nullptr; }

   private:
    std::string name_ = "k";
  };
  const Grid kernel;
  EndedWarps ended;
  CHECK(ended.place_of(0, 5).empty());
  ended.add(0, CtaId(4 * 3 + 4 * 2 + 3), 1, kernel);
  for (std::uint64_t age = 1; age < 256; ++age) ended.add(age, CtaId(0), 0, kernel);
  CHECK(ended.place_of(0, 5) == "kernel 'k', CTA (3,2,1), warp 1, instruction 5");
  CHECK(ended.place_of(255, 6) == "kernel 'k', CTA (0,0,0), warp 0, instruction 6");
  CHECK(ended.place_of(256, 5).empty());
  ended.add(256, CtaId(1), 0, kernel);
  CHECK(ended.place_of(0, 5).empty());
  CHECK(ended.place_of(256, 7) == "kernel 'k', CTA (1,0,0), warp 0, instruction 7");
}

TEST_CASE("instructions count by launch, and from zero after they have been taken") {
  SmLaunches launches;
  launches.count_instruction(LaunchSlot(1));
  launches.count_instruction(LaunchSlot(1));
  launches.count_instruction(LaunchSlot(2));
  CHECK(launches.take_instructions(LaunchSlot(1)) == 2);
  CHECK(launches.take_instructions(LaunchSlot(1)) == 0);
  CHECK(launches.take_instructions(LaunchSlot(2)) == 1);
}

TEST_CASE("CTAs of different kernels share the resources of an SM") {
  const SmResources sm{32, 64, 2048, 65536, 49152};
  // 96 threads are 3 warps; registers are allocated to whole warps.
  const SmResources a = SmResources::of({90, 40, 1024});
  CHECK(a.warps == 3);
  CHECK(a.threads == 90);
  CHECK(a.registers == 40 * 96);
  CHECK(sm.room_for(a) == 17);  // by registers
  const SmResources b = SmResources::of({1024, 16, 20000});
  CHECK(sm.room_for(b) == 2);  // by threads and shared memory
  CHECK(sm.room_for(SmResources::of({0, 8, 0})) == 0);
  CHECK(sm.room_for(SmResources::of({32, 4'000'000'000U, 0})) == 0);
  SmResources used;
  used += b;
  CHECK(sm.has_room_for(b, used));
  used += a;
  CHECK_FALSE(sm.has_room_for(b, used));  // 90 + 2 * 1024 threads
  for (int i = 0; i < 7; ++i) {
    CHECK(sm.has_room_for(a, used));
    used += a;
  }
  used -= b;
  CHECK(sm.has_room_for(b, used));
}

}  // namespace tessera::sm_launches_test
