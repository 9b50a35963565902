// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/cta_scheduler.h"

namespace tessera {

/// The NUMA nodes of a tree: those of its innermost level that has several (partitions, modules or
/// GPUs), numbered GPU by GPU.
struct NumaNodes {
  explicit NumaNodes(const TreeShape& tree)
      : gpus(tree.gpus), count(std::max({tree.gpus, tree.modules, tree.partitions})) {}

  /// The node of unit `u` of `units` if units are divided into contiguous parts, one per node.
  std::uint32_t contiguous(std::uint64_t u, std::uint64_t units) const {
    return static_cast<std::uint32_t>(u * count / units);
  }
  /// If units are dealt to the nodes in turn.
  std::uint32_t dealt(std::uint64_t u) const { return static_cast<std::uint32_t>(u % count); }
  /// If they are divided into contiguous parts, one per GPU, and each part is dealt to the
  /// GPU's nodes in turn (LADM section III-D2, hierarchical-aware scheduling).
  std::uint32_t hierarchical(std::uint64_t u, std::uint64_t units) const {
    const std::uint64_t gpu = u * gpus / units;
    const std::uint64_t first = (gpu * units + gpus - 1) / gpus;
    return of_gpu(gpu, u - first);
  }

  /// A node of GPU `gpu`; units are dealt to the GPU's nodes in turn.
  std::uint32_t of_gpu(std::uint64_t gpu, std::uint64_t u) const {
    const std::uint64_t per_gpu = count / gpus;
    return static_cast<std::uint32_t>(gpu * per_gpu + u % per_gpu);
  }

  /// The memory of a node for its array's page `page`, if the system has `memories`. A node with
  /// several memories spreads its pages over them.
  ChannelId memory(std::uint32_t node, std::uint64_t page, std::uint32_t memories) const {
    const std::uint32_t own = std::max(1U, memories / count);
    const std::uint64_t first = std::uint64_t{node} * memories / count;
    return ChannelId(static_cast<std::uint32_t>(first + page % own));
  }

  std::uint32_t gpus;
  std::uint32_t count;  ///< of the system, a multiple of `gpus`
};

/// A scheduler that binds each CTA to a NUMA node. A node's SMs get its CTAs in ascending order.
class NodeBinding : public CtaScheduler {
 public:
  explicit NodeBinding(const TreeShape& tree) : nodes_(tree), next_(nodes_.count) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override {
    grid_ = grid;
    sms_ = sm_count;
    std::fill(next_.begin(), next_.end(), 0);
  }

  std::optional<CtaId> next(SmId sm) override {
    if (!has_more(sm)) return std::nullopt;
    return CtaId(static_cast<std::uint32_t>(next_[node_of_sm(sm)]++));
  }
  bool has_more(SmId sm) const override {
    const std::uint32_t node = node_of_sm(sm);
    std::uint64_t& cta = next_[node];
    const std::uint64_t end = grid_.count();
    while (cta < end && node_of(cta) != node) ++cta;
    return cta != end;
  }

 protected:
  /// The node of CTA `cta` of the launch's grid: below nodes().count.
  virtual std::uint32_t node_of(std::uint64_t cta) const = 0;
  const NumaNodes& nodes() const { return nodes_; }
  const CtaGrid& grid() const { return grid_; }

 private:
  std::uint32_t node_of_sm(SmId sm) const {
    return static_cast<std::uint32_t>(std::uint64_t{sm.value} * nodes_.count / sms_);
  }

  const NumaNodes nodes_;
  CtaGrid grid_;
  unsigned sms_ = 1;
  /// By node: the first CTA that has not been examined. Examining CTAs of other nodes changes no
  /// result.
  mutable std::vector<std::uint64_t> next_;
};

/// Parameter of schedulers that bind units of CTAs (batches, rows, columns).
struct BindingParameters {
  bool hierarchical = true;
};

inline void describe(ParameterVisitor& v, BindingParameters& p) {
  v.flag("hierarchical", p.hierarchical,
         "contiguous parts per GPU, dealt in turn to its nodes; otherwise contiguous parts per "
         "node (LADM section III-D2)");
}

}  // namespace tessera
