// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_nw {
namespace {

/// Scores before the first launch: gaps only in the first row and column, 0 elsewhere.
std::vector<std::int32_t> borders(const Inputs& in) {
  const auto cols = static_cast<std::size_t>(in.size("n")) + 1;
  const auto penalty = static_cast<std::int32_t>(in.scalar("penalty"));
  std::vector<std::int32_t> scores(cols * cols);
  for (std::size_t i = 1; i < cols; ++i) {
    scores[i] = -penalty * static_cast<std::int32_t>(i);
    scores[i * cols] = scores[i];
  }
  return scores;
}

void host(HostSession& session) {
  session.write("scores", borders(session.inputs()));
  session.launch_all();
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto similarity = in.values<std::int32_t>("similarity");
  const auto cols = static_cast<std::size_t>(in.size("n")) + 1;
  const auto penalty = static_cast<std::int32_t>(in.scalar("penalty"));
  std::vector<std::int32_t> scores = borders(in);
  for (std::size_t i = 1; i < cols; ++i) {
    for (std::size_t j = 1; j < cols; ++j) {
      const std::size_t at = i * cols + j;
      scores[at] = std::max({scores[at - cols - 1] + similarity[at], scores[at - 1] - penalty,
                             scores[at - cols] - penalty});
    }
  }
  return {{"scores", [scores](std::uint64_t i) { return Element64::exactly(scores[i]); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_nw
