// SPDX-License-Identifier: Apache-2.0
#include "policies/cta_scheduler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "common/error.h"
#include "tests/support/policy_settings.h"

namespace tessera::cta_scheduler_test {

using namespace tessera::test;

namespace {

PolicyContext two_gpus() {
  PolicyContext c;
  c.tree.gpus = 2;
  return c;
}

}  // namespace

TEST_CASE("every scheduler gives each CTA out exactly once") {
  std::mt19937 random(1);
  for (const char* name : {"batched", "column-binding", "distributed", "greedy", "kernel-wide",
                           "partition", "round-robin", "row-binding", "ske"}) {
    const auto scheduler = make_policy<CtaScheduler>(name);
    for (const CtaGrid grid : {CtaGrid{1, 1, 1}, CtaGrid{7, 3, 2}, CtaGrid{1000, 1, 1},
                               CtaGrid{0, 1, 1}, CtaGrid{64, 1, 1}}) {
      for (const unsigned sms : {1U, 3U, 64U}) {
        scheduler->begin(grid, sms);
        std::vector<bool> seen(grid.count());
        std::vector<bool> dry(sms);
        std::uint64_t left = grid.count();
        unsigned dry_count = 0;
        while (dry_count < sms) {
          const unsigned sm = random() % sms;
          scheduler->begin_round();
          const bool more = scheduler->has_more(SmId(sm));
          const auto cta = scheduler->next(SmId(sm));
          REQUIRE(more == cta.has_value());
          if (!cta) {
            if (!dry[sm]) ++dry_count;
            dry[sm] = true;
            continue;
          }
          REQUIRE_FALSE(dry[sm]);
          REQUIRE(cta->value < grid.count());
          REQUIRE_FALSE(seen[cta->value]);
          seen[cta->value] = true;
          --left;
        }
        CHECK(left == 0);
      }
    }
  }
}

TEST_CASE("ske gives CTAs in turn to the GPUs, and in order to a GPU's SMs") {
  const auto scheduler = make_policy<CtaScheduler>("ske", two_gpus());
  scheduler->begin({7, 1, 1}, 4);
  // SMs 0 and 1 are of GPU 0.
  CHECK(scheduler->next(SmId(1))->value == 0);
  CHECK(scheduler->next(SmId(0))->value == 2);
  CHECK(scheduler->next(SmId(3))->value == 1);
  CHECK(scheduler->next(SmId(0))->value == 4);
  CHECK(scheduler->next(SmId(1))->value == 6);
  CHECK_FALSE(scheduler->next(SmId(0)));
  CHECK(scheduler->next(SmId(2))->value == 3);
  CHECK(scheduler->next(SmId(2))->value == 5);
  CHECK_FALSE(scheduler->next(SmId(3)));
}

TEST_CASE("round-robin gives CTAs in order to whoever asks") {
  const auto scheduler = make_policy<CtaScheduler>("round-robin");
  scheduler->begin({5, 1, 1}, 4);
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(scheduler->next(SmId(3 - i % 4)) == CtaId(i));
  CHECK_FALSE(scheduler->next(SmId(0)));
}

TEST_CASE("several GPUs: each runs a contiguous range, whole SMs' worth") {
  // 10 CTAs on 2 GPUs of 4 SMs: 2 an SM, so GPU 0 runs 8 and GPU 1 the rest.
  for (const char* name : {"greedy", "partition", "round-robin"}) {
    INFO(name);
    const auto scheduler = make_policy<CtaScheduler>(name, two_gpus());
    scheduler->begin({10, 1, 1}, 8);
    std::vector<unsigned> gpu_of(10, 99);
    for (int round = 0; round < 10; ++round) {
      scheduler->begin_round();
      for (std::uint32_t sm = 0; sm < 8; ++sm) {
        if (const auto cta = scheduler->next(SmId(sm))) gpu_of[cta->value] = sm / 4;
      }
    }
    CHECK(gpu_of == std::vector<unsigned>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  }
}

TEST_CASE("greedy fills the lowest SM of each GPU, partition gives each SM its part") {
  const auto greedy = make_policy<CtaScheduler>("greedy", two_gpus());
  greedy->begin({16, 1, 1}, 8);
  greedy->begin_round();
  CHECK(greedy->next(SmId(1)) == CtaId(0));  // SM 0 has no room
  CHECK_FALSE(greedy->next(SmId(2)));
  CHECK(greedy->next(SmId(4)) == CtaId(8));
  greedy->begin_round();
  CHECK(greedy->next(SmId(2)) == CtaId(1));  // nor has SM 1 now

  const auto partition = make_policy<CtaScheduler>("partition", two_gpus());
  partition->begin({20, 1, 1}, 8);  // 3 an SM: 12 CTAs for GPU 0, 8 for GPU 1, 2 an SM there
  CHECK(partition->next(SmId(1)) == CtaId(3));
  CHECK(partition->next(SmId(3)) == CtaId(9));
  CHECK(partition->next(SmId(5)) == CtaId(14));
  CHECK(partition->next(SmId(5)) == CtaId(15));
  CHECK_FALSE(partition->next(SmId(5)));
}

TEST_CASE("distributed ranges are contiguous, in SM order and balanced") {
  const auto scheduler = make_policy<CtaScheduler>("distributed");
  for (const std::uint32_t count : {1U, 5U, 63U, 64U, 65U, 1000U, 4096U}) {
    constexpr unsigned kSms = 64;
    scheduler->begin({count, 1, 1}, kSms);
    std::uint32_t expected = 0;
    std::uint32_t least = count;
    std::uint32_t most = 0;
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
      std::uint32_t got = 0;
      while (const auto cta = scheduler->next(SmId(sm))) {
        REQUIRE(cta->value == expected++);
        ++got;
      }
      least = std::min(least, got);
      most = std::max(most, got);
    }
    CHECK(expected == count);
    CHECK(most - least <= 1);
  }
}

namespace {

/// 2 GPUs of 2 modules of 2 SMs.
PolicyContext four_modules() {
  PolicyContext c;
  c.tree.gpus = 2;
  c.tree.modules = c.tree.partitions = 4;
  c.tree.sms = 8;
  return c;
}

/// The module that runs each CTA, if SMs ask in an order that `seed` determines.
std::vector<unsigned> module_of_ctas(CtaScheduler& scheduler, const CtaGrid& grid, unsigned seed) {
  scheduler.begin(grid, 8);
  std::vector<unsigned> module(grid.count(), 99);
  std::vector<std::uint32_t> sms = {0, 1, 2, 3, 4, 5, 6, 7};
  std::mt19937 random(seed);
  for (std::uint64_t left = grid.count(); left != 0;) {
    std::shuffle(sms.begin(), sms.end(), random);
    scheduler.begin_round();
    for (const std::uint32_t sm : sms) {
      if (const auto cta = scheduler.next(SmId(sm))) {
        REQUIRE(module[cta->value] == 99);
        module[cta->value] = sm / 2;
        --left;
      }
    }
  }
  return module;
}

struct Binding {
  const char* scheduler;
  PolicySettings<CtaScheduler> settings;
  CtaGrid grid;
  std::vector<unsigned> modules;
};

}  // namespace

TEST_CASE("schedulers bind CTAs to NUMA nodes, whatever SM asks first") {
  const auto b = GENERATE(values<Binding>({
      // Batches of 2 of 12: six, dealt to four modules.
      {"batched",
       policy_settings<CtaScheduler>({{"batched.batch", 2}}),
       {12, 1, 1},
       {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1}},
      // Three batches a GPU, dealt to its two modules.
      {"batched",
       policy_settings<CtaScheduler>({{"batched.batch", 2}, {"batched.hierarchical", true}}),
       {12, 1, 1},
       {0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2}},
      // The last batch is short: batches 0 and 1 of three belong to GPU 0.
      {"batched",
       policy_settings<CtaScheduler>({{"batched.batch", 2}, {"batched.hierarchical", true}}),
       {5, 1, 1},
       {0, 0, 1, 1, 2}},
      // Six rows of two.
      {"row-binding", {}, {2, 6, 1}, {0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2}},
      {"row-binding", {}, {2, 3, 2}, {0, 0, 1, 1, 0, 0, 2, 2, 3, 3, 2, 2}},
      {"row-binding",
       policy_settings<CtaScheduler>({{"row-binding.hierarchical", false}}),
       {2, 6, 1},
       {0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3}},
      // Four columns of three.
      {"column-binding", {}, {4, 3, 1}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
      {"column-binding",
       policy_settings<CtaScheduler>({{"column-binding.hierarchical", false}}),
       {2, 2, 1},
       {0, 2, 0, 2}},
      {"kernel-wide", {}, {5, 2, 1}, {0, 0, 0, 1, 1, 2, 2, 2, 3, 3}},
      {"kernel-wide", {}, {2, 1, 1}, {0, 2}},
  }));
  INFO(b.scheduler);
  const auto scheduler = make_policy<CtaScheduler>(b.scheduler, four_modules(), b.settings);
  for (const unsigned seed : {1U, 2U}) {
    CHECK(module_of_ctas(*scheduler, b.grid, seed) == b.modules);
  }
}

namespace {

// Gives everything to SM 0, last CTA first.
class Backwards final : public CtaScheduler {
 public:
  void begin(const CtaGrid& grid, unsigned) override { left_ = grid.count(); }
  std::optional<CtaId> next(SmId sm) override {
    if (sm.value != 0 || left_ == 0) return std::nullopt;
    return CtaId(static_cast<std::uint32_t>(--left_));
  }
  bool has_more(SmId sm) const override { return sm.value == 0 && left_ != 0; }

 private:
  std::uint64_t left_ = 0;
};

std::unique_ptr<CtaScheduler> make_backwards(const PolicyContext&) {
  return std::make_unique<Backwards>();
}

const PolicyRegistration<CtaScheduler> kRegistered("backwards", "from the last CTA down",
                                                   make_backwards);

}  // namespace

TEST_CASE("a user's own CTA scheduler is registered with its file and chosen by name") {
  const auto names = policy_names<CtaScheduler>();
  CHECK(std::count(names.begin(), names.end(), "backwards") == 1);
  const auto scheduler = make_policy<CtaScheduler>("backwards");
  scheduler->begin({3, 1, 1}, 2);
  CHECK(scheduler->next(SmId(0)) == CtaId(2));
}

TEST_CASE("an unknown CTA scheduler is refused with the nearest name") {
  CHECK_THROWS_AS(make_policy<CtaScheduler>("distribute"), InputError);
  CHECK_THROWS_WITH(make_policy<CtaScheduler>("distribute"), Catch::Contains("'distributed'"));
}

}  // namespace tessera::cta_scheduler_test
