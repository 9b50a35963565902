// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of nodes: one file each, which alone knows the shape's name. A shape says what it asks of
// a configuration and turns its level of the tree into its part of the plan.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "platforms/topology/planner.h"
#include "platforms/topology/tree.h"

namespace tessera {

struct SystemConfig;
struct GpuConfig;

struct Shape {
  std::string name;
  /// kPartition: an innermost node, from its L1s to its channels. Others join nodes of that level.
  NodeLevel level = NodeLevel::kPartition;
  /// Networks by which nodes can be joined; the first where flat parameters describe the tree.
  std::vector<std::string> networks;
  /// Innermost: parts of a GPU whose SMs share a way to their own slices.
  std::uint32_t (*partitions)(const SystemConfig& system) = nullptr;
  /// Appends what the shape finds wrong, before anything is planned. False: SMs, slices or channels
  /// do not divide as it wants, and there is no plan.
  bool (*divides)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// The same, of what can be planned.
  void (*validate)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// Innermost: its slices, without the inputs that outer levels add; and a GPU's networks. Slices
  /// and L1s are there. Ends with Planner::join() where the shape nests.
  Planner::Slices slices;
  void (*connect)(Planner& planner, Planner::Gpu& gpu) = nullptr;
  /// Modules: Planner::join() over them.
  void (*join)(Planner& planner, Planner::Gpu& gpu, const std::vector<Planner::Socket>& from,
               unsigned input) = nullptr;
  /// GPUs: the whole platform.
  void (*plan)(Planner& planner) = nullptr;
  /// Reports the traffic of its networks, beside "noc".
  void (*report)(Planner& planner) = nullptr;
  Locality locality = Locality::kNone;
  /// Innermost: why it cannot stand in modules or in several GPUs; empty: it can.
  std::string alone_because;
  /// Beginnings of the parameters that platforms of this shape read, and others do not.
  std::vector<std::string> reads;
  bool several_gpus = false;   ///< system.gpus may be above 1; system.transfer has a meaning
  bool caches_others = false;  ///< system.remote_caching has a meaning
  bool moves_pages = false;    ///< migration.policy has a meaning
};

/// In the order in which they are listed.
const std::deque<Shape>& shapes();
/// Adds a node shape from outside this folder, before a platform is resolved: at the load of its
/// file, or by a plugin. Returns true. Throws InputError when the name belongs to another shape.
bool register_shape(const Shape& shape);
/// Shapes that system.topology can name: innermost ones, and the one of GPUs.
std::vector<std::string> shape_names();
std::vector<std::string> node_shape_names();  ///< innermost ones only
/// By name. Throws InputError with the nearest name.
const Shape& shape_of(const std::string& topology);
/// The shape that joins nodes of a level above the innermost.
const Shape& shape_at(NodeLevel level);
/// The innermost node's.
const Shape& node_shape_of(const SystemConfig& system);
/// Shapes of all levels, outermost first.
std::vector<const Shape*> shapes_in(const SystemConfig& system);
/// "nuba and multi-gpu": those that have a property.
std::string shapes_with(bool Shape::*property);

/// `config` must divide (GpuConfig::validate()).
PlatformPlan plan_of(const GpuConfig& config);
/// A GPU's blocks up to its networks. `add_gateway` is called when its slices and L1s are there.
void plan_gpu(Planner& planner, Planner::Gpu& gpu, const std::function<void()>& add_gateway);
void report_traffic(Planner& planner);

/// Appends "WHOLE (of) must be a multiple of PART (n)" where it is not, and says whether it is.
bool must_divide(const std::string& part, std::uint32_t n, const std::string& whole,
                 std::uint32_t of, std::vector<std::string>& errors);

Shape uba_mem_shape();
Shape uba_sm_shape();
Shape nuba_shape();
Shape gpu_tree_shape();
Shape module_tree_shape();

}  // namespace tessera
