// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/policy_counter.h"

namespace tessera {

/// Shape of the system's tree, as numbers of nodes of the whole system, not per parent.
struct TreeShape {
  std::uint32_t gpus = 1;
  std::uint32_t modules = 1;     ///< chiplets
  std::uint32_t partitions = 1;  ///< nodes whose SMs share links to their own slices
  std::uint32_t channels = 32;   ///< DRAM channels
  std::uint32_t sms = 64;

  /// SMs of an innermost node: a partition, a module, or a GPU without either.
  std::uint32_t sms_per_node() const { return sms / std::max({gpus, modules, partitions}); }
};

/// Shape of the memory over which an address map spreads addresses. All numbers are powers of two
/// except those of GPUs and channels. Some maps require powers of two for these as well
/// (make_address_map()).
struct MemoryGeometry {
  std::uint32_t gpus = 1;       ///< GPUs that share the memory, each with its own channels
  std::uint32_t channels = 32;  ///< of all GPUs, the same number in each
  std::uint32_t slices_per_channel = 2;
  std::uint32_t banks_per_channel = 16;
  std::uint32_t row_bytes = 2048;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;

  std::uint64_t total_bytes() const { return channel_bytes * channels; }
  /// All errors; empty if the geometry is valid.
  std::vector<std::string> errors() const;
};

/// Argument of a policy's factory, beside the policy's own parameters.
struct PolicyContext {
  TreeShape tree;
  MemoryGeometry memory;
};

/// Base of all policies. A policy family is an abstract class derived from it, with
///   static constexpr const char* kFamily     the family's name, and the path of its parameters
///   using Context                            argument of the factories
///   static Context example_context()         a valid one, with which policies are created for
///                                            listings
/// How to add a policy: docs/guide/your-own-policy.md.
class Policy {
 public:
  /// Noun for the family's members in messages.
  static constexpr const char* kNoun = "policy";

  virtual ~Policy() = default;
  /// Returns the same list at every call.
  virtual std::vector<PolicyCounter> counters() const { return {}; }
};

/// Base of the policy families of the whole system.
class SystemPolicy : public Policy {
 public:
  using Context = PolicyContext;
  static Context example_context() { return {}; }
};

}  // namespace tessera
