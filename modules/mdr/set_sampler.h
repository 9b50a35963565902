// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/cache/cache_array.h"
#include "modules/kernel/stats.h"
#include "modules/llc/slice_observer.h"

namespace tessera {

/// Lookups of one policy's tags.
struct SampledHits {
  Counter lookups = 0;
  Counter hits = 0;
  /// 0 if there were no lookups.
  double rate() const {
    return lookups == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(lookups);
  }
};

/// Accesses to the sampled sets.
struct SampleCounts {
  Counter local = 0;     ///< own SMs, lines of this slice
  Counter leaving = 0;   ///< own SMs, other slices' lines
  Counter arriving = 0;  ///< other SMs, lines of this slice
  SampledHits no_replication;
  SampledHits full_replication;

  /// Whether all inputs of the model are defined.
  bool complete() const {
    return local + leaving != 0 && no_replication.lookups != 0 && full_replication.lookups != 0;
  }
  double fraction_local() const {
    return static_cast<double>(local) / static_cast<double>(local + leaving);
  }
};

/// Dynamic set sampling for MDR (NUBA section 5.1): tags of a few sets of one LLC slice as they
/// would be without replication and under full replication, independently of the policy in use.
///
/// Plain C++. The tags are LRU, and a line is in the tags from its first access on. Accesses that a
/// slice cannot observe are inferred from those of its own SMs, on the assumption that all slices
/// have similar traffic. docs/blocks/mdr.md has the rules and their reasons.
class SetSampler {
 public:
  /// Shape of the sampled slice.
  struct Shape {
    std::uint32_t sets = 48;
    std::uint32_t ways = 16;
    std::uint32_t sampled_sets = 8;  ///< 1 to sets; spread evenly over them
    /// Whether the slice keeps lines that only other slices' SMs have fetched.
    bool keeps_arriving = true;
  };

  explicit SetSampler(const Shape& shape);

  /// Whether accesses with this set index (a line's number within its home slice) are sampled.
  bool samples(std::uint64_t set_index) const {
    return slot_of_set_[set_index % slot_of_set_.size()] != kNotSampled;
  }

  /// Records an access to a sampled set. `replicating`: full replication is in use.
  void observe(std::uint64_t set_index, std::uint64_t line, AccessOrigin origin, bool read_only,
               bool replicating);

  /// Counts since the last start_counting().
  const SampleCounts& counts() const { return counts_; }
  /// Resets the counts. The tags keep their lines.
  void start_counting();
  /// To be called when the slice has been flushed: invalidates the tags.
  void forget_lines();
  /// Invalidates the copies of other slices' lines, as if full replication began now.
  void forget_copies();
  /// Invalidates the tags of full replication, as if its slices were flushed.
  void forget_replicating();

 private:
  static constexpr std::uint32_t kNotSampled = ~std::uint32_t{0};

  /// Returns whether the line hits. Installs it after a miss if `keep` is true.
  static bool look_up(CacheArray& tags, std::uint32_t slot, std::uint64_t line, bool keep);
  /// The same with the tags of full replication. `copy`: of another slice's line.
  bool look_up_replicating(std::uint32_t slot, std::uint64_t line, bool keep, bool copy);
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
  std::vector<bool> is_copy_;  ///< by way of full_replication_
  /// Replica misses of own SMs that have not been matched by an arriving access.
  std::uint64_t expected_arrivals_ = 0;
  SampleCounts counts_;
};

}  // namespace tessera
