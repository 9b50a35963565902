// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/shape.h"

#include <algorithm>

#include "common/error.h"
#include "common/legal_values.h"
#include "common/suggest.h"
#include "platforms/gpu_config.h"

namespace tessera {

namespace {

std::list<Shape>& registry() {
  static std::list<Shape> all;
  return all;
}

}  // namespace

const std::list<Shape>& shapes() { return registry(); }

bool register_shape(const Shape& shape) {
  for (const Shape& s : registry()) {
    if (s.name == shape.name) {
      throw InputError("a topology named '" + shape.name +
                       "' exists already: register yours under another name");
    }
  }
  const auto later = std::find_if(registry().begin(), registry().end(),
                                  [&shape](const Shape& s) { return s.order > shape.order; });
  registry().insert(later, shape);
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

void plan_gpu(Planner& p, Planner::Gpu& gpu, const std::function<void()>& add_gateway) {
  const Shape& shape = node_shape_of(p.config().system);
  Planner::Slices slices = shape.slices;
  slices.remote_inputs += (p.modules() ? 1U : 0U) + (p.several_gpus() ? 1U : 0U);
  if (p.config().forwards_hits()) {
    slices.role = p.config().forwarding_role();
    slices.to_others = true;
  }
  p.add_memory(gpu, slices);
  add_gateway();
  shape.connect(p, gpu);
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
  if (node.plan != nullptr) {
    node.plan(p);
  } else if (p.several_gpus()) {
    shape_at(NodeLevel::kGpu).plan(p);
  } else {
    Planner::Gpu gpu = p.add_gpu(0);
    p.add_engines(gpu.node);
    plan_gpu(p, gpu, [] {});
    p.add_l2_tlb(gpu);
    p.add_page_tables(gpu.node, {gpu});
    p.add_sms(gpu);
    p.add_dispatcher(gpu.node);
  }
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
