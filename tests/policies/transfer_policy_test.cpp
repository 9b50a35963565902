// SPDX-License-Identifier: Apache-2.0
#include "policies/transfer_policy.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/text.h"
#include "tests/support/policy_settings.h"

namespace tessera::transfer_policy_test {

namespace {

TransferSample sample(std::uint64_t remote_of_1000, std::uint64_t hits_of_1000,
                      std::uint64_t pieces_of_16000) {
  TransferSample s;
  s.accesses = 100'000;
  s.remote_accesses = remote_of_1000 * 100;
  s.remote_loads = 1000;
  s.remote_load_hits = hits_of_1000;
  s.remote_load_words = pieces_of_16000;
  return s;
}

}  // namespace

TEST_CASE("the decision engine's flow has three ends (DualOpt figure 11)") {
  const auto policy = make_policy<TransferPolicy>("decision-engine");
  CHECK(policy->decides());
  const RemoteAccessMode line{};
  const RemoteAccessMode coalesced{true, true, true, false};
  const RemoteAccessMode cache{false, false, false, true};
  CHECK(policy->start() == line);
  // Few remote accesses: local-dominated, whatever else. 2 % is not few.
  CHECK(policy->decide(sample(19, 0, 1000)) == line);
  CHECK(policy->decide(sample(20, 0, 1000)) == coalesced);
  // Utilisation 1/16 and few hits: insensitive. Either at its threshold: friendly.
  CHECK(policy->decide(sample(400, 399, 3199)) == coalesced);
  CHECK(policy->decide(sample(400, 400, 3199)) == cache);
  CHECK(policy->decide(sample(400, 399, 3200)) == cache);
  CHECK(policy->decide(sample(400, 900, 16000)) == cache);
  const auto other = make_policy<TransferPolicy>(
      "decision-engine", {},
      test::policy_settings<TransferPolicy>({{"decision-engine.remote_threshold", 0.5}}));
  CHECK(other->decide(sample(400, 0, 1000)) == line);
  CHECK(policy->least_remote_ratio() == 0.02);
  CHECK(other->least_remote_ratio() == 0.5);
  CHECK(make_policy<TransferPolicy>("line")->least_remote_ratio() == 0);
}

TEST_CASE("the parts of DualOpt are policies of their own") {
  CHECK(make_policy<TransferPolicy>("line")->start() == RemoteAccessMode{});
  CHECK(make_policy<TransferPolicy>("bypass")->start() ==
        RemoteAccessMode{true, false, false, false});
  CHECK(make_policy<TransferPolicy>("fine-grained")->start() ==
        RemoteAccessMode{true, true, false, false});
  CHECK(make_policy<TransferPolicy>("coalesced")->start() ==
        RemoteAccessMode{true, true, true, false});
  CHECK(make_policy<TransferPolicy>("remote-cache")->start() ==
        RemoteAccessMode{false, false, false, true});
  for (const std::string& name : policy_names<TransferPolicy>()) {
    if (begins_with(name, "test-")) continue;  // other files' own
    CHECK(make_policy<TransferPolicy>(name)->decides() == (name == "decision-engine"));
  }
  CHECK_THROWS_WITH(make_policy<TransferPolicy>("coalesce"), Catch::Contains("'coalesced'"));
}

TEST_CASE("samples without accesses have ratios of 0") {
  CHECK(TransferSample{}.remote_ratio() == 0);
  CHECK(TransferSample{}.hit_rate() == 0);
  CHECK(TransferSample{}.block_utilisation() == 0);
}

}  // namespace tessera::transfer_policy_test
