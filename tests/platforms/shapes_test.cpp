// SPDX-License-Identifier: Apache-2.0
// Shape parameters of the partitioned platforms: each value runs and verifies; those that do not
// fit are refused with a reason.
#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::shapes_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

#define TESSERA_SHAPE(SPEC) TESSERA_VERIFIES_CARRIED("vecadd", SPEC)

// Half, the same, twice and four times the SMs.
TESSERA_SHAPE("nuba-small system.sms=4")
TESSERA_SHAPE("nuba-small system.sms=8")
TESSERA_SHAPE("nuba-small system.sms=16")
TESSERA_SHAPE("nuba-small system.sms=32")
TESSERA_SHAPE("uba-sm-small system.sms=4")
TESSERA_SHAPE("uba-sm-small system.sms=16")
TESSERA_SHAPE("uba-sm-small system.sms=32")
TESSERA_SHAPE("mcm-uba-small system.sms=8")
TESSERA_SHAPE("mcm-uba-small system.sms=32")
TESSERA_SHAPE("mcm-uba-small system.sms=64")
TESSERA_SHAPE("mcm-nuba-small system.sms=8")
TESSERA_SHAPE("mcm-nuba-small system.sms=32")
TESSERA_SHAPE("mcm-nuba-small system.sms=64")

// Channels that are no power of two.
TESSERA_SHAPE("uba-mem system.channels=40 noc.radix=10")
TESSERA_SHAPE("nuba-small system.sms=10 system.channels=5")
TESSERA_SHAPE("uba-sm-small system.channels=6")
TESSERA_SHAPE("mcm-uba-small system.modules=3 system.sms=9 system.channels=9")
TESSERA_SHAPE("griffin-small system.gpus=3 system.sms=12 system.channels=18")

TESSERA_SHAPE("nuba-small system.slices_per_channel=1")
TESSERA_SHAPE("nuba-small system.slices_per_channel=4")
TESSERA_SHAPE("uba-sm-small system.slices_per_channel=1")
TESSERA_SHAPE("uba-sm-small system.slices_per_channel=4")
TESSERA_SHAPE("mcm-uba-small system.slices_per_channel=1")
TESSERA_SHAPE("mcm-uba-small system.slices_per_channel=4")
TESSERA_SHAPE("mcm-nuba-small system.slices_per_channel=1")
TESSERA_SHAPE("mcm-nuba-small system.slices_per_channel=4")

TESSERA_SHAPE("nuba-small system.page_bytes=2097152")
TESSERA_SHAPE("uba-sm-small system.page_bytes=2097152")
TESSERA_SHAPE("mcm-nuba-small system.page_bytes=2097152")

TESSERA_SHAPE("nuba-small noc.link_bytes=4")
TESSERA_SHAPE("nuba-small noc.link_bytes=8")
TESSERA_SHAPE("nuba-small noc.link_bytes=32")
TESSERA_SHAPE("nuba-small noc.link_bytes=64")
TESSERA_SHAPE("uba-sm-small noc.link_bytes=4")
TESSERA_SHAPE("uba-sm-small side_link.link_bytes=64")
TESSERA_SHAPE("mcm-nuba-small noc.link_bytes=4")
TESSERA_SHAPE("mcm-nuba-small mcm.link_bytes=64")
TESSERA_SHAPE("mcm-nuba-small mcm.ports=1")
TESSERA_SHAPE("mcm-nuba-small mcm.ports=4")
TESSERA_SHAPE("mcm-uba-small system.modules=2")
TESSERA_SHAPE("mcm-nuba-small system.modules=8")

TESSERA_SHAPE("nuba-small system.address_map=pae")
TESSERA_SHAPE("nuba-norep-small system.address_map=pae")
TESSERA_SHAPE("mcm-nuba-small system.address_map=pae")
// A side's slices are homes of lines of every page.
TESSERA_SHAPE("uba-sm-small system.address_map=pae")
TESSERA_SHAPE("uba-sm-small system.address_map=channel-interleave")
TESSERA_SHAPE("uba-sm-small system.address_map=channel-interleave system.channels=6")

namespace {

void refused(const std::string& platform, const std::vector<std::string>& sets,
             const std::string& text) {
  INFO(platform);
  CHECK_THROWS_AS(resolve_config(platform, sets), InputError);
  CHECK_THROWS_WITH(resolve_config(platform, sets), Catch::Contains(text));
}

}  // namespace

TEST_CASE("partitions, sides and modules that do not divide are refused") {
  refused("nuba-small", {"system.sms=6"},
          "system.sms (6) must be a multiple of the partitions = system.channels (4)");
  refused("nuba-small", {"system.sms=2"},
          "system.sms (2) must be a multiple of the partitions = system.channels (4)");
  refused("uba-sm-small", {"system.sms=7"},
          "system.sms (7) must be a multiple of the two sides (2)");
  refused("uba-sm-small", {"system.channels=1"},
          "system.channels (1) must be a multiple of the two sides (2)");
  refused("mcm-uba-small", {"system.modules=3"},
          "system.channels (8) must be a multiple of system.modules (3)");
  refused("mcm-uba-small", {"system.sms=18"},
          "system.sms (18) must be a multiple of system.modules (4)");
}

TEST_CASE("choices that another choice excludes are refused") {
  refused("uba-sm-small", {"system.modules=2"},
          "system.modules must be 1 where topology is uba-sm");
  refused("uba-mem-small", {"system.remote_caching=full-replication"},
          "system.remote_caching (full-replication) needs partitions as the tree's innermost "
          "level, as of "
          "topology nuba: here it is uba-mem");
  refused("nuba-small", {"system.remote_caching=full-replicaton"},
          "did you mean 'full-replication'?");
  refused("nuba-small", {"system.topology=nubs"}, "did you mean 'nuba'?");
}

TEST_CASE("networks that cannot join so many ports are refused") {
  refused("nuba", {"system.slices_per_channel=4"}, "noc: 128 ingress ports: 1 to 64");
  refused("mcm-uba", {"mcm.ports=64"}, "noc: 96 egress ports: 1 to 64");
  refused("mcm-uba", {"mcm.radix=1"}, "mcm: 4 ingress ports: 1 to 1");
  refused("nuba-small", {"system.sms=512"}, "p2p, a partition's switch: radix is 128: 1 to 64");
  refused("nuba-small", {"p2p.buffer_flits=2"},
          "p2p: buffer_flits is 2: 5 (a whole packet of 136 bytes)");
  refused("uba-sm-small", {"side_link.buffer_flits=2"},
          "side_link: buffer_flits is 2: 17 (a whole packet of 136 bytes)");
  refused("mcm-uba-small", {"mcm.input_buffer_flits=2"},
          "mcm: input_buffer_flits is 2: 9 (a whole packet of 136 bytes)");
}

TEST_CASE("all that is wrong is reported at once") {
  refused("nuba-small", {"system.sms=6", "llc.latency_cycles=2", "l1.clock_hz=1000000000"},
          "share a clock");
  refused("nuba-small", {"system.sms=6", "l1.clock_hz=1000000000"}, "multiple of the partitions");
}

}  // namespace tessera::shapes_test
