// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/modules/umh/coherence_tester.h"

namespace tessera::random_coherence_test {

using namespace tessera::umh;
using namespace tessera::umh::test;

namespace {

constexpr std::size_t kPerEpisode = 500;

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

struct Mutant {
  ProtocolMutation mutation;
  const char* name;
};
const std::vector<Mutant> kMutants = {
    {ProtocolMutation::kKeepSharerOnWrite, "a write request leaves one sharer's copy"},
    {ProtocolMutation::kDropNonCoherentBytes, "the write-back of N carries no bytes"},
    {ProtocolMutation::kOwnerStaysModified, "M stays M after a read request"},
    {ProtocolMutation::kMergeWithoutMask, "a merge copies all bytes of the line"},
    {ProtocolMutation::kExclusiveToEveryReader, "every reader is granted E"},
    {ProtocolMutation::kApplyVoidedWriteBack, "a voided write-back is merged"},
    {ProtocolMutation::kStoreHitsShared, "a store hits S"},
    {ProtocolMutation::kSkipRecall, "an eviction leaves the copies above"},
    {ProtocolMutation::kKeepStaleBytes, "a write grant leaves stale bytes"},
    {ProtocolMutation::kNoWaitForGrantAck, "a directory does not wait for a grant's arrival"},
    {ProtocolMutation::kMergeKeepsCopies, "the HMD leaves copies that lack merged bytes"},
    {ProtocolMutation::kNarrowNonCoherentStore, "a narrow non-coherent store is not coherent"},
    {ProtocolMutation::kIgnoreWriteBackBuffer, "a snoop does not find a write-back"},
};

}  // namespace

// TESSERA_COHERENCE_OPERATIONS: operations, 200 000 if not set; nightly: 10 000 000.
// TESSERA_COHERENCE_SEED: number of the first episode, 0 if not set.
TEST_CASE("random operations of GPUs and CPU cores keep the contract of the protocol") {
  const std::uint64_t operations = environment("TESSERA_COHERENCE_OPERATIONS", 200000);
  const std::uint64_t first = environment("TESSERA_COHERENCE_SEED", 0);
  std::uint64_t done = 0;
  for (std::uint64_t seed = first; done < operations; ++seed, done += kPerEpisode) {
    const Episode episode = random_episode(seed, kPerEpisode);
    const Outcome outcome = run(episode);
    if (!outcome.fault.empty()) {
      FAIL("episode " << seed << ": " << outcome.fault << "\n" << report(shrink(episode, 400)));
    }
    REQUIRE(outcome.issued == kPerEpisode);
  }
}

TEST_CASE("the random tester finds every deliberate fault of the protocol") {
  for (const Mutant& mutant : kMutants) {
    INFO(mutant.name);
    bool found = false;
    for (std::uint64_t seed = 0; seed < 60 && !found; ++seed) {
      Episode episode = random_episode(seed, kPerEpisode);
      episode.mutation = mutant.mutation;
      found = !run(episode).fault.empty();
    }
    CHECK(found);
  }
}

TEST_CASE("a failure is reduced to a short trace") {
  Episode episode = random_episode(0, kPerEpisode);
  episode.mutation = ProtocolMutation::kExclusiveToEveryReader;
  REQUIRE_FALSE(run(episode).fault.empty());
  const Episode reduced = shrink(episode, 400);
  CHECK(reduced.operations.size() <= 4);
  CHECK_FALSE(run(reduced).fault.empty());
  const std::string text = report(reduced);
  INFO(text);
  CHECK(text.find("FAULT: ") != std::string::npos);
  CHECK(text.find("grant ") != std::string::npos);
}

TEST_CASE("an episode gives the same outcome each time") {
  std::vector<std::string> once;
  std::vector<std::string> again;
  const Episode episode = random_episode(3, 200);
  CHECK(run(episode, &once).messages == run(episode, &again).messages);
  CHECK(once == again);
}

}  // namespace tessera::random_coherence_test
