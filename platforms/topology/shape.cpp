// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/shape.h"

#include <algorithm>

#include "common/error.h"
#include "common/legal_values.h"
#include "common/suggest.h"
#include "platforms/gpu_config.h"

namespace tessera {

namespace {

std::list<Shape>& registered_shapes() {
  static std::list<Shape> all;
  return all;
}

}  // namespace

const std::list<Shape>& shapes() { return registered_shapes(); }

bool register_shape(const Shape& shape) {
  for (const Shape& s : registered_shapes()) {
    if (s.name == shape.name) {
      throw InputError("a topology named '" + shape.name +
                       "' exists already: register yours under another name");
    }
  }
  const auto later = std::find_if(registered_shapes().begin(), registered_shapes().end(),
                                  [&shape](const Shape& s) { return s.order > shape.order; });
  registered_shapes().insert(later, shape);
  if (shape.level != NodeLevel::kModule) add_topology_name(shape.name, shape.order);
  return true;
}

std::vector<std::string> node_shape_names() {
  std::vector<std::string> names;
  for (const Shape& s : shapes()) {
    if (s.level == NodeLevel::kPartition) names.push_back(s.name);
  }
  return names;
}

const Shape& shape_of(const std::string& topology) {
  const auto shape = std::find_if(shapes().begin(), shapes().end(), [&topology](const Shape& s) {
    return s.name == topology && s.level != NodeLevel::kModule;
  });
  if (shape == shapes().end()) {
    throw InputError("unknown topology '" + topology + "'" +
                     did_you_mean(topology, topology_names()));
  }
  return *shape;
}

const Shape& shape_at(NodeLevel level) {
  return *std::find_if(shapes().begin(), shapes().end(),
                       [level](const Shape& s) { return s.level == level; });
}

const Shape& node_shape_of(const SystemConfig& system) {
  return shape_of(tree_of(system).back().shape);
}

std::vector<const Shape*> shapes_in(const SystemConfig& system) {
  std::vector<const Shape*> all;
  for (const TreeLevel& l : tree_of(system)) {
    all.push_back(l.level == NodeLevel::kPartition ? &shape_of(l.shape) : &shape_at(l.level));
  }
  return all;
}

std::string shapes_with(bool Shape::*property) {
  std::string names;
  for (const Shape& s : shapes()) {
    if (s.*property) names += (names.empty() ? "" : " and ") + s.name;
  }
  return names;
}

void report_traffic(Planner& p) {
  p.report("noc", true);
  std::vector<const Shape*> levels = shapes_in(p.config().system);
  std::for_each(levels.rbegin(), levels.rend(), [&p](const Shape* s) {
    if (s->report != nullptr) s->report(p);
  });
  // The innermost level that distinguishes local from remote misses.
  const auto near = std::find_if(levels.rbegin(), levels.rend(),
                                 [](const Shape* s) { return s->locality != Locality::kNone; });
  if (near != levels.rend()) p.set_locality((*near)->locality);
}

PlatformPlan plan_of(const GpuConfig& config) {
  Planner p(config);
  const Shape& node = node_shape_of(config.system);
  (node.plan != nullptr ? node.plan : plan_gpus)(p);
  for (const SystemConfig::Insert& i : config.system.inserts) p.insert(i.traffic, i.kind);
  report_traffic(p);
  return p.take();
}

bool must_divide(const std::string& part, std::uint32_t n, const std::string& whole,
                 std::uint32_t of, std::vector<std::string>& errors) {
  if (n != 0 && of % n == 0) return true;
  std::string error = whole + " (" + std::to_string(of) + ") must be a multiple of " + part + " (" +
                      std::to_string(n) + ")";
  const std::size_t parameter = part.rfind("system.");
  if (n != 0) error += ": " + near_multiples(of, n);
  if (of != 0 && parameter != std::string::npos) {
    error += (n != 0 ? ", or " : ": ") + part.substr(parameter) + " of " + near_divisors(n, of);
  }
  errors.push_back(std::move(error));
  return false;
}

}  // namespace tessera
