// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_leukocyte {
namespace {

constexpr std::int64_t kPoints = 150;
constexpr std::int64_t kBorder = 22;
constexpr std::int64_t kDisc = 12;

struct Image {
  std::int64_t width, height;
  std::size_t at(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>(y * width + x);
  }
};

Bounded score(const Image& image, const Values<float>& gx, const Values<float>& gy, std::int64_t x,
              std::int64_t y) {
  Bounded best = 0.0f;
  for (std::int64_t radius = 8; radius <= 20; radius += 2) {
    FloatSum sum;
    FloatSum squares;
    for (std::int64_t n = 0; n < kPoints; ++n) {
      const double angle = 2 * M_PI * static_cast<double>(n) / kPoints;
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      const auto r = static_cast<double>(radius);
      const std::size_t at = image.at(x + std::lround(r * c), y + std::lround(r * s));
      const double outward = double{gx[at]} * c + double{gy[at]} * s;
      // Roundings of the tables, the products and their sum.
      const double error = float_error(3, std::fabs(double{gx[at]}) + std::fabs(double{gy[at]}));
      sum.add(outward, error);
      squares.add(outward * outward, (2 * std::fabs(outward) + error) * error);
    }
    const Bounded total = Bounded::within(sum.value(), sum.error());
    const Bounded mean = total / float{kPoints};
    const Bounded variance =
        (Bounded::within(squares.value(), squares.error()) - total * mean) / float{kPoints - 1};
    best = max(best, mean * mean / variance);
  }
  return best;
}

/// Maxima over a disc around each pixel.
std::vector<Bounded> dilated(const Image& image, const std::vector<Bounded>& scores) {
  std::vector<Bounded> out(scores.size());
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      Bounded& best = out[image.at(x, y)];
      for (std::int64_t dx = -kDisc; dx <= kDisc; ++dx) {
        for (std::int64_t dy = -kDisc; dy <= kDisc; ++dy) {
          const bool inside = x + dx >= 0 && x + dx < image.width && y + dy >= 0 &&
                              y + dy < image.height && dx * dx + dy * dy <= kDisc * kDisc;
          if (inside) best = max(best, scores[image.at(x + dx, y + dy)]);
        }
      }
    }
  }
  return out;
}

constexpr std::int64_t kPatchX = 81;
constexpr std::int64_t kPatchY = 41;
constexpr std::int64_t kPatch = kPatchX * kPatchY;

/// One step of the diffusion.
std::vector<double> diffused(const std::vector<double>& from, const float* patch) {
  std::vector<double> to(from.size());
  const auto at = [&](std::int64_t x, std::int64_t y) {
    x = std::clamp<std::int64_t>(x, 0, kPatchX - 1);
    y = std::clamp<std::int64_t>(y, 0, kPatchY - 1);
    return from[static_cast<std::size_t>(y * kPatchX + x)];
  };
  for (std::int64_t i = 0; i < kPatch; ++i) {
    const auto here = static_cast<std::size_t>(i);
    const double v = from[here];
    double pulls = 0;
    for (std::int64_t k = 0; k < 9; ++k) {  // the pull of the middle pixel is 0
      const double d = at(i % kPatchX + k % 3 - 1, i / kPatchX + k / 3 - 1) - v;
      pulls += d * (0.5 + 0.5 * d / (1 + std::fabs(d)));
    }
    const double data = double{patch[i]};
    to[here] = v + double{0.1f} * pulls - double{0.2f} * data * (v - data);
  }
  return to;
}

/// All values stay between 0 and 1. There the derivatives of a step (that of a pull is between 1/8
/// and 7/8) add up to at most 1 and none is negative, so that errors of its inputs do not grow.
/// Every step adds roundings of eight pulls (six each) and of their sum on magnitudes up to 3/4, a
/// tenth of all that, and of four more operations on magnitudes up to 1.5: below 20 units.
constexpr double kStep = 20 * kFloatRounding;

void follow(const float* patch, double cutoff, std::int64_t max_iterations,
            std::vector<Bounded>& out) {
  std::vector<double> field(patch, patch + kPatch);
  std::vector<double> doubtful(field.size());
  for (std::int64_t n = 1; n <= max_iterations; ++n) {
    const std::vector<double> next = diffused(field, patch);
    double mean = 0;
    for (std::size_t i = 0; i < field.size(); ++i) mean += std::fabs(next[i] - field[i]) / kPatch;
    // Error of each change, then of at most 12 + 9 additions and of the cutoff's product.
    const double steps = static_cast<double>(n);
    const double error = 2 * steps * kStep + float_error(24, mean + 2 * steps * kStep);
    // If the float sum can be on the other side of the cutoff, both outcomes are correct.
    const bool surely_on = mean >= cutoff + error;
    const bool surely_still = mean < cutoff - error;
    std::vector<double> change(field.size());
    for (std::size_t i = 0; i < field.size(); ++i) change[i] = std::fabs(next[i] - field[i]);
    field = next;
    if (surely_still || n == max_iterations) {
      for (std::size_t i = 0; i < field.size(); ++i) {
        out.push_back(Bounded::within(field[i], steps * kStep + doubtful[i]));
      }
      return;
    }
    if (!surely_on) {
      // The next step can be omitted.
      const std::vector<double> after = diffused(field, patch);
      for (std::size_t i = 0; i < field.size(); ++i) doubtful[i] += std::fabs(after[i] - field[i]);
    }
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  const Image image{in.size("width"), in.size("height")};
  const auto gx = in.values<float>("gradient_x");
  const auto gy = in.values<float>("gradient_y");
  std::vector<Bounded> scores(gx.size());
  for (std::int64_t y = kBorder; y < image.height - kBorder; ++y) {
    for (std::int64_t x = kBorder; x < image.width - kBorder; ++x) {
      scores[image.at(x, y)] = score(image, gx, gy, x, y);
    }
  }
  const auto patches = in.values<float>("patches");
  const auto cutoff = static_cast<double>(static_cast<float>(in.scalar("cutoff")));
  const auto max_iterations = static_cast<std::int64_t>(in.scalar("max_iterations"));
  std::vector<Bounded> flows;
  for (std::size_t cell = 0; cell < patches.size(); cell += kPatch) {
    follow(&patches[cell], cutoff, max_iterations, flows);
  }
  return {expected("dilated", dilated(image, scores)), expected("scores", scores),
          expected("flows", flows)};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_leukocyte
