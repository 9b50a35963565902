// SPDX-License-Identifier: Apache-2.0
// Divergent control flow agrees with a scalar evaluation of the same program, thread by thread.

#include "tests/stimuli/ptx/random_program.h"

#include <catch2/catch.hpp>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::random_program_test {

using namespace tessera::test;

namespace {

constexpr unsigned kThreads = 80;  // the last warp is not full
constexpr unsigned kCtas = 2;
constexpr std::uint64_t kBudget = 50'000'000;

void check(unsigned seed, Layout layout, bool carried, Calls calls = Calls::kForward) {
  const RandomProgram program(seed, calls);
  const std::string ptx = program.ptx(layout);
  INFO("seed " << seed << (carried ? ", carried" : "") << "\n" << ptx);
  KernelRunner k(ptx);
  std::mt19937 random(seed);
  std::vector<std::uint32_t> input(RandomProgram::kInputs);
  for (unsigned i = 0; i < RandomProgram::kInputs; ++i) {
    // Small numbers and large ones.
    k.set_input(i, input[i] = static_cast<std::uint32_t>(random() >> random() % 32));
  }
  for (unsigned i = 0; i < kThreads * kCtas; ++i) {
    std::memcpy(k.memory.at(k.out + 8 * i), &RandomProgram::kUnwritten, 4);
  }
  if (carried)
    k.run_carried({kThreads, 1, 1}, {kCtas, 1, 1}, seed);
  else
    k.run({kThreads, 1, 1}, {kCtas, 1, 1}, kBudget);
  for (unsigned cta = 0; cta < kCtas; ++cta) {
    const std::vector<std::uint32_t> want = program.evaluate(input, cta, kThreads);
    for (unsigned t = 0; t < kThreads; ++t) {
      INFO("CTA " << cta << ", thread " << t);
      REQUIRE(k.result<std::uint32_t>(cta * kThreads + t) == want[t]);
    }
  }
}

}  // namespace

TEST_CASE("random programs agree with a scalar machine") {
  for (unsigned seed = 1; seed <= 150; ++seed) check(seed, Layout::kPlain, false);
}

TEST_CASE("random programs in a compiler's layout agree with a scalar machine") {
  for (unsigned seed = 1; seed <= 150; ++seed) check(seed, Layout::kCompiled, false);
}

TEST_CASE("random programs agree when loads come back late") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    check(seed, seed % 2 == 0 ? Layout::kPlain : Layout::kCompiled, true);
  }
}

TEST_CASE("random call graphs with recursion and pointers agree with a scalar machine") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    check(seed, seed % 2 == 0 ? Layout::kPlain : Layout::kCompiled, seed % 5 == 0,
          Calls::kRecursive);
  }
}

}  // namespace tessera::random_program_test
