// SPDX-License-Identifier: Apache-2.0
#pragma once

// Configurations of the blocks of the coherent hierarchy.

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/umh/nmoesi.h"

namespace tessera::umh {

/// Blocks that a final flush writes back and evicts.
enum class FlushedBlocks : std::uint8_t {
  kAll,
  kModified,  ///< those in N, M and O. Blocks in E and S stay
};

struct CoherentCacheConfig {
  std::uint32_t sets = 64;
  std::uint32_t ways = 4;
  /// Lines of a block: 1, or the sub-blocks of an SMD's secondary block (64 for 4 KB).
  std::uint32_t block_lines = 1;
  /// Bytes of a bit of the byte masks: 1, 2 or 4 (UMH section 4.1.2).
  std::uint32_t mask_granularity = 1;
  /// Lines are distributed over `banks` caches of this level, `interleave_lines` at a time. Affects
  /// only which set a line selects.
  std::uint32_t banks = 1;
  std::uint32_t interleave_lines = 1;
  OwnedRead owned_read = OwnedRead::kToInvalid;
  FlushedBlocks flushed = FlushedBlocks::kAll;

  /// Throws std::invalid_argument.
  void validate() const;
};

struct SmdConfig {
  std::uint64_t stack_bytes = 1ULL << 30;
  std::uint32_t block_bytes = 4096;  ///< secondary block; a multiple of kLineBytes
  std::uint32_t ways = 1;            ///< 1: direct mapped (the paper's sizing example)
  std::uint32_t stacks = 4;          ///< of the GPU
  std::uint32_t mask_granularity = 4;
  OwnedRead owned_read = OwnedRead::kToInvalid;
  FlushedBlocks flushed = FlushedBlocks::kModified;

  CoherentCacheConfig cache() const;
  /// Directory bits of a secondary block: tag, state, and one owner bit per line (figure 7).
  std::uint32_t entry_bits(std::uint32_t address_bits = 64) const;
};

struct HmdConfig {
  std::uint32_t block_bytes = 4096;  ///< secondary block; a multiple of kLineBytes
  /// The GPU that owns a block sends it to a GPU that reads it (figure 5, b-2).
  bool peer_transfer = true;
  /// Throws std::invalid_argument.
  void validate() const;
};

/// One end of a coherence connection.
struct CoherencePortConfig {
  std::uint32_t bytes_per_cycle = 64;  ///< of sent messages, of all classes together
  std::uint32_t entries = 8;           ///< received messages, per class

  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, CoherencePortConfig& c);

/// Timing of a cache or a directory of the coherent hierarchy.
struct CoherenceTiming {
  std::uint64_t clock_hz = 800'000'000;
  std::uint32_t latency_cycles = 1;  ///< from the arrival of a message to its lookup
  /// Accesses and requests of children that are pending at the same time.
  std::uint32_t transactions = 64;
  CoherencePortConfig port;

  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, CoherenceTiming& c);

struct CoherentCacheBlockConfig {
  CoherenceTiming timing;
  CoherentCacheConfig cache;
  std::uint32_t input_depth = 8;                   ///< accesses that wait in front of the pipeline
  std::uint64_t memory_bytes = ~std::uint64_t{0};  ///< first address beyond the memory

  std::vector<std::string> validate() const;
};

struct SmdBlockConfig {
  CoherenceTiming timing;
  SmdConfig smd;
  std::uint32_t memory_accesses = 128;  ///< accesses to the stack, beyond which no request starts

  std::vector<std::string> validate() const;
};

struct HmdBlockConfig {
  CoherenceTiming timing;
  HmdConfig hmd;
  std::uint32_t smds = 0;  ///< the first children of the site are SMDs
  std::uint32_t mask_granularity = 4;
  std::uint32_t memory_accesses = 128;  ///< accesses to the memory, beyond which no request starts

  std::vector<std::string> validate() const;
};

/// Links between devices and the host: PCIe (16 GB/s) by default; NVLink: 80 bytes per cycle.
struct CoherenceLinkConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t bytes_per_cycle = 16;  ///< of one direction of a link
  std::uint64_t latency_ns = 140;      ///< of a link, added to a message's transfer
  /// All devices share the two directions of one link. Off: each device has a link of its own.
  bool shared = false;
  /// Queued messages per class and end. A queue at the end of a wire has more: those that the wire
  /// holds, at one a cycle, so that the latency does not limit the rate.
  std::uint32_t entries = 16;

  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, CoherenceLinkConfig& c);

}  // namespace tessera::umh
