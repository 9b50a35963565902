// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_micro_bandwidth {
namespace {

enum Mode : std::int64_t { kRead, kWrite, kCopy };

/// Words of the source are their numbers. A thread reads each vector of its CTA's part that is
/// `threads` after the last one, and adds the first words; exact (modulo 2^32).
std::vector<Expectation> reference(const Inputs& in) {
  const auto size = [&in](const char* name) { return static_cast<std::uint64_t>(in.size(name)); };
  const std::uint64_t threads = size("threads");
  const std::uint64_t ctas = size("ctas");
  const std::uint64_t vectors = size("bytes") / ctas / 16;
  const bool interleaved = size("interleaved") != 0;
  const std::int64_t mode = in.size("mode");
  const std::uint64_t last_pass = size("passes");
  const auto sum = [=](std::uint64_t thread) {
    if (mode != kRead) return Element64::exactly(0);
    const std::uint64_t begin = interleaved ? 0 : thread / threads * vectors;
    const std::uint64_t end = interleaved ? vectors * ctas : begin + vectors;
    const std::uint64_t step = interleaved ? threads * ctas : threads;
    std::uint32_t words = 0;
    for (std::uint64_t v = begin + thread % step; v < end; v += step) {
      words += static_cast<std::uint32_t>(4 * v);
    }
    return Element64::exactly(words);
  };
  const auto target = [=](std::uint64_t word) {
    if (mode == kRead) return Element64::exactly(0);
    const std::uint64_t value = mode == kWrite ? word / 4 + last_pass : word;
    return Element64::exactly(static_cast<std::uint32_t>(value));
  };
  return {{"sums", sum}, {"target", target}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_micro_bandwidth
