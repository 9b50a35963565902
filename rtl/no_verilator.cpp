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
    register_block<RtlLinkSite>("axi4-dram-port", [](const RtlLinkSite& s) {
      return refuse(s, "axi4-dram-port");
    });
  }
} kRegistered;

}  // namespace

}  // namespace tessera::no_verilator
