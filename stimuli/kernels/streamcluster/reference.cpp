// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_streamcluster {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto coordinates = in.values<float>("coordinates");
    const auto weight = in.values<float>("weight");
    const auto cost = in.values<float>("cost");
    const auto centre = in.values<std::int32_t>("centre");
    const auto centre_place = in.values<std::int32_t>("centre_place");
    const auto n = static_cast<std::size_t>(in.size("n"));
    const auto dimensions = static_cast<std::size_t>(in.size("dimensions"));
    const auto centres = static_cast<std::size_t>(in.size("centres"));
    const auto candidates = static_cast<std::size_t>(in.size("candidates"));
    // Coordinates, weights and costs are small integers: a change is below 2^18 (256 dimensions of
    // 15^2, weight 3), so that the sums of ten candidates are exact in float for any order.
    std::vector<double> work(n * (centres + 1));
    std::vector<std::int64_t> switches(n);
    for (std::size_t c = 0; c < candidates; ++c) {
      const std::size_t candidate = c * (n / candidates);
      for (std::size_t i = 0; i < n; ++i) {
        double distance = 0;
        for (std::size_t d = 0; d < dimensions; ++d) {
          const double difference =
              double{coordinates[d * n + i]} - double{coordinates[d * n + candidate]};
          distance += difference * difference;
        }
        const double change = distance * double{weight[i]} - double{cost[i]};
        const auto place =
            static_cast<std::size_t>(centre_place[static_cast<std::size_t>(centre[i])]);
        work[i * (centres + 1) + (change < 0 ? centres : place)] += change;
        if (change < 0) switches[i] = 1;
      }
    }
    return std::vector<Expectation>{
        {"work", [work](std::uint64_t at) { return Element64::about(work[at], 0); }},
        {"switches", [switches](std::uint64_t i) { return Element64::exactly(switches[i]); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_streamcluster
