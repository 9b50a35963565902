// SPDX-License-Identifier: Apache-2.0
// "local": all lines are handled in the same way.
#include "modules/sm/l1_pipeline.h"

namespace tessera::l1_roles::local {

namespace {

class LocalRole {
 public:
  static constexpr bool kBypassesArray = false;

  explicit LocalRole(const L1RoleSite&) {}

  static L1Handling handling(const tlm::tlm_generic_payload&, const MemoryRequest&) { return {}; }
  static void looked_up(MemoryRequest&, const L1Handling&, L1Lookup) {}
  static void responded(tlm::tlm_generic_payload&, Tick, const ClockDomain&) {}
  static void register_statistics(const std::string&, StatisticsRegistry&) {}
};

const PolicyRegistration<L1Cache> kRegistered("local", "every line is treated alike",
                                              make_l1_pipeline<LocalRole>);

}  // namespace

}  // namespace tessera::l1_roles::local
