// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_pageviewcount {
namespace {

std::vector<Expectation> reference(const Inputs& in) {
  const auto text = in.values<std::uint8_t>("text");
  const auto starts = in.values<std::int32_t>("starts");
  std::vector<std::int64_t> pages;
  std::vector<std::int64_t> visitors;
  std::vector<std::int64_t> views(static_cast<std::size_t>(in.size("buckets")));
  const auto hash = [](auto from, auto to) {
    std::uint32_t h = 0;
    for (; from != to; ++from) h = h * 31 + *from;
    return h;
  };
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto begin = text.begin() + starts[i];
    const auto end = text.begin() + starts[i + 1];
    const auto separator = std::find_if(begin, end, [](std::uint8_t c) { return c < '4'; });
    pages.push_back(hash(begin, separator));
    visitors.push_back(separator == end ? 0 : hash(separator + 1, end));
    ++views[static_cast<std::size_t>(pages.back()) % views.size()];
  }
  const auto exactly = [](std::vector<std::int64_t> v) {
    return [v = std::move(v)](std::uint64_t i) { return Element64::exactly(v[i]); };
  };
  return {{"pages", exactly(std::move(pages))},
          {"visitors", exactly(std::move(visitors))},
          {"views", exactly(std::move(views))}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_pageviewcount
