// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_pagerank {
namespace {

/// For every edge, the reciprocal of its source's number of outgoing edges.
std::vector<float> edge_weights(const std::vector<std::int32_t>& sources, std::size_t vertices) {
  std::vector<float> leaving(vertices);
  for (const std::int32_t s : sources) ++leaving[static_cast<std::size_t>(s)];
  std::vector<float> weights;
  weights.reserve(sources.size());
  for (const std::int32_t s : sources) weights.push_back(1 / leaving[static_cast<std::size_t>(s)]);
  return weights;
}

void host(HostSession& session) {
  session.write("weights", edge_weights(session.read<std::int32_t>("sources"),
                                        static_cast<std::size_t>(session.size("vertices"))));
  session.launch_all(session.size("rounds"));
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto start = in.values<std::int32_t>("row_start");
  const auto sources = in.values<std::int32_t>("sources");
  const auto vertices = static_cast<std::size_t>(in.size("vertices"));
  const std::vector<float> weights = edge_weights(sources.vector(), vertices);
  const Bounded base = static_cast<float>(in.scalar("base"));
  const Bounded damping = static_cast<float>(in.scalar("damping"));
  const auto sweep = [&](const std::vector<Bounded>& before) {
    std::vector<Bounded> after;
    for (std::size_t v = 0; v < vertices; ++v) {
      // Every thread adds the products of its run in order.
      FloatSum sum;
      for (auto e = static_cast<std::size_t>(start[v]); e < static_cast<std::size_t>(start[v + 1]);
           ++e) {
        const double weight = double{weights[e]};
        const Bounded& from = before[static_cast<std::size_t>(sources[e])];
        sum.add(weight * from.value(), weight * from.error());
      }
      after.push_back(base + damping * Bounded::within(sum.value(), sum.error()));
    }
    return after;
  };
  std::vector<Bounded> rank(vertices, Bounded(1.0f));
  std::vector<Bounded> odd;
  for (std::int64_t round = 0; round < in.size("rounds"); ++round) {
    odd = sweep(rank);
    rank = sweep(odd);
  }
  return {expected("rank", std::move(rank)), expected("odd_rank", std::move(odd))};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_pagerank
