// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_fdtd2d {
namespace {

/// A field in double with the error bound of its float copy.
struct Field {
  explicit Field(const Values<float>& from) : value(from.begin(), from.end()), error(from.size()) {}

  /// value[at] -= factor * (a - b + ...), as (field, index, sign) terms.
  struct Term {
    const Field& field;
    std::size_t at;
    double sign;
  };
  void subtract(std::size_t at, double factor, std::initializer_list<Term> terms) {
    double sum = 0;
    double magnitude = std::fabs(value[at]);
    double inherited = error[at];
    for (const Term& t : terms) {
      sum += t.sign * t.field.value[t.at];
      magnitude += factor * std::fabs(t.field.value[t.at]);
      inherited += factor * t.field.error[t.at];
    }
    value[at] -= factor * sum;
    // One rounding per term except the first, one of the product and one of the subtraction.
    error[at] = inherited + float_error(terms.size() + 1, magnitude + inherited);
  }

  std::vector<double> value;
  std::vector<double> error;
};

void host(HostSession& session) {
  for (std::int32_t step = 0; step < session.size("steps"); ++step) {
    session.set("step", step);
    session.launch_all();
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto ex = std::make_shared<Field>(in.values<float>("ex"));
  const auto ey = std::make_shared<Field>(in.values<float>("ey"));
  const auto hz = std::make_shared<Field>(in.values<float>("hz"));
  const auto source = in.values<float>("source");
  const auto nx = static_cast<std::size_t>(in.size("nx"));
  const auto ny = static_cast<std::size_t>(in.size("ny"));
  constexpr double kHalf = 0.5;
  constexpr double kCurl = double{0.7f};  // the kernel's factor is a float literal
  for (const float driven : source) {
    for (std::size_t at = 0; at < nx * ny; ++at) {
      if (at < ny) {
        ey->value[at] = double{driven};
        ey->error[at] = 0;
      } else {
        ey->subtract(at, kHalf, {{*hz, at, 1}, {*hz, at - ny, -1}});
      }
      if (at % ny != 0) ex->subtract(at + at / ny, kHalf, {{*hz, at, 1}, {*hz, at - 1, -1}});
    }
    for (std::size_t at = 0; at < nx * ny; ++at) {
      const std::size_t x = at + at / ny;
      hz->subtract(at, kCurl, {{*ex, x + 1, 1}, {*ex, x, -1}, {*ey, at + ny, 1}, {*ey, at, -1}});
    }
  }
  const auto expected = [](const std::shared_ptr<const Field>& f) {
    return [f](std::uint64_t at) { return Element64::about(f->value[at], f->error[at]); };
  };
  return {{"ex", expected(ex)}, {"ey", expected(ey)}, {"hz", expected(hz)}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_fdtd2d
