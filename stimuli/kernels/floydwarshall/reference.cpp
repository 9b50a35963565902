// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_floydwarshall {
namespace {

/// The distances between all vertices without intermediate vertices.
std::vector<std::int32_t> direct(std::vector<std::int32_t> distance, std::size_t vertices) {
  for (std::size_t v = 0; v < vertices; ++v) distance[v * vertices + v] = 0;
  return distance;
}

void host(HostSession& session) {
  session.write("distance", direct(session.read<std::int32_t>("distance"),
                                   static_cast<std::size_t>(session.size("vertices"))));
  session.launch_all();
}

/// Row by row instead of cell by cell; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto n = static_cast<std::size_t>(in.size("vertices"));
  std::vector<std::int32_t> distance = direct(in.values<std::int32_t>("distance").vector(), n);
  std::vector<std::int32_t> path(n * n, -1);
  for (std::size_t via = 0; via < n; ++via) {
    const std::vector<std::int32_t> onward(&distance[via * n], &distance[via * n] + n);
    for (std::size_t from = 0; from < n; ++from) {
      const std::int32_t first_half = distance[from * n + via];
      for (std::size_t to = 0; to < n; ++to) {
        if (first_half + onward[to] >= distance[from * n + to]) continue;
        distance[from * n + to] = first_half + onward[to];
        path[from * n + to] = static_cast<std::int32_t>(via);
      }
    }
  }
  const auto exactly = [](const std::vector<std::int32_t>& v) {
    return [v](std::uint64_t at) { return Element64::exactly(v[at]); };
  };
  return {{"distance", exactly(distance)}, {"path", exactly(path)}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_floydwarshall
