// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Shape of the system's tree, as counts of nodes: all of the system, not of one parent.
struct TreeShape {
  std::uint32_t gpus = 1;
  std::uint32_t modules = 1;     ///< chiplets
  std::uint32_t partitions = 1;  ///< parts whose SMs share a way to their own slices
  std::uint32_t channels = 32;   ///< DRAM channels
  std::uint32_t sms = 64;
};

/// Shape of the memory that an address map spreads addresses over. Every count is a power of two
/// but those of GPUs and channels, which not every map takes (make_address_map()).
struct MemoryGeometry {
  std::uint32_t gpus = 1;       ///< that share the memory, each with channels of its own
  std::uint32_t channels = 32;  ///< of all GPUs, as many in each
  std::uint32_t slices_per_channel = 2;
  std::uint32_t banks_per_channel = 16;
  std::uint32_t row_bytes = 2048;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;

  std::uint64_t total_bytes() const { return channel_bytes * channels; }
  /// Every fault, in words; empty when the geometry is sound.
  std::vector<std::string> errors() const;
};

/// A policy's factory gets this, and the policy's own parameters.
struct PolicyContext {
  TreeShape tree;
  MemoryGeometry memory;
};

/// A count that a policy keeps. It is reported among the statistics of the block that uses the
/// policy.
struct PolicyCounter {
  std::string name;  ///< unique in that block
  std::string unit;
  std::string description;
  const std::uint64_t* value = nullptr;  ///< lives as long as the policy
};

/// Base of all policies. A family of policies is an abstract class derived from it, with
///   static constexpr const char* kFamily     the family's name, and the path of its parameters
///   using Context                            what a factory gets
///   static Context example_context()         a sound one, with which policies are made to be
///   listed
/// How a policy is added: docs/guide/your-own-policy.md.
class Policy {
 public:
  /// Noun of the family's members in messages.
  static constexpr const char* kNoun = "policy";

  virtual ~Policy() = default;
  /// The same list at every call.
  virtual std::vector<PolicyCounter> counters() const { return {}; }
};

/// Base of the families that decide for the whole system.
class SystemPolicy : public Policy {
 public:
  using Context = PolicyContext;
  static Context example_context() { return {}; }
};

}  // namespace tessera
