// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_btree {
namespace {

constexpr std::int32_t kOrder = 256;
/// Record r has key kStep * r. A query finds the last record whose key is not above it.
constexpr std::int32_t kStep = 16;

/// The value of record r in the tree: any unique value.
std::int32_t record_value(std::int32_t r) { return 3 * r + 1; }

struct Tree {
  std::vector<std::int32_t> keys;
  std::vector<std::int32_t> children;

  /// Assigns the nodes from `child` in order as children to `count` nodes from `parent`. A child
  /// covers `span` records. Keys of unused entries are above every query.
  void link(std::int32_t parent, std::int32_t child, std::int32_t count, std::int32_t span) {
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t entry = parent * kOrder + i;
      const auto at = static_cast<std::size_t>(entry);
      keys[at] = kStep * span * i;
      children[at] = child + i;
    }
  }
};

Tree build(std::int32_t inner, std::int32_t leaves) {
  const auto places = static_cast<std::size_t>(1 + inner + leaves) * kOrder;
  Tree tree{std::vector<std::int32_t>(places, std::numeric_limits<std::int32_t>::max()),
            std::vector<std::int32_t>(places)};
  const std::int32_t first_leaf = 1 + inner;
  if (inner == 0) {
    tree.link(0, first_leaf, leaves, kOrder);
  } else {
    tree.link(0, 1, inner, kOrder * kOrder);
    tree.link(1, first_leaf, leaves, kOrder);
  }
  for (std::int32_t r = 0; r < leaves * kOrder; ++r) {
    const std::int32_t entry = first_leaf * kOrder + r;
    const auto at = static_cast<std::size_t>(entry);
    tree.keys[at] = kStep * r;
    tree.children[at] = record_value(r);
  }
  return tree;
}

void host(HostSession& session) {
  const Tree tree = build(static_cast<std::int32_t>(session.size("inner")),
                          static_cast<std::int32_t>(session.size("leaves")));
  session.write("keys", tree.keys);
  session.write("children", tree.children);
  session.launch_all();
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto queries = in.values<std::int32_t>("queries");
  return {{"answers", [queries](std::uint64_t i) {
             return Element64::exactly(record_value(queries[i] / kStep));
           }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_btree
