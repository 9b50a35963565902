// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_spmv_jds {
namespace {

constexpr std::int64_t kLanes = 32;
/// A prime that does not divide the number of rows of any matrix.
constexpr std::int64_t kScatter = 7919;

/// Lengths fall from 2 * degree - 1 in the first warp to 1 in the last: `degree` on average.
struct Shape {
  explicit Shape(const Inputs& in) : warps(in.size("warps")), degree(in.size("degree")) {}

  std::int64_t rows() const { return warps * kLanes; }
  std::int64_t length(std::int64_t warp) const {
    return 1 + (warps - 1 - warp) * (2 * degree - 1) / warps;
  }
  /// Number of warps with a k-th value.
  std::int64_t warps_with(std::int64_t k) const {
    std::int64_t n = 0;
    while (n < warps && length(n) > k) ++n;
    return n;
  }
  /// The original index of a sorted row.
  std::int64_t place(std::int64_t row) const { return row * kScatter % rows(); }

  std::int64_t warps;
  std::int64_t degree;
};

void host(HostSession& session) {
  const Shape shape(session.inputs());
  std::vector<std::int32_t> lengths;
  for (std::int64_t w = 0; w < shape.warps; ++w) {
    lengths.push_back(static_cast<std::int32_t>(shape.length(w)));
  }
  std::vector<std::int32_t> diagonals;
  std::int64_t begin = 0;
  for (std::int64_t k = 0; k < 2 * shape.degree; ++k) {
    diagonals.push_back(static_cast<std::int32_t>(begin));
    begin += kLanes * shape.warps_with(k);
  }
  std::vector<std::int32_t> permutation;
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    permutation.push_back(static_cast<std::int32_t>(shape.place(r)));
  }
  session.write("lengths", lengths);
  session.write("diagonals", diagonals);
  session.write("permutation", permutation);
  session.launch_all();
}

/// In order of the stored values; each belongs to the next row of its diagonal. Every thread adds
/// its products in the order of the diagonals.
std::vector<Expectation> reference(const Inputs& in) {
  const Shape shape(in);
  const auto columns = in.values<std::int32_t>("columns");
  const auto values = in.values<float>("values");
  const auto x = in.values<float>("x");
  std::vector<FloatSum> sums(static_cast<std::size_t>(shape.rows()));
  std::size_t at = 0;
  for (std::int64_t k = 0; k < 2 * shape.degree; ++k) {
    const std::int64_t rows = kLanes * shape.warps_with(k);
    for (std::int64_t r = 0; r < rows; ++r, ++at) {
      sums[static_cast<std::size_t>(shape.place(r))].add(
          double{values[at]} * double{x[static_cast<std::size_t>(columns[at])]});
    }
  }
  return {{"y", [sums](std::uint64_t i) { return sums[i].expectation(); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_spmv_jds
