// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_backprop {
namespace {

constexpr std::size_t kTile = 16;
constexpr std::size_t kPitch = kTile + 1;

std::vector<Expectation> reference(const Inputs& in) {
  const auto input = in.values<float>("input");
  const auto weights = in.values<float>("weights");
  const auto changes = in.values<float>("changes");
  const auto delta = in.values<float>("delta");
  const double rate = in.scalar("rate");
  const double momentum = in.scalar("momentum");
  // A product and four levels of sums: five roundings.
  const auto partial = [=](std::uint64_t at) {
    double sum = 0;
    double magnitude = 0;
    for (std::size_t row = at / kTile * kTile; row < (at / kTile + 1) * kTile; ++row) {
      const double product =
          double{weights[(row + 1) * kPitch + at % kTile + 1]} * double{input[row]};
      sum += product;
      magnitude += std::fabs(product);
    }
    return Element64::about(sum, float_error(5, magnitude));
  };
  // The change of a weight; weights of the bias units do not change. Two products, one of three
  // factors, and their sum.
  const auto change = [=](std::uint64_t at) {
    const double step = rate * double{delta[at % kPitch - 1]} * double{input[at / kPitch - 1]};
    const double kept = momentum * double{changes[at]};
    return Element64::about(step + kept, float_error(4, std::fabs(step) + std::fabs(kept)));
  };
  const auto of_bias = [](std::uint64_t at) { return at < kPitch || at % kPitch == 0; };
  return {{"partial", partial},
          {"weights",
           [=](std::uint64_t at) {
             const double before = double{weights[at]};
             if (of_bias(at)) return Element64::about(before, 0);
             const Element64 c = change(at);
             const double after = before + c.value;
             return Element64::about(after,
                                     c.allowed + float_error(1, std::fabs(after) + c.allowed));
           }},
          {"changes", [=](std::uint64_t at) {
             return of_bias(at) ? Element64::about(double{changes[at]}, 0) : change(at);
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_backprop
