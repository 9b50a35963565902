// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_bfs {
namespace {

constexpr std::int32_t kSource = 0;

/// Launches one level at a time, until a launch finds no new vertex.
void host(HostSession& session) {
  auto levels = session.read<std::int32_t>("level");
  levels[kSource] = 0;
  session.write("level", levels);
  for (std::int32_t current = 0;; ++current) {
    session.write("changed", std::vector<std::int32_t>{0});
    session.set("current", current);
    session.launch("bfs_level");
    if (session.read<std::int32_t>("changed")[0] == 0) return;
  }
}

/// Textbook search with a queue of vertices; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto start = in.values<std::int32_t>("row_start");
  const auto edges = in.values<std::int32_t>("edges");
  std::vector<std::int32_t> level(static_cast<std::size_t>(in.size("vertices")), -1);
  std::deque<std::size_t> queue{kSource};
  level[kSource] = 0;
  while (!queue.empty()) {
    const std::size_t v = queue.front();
    queue.pop_front();
    for (std::int32_t e = start[v]; e < start[v + 1]; ++e) {
      const auto neighbour = static_cast<std::size_t>(edges[static_cast<std::size_t>(e)]);
      if (level[neighbour] >= 0) continue;
      level[neighbour] = level[v] + 1;
      queue.push_back(neighbour);
    }
  }
  return {{"level", [level](std::uint64_t v) { return Element64::exactly(level.at(v)); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_bfs
