// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_fir {
namespace {

void host(HostSession& session) {
  const auto piece = static_cast<std::int32_t>(session.size("piece"));
  for (std::int32_t p = 0; p < session.size("pieces"); ++p) {
    session.set("begin", p * piece);
    session.set("end", (p + 1) * piece);
    session.launch_all();
  }
}

/// The signal in one piece.
std::vector<Expectation> reference(const Inputs& in) {
  const auto signal = in.values<float>("signal");
  const auto taps = in.values<float>("taps");
  return {{"filtered", [=](std::uint64_t at) {
             // Every thread adds its products from the newest input back.
             FloatSum sum;
             for (std::uint64_t k = 0; k < taps.size() && k <= at; ++k) {
               sum.add(double{taps[k]} * double{signal[at - k]});
             }
             return sum.expectation();
           }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_fir
