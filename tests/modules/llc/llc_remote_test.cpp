// SPDX-License-Identifier: Apache-2.0
// A slice as the way to, and a cache of, other slices' lines.

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "tests/modules/llc/slice_rig.h"
#include "tests/support/policy_settings.h"

namespace tessera::llc_remote_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kThere = kOtherHome + 0x1000;
constexpr std::uint64_t kFar = 1 + kMemory + 1;  ///< round the arrays: a cycle each way
const RequestStyle kUsual = RequestStyle::kEarlyEndReq;

/// A replica's miss and hit; with `style`s of responses from the home slice.
void miss_and_hit(RequestStyle style) {
  Rig rig(plain(), style, "full-replication");
  const auto miss = rig.read_only(10, kThere);
  const auto hit = rig.read_only(500, kThere);
  rig.run();
  CHECK(rig.arrived(*rig.other, 0) == 10 + kLatency);
  CHECK(rig.responded_at(miss) == 10 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.other->arrivals().size() == 1);
  CHECK(rig.memory.arrivals().empty());
  CHECK(rig.byte(hit, 3) == initial(kThere + 3));
  CHECK(rig.sm.result(hit).data == rig.sm.result(miss).data);
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.replica_misses == 1);
  CHECK(s.replica_hits == 1);
  CHECK(s.bypasses == 0);
  CHECK(s.sm_loads == 2);
  CHECK(s.sm_loads_served == 1);
}

/// Runs what is scheduled, loads a line of it again and returns whether it had stayed.
bool stays(Rig& rig, std::uint64_t address) {
  rig.run();
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, address);
  rig.run();
  const std::uint64_t took = rig.responded_at(load) - start;
  CHECK((took == kLatency || took == kLatency + kMemory + 1));
  return took == kLatency;
}

}  // namespace

TEST_CASE("remote stores, atomics and loads of written data go round the arrays") {
  Rig rig(plain(), kUsual, "full-replication");
  const ByteMask mask = ByteMask::range(4, 8);
  const auto store = rig.store(10, kThere, 0x5a, mask);
  const auto atomic = rig.atomic(300, kThere, rig.adds(2, 1));
  const auto load = rig.load(600, kThere);
  const auto again = rig.load(900, kThere);
  rig.run();
  CHECK(rig.responded_at(store) == 10 + kFar);
  CHECK(rig.responded_at(atomic) == 300 + kFar);
  CHECK(rig.responded_at(load) == 600 + kFar);
  CHECK(rig.responded_at(again) == 900 + kFar);
  REQUIRE(rig.other->arrivals().size() == 4);
  const auto& arrived = rig.other->arrivals();
  CHECK(rig.arrived(*rig.other, 0) == 11);
  CHECK(arrived[0].mask == mask);
  CHECK(arrived[0].request.kind == RequestKind::kStore);
  CHECK(arrived[0].request.home().slice == SliceId(1));
  CHECK(arrived[1].request.kind == RequestKind::kAtomic);
  CHECK(rig.byte(load, 11) == 0x5a);
  CHECK(rig.byte(load, 12) == initial(kThere + 12));
  // The requester finds the route empty again.
  CHECK(rig.sm.result(load).request.route_depth() == 0);
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.bypasses == 4);
  CHECK(s.reads + s.writes + s.atomics == 0);
  CHECK(s.local_lookups == 0);
  CHECK(s.sm_loads == 2);
  CHECK(s.sm_loads_served == 0);
  CHECK(rig.memory.arrivals().empty());
}

TEST_CASE("without replication read-only loads go round the arrays too") {
  Rig rig(plain(), kUsual, "home");
  const auto first = rig.read_only(10, kThere);
  const auto second = rig.read_only(300, kThere);
  rig.run();
  CHECK(rig.responded_at(first) == 10 + kFar);
  CHECK(rig.responded_at(second) == 300 + kFar);
  CHECK(rig.llc.stats().bypasses == 2);
}

TEST_CASE("what goes round takes no lookup from what does not") {
  Rig rig(plain(), kUsual, "home");
  rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  const auto passing = rig.load(501, kThere);
  const auto behind = rig.load(502, 0x1000);
  rig.run();
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.responded_at(passing) == 501 + kFar);
  CHECK(rig.responded_at(behind) == 502 + kLatency);
}

TEST_CASE("a replica miss takes the latency, the way to its home and a cycle, a hit the latency") {
  miss_and_hit(RequestStyle::kEarlyEndReq);
}
TEST_CASE("a replica miss takes as long when its home responds with TLM_COMPLETED") {
  miss_and_hit(RequestStyle::kComplete);
}
TEST_CASE("a replica miss takes as long when its home responds on the return path") {
  miss_and_hit(RequestStyle::kRespondAtOnce);
}
TEST_CASE("a replica miss takes as long when BEGIN_RESP stands for END_REQ") {
  miss_and_hit(RequestStyle::kImpliedEndReq);
}

