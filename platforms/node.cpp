// SPDX-License-Identifier: Apache-2.0
#include "platforms/node.h"

#include "modules/kernel/huge_pages.h"

namespace tessera {

Node::Node(const sc_core::sc_module_name& name, const PlannedNode& planned, Node* parent,
           Domain& domain, const std::function<void(Node&)>& fill)
    : sc_module(name), planned_(planned), parent_(parent), domain_(domain) {
  if (fill) fill(*this);
}

void* Node::find_service(std::type_index type) const {
  for (const Node* node = this; node != nullptr; node = node->parent_) {
    const auto found = node->services_.find(type);
    if (found != node->services_.end()) return found->second;
  }
  return nullptr;
}

void Node::start_of_simulation() {
  if (parent_ == nullptr) move_heap_to_huge_pages();
}

}  // namespace tessera
