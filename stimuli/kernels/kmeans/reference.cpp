// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_kmeans {
namespace {

// Features are integers from 0 to 15 and centroids multiples of 1/16, so that a squared distance
// over up to 256 features is exact in float for any order of additions: (8 bits)^2 and 8 bits
// of additions fill the 24 bits of its mantissa. Ties are therefore ties everywhere, memberships
// can be compared exactly, and so can the centroids that follow from them.
constexpr double kCentroidStep = 16;

/// The means of the members, rounded to the step; a cluster without members keeps its centroid.
std::vector<float> moved(const Values<float>& points, const std::vector<std::int32_t>& membership,
                         const std::vector<float>& centroids, std::size_t features) {
  const std::size_t clusters = centroids.size() / features;
  std::vector<std::int64_t> sums(centroids.size());
  std::vector<std::int64_t> members(clusters);
  for (std::size_t i = 0; i < membership.size(); ++i) {
    const auto c = static_cast<std::size_t>(membership[i]);
    if (c >= clusters) continue;  // a wrong result, which verification reports
    ++members[c];
    for (std::size_t f = 0; f < features; ++f) {
      sums[c * features + f] += static_cast<std::int64_t>(points[i * features + f]);
    }
  }
  std::vector<float> out = centroids;
  for (std::size_t c = 0; c < clusters; ++c) {
    if (members[c] == 0) continue;
    for (std::size_t f = 0; f < features; ++f) {
      const double mean =
          static_cast<double>(sums[c * features + f]) / static_cast<double>(members[c]);
      out[c * features + f] = static_cast<float>(std::round(mean * kCentroidStep) / kCentroidStep);
    }
  }
  return out;
}

/// The first points are the first centroids.
std::vector<float> first_centroids(const Inputs& in, const Values<float>& points) {
  const auto values = static_cast<std::ptrdiff_t>(in.size("clusters") * in.size("features"));
  return std::vector<float>(points.begin(), points.begin() + values);
}

/// Assigns points and moves centroids until no centroid moves, or for the manifest's number of
/// rounds.
void host(HostSession& session) {
  const auto features = static_cast<std::size_t>(session.size("features"));
  const auto points = session.inputs().values<float>("points");
  std::vector<float> centroids = first_centroids(session.inputs(), points);
  session.launch("kmeans_transpose");
  for (std::int64_t round = 0; round < session.size("rounds"); ++round) {
    session.write("centroids", centroids);
    session.launch("kmeans_assign");
    const auto next = moved(points, session.read<std::int32_t>("membership"), centroids, features);
    if (next == centroids) return;
    centroids = next;
  }
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto points = in.values<float>("points");
  const auto features = static_cast<std::size_t>(in.size("features"));
  const auto clusters = static_cast<std::size_t>(in.size("clusters"));
  const auto n = static_cast<std::size_t>(in.size("n"));
  std::vector<float> centroids = first_centroids(in, points);
  std::vector<float> assigned_with = centroids;
  std::vector<std::int32_t> membership(n);
  for (std::int64_t round = 0; round < in.size("rounds"); ++round) {
    assigned_with = centroids;
    for (std::size_t i = 0; i < n; ++i) {
      double smallest = HUGE_VAL;
      for (std::size_t c = 0; c < clusters; ++c) {
        double distance = 0;
        for (std::size_t f = 0; f < features; ++f) {
          const double d = double{points[i * features + f]} - double{centroids[c * features + f]};
          distance += d * d;
        }
        if (distance < smallest) {
          smallest = distance;
          membership[i] = static_cast<std::int32_t>(c);
        }
      }
    }
    const auto next = moved(points, membership, centroids, features);
    if (next == centroids) break;
    centroids = next;
  }
  return {
      {"membership", [=](std::uint64_t i) { return Element64::exactly(membership[i]); }},
      {"centroids", [=](std::uint64_t i) { return Element64::about(double{assigned_with[i]}, 0); }},
      {"by_feature", [=](std::uint64_t at) {
         return Element64::about(double{points[(at % n) * features + at / n]}, 0);
       }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_kmeans