TEST_CASE("loads of a replica that is being fetched merge and receive their responses in order") {
  Rig rig(plain(), kUsual, "full-replication");
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < 3; ++i) loads.push_back(rig.read_only(10 + i, kThere));
  rig.run();
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(rig.responded_at(loads[i]) == 10 + kLatency + kMemory + 1 + i);
  }
  CHECK(rig.other->arrivals().size() == 1);
  CHECK(rig.llc.stats().merges == 2);
  CHECK(rig.llc.stats().replica_misses == 1);
  // The other slice stamps nothing here. This one stamps its responses as those of a copy.
  for (unsigned i = 0; i < 3; ++i) {
    const MemoryRequest& request = rig.sm.result(loads[i]).request;
    CHECK(request.served_by == ServedBy::kCopy);
    CHECK(request.joined_fetch == (i != 0));
    CHECK(request.stamp(Hop::kAtLlc) == rig.edge(10 + i));
    CHECK(request.stamp(Hop::kFromLlc) == rig.edge(10 + kLatency + kMemory + 1 + i));
  }
}

TEST_CASE("a replica leaves the last MSHRs to the slice's own lines and goes on uncached") {
  LlcSliceConfig c = plain();
  c.mshr_entries = 4;  // a quarter of them is one
  Rig rig(c, kUsual, "full-replication");
  for (unsigned i = 0; i < 4; ++i) rig.read_only(10 + i, kThere + i * kLine);
  const auto own = rig.load(14, 0x1000);
  const auto kept = rig.read_only(500, kThere + 2 * kLine);
  const auto fourth = rig.read_only(501, kThere + 3 * kLine);
  rig.run();
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(rig.arrived(*rig.other, i) == 10 + i + kLatency);
    CHECK(rig.responded_at(i) == 10 + i + kLatency + kMemory + 1);
  }
  CHECK(rig.responded_at(own) == 14 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(kept) == 500 + kLatency);
  CHECK(rig.responded_at(fourth) == 501 + kLatency + kMemory + 1);
  CHECK(rig.llc.stats().bypasses == 1);
  CHECK(rig.llc.stats().replica_misses == 4);
  CHECK(rig.llc.stats().stalls_mshr == 0);
}

TEST_CASE("a replica leaves the last way of a set to the slice's own lines") {
  Rig rig(one_set(2), kUsual, "full-replication");
  rig.read_only(10, kThere);
  const auto uncached = rig.read_only(11, kThere + kLine);
  const auto own = rig.load(12, 0x1000);
  const auto kept = rig.read_only(500, kThere);
  const auto again = rig.read_only(501, kThere + kLine);
  rig.run();
  CHECK(rig.responded_at(uncached) == 11 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(own) == 12 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(kept) == 500 + kLatency);
  CHECK(rig.responded_at(again) == 501 + kLatency + kMemory + 1);
  CHECK(rig.llc.stats().bypasses == 1);
  CHECK(rig.llc.stats().stalls_ways == 0);
}

TEST_CASE("a network that takes nothing withholds the port, and nothing is lost") {
  Rig rig(plain(), kUsual, "home");
  rig.other->config().capacity = 100;
  rig.other->stall_until(rig.edge(300));
  const auto capacity = static_cast<unsigned>(kLatency) + rig.llc.config().queue_depth;
  const unsigned sent = capacity + 4;
  for (unsigned i = 0; i < sent; ++i) rig.load(10 + i, kOtherHome + i * kLine);
  rig.run_to(rig.edge(200) + 1);
  // One is on its way, the port's entries hold the next ones, the last of these without END_REQ.
  CHECK(rig.sm.result(capacity).begin_req != kNever);
  CHECK(rig.sm.result(capacity).end_req == kNever);
  CHECK(rig.sm.result(capacity + 1).begin_req == kNever);
  std::vector<Waiting> waiting;
  rig.llc.describe_waiting(waiting);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].queue == "llc.to_remote");
  CHECK(waiting[0].items == capacity);
  CHECK(waiting[1].queue == "llc.bypasses");
  CHECK(waiting[1].items == capacity + 1);
  CHECK_FALSE(rig.llc.idle());
  rig.other->stall_until(0);
  rig.run();
  CHECK(rig.arrived(*rig.other, 0) == 11);
  // END_REQ at 300 is acted on at 301.
  for (unsigned i = 1; i < sent; ++i) CHECK(rig.arrived(*rig.other, i) == 301 + i);
  CHECK(rig.sm.result(capacity).end_req == rig.edge(301));
  CHECK(rig.llc.stats().bypasses == sent);
}

