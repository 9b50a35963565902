// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_sssp {
namespace {

constexpr std::size_t kSource = 0;

/// Launches sweeps until a sweep finds no shorter distance, or up to the scale's maximum.
void host(HostSession& session) {
  auto distance = session.read<std::int32_t>("distance");
  distance[kSource] = 0;
  session.write("distance", distance);
  for (std::int64_t sweep = 0; sweep < session.size("sweeps"); ++sweep) {
    session.write("changed", std::vector<std::int32_t>{0});
    session.launch_all();
    if (session.read<std::int32_t>("changed")[0] == 0) return;
  }
}

/// A sweep finds the paths with one more edge: from the vertices whose distance decreased in the
/// last sweep, along their outgoing edges; exact.
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
  distance[kSource] = 0;
  std::vector<std::size_t> nearer{kSource};
  for (std::int64_t sweep = 0; sweep < in.size("sweeps") && !nearer.empty(); ++sweep) {
    const std::vector<std::int32_t> before = distance;
    std::set<std::size_t> next;
    for (const std::size_t v : nearer) {
      for (const Edge& e : leaving[v]) {
        if (before[v] + e.weight >= distance[e.to]) continue;
        distance[e.to] = before[v] + e.weight;
        next.insert(e.to);
      }
    }
    nearer.assign(next.begin(), next.end());
  }
  return {{"distance", [distance](std::uint64_t v) { return Element64::exactly(distance[v]); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_sssp
