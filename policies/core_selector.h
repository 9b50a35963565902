// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// Which cores a miss searches, and in which order (remote-core paper, section III-C).
enum class CoreOrder : std::uint8_t {
  kIndex,     ///< in ascending order of their numbers
  kSupplier,  ///< drawn by the number of lines that each has supplied in the present period
};

/// A core's choice of other cores. Supplier-based: the counts of a period are weights of a draw
/// without replacement. A core that has supplied nothing in the period has half the weight of the
/// lowest count; if none has, all have the same. The order of the draws is the order of the search
/// (ours).
class CoreSelector {
 public:
  /// `core` of `cores`; `period` in cycles.
  CoreSelector(std::uint32_t core, std::uint32_t cores, CoreOrder order, std::uint64_t period);

  /// `count` other cores, at most all of them.
  std::vector<std::uint32_t> select(std::uint32_t count, std::uint64_t cycle);
  /// A probe has returned with a line from `core`. Counted in the period of the last select().
  void supplied(std::uint32_t core) { ++supplied_[core]; }
  /// Weights of the next draw: twice the counts. 0 for the core itself.
  std::vector<std::uint64_t> weights() const;

 private:
  const std::uint32_t core_;
  const CoreOrder order_;
  const std::uint64_t period_;
  std::uint64_t number_ = 0;  ///< of the present period
  std::vector<std::uint64_t> supplied_;
  std::mt19937_64 random_;
};

/// Divides the cores of a search among probes, in their order: disjoint and as equal as possible,
/// the first ones larger (section III-B).
std::vector<std::vector<std::uint32_t>> divided(const std::vector<std::uint32_t>& cores,
                                                std::uint32_t probes);

/// Parameters of IP(C, S, P) and RP(C, S, P) (section III-B).
struct ProbeRate {
  std::uint32_t coverage = 15;  ///< C
  std::uint32_t probes = 2;     ///< S
  double rate = 0.2;            ///< P
  CoreOrder selector = CoreOrder::kSupplier;
  std::uint32_t period = 8192;
};

void describe(ParameterVisitor& v, ProbeRate& p);

/// The searches of a core's misses by C, S and P: S probes with probability P, otherwise S - 1.
class ProbePlanner {
 public:
  ProbePlanner(std::uint32_t core, std::uint32_t cores, const ProbeRate& rate);
  std::vector<std::vector<std::uint32_t>> plan(std::uint64_t cycle);
  void supplied(std::uint32_t core) { selector_.supplied(core); }

 private:
  const ProbeRate rate_;
  CoreSelector selector_;
  std::mt19937_64 random_;
};

}  // namespace tessera