TEST_CASE("replica misses wait for room in the queue to the network") {
  LlcSliceConfig c = plain();
  c.remote_queue_depth = 2;
  Rig rig(c, kUsual, "full-replication");
  rig.other->stall_until(rig.edge(200));
  for (unsigned i = 0; i < 6; ++i) rig.read_only(10 + i, kThere + i * kLine);
  rig.run_to(rig.edge(150) + 1);
  CHECK(rig.llc.stats().replica_misses == 3);  // one under way, two in the queue
  rig.other->stall_until(0);
  rig.run();
  // The fourth; from then on, one leaves each cycle.
  CHECK(rig.llc.stats().stalls_output == 1);
  CHECK(rig.arrived(*rig.other, 0) == 10 + kLatency);
  for (unsigned i = 1; i < 6; ++i) CHECK(rig.arrived(*rig.other, i) == 201 + i);
}

TEST_CASE("an error of another slice reaches the requester") {
  Rig rig(plain(), kUsual, "home");
  rig.other->status_of = [](std::uint64_t) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; };
  const auto load = rig.load(10, kThere);
  CHECK(run_until_done(rig.conformance(), us(10)));
  CHECK(rig.sm.result(load).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("a line that only remote requests fetched stays where remote misses are installed") {
  Rig rig(plain(), kUsual, "home");
  rig.load(10, 0x1000, kRemote);
  CHECK(stays(rig, 0x1000));
}

namespace {

std::unique_ptr<RemoteCaching> forwarding() {
  return make_policy<RemoteCaching>(
      "home", {}, policy_settings<RemoteCaching>({{"home.install_remote_misses", 0}}));
}

}  // namespace

TEST_CASE("a line that only remote requests fetched goes where they are not installed") {
  Rig rig(plain(), kUsual, forwarding(), two_partitions());
  const auto first = rig.load(10, 0x1000, kRemote);
  const auto merged = rig.load(11, 0x1000, kRemote);
  CHECK_FALSE(stays(rig, 0x1000));
  CHECK(rig.responded_at(first) == 10 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(merged) == 10 + kLatency + kMemory + 2);
}

TEST_CASE("a line that a local request waited for stays whoever fetched it") {
  Rig rig(plain(), kUsual, forwarding(), two_partitions());
  rig.load(10, 0x1000, kRemote);
  rig.load(11, 0x1000, kLocal);
  CHECK(stays(rig, 0x1000));
}

TEST_CASE("a line that holds written bytes stays whoever fetched the rest") {
  Rig rig(plain(), kUsual, forwarding(), two_partitions());
  rig.store(10, 0x1000, 0x77, ByteMask::first(4), kRemote);
  rig.load(100, 0x1000, kRemote);
  rig.atomic(300, 0x2000, rig.adds(1, 1), kRemote);
  CHECK(stays(rig, 0x1000));
  CHECK(stays(rig, 0x2000));
}

TEST_CASE("debug accesses to another slice's line see its home, and a write reaches the replica") {
  Rig rig(plain(), kUsual, "full-replication");
  rig.read_only(10, kThere);
  rig.run();
  rig.other->set_byte(kThere, 0x11);  // as if its home had changed
  CHECK(rig.peek(kThere)[0] == 0x11);
  std::vector<unsigned char> data(4, 0x22);
  CHECK(rig.debug(tlm::TLM_WRITE_COMMAND, kThere, data) == 4);
  const std::uint64_t start = rig.soon();
  const auto load = rig.read_only(start, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency);
  CHECK(rig.byte(load, 0) == 0x22);
}

TEST_CASE("a reset slice has no replicas") {
  Rig rig(plain(), kUsual, "full-replication");
  rig.read_only(10, kThere);
  rig.run();
  reset_all(rig.conformance());
  const std::uint64_t start = rig.soon();
  const auto load = rig.read_only(start, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency + kMemory + 1);
}

TEST_CASE("a slice in both roles passes the conformance run") {
  Rig rig(tiny(), RequestStyle::kRandom, "full-replication");
  rig.memory.config().random_latency = ns(100);
  rig.other->config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 8;
  traffic.lines = 8;
  traffic.adjust = [&rig](ScriptedRequest& r, std::mt19937_64& random) {
    // Half of a port's lines are another slice's; the network brings requests for own lines only.
    const bool own = r.port == kRemote || random() % 2 == 0;
    if (!own) r.address += kOtherHome;
    const bool load = r.command == tlm::TLM_READ_COMMAND;
    if (load) r.mask = ByteMask::first(kLine);
    // The upper half of the other slice's lines is never written.
    const bool read_only = r.address >= kOtherHome + 4 * kLine;
    if (read_only && !load) r.address -= 4 * kLine;
    r.prepare = [&rig, read_only = read_only && load](Transaction& t) {
      rig.prepare(t);
      t.request().read_only = read_only;
    };
  };
  run_conformance(rig.conformance(), traffic);
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.replica_hits > 10);
  CHECK(s.replica_misses > 20);
  CHECK(s.bypasses > 100);
}

