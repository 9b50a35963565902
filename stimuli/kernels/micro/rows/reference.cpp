// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_micro_rows {
namespace {

/// Words are their numbers; exact (modulo 2^32).
std::vector<Expectation> reference(const Inputs& in) {
  const auto size = [&in](const char* name) { return static_cast<std::uint64_t>(in.size(name)); };
  const std::uint64_t stride = size("stride");
  const std::uint64_t line = size("line");
  const std::uint64_t column_lines = size("bytes") / stride;
  const std::uint64_t lines = column_lines * (stride / line);
  const std::uint64_t threads = size("ctas") * size("threads");
  return {{"sums", [=](std::uint64_t thread) {
             std::uint32_t sum = 0;
             for (std::uint64_t i = thread; i < lines; i += threads) {
               const std::uint64_t at = i % column_lines * stride + i / column_lines * line;
               sum += static_cast<std::uint32_t>(at / 4);
             }
             return Element64::exactly(sum);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_micro_rows
