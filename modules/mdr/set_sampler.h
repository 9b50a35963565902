// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/core/slice_observer.h"
#include "modules/core/stats.h"

namespace tessera {

/// Lookups of one policy's tags.
struct SampledHits {
  Counter lookups = 0;
  Counter hits = 0;
  /// 0 where nothing was looked up.
  double rate() const {
    return lookups == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(lookups);
  }
};

/// What the sampled sets saw.
struct SampleCounts {
  Counter local = 0;     ///< own SMs, lines at home here
  Counter leaving = 0;   ///< own SMs, other slices' lines
  Counter arriving = 0;  ///< other SMs, lines at home here
  SampledHits no_replication;
  SampledHits full_replication;

  /// Whether the model has all of its inputs.
  bool complete() const {
    return local + leaving != 0 && no_replication.lookups != 0 && full_replication.lookups != 0;
  }
  double fraction_local() const {
    return static_cast<double>(local) / static_cast<double>(local + leaving);
  }
};

/// Dynamic set sampling for MDR (NUBA section 5.1): tags of a few sets of one LLC slice as they
/// would be without replication and under full replication, whichever of the two is running.
///
/// Plain C++: LRU, a line is in the tags from its first access on. What a slice cannot see is
/// taken from what its own SMs do, all slices having alike traffic: docs/blocks/mdr.md has the
/// rules and their reasons.
class SetSampler {
 public:
  /// Of the slice that is watched.
  struct Shape {
    std::uint32_t sets = 48;
    std::uint32_t ways = 16;
    std::uint32_t sampled_sets = 8;  ///< 1 to sets; spread evenly over them
    /// Whether the slice keeps lines that only other slices' SMs fetched.
    bool keeps_arriving = true;
  };

  explicit SetSampler(const Shape& shape);

  /// Whether accesses with this set index (a line's number within its home slice) are sampled.
  bool samples(std::uint64_t set_index) const {
    return slot_of_set_[set_index % slot_of_set_.size()] != kNotSampled;
  }

  /// An access to a sampled set. `replicating`: full replication is running.
  void observe(std::uint64_t set_index, std::uint64_t line, AccessOrigin origin, bool read_only,
               bool replicating);

  /// Since the last start_counting().
  const SampleCounts& counts() const { return counts_; }
  /// Counts from 0; lines stay in the tags.
  void start_counting();
  /// The slice has dropped all its lines.
  void forget_lines();

 private:
  static constexpr std::uint32_t kNotSampled = ~std::uint32_t{0};

  /// Whether it hits; where it does not and `keep`, the line is there afterwards.
  static bool look_up(CacheArray& tags, std::uint32_t slot, std::uint64_t line, bool keep);
  static void count(SampledHits& of, bool hit) {
    ++of.lookups;
    of.hits += hit ? 1 : 0;
  }

  void local(std::uint32_t slot, std::uint64_t line);
  void leaving(std::uint32_t slot, std::uint64_t line, bool replicating);
  void arriving(std::uint32_t slot, std::uint64_t line, bool read_only, bool replicating);

  bool keeps_arriving_;
  std::vector<std::uint32_t> slot_of_set_;  ///< set of the tags, or kNotSampled
  CacheArray no_replication_;
  CacheArray full_replication_;
  /// Misses of own SMs' replicas that no arriving access has stood for yet.
  std::uint64_t expected_arrivals_ = 0;
  SampleCounts counts_;
};

}  // namespace tessera
