// SPDX-License-Identifier: Apache-2.0
#pragma once

// The resources of a run's platform that can bound it, with their use and their latency without
// contention, from stats.json.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/report/blocks.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A resource that requests use.
struct Resource {
  std::string name;   ///< "crossbar (responses)"
  std::string group;  ///< of its parameters: "noc"
  double use = 0;     ///< of the busiest one: part of the time in which it was busy, 0 to 1
  /// The same of another one that passes the same packets, at whose rate they pass without this
  /// one.
  double next_use = 0;
  /// Time in excess of an idle system's, summed over requests, in SM cycles: of networks, slices
  /// and channels.
  double excess = 0;
  HotSpots hot{};
  /// Settings (parameter, value) that make it as good as infinite and leave its latency.
  std::vector<std::pair<std::string, std::string>> infinite{};
  std::string condition = "if infinite";  ///< of a prediction
  /// Policies and parameters that address it.
  std::string remedies{};
};

/// The use of two networks in a row is alike if that of one has at least this part of the other's.
inline constexpr double kAlike = 0.75;

/// Name of the flush of the caches.
inline constexpr const char* kFlush = "flush of the caches at the ends of kernels";

/// Something for which the SMs stop.
struct Stop {
  Resource resource;
  double cycles = 0;  ///< of the SMs
};

/// The resources by their role on a load's way. A network is left out if it moved nothing.
struct Resources {
  std::vector<Resource> request_networks;   ///< in the order of a request's way
  std::vector<Resource> response_networks;  ///< in the order of a response's way
  /// Of the latency of an average packet in all networks, the part that is excess; 1 without
  /// networks.
  double request_excess = 1;
  double response_excess = 1;
  Resource mshrs;
  Resource frames;       ///< of the L1s, that misses reserve
  Resource slice_mshrs;  ///< of the LLC slices
  Resource translation;
  Resource slices;
  double lookup_share = 1;  ///< of the slices' waits, those for their lookup
  Resource atomics;
  Resource dram;
  Resource host_links;  ///< of coherent hierarchies
  Resource l2_lookups;  ///< of coherent hierarchies
  Resource smd_lookups;
  Resource hmd_lookups;
  Resource hmd_transactions;
  Resource balance;          ///< of CTAs between SMs
  double balanced_work = 1;  ///< of the SM with most instructions, if CTAs were spread evenly
  /// Of the instructions of an average warp, one after the other: SM cycles, summed over kernels.
  double warp_latency = 0;
  /// Of the loads of an SM's resident warps, with those of a warp one after the other: SM cycles.
  double load_latency = 0;
  std::vector<Stop> stops;  ///< those that the run had
  /// Time in which an average L1 took no load for want of a resource: SM cycles.
  double without_mshr = 0;
  double without_frame = 0;
  double slices_without_mshr = 0;  ///< the same of an average slice
  double slice_mshr_stalls = 0;    ///< of the slices' lookups
  double slice_output_stalls = 0;  ///< the same for room for the response
  double miss_cycles = 0;          ///< latency of the L1s' misses, summed
  double memory_unit_use = 0;      ///< of the busiest SM's load/store unit
  bool has_atomics = false;
  double behind_l2_cycles = 0;  ///< of loads behind coherent L2s, summed
  bool coherent = false;        ///< the L1s are those of a coherent hierarchy
  /// Latency without contention, of an average load: path -> stage -> SM cycles (LoadPath,
  /// LoadStage).
  std::map<std::string, std::map<std::string, double>> stage_latency;
};

Resources resources_of(const nlohmann::ordered_json& stats);

}  // namespace tessera::app
