// SPDX-License-Identifier: Apache-2.0
// Every fault that a payload can have, against the blocks of the MMU and between GPUs.
#include <catch2/catch.hpp>
#include <memory>

#include "modules/kernel/sc_time.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/translation.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/noc/long_link.h"
#include "modules/rdma/rdma_engine.h"
#include "tests/modules/targets/payload_table.h"
#include "tests/support/scripted_target.h"

namespace tessera::translation_targets_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kPage = 4096;

/// L2 TLB, walker and driver, each with an initiator of its own.
struct MmuRig {
  TransactionPool pool;
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", MemoryGeometry{});
  PageTable table{*map};
  std::unique_ptr<PagePlacement> placement = make_policy<PagePlacement>("first-touch");
  RawInitiator initiator{"initiator"};
  Target target;

  UvmPlatform platform() {
    return {[](SmId) { return ChannelId(0); },
            [](std::uint64_t address) { return address < 16 * kPage; }};
  }
  MmuRig() {
    target.initiator = &initiator;
    target.address = 2 * kPage;
    target.bytes = kTranslationBytes;
    target.prepare = [](RawPayload& p) { p.request.kind = RequestKind::kTranslation; };
    // Another address of the same page is as good.
    target.sound = {"across the end of a line"};
    target.found_later = {PayloadFault::kAddress};  // in no allocation: the driver knows
    using F = PayloadFault;
    target.more = {
        {"7 bytes", [](RawPayload& p) { p.resize(7); }, F::kLength, F::kLength},
        {"a write", [](RawPayload& p) { p.payload.set_command(tlm::TLM_WRITE_COMMAND); },
         F::kCommand, F::kCommand},
        {"byte enables",
         [](RawPayload& p) {
           p.enables.assign(8, TLM_BYTE_ENABLED);
           p.payload.set_byte_enable_ptr(p.enables.data());
           p.payload.set_byte_enable_length(8);
         },
         F::kByteEnables, F::kByteEnables},
        {"an SM that is none",
         [](RawPayload& p) { p.request.requester = SmId(RequesterId::kMaxIndex); }, F::kNone,
         F::kNone},
    };
  }
};

UvmDriverConfig prefaulted() {
  UvmDriverConfig c;
  c.mode = FaultMode::kPrefaulted;
  return c;
}

}  // namespace

TEST_CASE("payload table: the UVM driver") {
  MmuRig rig;
  UvmDriver driver("driver", prefaulted(), rig.table, *rig.placement, rig.platform());
  rig.initiator.socket.bind(driver.in);
  rig.target.block = &driver;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: a page walker") {
  MmuRig rig;
  UvmDriver driver("driver", prefaulted(), rig.table, *rig.placement, rig.platform());
  PageWalker walker("walker", PageWalkerConfig{}, rig.table);
  rig.initiator.socket.bind(walker.in);
  walker.driver.bind(driver.in);
  rig.target.block = &walker;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: an L2 TLB") {
  MmuRig rig;
  UvmDriver driver("driver", prefaulted(), rig.table, *rig.placement, rig.platform());
  PageWalker walker("walker", PageWalkerConfig{}, rig.table);
  L2Tlb tlb("tlb", L2TlbConfig{}, kPage, rig.pool, 1);
  rig.initiator.socket.bind(tlb.in[0]);
  tlb.walker.bind(walker.in);
  walker.driver.bind(driver.in);
  rig.target.block = &tlb;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: a long link") {
  MmuRig rig;
  Domain& domain = Domain::under_construction();
  LongLink link("link", LongLinkConfig{}, domain, domain);
  ScriptedTarget iommu("iommu");
  rig.initiator.socket.bind(link.in);
  link.out.bind(iommu.socket());
  rig.target.block = &link;
  // It carries any request that is no longer than a line, and leaves the rest to the IOMMU.
  rig.target.sound = {"a kind of another protocol", "across the end of a line",
                      "an address beyond the memory", "the last address of all"};
  rig.target.found_later = {};
  rig.target.more = {
      {"7 bytes", [](RawPayload& p) { p.resize(7); }, PayloadFault::kNone, PayloadFault::kNone}};
  run_payload_table(rig.target);
}

namespace {

/// The engine of GPU 0 of two, and raw initiators for its three kinds of input.
struct EngineRig {
  PacketPool packets;
  RemoteAccessMode transfer;
  RawInitiator local{"local"};
  RawInitiator request{"request"};
  RawInitiator response{"response"};
  RdmaEngine rdma;
  ScriptedTarget home{"home"};
  ScriptedTarget fabric;

