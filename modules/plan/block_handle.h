// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <typeindex>
#include <utility>
#include <vector>

namespace tessera {

class Block;

using TargetPort =
    tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using InitiatorPort =
    tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

/// A created block: its sockets, and the interfaces that it offers to its platform. Other blocks
/// and the platform find an interface by its type, not by the block's kind.
struct BlockHandle {
  BlockHandle();
  BlockHandle(BlockHandle&& other) noexcept;
  BlockHandle& operator=(BlockHandle&& other) noexcept;
  ~BlockHandle();

  std::unique_ptr<sc_core::sc_module> module;  ///< set if the block is an sc_module
  std::unique_ptr<Block> plain;                ///< set if it is not
  Block* block = nullptr;                      ///< the same object; never null
  std::vector<TargetPort*> in;                 ///< `inputs` sockets
  std::vector<InitiatorPort*> out;             ///< `outputs` sockets

  /// The handle of an sc_module that is a Block, without sockets.
  template <class Module>
  static BlockHandle of(std::unique_ptr<Module> module) {
    BlockHandle h;
    h.block = module.get();
    h.module = std::move(module);
    return h;
  }
  /// Adds sockets of an sc_vector.
  template <class Vector>
  void add_inputs(Vector& sockets) {
    for (auto& s : sockets) in.push_back(&s);
  }
  template <class Vector>
  void add_outputs(Vector& sockets) {
    for (auto& s : sockets) out.push_back(&s);
  }

  /// Offers an interface of the block, which lives as long as the block.
  template <class Interface>
  void offer(Interface& interface) {
    offered_.emplace_back(typeid(Interface),
                          std::shared_ptr<void>(std::shared_ptr<void>(), &interface));
  }
  /// Offers an interface that is an object of its own, such as a struct of functions.
  template <class Interface>
  void offer(std::shared_ptr<Interface> interface) {
    offered_.emplace_back(typeid(Interface), std::move(interface));
  }
  /// Null if the block does not offer it; the first if it offers several.
  template <class Interface>
  Interface* find() const {
    for (const auto& [type, interface] : offered_) {
      if (type == typeid(Interface)) return static_cast<Interface*>(interface.get());
    }
    return nullptr;
  }
  /// f(type, interface) for each interface, in the order in which they were offered.
  template <class F>
  void for_each_offer(F f) const {
    for (const auto& [type, interface] : offered_) f(type, interface.get());
  }

 private:
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> offered_;
};

}  // namespace tessera
