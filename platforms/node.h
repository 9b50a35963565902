// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "common/node_level.h"
#include "modules/kernel/domain.h"
#include "modules/plan/plan.h"

namespace tessera {

/// A node of the tree system > GPU > module > partition: its domain, the objects that its blocks
/// share, and the nodes below it. The sc_modules of blocks are children of the node of their GPU,
/// or of the system's, because modules and partitions are not part of a block's name. A node takes
/// no simulated time.
class Node final : public sc_core::sc_module {
 public:
  /// `parent`: null for the system. The domain must outlive the node. `fill`: called at the end of
  /// the construction, so that sc_modules which it creates are children of this one. Can be empty.
  Node(const sc_core::sc_module_name& name, const PlannedNode& planned, Node* parent,
       Domain& domain, const std::function<void(Node&)>& fill = {});

  NodeLevel level() const { return planned_.level; }
  /// "system.gpu0.module1.partition4"
  const std::string& path() const { return planned_.name; }
  Node* parent() const { return parent_; }
  Domain& domain() const { return domain_; }
  const std::vector<std::unique_ptr<Node>>& children() const { return children_; }
  /// Takes a node below this one.
  Node& adopt(std::unique_ptr<Node> child) { return *children_.emplace_back(std::move(child)); }

  /// Offers an object to the blocks of this node and of those below, by its type. It must outlive
  /// them.
  template <class Service>
  void offer(Service& service) {
    services_[typeid(Service)] = const_cast<void*>(static_cast<const void*>(&service));
  }
  /// The object of this node, or of the nearest node above that offers one; null if none does.
  void* find_service(std::type_index type) const;

 private:
  void start_of_simulation() override;

  const PlannedNode planned_;
  Node* const parent_;
  Domain& domain_;
  std::unordered_map<std::type_index, void*> services_;
  std::vector<std::unique_ptr<Node>> children_;
};

}  // namespace tessera
