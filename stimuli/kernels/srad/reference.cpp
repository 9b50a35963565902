// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_srad {
namespace {

/// Speckle of the image's first 128 x 128 pixels: their variance over their squared mean.
constexpr std::size_t kRegion = 128;

template <class Pixel>
double noise_of(std::size_t width, Pixel pixel) {
  double sum = 0;
  double squares = 0;
  for (std::size_t y = 0; y < kRegion; ++y) {
    for (std::size_t x = 0; x < kRegion; ++x) {
      const double v = pixel(y * width + x);
      sum += v;
      squares += v * v;
    }
  }
  constexpr double kPixels = kRegion * kRegion;
  const double mean = sum / kPixels;
  return (squares / kPixels - mean * mean) / (mean * mean);
}

void host(HostSession& session) {
  for (std::int64_t i = 0; i < session.size("iterations"); ++i) {
    const auto image = session.read<float>("image");
    const auto width = static_cast<std::size_t>(session.size("width"));
    const double noise = noise_of(width, [&](std::size_t at) { return double{image[at]}; });
    session.set("noise", static_cast<float>(noise));
    session.launch_all();
  }
}

/// The noise and its error from errors e of the pixels. Pixels are between 1 and 3; the errors of
/// the means of squares and of pixels are at most 6 e and e, that of the squared mean 6 e; it is
/// above 1.
Bounded noise_of(std::size_t width, const std::vector<Bounded>& image) {
  double e = 0;
  for (const Bounded& v : image) e = std::max(e, v.error());
  const double noise = noise_of(width, [&](std::size_t at) { return image[at].value(); });
  return Bounded::within(noise, 12 * e + noise * 6 * e + kFloatRounding * noise + 1e-12);
}

/// The fields (north, south, west, east) of whole images.
std::vector<Expectation> reference(const Inputs& in) {
  std::vector<Bounded> image = bounded(in.values<float>("image"));
  const auto width = static_cast<std::size_t>(in.size("width"));
  const auto height = static_cast<std::size_t>(in.size("height"));
  const auto lambda = static_cast<float>(in.scalar("lambda"));
  std::vector<Bounded> differences[4];
  for (auto& d : differences) d.resize(image.size());
  std::vector<Bounded> c(image.size());
  const auto neighbour = [&](std::size_t at, int direction) {
    switch (direction) {
      case 0:
        return at < width ? at : at - width;
      case 1:
        return at + width < width * height ? at + width : at;
      case 2:
        return at % width == 0 ? at : at - 1;
      default:
        return at % width == width - 1 ? at : at + 1;
    }
  };
  for (std::int64_t i = 0; i < in.size("iterations"); ++i) {
    const Bounded noise = noise_of(width, image);
    for (std::size_t at = 0; at < image.size(); ++at) {
      const Bounded& v = image[at];
      Bounded squares;
      Bounded sum;
      for (int d = 0; d < 4; ++d) {
        Bounded& difference = differences[d][at];
        difference = neighbour(at, d) == at ? Bounded(0.0f) : image[neighbour(at, d)] - v;
        squares = squares + difference * difference;
        sum = sum + difference;
      }
      const Bounded gradient = squares / (v * v);
      const Bounded laplacian = sum / v;
      const Bounded spread = 1.0f + 0.25f * laplacian;
      const Bounded variation =
          (0.5f * gradient - 0.0625f * laplacian * laplacian) / (spread * spread);
      const Bounded raw = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
      c[at] = min(max(raw, 0.0f), 1.0f);
    }
    for (std::size_t at = 0; at < image.size(); ++at) {
      const Bounded divergence = c[at] * (differences[0][at] + differences[2][at]) +
                                 c[neighbour(at, 1)] * differences[1][at] +
                                 c[neighbour(at, 3)] * differences[3][at];
      image[at] = image[at] + 0.25f * lambda * divergence;
    }
  }
  return {expected("image", image),          expected("coefficients", c),
          expected("north", differences[0]), expected("south", differences[1]),
          expected("west", differences[2]),  expected("east", differences[3])};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_srad
