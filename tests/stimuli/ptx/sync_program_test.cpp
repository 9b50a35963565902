// SPDX-License-Identifier: Apache-2.0
// Warp-synchronising instructions in random divergent code agree with a reference that runs each
// thread by itself; and the reference with results worked out by hand.

#include "tests/stimuli/ptx/sync_program.h"

#include <catch2/catch.hpp>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::sync_program_test {

using namespace tessera::test;

namespace {

using Form = SyncProgram::Form;

constexpr std::uint64_t kBudget = 2'000'000;
/// Threads of a CTA.
constexpr std::array<unsigned, 8> kBlocks = {80, 1, 33, 96, 7, 63, 150, 20};

std::vector<std::uint32_t> random_input(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> input(SyncProgram::kInputs);
  for (std::uint32_t& v : input) v = static_cast<std::uint32_t>(random() >> random() % 32);
  return input;
}

void check(unsigned seed, unsigned threads, unsigned ctas, bool barriers, bool carried,
           bool by_pointer = false) {
  const bool compiled = seed % 3 == 0;
  const SyncProgram program(seed, threads, barriers);
  const std::string ptx = program.ptx(compiled, by_pointer);
  INFO("seed " << seed << ", " << threads << " threads" << (compiled ? ", compiled" : "")
               << (carried ? ", carried" : "") << "\n"
               << ptx);
  KernelRunner k(ptx);
  const std::vector<std::uint32_t> input = random_input(seed);
  for (unsigned i = 0; i < SyncProgram::kInputs; ++i) k.set_input(i, input[i]);
  for (unsigned i = 0; i < threads * ctas; ++i) {
    std::memcpy(k.memory.at(k.out + 8 * i), &SyncProgram::kUnwritten, 4);
  }
  std::vector<std::vector<std::uint32_t>> want;
  for (unsigned cta = 0; cta < ctas; ++cta) {
    want.push_back(program.execute(input, cta, seed));
    // The order of the threads does not matter.
    REQUIRE(program.execute(input, cta, seed + 1000) == want.back());
  }
  std::string error;
  try {
    if (carried)
      k.run_carried({threads, 1, 1}, {ctas, 1, 1}, seed);
    else
      k.run({threads, 1, 1}, {ctas, 1, 1}, kBudget);
  } catch (const std::exception& e) {
    error = e.what();
  }
  INFO("error: " << error);
  REQUIRE(error.empty());
  for (unsigned cta = 0; cta < ctas; ++cta) {
    for (unsigned t = 0; t < threads; ++t) {
      INFO("CTA " << cta << ", thread " << t);
      REQUIRE(k.result<std::uint32_t>(cta * threads + t) == want[cta][t]);
    }
  }
  REQUIRE(k.warnings.empty());
}

SyncLane lane_of(std::uint32_t value, unsigned b = 0, unsigned c = 31) {
  SyncLane l;
  l.value = value;
  l.b = b;
  l.c = c;
  return l;
}

}  // namespace

TEST_CASE("the reference finds the source lane of a shfl as the manual says") {
  // Plain ones: the whole warp, clamp 31 (up: 0).
  CHECK(sync_source(Form::kShflUp, 5, 3, 0).lane == 2);
  CHECK_FALSE(sync_source(Form::kShflUp, 2, 3, 0).in_range);
  CHECK(sync_source(Form::kShflUp, 2, 3, 0).lane == 2);
  CHECK(sync_source(Form::kShflDown, 5, 3, 31).lane == 8);
  CHECK_FALSE(sync_source(Form::kShflDown, 30, 3, 31).in_range);
  CHECK(sync_source(Form::kShflBfly, 5, 3, 31).lane == 6);
  CHECK(sync_source(Form::kShflIdx, 5, 19, 31).lane == 19);
  // Width 8: c = 0x181f, segment mask 0x18. Lane 13 is in 8 to 15.
  CHECK(sync_source(Form::kShflIdx, 13, 2, 0x181f).lane == 10);
  CHECK(sync_source(Form::kShflDown, 13, 2, 0x181f).lane == 15);
  CHECK_FALSE(sync_source(Form::kShflDown, 14, 2, 0x181f).in_range);
  CHECK(sync_source(Form::kShflUp, 13, 2, 0x1800).lane == 11);
  CHECK_FALSE(sync_source(Form::kShflUp, 9, 2, 0x1800).in_range);
  // bfly reads lower segments, not higher ones.
  CHECK(sync_source(Form::kShflBfly, 13, 8, 0x181f).lane == 5);
  CHECK_FALSE(sync_source(Form::kShflBfly, 5, 8, 0x181f).in_range);
}

