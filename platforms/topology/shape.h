// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of platforms: one file each, which alone knows the shape's name. A shape says what it asks
// of a configuration and turns one into a plan.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/topology/planner.h"

namespace tessera {

struct SystemConfig;
struct GpuConfig;

struct Shape {
  std::string name;
  /// Parts of the platform whose SMs share a way to their own slices.
  std::uint32_t (*partitions)(const SystemConfig& system) = nullptr;
  /// Appends what the shape finds wrong, before anything is planned. False: SMs, slices or channels
  /// do not divide as it wants, and there is no plan.
  bool (*divides)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// The same, of what can be planned.
  void (*validate)(const GpuConfig& config, std::vector<std::string>& errors) = nullptr;
  /// `config` divides.
  void (*plan)(Planner& planner) = nullptr;
  /// Beginnings of the parameters that platforms of this shape read, and others do not.
  std::vector<std::string> reads;
  bool several_gpus = false;   ///< system.gpus may be above 1; system.transfer has a meaning
  bool caches_others = false;  ///< system.remote_caching has a meaning
  bool moves_pages = false;    ///< migration.policy has a meaning
};

/// In the order in which they are listed.
const std::vector<Shape>& shapes();
std::vector<std::string> shape_names();
/// Throws InputError with the nearest name.
const Shape& shape_of(const std::string& topology);
/// "nuba and multi-gpu": those that have a property.
std::string shapes_with(bool Shape::*property);

/// `config` must divide (GpuConfig::validate()).
PlatformPlan plan_of(const GpuConfig& config);

/// Appends "WHOLE (of) must be a multiple of PART (n)" where it is not, and says whether it is.
bool must_divide(const std::string& part, std::uint32_t n, const std::string& whole,
                 std::uint32_t of, std::vector<std::string>& errors);

Shape uba_mem_shape();
Shape uba_sm_shape();
Shape nuba_shape();
Shape gpu_tree_shape();

}  // namespace tessera
