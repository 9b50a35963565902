// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/cfg.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "stimuli/ptx/decoder.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::cfg_test {

using namespace tessera::ptx;

namespace {

FlowNode plain() { return FlowNode{}; }
FlowNode jump(std::int64_t to) {
  FlowNode n;
  n.falls_through = false;
  n.target = to;
  return n;
}
FlowNode branch(std::int64_t to) {
  FlowNode n;
  n.target = to;
  return n;
}
FlowNode end() {
  FlowNode n;
  n.falls_through = false;
  return n;
}

/// Reconvergence by definition: the nodes that every path from `from` to the exit passes, found
/// by removing one node at a time; the nearest is passed before all others.
std::uint32_t by_definition(const std::vector<FlowNode>& nodes, std::uint32_t from) {
  const auto n = static_cast<std::uint32_t>(nodes.size());
  const auto reaches_exit = [&](std::uint32_t start, std::uint32_t removed) {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> work{start};
    while (!work.empty()) {
      const std::uint32_t i = work.back();
      work.pop_back();
      if (i == removed || !seen.insert(i).second) continue;
      if (i == n) return true;
      const FlowNode& node = nodes[i];
      if (node.falls_through) work.push_back(i + 1);
      if (node.target >= 0) work.push_back(static_cast<std::uint32_t>(node.target));
      if (!node.falls_through && node.target < 0) return true;
    }
    return false;
  };
  std::vector<std::uint32_t> dominators;
  for (std::uint32_t d = 0; d < n; ++d) {
    if (d != from && !reaches_exit(from, d)) dominators.push_back(d);
  }
  for (const std::uint32_t d : dominators) {
    bool nearest = true;
    for (const std::uint32_t e : dominators) {
      // d is nearest when every other one post-dominates d too.
      if (e != d && reaches_exit(d, e)) nearest = false;
    }
    if (nearest) return d;
  }
  return n;
}

}  // namespace

TEST_CASE("an if joins behind its body, an if-else behind both") {
  // 0 branch 2; 1 body; 2 join; 3 branch 6; 4 then; 5 jump 7; 6 else; 7 join; 8 end
  const std::vector<FlowNode> nodes = {branch(2), plain(), plain(), branch(6), plain(),
                                       jump(7),   plain(), plain(), end()};
  const auto points = reconvergence_points(nodes);
  CHECK(points[0] == 2);
  CHECK(points[3] == 7);
  CHECK(basic_blocks(nodes).size() == 6);
}

TEST_CASE("a loop's back edge joins at the loop's exit") {
  // 0; 1 head; 2 branch 5 (break); 3; 4 branch 1; 5 end
  const std::vector<FlowNode> nodes = {plain(), plain(), branch(5), plain(), branch(1), end()};
  const auto points = reconvergence_points(nodes);
  CHECK(points[2] == 5);
  CHECK(points[4] == 5);
}

TEST_CASE("paths that both leave the kernel never join") {
  const std::vector<FlowNode> nodes = {branch(2), end(), end()};
  CHECK(reconvergence_points(nodes)[0] == 3);
}

TEST_CASE("an endless loop on one side does not hide the other side") {
  // 0 branch 2; 1 jump 1; 2 end
  const std::vector<FlowNode> nodes = {branch(2), jump(1), end()};
  CHECK(reconvergence_points(nodes)[0] == 2);
}

TEST_CASE("random graphs reconverge where the definition says") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 3 + random() % 14;
    std::vector<FlowNode> nodes(n);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const auto to = static_cast<std::int64_t>(random() % n);
      switch (random() % 4) {
        case 0:
          nodes[i] = branch(to);
          break;
        case 1:
          nodes[i] = random() % 3 == 0 ? jump(to) : plain();
          break;
        case 2:
          nodes[i] = random() % 8 == 0 ? end() : plain();
          break;
        default:
          nodes[i] = branch(std::min<std::int64_t>(static_cast<std::int64_t>(i + 2),
                                                   static_cast<std::int64_t>(n - 1)));
      }
    }
    nodes[n - 1] = end();
    // Only code from which the exit can be reached has a defined result.
    const auto points = reconvergence_points(nodes);
    std::vector<bool> live(n, false);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = n; i-- > 0;) {
        const FlowNode& x = nodes[i];
        const bool out = (!x.falls_through && x.target < 0) || (x.falls_through && live[i + 1]) ||
                         (x.target >= 0 && live[static_cast<std::size_t>(x.target)]);
        if (out && !live[i]) live[i] = changed = true;
      }
    }
    const bool all = std::all_of(live.begin(), live.end(), [](bool b) { return b; });
    if (!all) continue;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (nodes[i].target < 0 || !nodes[i].falls_through) continue;
      INFO("round " << round << " node " << i);
      REQUIRE(points[i] == by_definition(nodes, i));
    }
  }
}

