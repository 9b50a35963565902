// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "modules/kernel/block.h"
#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// Config of a block without parameters, and Site of a block that no platform plans.
struct NoConfig {};
struct NoSite {};

/// The skeleton of a block's sc_module. A block is three structs and a class, in this order:
///
///   struct XConfig { ... };  // parameters, with describe() and validate(); X.h or X_config.h
///   struct XStats { ... };   // counters, with describe(); X.h, X_stats.h, or after XConfig
///   class X final : public BlockBase<XConfig, XStats, XSite> { ... };
///   struct XSite : BlockSite { ... };  // sites.h of the room: arguments of the factory
///
/// A forward declaration of XSite is enough for the class. A block that no kind makes has its site
/// beside its class. A class that cannot derive from BlockBase, because its configuration or its
/// statistics are in its parts, derives from Block and declares Config, Stats and Site itself.
///
/// Callbacks of sockets have one name each: forward (nb_transport_fw), backward (nb_transport_bw),
/// blocking (b_transport), debug (transport_dbg), direct (get_direct_mem_ptr). If two sockets of a
/// block have different callbacks of a sort, the name begins with the socket's: `probes_forward`.
/// tests/structure/skeleton_test.py checks both.
template <class BlockConfig, class BlockStats, class BlockSite>
class BlockBase : public sc_core::sc_module, public Block {
 public:
  using Config = BlockConfig;
  using Stats = BlockStats;
  using Site = BlockSite;

  const Config& config() const { return config_; }
  const Stats& stats() const { return stats_; }

  /// Registers the members of Stats. A block with further statistics overrides and calls it.
  void register_statistics(StatisticsRegistry& registry) const override {
    register_statistics_of(registry, name(), stats_);
  }

 protected:
  /// Tag: the base does not validate the configuration.
  struct Unvalidated {};

  /// An invalid configuration is an SC_FATAL that lists all errors. `arguments`: of validate().
  template <class... Arguments>
  BlockBase(const sc_core::sc_module_name& name, const Config& config, Arguments... arguments)
      : sc_module(name), config_(sound(this->name(), config, arguments...)) {}
  BlockBase(const sc_core::sc_module_name& name, const Config& config, Unvalidated)
      : sc_module(name), config_(config) {}

  const Config config_;
  Stats stats_;
};

}  // namespace tessera