// Other GPUs' lines, and what RemoteCaching is asked.

namespace {

/// Slice 1 is another GPU's, with SMs 32 and on.
TreeShape two_gpus() {
  TreeShape tree = two_partitions();
  tree.gpus = tree.modules = 2;
  return tree;
}

/// Notes what it is asked; the home keeps nothing.
class Recorder final : public RemoteCaching {
 public:
  explicit Recorder(std::vector<RemoteAccess>& asked) : asked_(asked) {}
  Caching decide(const RemoteAccess& access) const override {
    asked_.push_back(access);
    return {false, false};
  }

 private:
  std::vector<RemoteAccess>& asked_;
};

}  // namespace

TEST_CASE("a load of pieces of another GPU's line goes round the arrays as it is") {
  Rig rig(plain(), kUsual, "full-replication", two_gpus());
  ScriptedRequest r = rig.request(10, kThere);
  r.prepare = [&rig](Transaction& t) {
    rig.prepare(t);
    t.request().read_only = true;
    t.request().fine_grained = true;
    t.request().word_mask = 0x30;
  };
  const auto load = rig.sm.add(std::move(r));
  rig.run();
  CHECK(rig.responded_at(load) == 10 + kFar);
  REQUIRE(rig.other->arrivals().size() == 1);
  CHECK(rig.other->arrivals()[0].request.fine_grained);
  CHECK(rig.other->arrivals()[0].request.word_mask == 0x30);
  CHECK(rig.other->arrivals()[0].request.kind == RequestKind::kLoad);
  CHECK(rig.llc.stats().bypasses == 1);
  CHECK(rig.llc.stats().replica_misses == 0);
}

TEST_CASE("full-replication keeps no line of another GPU, and holds no MSHR for it") {
  Rig rig(plain(), kUsual, "full-replication", two_gpus());
  const auto first = rig.read_only(10, kThere);
  const auto again = rig.read_only(500, kThere);
  rig.run();
  CHECK(rig.responded_at(first) == 10 + kFar);
  CHECK(rig.responded_at(again) == 500 + kFar);
  CHECK(rig.llc.stats().bypasses == 2);
  CHECK(rig.llc.stats().replica_misses == 0);
  CHECK_FALSE(rig.llc.needs_flush());
}

TEST_CASE("RemoteCaching receives a load's scope, distance, requester, home and line") {
  std::vector<RemoteAccess> asked;
  Rig rig(plain(), kUsual, std::make_unique<Recorder>(asked), two_gpus());
  ScriptedRequest r = rig.request(10, kThere);
  r.prepare = [&rig](Transaction& t) {
    rig.prepare(t);
    t.request().read_only = true;
    t.request().bypass_l1 = true;
    t.request().requester = SmId(7);
  };
  rig.sm.add(std::move(r));
  rig.run();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].kind == RemoteAccessKind::kLoad);
  CHECK(asked[0].scope == RemoteAccessScope::kHome);
  CHECK(asked[0].distance == NodeDistance::kOtherGpu);
  CHECK(asked[0].read_only);
  CHECK(asked[0].requester == SmId(7));
  CHECK(asked[0].home == SliceId(1));
  CHECK(asked[0].line == kThere / kLine);
}

TEST_CASE("the home slice asks what to keep of another node's atomic, and keeps written bytes") {
  std::vector<RemoteAccess> asked;
  Rig rig(plain(), kUsual, std::make_unique<Recorder>(asked), two_partitions());
  ScriptedRequest r = rig.atomic_request(10, 0x1000, rig.adds(1, 1), kRemote);
  r.prepare = [before = std::move(r.prepare)](Transaction& t) {
    before(t);
    t.request().requester = SmId(40);
  };
  rig.sm.add(std::move(r));
  CHECK(stays(rig, 0x1000));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].kind == RemoteAccessKind::kAtomic);
  CHECK(asked[0].distance == NodeDistance::kSameModule);
  CHECK(asked[0].home == SliceId(0));
}

TEST_CASE("a line that the policy does not keep at home goes when others alone fetched it") {
  std::vector<RemoteAccess> asked;
  Rig rig(plain(), kUsual, std::make_unique<Recorder>(asked), two_partitions());
  rig.load(10, 0x1000, kRemote);
  CHECK_FALSE(stays(rig, 0x1000));
}

}  // namespace tessera::llc_remote_test