  EngineRig() : rdma("rdma", RdmaConfig{}, role()), fabric("fabric", two_ports()) {
    local.socket.bind(rdma.local_in[0]);
    rdma.local_out.bind(home.socket());
    request.socket.bind(rdma.fabric_in[0]);
    response.socket.bind(rdma.fabric_in[1]);
    for (unsigned c = 0; c < kPacketClasses; ++c) rdma.fabric_out[c].bind(fabric.socket(c));
  }
  static ScriptedTargetConfig two_ports() {
    ScriptedTargetConfig c;
    c.ports = 2;
    return c;
  }
  RdmaEngineSite role() {
    RdmaEngineSite r;
    r.self = GpuId(0);
    r.gpus = 2;
    r.ports = 1;
    r.home_of = [](const MemoryRequest& m) { return GpuId(m.home().slice.value); };
    r.transfer = &transfer;
    r.packets = &packets;
    r.debug_at_home = [](tlm::tlm_generic_payload&) { return 0U; };
    r.blocking_at_home = [](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      p.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    return r;
  }
};

}  // namespace

TEST_CASE("payload table: an RDMA engine's requests of its own GPU") {
  EngineRig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<BadPayload> table = common_faults();
  table.push_back({"a home that is not known", [](RawPayload& p) { p.request.set_home({}, 4096); },
                   PayloadFault::kHome, PayloadFault::kNone});
  table.push_back({"a home in the GPU itself",
                   [](RawPayload& p) { p.request.set_home(Home(SliceId(0)), 128); },
                   PayloadFault::kHome, PayloadFault::kNone});
  table.push_back({"a home in a GPU that is none",
                   [](RawPayload& p) { p.request.set_home(Home(SliceId(7)), 128); },
                   PayloadFault::kHome, PayloadFault::kNone});
  Target target;
  target.block = &rig.rdma;
  target.initiator = &rig.local;
  target.address = 128;
  target.prepare = [](RawPayload& p) { p.request.set_home(Home(SliceId(1)), 128); };
  // The engine knows no end of memory: such an address is one whose home is not known.
  for (BadPayload& bad : table) {
    if (bad.timed != PayloadFault::kAddress) continue;
    bad.timed = PayloadFault::kHome;
    bad.untimed = PayloadFault::kNone;
  }
  std::set<PayloadFault> reported;
  for (const BadPayload& bad : table) {
    for (const PayloadFault f : {bad.timed, bad.untimed}) {
      if (f != PayloadFault::kNone) reported.insert(f);
    }
  }
  {
    const ExpectReport warnings(report::kBadPayload, reported.size());
    for (const BadPayload& bad : table) {
      send_timed(target, bad, false);
      send_untimed(target, bad, false);
    }
  }
  send_stray_phases(target);
  CHECK(rig.fabric.arrivals().empty());
}

TEST_CASE("payload table: what is no packet does not enter an RDMA engine") {
  EngineRig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const ExpectReport refused(report::kBadPayload);
  CountingManager mm;
  RawPayload line(mm, tlm::TLM_READ_COMMAND, 128, 128);
  for (RawInitiator* from : {&rig.request, &rig.response}) {
    line.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(from->forward(line.payload, tlm::BEGIN_REQ) == tlm::TLM_COMPLETED);
    CHECK(line.payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  const auto packet = [&](PacketClass channel, unsigned from, unsigned to, unsigned contents) {
    LinkPacket& p = rig.packets.acquire();
    p.channel = channel;
    p.from = GpuId(from);
    p.to = GpuId(to);
    p.bytes = 16;
    for (unsigned i = 0; i < contents; ++i) p.add(line.payload, 0);
    rig.request.forward(p, tlm::BEGIN_REQ);
    CHECK(p.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
    p.release();
  };
  packet(PacketClass::kRequest, 1, 0, 0);   // empty
  packet(PacketClass::kRequest, 1, 0, 2);   // two requests
  packet(PacketClass::kResponse, 1, 0, 1);  // of the other class
  packet(PacketClass::kRequest, 0, 0, 1);   // from itself
  packet(PacketClass::kRequest, 9, 0, 1);   // from nobody
  packet(PacketClass::kRequest, 1, 1, 1);   // to another
  CHECK(rig.rdma.idle());
  CHECK(rig.packets.live() == 0);
  CHECK(rig.home.arrivals().empty());
}

TEST_CASE("payload table: what is no packet does not enter the fabric between GPUs") {
  GpuFabric fabric("fabric", GpuFabricConfig{}, 2);
  RawInitiator initiator("initiator");
  ScriptedTargetConfig four;
  four.ports = 4;
  ScriptedTarget out("out", four);
  std::vector<std::unique_ptr<RawInitiator>> others;
  initiator.socket.bind(fabric.in[0]);
  for (unsigned i = 1; i < 4; ++i) {
    others.push_back(std::make_unique<RawInitiator>(("other" + std::to_string(i)).c_str()));
    others.back()->socket.bind(fabric.in[i]);
  }
  for (unsigned i = 0; i < 4; ++i) fabric.out[i].bind(out.socket(i));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CountingManager mm;
  RawPayload line(mm, tlm::TLM_READ_COMMAND, 128, 128);
  {
    const ExpectReport refused(report::kBadPayload);
    CHECK(initiator.forward(line.payload, tlm::BEGIN_REQ) == tlm::TLM_COMPLETED);
    CHECK(line.payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  {
    const ExpectReport posted("/tessera/noc/posted_only");
    initiator.blocking(line.payload);
    CHECK(line.payload.is_response_error());
  }
  {
    const ExpectReport stray(report::kProtocol);
    initiator.forward(line.payload, tlm::END_RESP);
  }
  CHECK(initiator.debug(line.payload) == 0);
  sc_core::sc_start(to_sc_time(1'000'000'000));
  CHECK(fabric.idle());
  CHECK(out.arrivals().empty());
}

}  // namespace tessera::translation_targets_test
