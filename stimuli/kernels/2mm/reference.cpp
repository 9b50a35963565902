// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_2mm {
namespace {

/// Row-major.
using Matrix = std::vector<Bounded>;

Matrix product(const Matrix& left, const Matrix& right, std::size_t rows, std::size_t inner,
               std::size_t columns) {
  Matrix out;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<FloatSum> row(columns);
    // Every thread adds its products in the order of the inner dimension. Errors of the factors
    // propagate to the product.
    for (std::size_t k = 0; k < inner; ++k) {
      const Bounded& l = left[i * inner + k];
      for (std::size_t j = 0; j < columns; ++j) {
        const Bounded& r = right[k * columns + j];
        row[j].add(l.value() * r.value(),
                   l.error() * r.magnitude() + std::fabs(l.value()) * r.error());
      }
    }
    for (const FloatSum& sum : row) out.push_back(Bounded::within(sum.value(), sum.error()));
  }
  return out;
}

/// The products of the manifest's launches in order (left, right, product, rows, inner dimension,
/// columns): one for gemm, two for 2mm, three for 3mm.
std::vector<Expectation> reference(const Inputs& in) {
  std::map<std::string, std::shared_ptr<const Matrix>> products;
  std::vector<Expectation> out;
  for (const LaunchSpec* launch : in.manifest().launches()) {
    const auto name = [&](std::size_t argument) {
      return std::get<std::string>(launch->arguments.at(argument).value);
    };
    const auto matrix = [&](std::size_t argument) {
      const auto known = products.find(name(argument));
      return known == products.end()
                 ? std::make_shared<const Matrix>(bounded(in.values<float>(name(argument))))
                 : known->second;
    };
    const auto dimension = [&](std::size_t argument) {
      return static_cast<std::size_t>(in.scalar(name(argument)));
    };
    const auto made = std::make_shared<const Matrix>(
        product(*matrix(0), *matrix(1), dimension(3), dimension(4), dimension(5)));
    products[name(2)] = made;
    out.push_back({name(2), [made](std::uint64_t at) { return (*made)[at].expectation(); }});
  }
  return out;
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_2mm
