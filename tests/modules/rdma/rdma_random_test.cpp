// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "tests/modules/rdma/rdma_rig.h"

namespace tessera::rdma_random_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr unsigned kGpus = 3;

/// Everything small and slow: every buffer fills.
RdmaRigConfig tight(bool coalesce) {
  RdmaRigConfig c;
  c.gpus = kGpus;
  c.ports = 2;
  c.fabric = true;
  c.largest_delay = ns(20);
  c.transfer = {true, true, coalesce, false};
  c.rdma.port_depth = 2;
  c.rdma.outgoing_depth = 1;
  c.rdma.staging_entries = 3;
  c.rdma.timeout_cycles = 15;
  c.memory.style = RequestStyle::kRandom;
  c.memory.random_latency = ns(60);
  c.memory.capacity = 3;
  c.sm.max_outstanding = 24;
  return c;
}

/// A home, and a kind of access.
void vary(ScriptedRequest& r, std::mt19937_64& random) {
  const auto slice = static_cast<std::uint32_t>(random() % (kGpus - 1));
  const bool write = r.command == tlm::TLM_WRITE_COMMAND;
  const bool fine = !write && random() % 4 != 0;
  const auto word_mask = static_cast<std::uint32_t>(random() % 2 == 0 ? 1U << random() % 16
                                                                      : (random() & 0xFFFF) | 1U);
  const bool write_back = random() % 3 == 0;
  r.prepare = [=](Transaction& x) {
    x.request().set_home(Home(SliceId(slice)), x.get_address());
    x.request().fine_grained = fine;
    x.request().word_mask = word_mask;
    if (write && write_back) x.request().kind = RequestKind::kWriteBack;
  };
}

ConformanceTraffic traffic() {
  ConformanceTraffic t;
  t.line_bytes = 64;
  t.adjust = vary;
  return t;
}

void conform(const RdmaRigConfig& config) {
  RdmaRig rig(config);
  run_conformance(rig.conformance(), traffic());
  CHECK(rig.packets.live() == 0);
}

}  // namespace

TEST_CASE("RDMA conforms: three GPUs, coalescing, everything tight") { conform(tight(true)); }

TEST_CASE("RDMA conforms: three GPUs, fine-grained, everything tight") { conform(tight(false)); }

TEST_CASE("RDMA conforms: default depths, long responses, back to back") {
  RdmaRigConfig config;
  config.transfer = {true, true, true, false};
  config.ports = 3;
  config.rdma.latency_cycles = 4;
  config.memory.style = RequestStyle::kRandom;
  config.memory.random_latency = ns(100);
  RdmaRig rig(config);
  ConformanceTraffic t = traffic();
  t.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    vary(r, random);
    const auto varied = r.prepare;
    r.prepare = [varied](Transaction& x) {
      varied(x);
      x.request().set_home(Home(SliceId(0)), x.get_address());
    };
  };
  run_conformance(rig.conformance(), t);
  CHECK(rig.packets.live() == 0);
}

TEST_CASE("RDMA: random traffic keeps its order to each home, its pieces, and its bytes") {
  RdmaRig rig(tight(true));
  std::mt19937_64 random(5);
  struct Asked {
    std::uint64_t address;
    std::uint32_t word_mask;
  };
  std::vector<std::vector<Asked>> asked(kGpus);
  std::uint64_t fine_loads = 0;
  for (unsigned g = 0; g < kGpus; ++g) {
    rig.sm(g).config().style = ResponseStyle::kRandom;
    rig.sm(g).config().random_stall = ns(30);
    for (unsigned i = 0; i < 1500; ++i) {
      // Stores go to other lines than loads.
      const bool store = random() % 4 == 0;
      const std::uint64_t address = (store ? 0x10000 : 0) + 64 * (random() % 64);
      ScriptedRequest r = load_at(ns(1 + i), address, static_cast<unsigned>(random() % 2));
      if (store) {
        r.command = tlm::TLM_WRITE_COMMAND;
        r.data.assign(64, 1);
      }
      const auto slice = static_cast<std::uint32_t>(random() % (kGpus - 1));
      const bool fine = !store && random() % 5 != 0;
      const auto word_mask = static_cast<std::uint32_t>(
          random() % 4 != 0 ? 1U << random() % 16 : (random() & 0xFFFF) | 1U);
      asked[g].push_back({address, word_mask});
      if (fine) ++fine_loads;
      r.prepare = [=](Transaction& x) {
        x.request().set_home(Home(SliceId(slice)), x.get_address());
        x.request().fine_grained = fine;
        x.request().word_mask = word_mask;
        x.request().requester = SmId(2 * g + r.port);
      };
      rig.sm(g).add(r);
    }
  }
  REQUIRE(run_until_done(rig.conformance(), us(1000)));
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  rig.check_all_done();

  std::uint64_t arrived = 0;
  for (unsigned g = 0; g < kGpus; ++g) {
    std::map<std::uint32_t, std::uint32_t> last;  // of each SM's port: its tags rise
    for (const ScriptedTarget::Arrival& a : rig.memory(g).arrivals()) {
      REQUIRE(a.request.requester.sm().value / 2 != g);
      const auto [before, first] = last.try_emplace(a.request.requester.sm().value, a.request.tag);
      REQUIRE((first || before->second < a.request.tag));
      before->second = a.request.tag;
      ++arrived;
    }
    for (std::size_t i = 0; i < rig.sm(g).size(); ++i) {
      const ScriptedResult& result = rig.sm(g).result(i);
      if (!result.request.fine_grained) continue;
      REQUIRE(result.request.word_mask == asked[g][i].word_mask);
      for (unsigned b = 0; b < 64; ++b) {
        const bool wanted = (asked[g][i].word_mask >> (b / 4) & 1U) != 0;
        REQUIRE(result.data[b] == (wanted ? ScriptedTarget::initial_byte(asked[g][i].address + b)
                                          : RdmaEngine::kPoison));
      }
    }
  }
  CHECK(arrived == kGpus * 1500);

  RdmaStats sum;
  for (unsigned g = 0; g < kGpus; ++g) {
    const RdmaStats& s = rig.rdma(g).stats();
    sum.requests_out += s.requests_out;
    sum.requests_in += s.requests_in;
    sum.packets_out_response += s.packets_out_response;
    sum.coalesced_packets += s.coalesced_packets;
    sum.coalesced_responses += s.coalesced_responses;
    sum.timeouts += s.timeouts;
    sum.reads_out += s.reads_out;
    sum.remote_reads_served += s.remote_reads_served;
  }
  CHECK(sum.requests_out == kGpus * 1500);
  CHECK(sum.requests_in == kGpus * 1500);
  CHECK(sum.remote_reads_served == sum.reads_out);
  // Every response is in one packet.
  CHECK(sum.packets_out_response - sum.coalesced_packets + sum.coalesced_responses == kGpus * 1500);
  CHECK(sum.coalesced_responses > fine_loads / 10);
  CHECK(sum.timeouts > 0);
}

}  // namespace tessera::rdma_random_test
