// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of nodes: one file per shape, the only file that contains the shape's name. A shape checks
// its requirements on a configuration, and creates its level's part of the plan.

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "platforms/topology/planner.h"
#include "platforms/topology/tree.h"

namespace tessera {

struct SystemConfig;
struct GpuConfig;

struct Shape {
  std::string name;
  /// Order in which shapes are listed; the first one is the default topology.
  int order = 100;
  /// kPartition: an innermost node, from its L1s to its channels. Other levels: a shape that
  /// connects nodes of that level.
  NodeLevel level = NodeLevel::kPartition;
  /// Networks that can connect the nodes. The first is used if flat parameters describe the tree.
  std::vector<std::string> networks;
  /// Innermost shapes: number of parts of a GPU whose SMs share links to their own slices.
  std::uint32_t (*partitions)(const SystemConfig& system) = nullptr;
  /// Appends the shape's errors, before planning. Returns false if SMs, slices or channels are not
  /// divisible as the shape requires, so that there is no plan.
  bool (*divides)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// Appends further errors of a configuration that can be planned.
  void (*validate)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// Innermost shapes: the slices, without the inputs that outer levels add; and the networks of a
  /// GPU, which are added after slices and L1s. Ends with Planner::join() if the shape nests.
  Planner::Slices slices;
  void (*connect)(Planner& planner, Planner::Gpu& gpu) = nullptr;
  /// Module shapes: implements Planner::join() for modules.
  void (*join)(Planner& planner, Planner::Gpu& gpu, const std::vector<Planner::Socket>& from,
               unsigned input) = nullptr;
  /// Innermost shapes that plan all GPUs themselves: plans the whole platform, in place of
  /// plan_gpus().
  void (*plan)(Planner& planner) = nullptr;
  /// Reports the traffic of its networks other than "noc".
  void (*report)(Planner& planner) = nullptr;
  Locality locality = Locality::kNone;
  /// Innermost shapes: reason why it cannot be used in modules or in several GPUs; empty if it can.
  std::string alone_because;
  /// Prefixes of the parameters that only platforms of this shape read.
  std::vector<std::string> reads;
  bool several_gpus = false;   ///< system.gpus can be above 1; system.transfer is used
  bool caches_others = false;  ///< system.remote_caching is used
  bool moves_pages = false;    ///< migration.policy is used
  bool probes_cores = false;   ///< innermost shapes: system.miss_routing is used
  /// Innermost shapes: plans several GPUs itself, without a level gpu; their caches are coherent,
  /// and there are no LLC slices.
  bool joins_gpus = false;
  /// Innermost shapes: system.channels are the host's, which all GPUs share.
  bool host_memory = false;
};

/// In the order in which they are listed.
const std::list<Shape>& shapes();
/// Adds a shape when its object file or plugin is loaded, before a platform is resolved. Unless it
/// connects modules, system.topology can select it (topology_names()). Returns true. Throws
/// InputError if the name belongs to another shape.
bool register_shape(const Shape& shape);
std::vector<std::string> node_shape_names();  ///< innermost ones only
/// Shape of this name. Throws InputError with the nearest name if there is none.
const Shape& shape_of(const std::string& topology);
/// The shape that connects nodes of a level above the innermost.
const Shape& shape_at(NodeLevel level);
/// The innermost node's shape.
const Shape& node_shape_of(const SystemConfig& system);
/// Shapes of all levels, outermost first.
std::vector<const Shape*> shapes_in(const SystemConfig& system);
/// Names of the shapes that have a property, such as "nuba and multi-gpu".
std::string shapes_with(bool Shape::*property);

/// `config` must be divisible (check_tree()).
PlatformPlan plan_of(const GpuConfig& config);
/// Plans all GPUs, each of the innermost shape, with the gateways and the networks between them,
/// and the blocks that they share (gpu_tree.cpp).
void plan_gpus(Planner& planner);
void report_traffic(Planner& planner);

/// Appends "WHOLE (of) must be a multiple of PART (n): ..." with the nearest values of both if it
/// is not, and returns whether it is. A PART that ends in a parameter's path has values of its own.
bool must_divide(const std::string& part, std::uint32_t n, const std::string& whole,
                 std::uint32_t of, std::vector<std::string>& errors);

}  // namespace tessera