TEST_CASE("liveness counts what is alive at once") {
  // r0 = ; r1 = ; r2 = r0 + r1; use r2
  std::vector<FlowNode> nodes(5);
  nodes[0].writes = {0};
  nodes[1].writes = {1};
  nodes[2].reads = {0, 1};
  nodes[2].writes = {2};
  nodes[3].reads = {2};
  nodes[4] = end();
  CHECK(max_live(nodes, {1, 1, 1}) == 2);
  CHECK(max_live(nodes, {2, 1, 2}) == 3);
  // A predicated write leaves the old value alive.
  nodes[2].predicated = true;
  CHECK(max_live(nodes, {1, 1, 1}) == 3);
}

TEST_CASE("a value that a loop carries is alive around it") {
  // 0 w0; 1 w1; 2 r1 w1; 3 branch 2; 4 r0; 5 end
  std::vector<FlowNode> nodes(6);
  nodes[0].writes = {0};
  nodes[1].writes = {1};
  nodes[2].reads = {1};
  nodes[2].writes = {1};
  nodes[3] = branch(2);
  nodes[4].reads = {0};
  nodes[5] = end();
  CHECK(max_live(nodes, {1, 1}) == 2);
}

TEST_CASE("a name is kept over a node if it is written before and read after it") {
  // 0 w0 w1; 1 call, w2; 2 r0 r2 r3; 3 w1; 4 r1; 5 end. r3 is never written, r4 is a root's.
  std::vector<FlowNode> nodes(6);
  nodes[0].writes = {0, 1};
  nodes[1].writes = {2};
  nodes[2].reads = {0, 2, 3};
  nodes[3].writes = {1};
  nodes[4].reads = {1, 4};
  nodes[5] = end();
  using Kept = std::vector<std::vector<std::uint32_t>>;
  CHECK(kept_over(nodes, 5, {1}, {0}, {4}) == Kept{{0, 4}});
  CHECK(kept_over(nodes, 5, {1}, {0}, {}) == Kept{{0}});
  CHECK(kept_over(nodes, 5, {1, 3}, {0}, {4}) == Kept{{0, 4}, {4}});
  // A predicated write leaves the old value alive.
  nodes[3].predicated = true;
  CHECK(kept_over(nodes, 5, {1}, {0}, {4}) == Kept{{0, 1, 4}});
}

TEST_CASE("a loop keeps what its next round reads, and nothing of another function") {
  // 0 w0; 1 call; 2 r0 w1; 3 branch 1; 4 end | 5 r2 w3; 6 call; 7 r3; 8 end
  std::vector<FlowNode> nodes(9);
  nodes[0].writes = {0};
  nodes[2].reads = {0};
  nodes[2].writes = {1};
  nodes[3] = branch(1);
  nodes[4] = end();
  nodes[5].reads = {2};
  nodes[5].writes = {3};
  nodes[7].reads = {3};
  nodes[8] = end();
  using Kept = std::vector<std::vector<std::uint32_t>>;
  CHECK(kept_over(nodes, 4, {1, 6}, {0, 5}, {2}) == Kept{{0}, {3}});
  nodes[2].reads.push_back(1);
  CHECK(kept_over(nodes, 4, {1, 6}, {0, 5}, {2}) == Kept{{0, 1}, {3}});
}

TEST_CASE("a kernel's register estimate has its floor and unit") {
  tessera::test::KernelRunner k(tessera::test::kernel_text(""));
  const auto small = k.program({1, 1, 1}, {32, 1, 1})->resources();
  CHECK(small.registers_per_thread == 16);
  // 30 values alive at once, and 6 more by rule, in units of 8.
  std::string body;
  for (int i = 1; i <= 30; ++i) {
    body += "mov.u32 %r" + std::to_string(i) + ", " + std::to_string(i) + ";\n";
  }
  for (int i = 2; i <= 30; ++i) body += "add.u32 %r1, %r1, %r" + std::to_string(i) + ";\n";
  body += "st.global.u32 [%rd1], %r1;\n";
  tessera::test::KernelRunner many(tessera::test::kernel_text(body));
  CHECK(many.program({1, 1, 1}, {32, 1, 1})->resources().registers_per_thread == 40);
}

}  // namespace tessera::cfg_test
