// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/report/assets.h"

namespace tessera::palette_test {

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

constexpr double kPi = 3.14159265358979323846;

/// The value of a custom property in the reports' style, as linear RGB. `from`: where to look.
Triple colour(const std::string& name, std::size_t from) {
  const std::string css = tessera::app::assets::kReportCss;
  const std::string key = "--" + name + ": #";
  const std::size_t at = css.find(key, from);
  INFO(name);
  REQUIRE(at != std::string::npos);
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(css.substr(at + key.size() + 2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// Where the light colours begin, and the dark ones.
std::array<std::size_t, 2> schemes() {
  const std::string css = tessera::app::assets::kReportCss;
  const std::size_t dark = css.find("prefers-color-scheme: dark");
  REQUIRE(dark != std::string::npos);
  return {0, dark};
}

std::vector<Triple> series(std::size_t from) {
  std::vector<Triple> all;
  for (int i = 0; i < 8; ++i) all.push_back(colour("series-" + std::to_string(i), from));
  return all;
}

Triple seen(const Matrix& m, const Triple& rgb) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2];
    out[i] = std::clamp(v, 0.0, 1.0);
  }
  return out;
}

/// CIELAB under D65.
Triple lab(const Triple& c) {
  const double x = (0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047;
  const double y = 0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2];
  const double z = (0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883;
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double radians(double degrees) { return degrees * kPi / 180; }

/// CIEDE2000 (Sharma, Wu, Dalal 2005).
double difference(const Triple& p, const Triple& q) {
  const double mean_chroma = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
  const auto seventh = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7)));
  };
  const double g = 1.5 - 0.5 * seventh(mean_chroma);
  const double c1 = std::hypot(p[1] * g, p[2]);
  const double c2 = std::hypot(q[1] * g, q[2]);
  const auto hue = [g](const Triple& t) {
    const double h = std::atan2(t[2], t[1] * g) * 180 / kPi;
    return h < 0 ? h + 360 : h;
  };
  double turn = hue(q) - hue(p);
  double mean_hue = (hue(p) + hue(q)) / 2;
  if (std::abs(turn) > 180) {
    turn += turn > 0 ? -360 : 360;
    mean_hue += mean_hue < 180 ? 180 : -180;
  }
  const double dl = q[0] - p[0];
  const double dc = c2 - c1;
  const double dh = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn) / 2);
  const double l = std::pow((p[0] + q[0]) / 2 - 50, 2);
  const double c = (c1 + c2) / 2;
  const double t =
      1 - 0.17 * std::cos(radians(mean_hue - 30)) + 0.24 * std::cos(radians(2 * mean_hue)) +
      0.32 * std::cos(radians(3 * mean_hue + 6)) - 0.2 * std::cos(radians(4 * mean_hue - 63));
  const double sl = 1 + 0.015 * l / std::sqrt(20 + l);
  const double sc = 1 + 0.045 * c;
  const double sh = 1 + 0.015 * c * t;
  const double rt =
      -2 * seventh(c) * std::sin(radians(60 * std::exp(-std::pow((mean_hue - 275) / 25, 2))));
  return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dh / sh, 2) +
                   rt * dc / sc * dh / sh);
}

double luminance(const Triple& c) { return 0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2]; }

/// WCAG 2.
double contrast(const Triple& a, const Triple& b) {
  const double x = luminance(a) + 0.05;
  const double y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

}  // namespace

TEST_CASE("the colour difference is CIEDE2000") {
  // Pairs 1, 7, 17 and 25 of the authors' test data.
  CHECK(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == Approx(2.0425).margin(1e-4));
  CHECK(difference({50, 0, 0}, {50, -1, 2}) == Approx(2.3669).margin(1e-4));
  CHECK(difference({50, 2.5, 0}, {73, 25, -18}) == Approx(27.1492).margin(1e-4));
  CHECK(difference({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) ==
        Approx(1.2644).margin(1e-4));
}

TEST_CASE("no two series look alike, with full colour vision, protanopia or deuteranopia") {
  // Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB. A difference of 2 is just seen
  // side by side; 15 is seen between a line and its name in the legend.
  constexpr double kLeast = 15;
  const std::pair<const char*, Matrix> visions[] = {
      {"full", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
      {"protanopia",
       {{{0.152286, 1.052583, -0.204868},
         {0.114503, 0.786281, 0.099216},
         {-0.003882, -0.048116, 1.051998}}}},
      {"deuteranopia",
       {{{0.367322, 0.860646, -0.227968},
         {0.280085, 0.672501, 0.047413},
         {-0.011820, 0.042940, 0.968881}}}},
  };
  for (const std::size_t scheme : schemes()) {
    const std::vector<Triple> all = series(scheme);
    for (const auto& [name, matrix] : visions) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          INFO((scheme == 0 ? "light" : "dark")
               << ", " << name << ": series " << j << " and " << i);
          CHECK(difference(lab(seen(matrix, all[i])), lab(seen(matrix, all[j]))) > kLeast);
        }
      }
    }
  }
}

TEST_CASE("every series stands out from the panel behind it") {
  // WCAG 2.1, 1.4.11: 3 to 1 for graphics.
  for (const std::size_t scheme : schemes()) {
    for (const Triple& c : series(scheme)) CHECK(contrast(c, colour("panel", scheme)) > 3);
  }
}

TEST_CASE("text is readable on the page and on panels") {
  // WCAG 2.1, 1.4.3.
  for (const std::size_t scheme : schemes()) {
    for (const char* ground : {"page", "panel"}) {
      for (const char* words : {"text", "soft"}) {
        INFO(words << " on " << ground);
        CHECK(contrast(colour(words, scheme), colour(ground, scheme)) > 4.5);
      }
    }
    CHECK(contrast(colour("good", scheme), colour("good-back", scheme)) > 4.5);
    CHECK(contrast(colour("bad", scheme), colour("bad-back", scheme)) > 4.5);
  }
}

}  // namespace tessera::palette_test
