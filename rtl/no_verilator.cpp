// SPDX-License-Identifier: Apache-2.0
// The implementations in RTL, in a build without Verilator.
#include "common/error.h"
#include "modules/llc/sites.h"
#include "modules/plan/block_family.h"
#include "rtl/common/sites.h"

namespace tessera::no_verilator {

namespace {

BlockHandle refuse(const BlockSite& site, const char* name) {
  throw InputError(site.path + ".impl = " + name +
                   ": this build has no RTL blocks. Install Verilator 5.006 or later (Debian: "
                   "apt-get install verilator), configure and build again");
}

const struct Registration {
  Registration() {
    register_block<LlcSite>("rtl-llc", [](const LlcSite& s) { return refuse(s, "rtl-llc"); });
    for (const char* const name : {"axi4-dram-port", "axi4-dram-port-64"}) {
      register_block<RtlLinkSite>(name, [name](const RtlLinkSite& s) { return refuse(s, name); });
    }
  }
} kRegistered;

}  // namespace

}  // namespace tessera::no_verilator
