// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <queue>
#include <utility>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

constexpr std::size_t kSource = 0;

/// Sweep after sweep, until one has found no shorter distance.
void host(HostSession& session) {
  auto distance = session.read<std::int32_t>("distance");
  distance[kSource] = 0;
  session.write("distance", distance);
  do {
    session.write("changed", std::vector<std::int32_t>{0});
    session.launch_all();
  } while (session.read<std::int32_t>("changed")[0] != 0);
}

/// Dijkstra's algorithm, which wants each vertex's outgoing edges; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto start = in.values<std::int32_t>("row_start");
  const auto sources = in.values<std::int32_t>("sources");
  const auto weights = in.values<std::int32_t>("weights");
  const auto vertices = static_cast<std::size_t>(in.size("vertices"));
  struct Edge {
    std::size_t to;
    std::int32_t weight;
  };
  std::vector<std::vector<Edge>> leaving(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    for (auto e = static_cast<std::size_t>(start[v]); e < static_cast<std::size_t>(start[v + 1]);
         ++e) {
      leaving[static_cast<std::size_t>(sources[e])].push_back({v, weights[e]});
    }
  }
  std::vector<std::int32_t> distance = in.values<std::int32_t>("distance").vector();
  using Candidate = std::pair<std::int32_t, std::size_t>;  // distance, vertex
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  distance[kSource] = 0;
  queue.emplace(0, kSource);
  while (!queue.empty()) {
    const auto [so_far, v] = queue.top();
    queue.pop();
    if (so_far > distance[v]) continue;
    for (const Edge& e : leaving[v]) {
      if (so_far + e.weight >= distance[e.to]) continue;
      distance[e.to] = so_far + e.weight;
      queue.emplace(distance[e.to], e.to);
    }
  }
  return {{"distance", [distance](std::uint64_t v) { return Element64::exactly(distance[v]); }}};
}

}  // namespace

Part part_of_sssp() { return Part{host, reference}; }

}  // namespace tessera::kernels
