// SPDX-License-Identifier: Apache-2.0
#include "platforms/launch_streams.h"

#include <catch2/catch.hpp>
#include <vector>

namespace tessera::launch_streams_test {

namespace {

/// Begins all launches that wait for none, and returns them.
std::vector<LaunchId> begin_ready(LaunchStreams& streams) {
  std::vector<LaunchId> begun;
  while (const auto launch = streams.next_ready()) {
    streams.begin(*launch);
    begun.push_back(*launch);
  }
  return begun;
}

using Launches = std::vector<LaunchId>;

}  // namespace

TEST_CASE("launches of one stream run one after the other, of several streams at once") {
  LaunchStreams s;
  CHECK(s.add({"a"}) == 1);
  CHECK(s.add({"a"}) == 2);
  CHECK(s.add({"b"}) == 3);
  CHECK(begin_ready(s) == Launches{1, 3});
  s.end(3);
  CHECK(begin_ready(s).empty());
  s.end(1);
  CHECK(begin_ready(s) == Launches{2});
  s.end(2);
  CHECK(s.size() == 0);
}

TEST_CASE("a launch of the default stream waits for all before it, and all after it wait for it") {
  // CUDA's example: k_1 in stream s, k_2 in the default stream, k_3 in s.
  LaunchStreams s;
  s.add({"s"});
  s.add({"t"});
  s.add({});
  s.add({"s"});
  s.add({"u"});
  CHECK(begin_ready(s) == Launches{1, 2});
  s.end(1);
  CHECK(begin_ready(s).empty());
  s.end(2);
  CHECK(begin_ready(s) == Launches{3});
  s.end(3);
  CHECK(begin_ready(s) == Launches{4, 5});
}

TEST_CASE("a launch waits for each launch that it names, unless it has ended") {
  LaunchStreams s;
  const LaunchId produced = s.add({"a"});
  const LaunchId other = s.add({"b"});
  s.add({"c", {produced, other, produced}});
  CHECK(begin_ready(s) == Launches{1, 2});
  s.end(other);
  s.add({"d", {other}});
  CHECK(begin_ready(s) == Launches{4});
  s.end(produced);
  CHECK(begin_ready(s) == Launches{3});
  s.add({"e", {0, 99}});  // no launch has these numbers
  CHECK(begin_ready(s) == Launches{5});
}

}  // namespace tessera::launch_streams_test