TEST_CASE("the reference's results of a rendezvous are those worked out by hand") {
  // Lanes 1, 3, 4 and 30 hold 12, 10, 12 and -1.
  const std::uint32_t members = 0x4000001a;
  std::array<SyncLane, 32> at{};
  const auto run = [&](Form form) {
    at[1] = lane_of(12, 2);
    at[3] = lane_of(10, 1);
    at[4] = lane_of(12, 26);
    at[30] = lane_of(~0u, 31, 3);
    sync_results(form, members, at);
  };
  run(Form::kReduxAdd);
  CHECK(at[1].result == 33);
  CHECK(at[30].result == 33);
  run(Form::kReduxMinU);
  CHECK(at[3].result == 10);
  run(Form::kReduxMaxU);
  CHECK(at[3].result == ~0u);
  run(Form::kReduxMinS);
  CHECK(at[3].result == ~0u);
  run(Form::kReduxMaxS);
  CHECK(at[3].result == 12);
  run(Form::kReduxAnd);
  CHECK(at[4].result == 8);
  run(Form::kReduxOr);
  CHECK(at[4].result == ~0u);
  run(Form::kReduxXor);
  CHECK(at[4].result == ~10u);
  run(Form::kMatchAny);
  CHECK(at[1].result == 0x12);
  CHECK(at[3].result == 0x08);
  CHECK(at[30].result == 0x40000000);
  run(Form::kMatchAll);
  CHECK(at[4].result == 0);
  CHECK_FALSE(at[4].second);
  run(Form::kShflDown);  // 1 + 2, 3 + 1, 4 + 26; 30 + 31 is out of range: itself
  CHECK(at[1].result == 10);
  CHECK(at[3].result == 12);
  CHECK(at[4].result == ~0u);
  CHECK(at[30].result == ~0u);
  CHECK(at[4].second);
  CHECK_FALSE(at[30].second);
  run(Form::kElect);
  CHECK(at[30].result == 1);
  CHECK(at[1].second);
  CHECK_FALSE(at[3].second);

  const auto vote = [&](Form form, std::uint32_t yes) {
    for (unsigned i = 0; i < 32; ++i) at[i] = lane_of(yes >> i & 1);
    sync_results(form, members, at);
    return at[3].result;
  };
  CHECK(vote(Form::kBallot, 0xffff0012) == 0x40000012);
  CHECK(vote(Form::kAny, 0x80000000) == 0);  // of no member
  CHECK(vote(Form::kAny, 2) == 1);
  CHECK(vote(Form::kAll, members) == 1);
  CHECK(vote(Form::kAll, members & ~2u) == 0);
  CHECK(vote(Form::kUni, ~members) == 1);
  CHECK(vote(Form::kUni, members) == 1);
  CHECK(vote(Form::kUni, 2) == 0);
  std::array<SyncLane, 32> same{};
  sync_results(Form::kMatchAll, members, same);
  CHECK(same[4].result == members);
  CHECK(same[4].second);
}

TEST_CASE("random divergent syncs agree with a reference of single threads") {
  SyncProgram::met_apart = 0;
  for (unsigned seed = 1; seed <= 120; ++seed) check(seed, 32, 1, false, false);
  // The cases are what they are for.
  CHECK(SyncProgram::met_apart > 2000);
}

TEST_CASE("random divergent syncs of several warps, the last one partial, agree") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check(seed, kBlocks[seed % kBlocks.size()], 1 + seed % 2, false, false);
  }
}

TEST_CASE("random divergent syncs agree when loads come back late") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check(seed, kBlocks[seed % kBlocks.size()], 1, false, true);
  }
}

TEST_CASE("random divergent syncs between a CTA's barriers agree") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check(seed, kBlocks[seed % kBlocks.size()], 1 + seed % 2, true, false);
  }
}

TEST_CASE("random divergent syncs between a CTA's barriers agree when loads come back late") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check(seed, kBlocks[seed % kBlocks.size()], 1, true, true);
  }
}

TEST_CASE("random divergent syncs in functions, at different depths of recursion, agree") {
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const unsigned threads = seed % 2 == 0 ? 32 : kBlocks[seed % kBlocks.size()];
    check(seed, threads, 1, seed % 4 == 0, seed % 5 == 0, true);
  }
}

}  // namespace tessera::sync_program_test
