// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/shape.h"

#include <algorithm>

#include "common/error.h"
#include "common/suggest.h"
#include "platforms/gpu_config.h"

namespace tessera {

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {uba_mem_shape(), uba_sm_shape(), nuba_shape(),
                                         gpu_tree_shape()};
  return all;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const Shape& s : shapes()) names.push_back(s.name);
  return names;
}

const Shape& shape_of(const std::string& topology) {
  const auto shape = std::find_if(shapes().begin(), shapes().end(),
                                  [&topology](const Shape& s) { return s.name == topology; });
  if (shape == shapes().end()) {
    throw InputError("unknown topology '" + topology + "'" + did_you_mean(topology, shape_names()));
  }
  return *shape;
}

std::string shapes_with(bool Shape::*property) {
  std::string names;
  for (const Shape& s : shapes()) {
    if (s.*property) names += (names.empty() ? "" : " and ") + s.name;
  }
  return names;
}

PlatformPlan plan_of(const GpuConfig& config) {
  Planner planner(config);
  shape_of(config.system.topology).plan(planner);
  return planner.take();
}

bool must_divide(const std::string& part, std::uint32_t n, const std::string& whole,
                 std::uint32_t of, std::vector<std::string>& errors) {
  if (n != 0 && of % n == 0) return true;
  errors.push_back(whole + " (" + std::to_string(of) + ") must be a multiple of " + part + " (" +
                   std::to_string(n) + ")");
  return false;
}

}  // namespace tessera
