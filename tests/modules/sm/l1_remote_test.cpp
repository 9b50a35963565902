// SPDX-License-Identifier: Apache-2.0
// An L1 among several GPUs: remote loads past the array, MSHRs with piece masks (DualOpt 4.1.2).
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "modules/sm/l1_pipeline.h"
#include "modules/sm/l1_roles/multi_gpu.h"
#include "tests/support/cache_rig.h"

namespace tessera::l1_remote_test {

using namespace tessera::test;

namespace {

/// Lines from kOtherHome on are another GPU's.
constexpr std::uint64_t kFar = kOtherHome + 0x100;
constexpr RemoteAccessMode kLineWise{};
constexpr RemoteAccessMode kBypass{true, false, false, false};
constexpr RemoteAccessMode kFine{true, true, false, false};

L1Config plain() {
  L1Config c;
  c.clock_hz = 1'000'000'000;
  return c;
}
L1Config two_entries() {
  L1Config c = plain();
  c.mshr_entries = 2;
  return c;
}

struct Watcher final : L1Observer {
  struct Seen {
    std::uint32_t word_mask;
    bool remote;
    bool hit;
    bool operator==(const Seen& o) const {
      return word_mask == o.word_mask && remote == o.remote && hit == o.hit;
    }
  };
  std::vector<Seen> seen;
  void on_l1_access(const MemoryRequest& r, bool remote, bool hit) override {
    seen.push_back({r.word_mask, remote, hit});
  }
};

struct Rig final : CacheRig {
  RemoteAccessMode transfer;
  Watcher watcher;
  std::unique_ptr<L1Cache> made;
  L1Cache& l1;

  explicit Rig(const RemoteAccessMode& how, const L1Config& config = plain(),
               std::uint32_t transfer_bytes = 4, RequestStyle style = RequestStyle::kEarlyEndReq)
      : CacheRig(config.clock_hz, {1, 1, style}),
        transfer(how),
        made(make_l1_cache("l1", config, map,
                           {"multi_gpu", 0, kOtherHome, &transfer, transfer_bytes, &watcher})),
        l1(*made) {
    block = &l1;
    join(sm.socket(), l1.core);
    join(l1.memory, memory.socket());
    memory.access = [this](tlm::tlm_generic_payload& p) { serve(p); };
  }

  /// What is not asked for does not come: its bytes are nothing like the memory's.
  void serve(tlm::tlm_generic_payload& p) {
    const MemoryRequest& r = request_of(p);
    const ByteMask mask = byte_mask_of(p);
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      unsigned char& byte = p.get_data_ptr()[i];
      const std::uint64_t at = p.get_address() + i;
      if (p.is_write() && mask.test(i)) memory.set_byte(at, byte);
      if (!p.is_read()) continue;
      const bool comes = !r.fine_grained || (r.word_mask >> (i / 4) & 1) != 0;
      byte = static_cast<unsigned char>(comes ? memory.byte(at) : ~memory.byte(at));
    }
  }
  std::size_t load(std::uint64_t cycle, std::uint64_t address, std::uint32_t word_mask,
                   bool is_volatile = false) {
    ScriptedRequest r = request(cycle, address);
    r.prepare = [word_mask, is_volatile](Transaction& t) {
      t.request().word_mask = word_mask;
      t.request().bypass_l1 = is_volatile;
    };
    return sm.add(std::move(r));
  }
  std::size_t atomic(std::uint64_t cycle, std::uint64_t address) {
    ScriptedRequest r = request(cycle, address);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.data.assign(kLine, 0xaa);
    r.mask = ByteMask::first(4);
    r.prepare = [](Transaction& t) { t.request().kind = RequestKind::kAtomic; };
    return sm.add(std::move(r));
  }
  const L1RemoteStats& remote() const {
    return dynamic_cast<L1Pipeline<MultiGpuRole>&>(l1).role().stats();
  }
  std::uint32_t asked(std::size_t i) const { return memory.arrivals().at(i).request.word_mask; }
  /// The load has the memory's first bytes in all of these pieces, and not elsewhere.
  bool has_initial(std::size_t i, std::uint64_t address, std::uint32_t word_mask) const {
    for (unsigned b = 0; b < kLine; ++b) {
      const bool there = byte(i, b) == initial(address + b);
      if (there != ((word_mask >> (b / 4) & 1) != 0)) return false;
    }
    return true;
  }
};

constexpr std::uint64_t kForwarded = 28;          ///< arrival here to arrival at memory
constexpr std::uint64_t kAll = 28 + kMemory + 1;  ///< a miss

}  // namespace

TEST_CASE("a uniform load of another GPU's line is cached whole, unseen by the role") {
  L1Config c = plain();
  c.scalar_sets = 4;
  Rig rig(kFine, c);
  const auto uniform = [&](std::uint64_t cycle) {
    ScriptedRequest r = rig.request(cycle, kFar);
    r.prepare = [](Transaction& t) {
      t.request().word_mask = 1;
      t.request().uniform = true;
    };
    return rig.sm.add(std::move(r));
  };
  const auto miss = uniform(10);
  const auto hit = uniform(500);
  const auto other = rig.load(1000, kFar, 0b10);
  rig.run();
  CHECK(rig.responded_at(miss) == 10 + kAll);
  CHECK(rig.responded_at(hit) == 500 + kForwarded);
  CHECK(rig.responded_at(other) == 1000 + kAll);
  REQUIRE(rig.memory.arrivals().size() == 2);
  CHECK_FALSE(rig.memory.arrivals()[0].request.fine_grained);
  CHECK(rig.memory.arrivals()[1].request.fine_grained);
  CHECK(rig.has_initial(hit, kFar, ~0U));
  CHECK(rig.watcher.seen.size() == 1);
  CHECK(rig.remote().loads == 1);
  CHECK(rig.remote().latency.count() == 1);
}

TEST_CASE("figure 8 (a): a load whose pieces are all being fetched merges") {
  Rig rig(kFine, two_entries());
  const auto first = rig.load(10, kFar, 0b11000000);
  const auto inside = rig.load(11, kFar, 0b01000000);
  const auto same = rig.load(12, kFar, 0b11000000);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.arrived(0) == 10 + kForwarded);
  CHECK(rig.asked(0) == 0b11000000);
  CHECK(rig.memory.arrivals()[0].request.fine_grained);
  CHECK(rig.memory.arrivals()[0].request.home().slice == SliceId(1));
  CHECK(rig.responded_at(first) == 10 + kAll);
  CHECK(rig.responded_at(inside) == 10 + kAll + 1);
  CHECK(rig.responded_at(same) == 10 + kAll + 2);
  CHECK(rig.has_initial(first, kFar, 0b11000000));
  CHECK(rig.has_initial(inside, kFar, 0b11000000));
  const L1Stats& s = rig.l1.stats();
  CHECK(rig.remote().load_misses == 1);
  CHECK(rig.remote().load_merges == 2);
  CHECK(s.bytes_filled == 8);
}

TEST_CASE("figure 8 (b): other pieces of a line being fetched take an entry and a request") {
  Rig rig(kFine, two_entries());
  const auto first = rig.load(10, kFar, 0b10000000);
  const auto other = rig.load(11, kFar, 0b00000010);
  const auto merged = rig.load(12, kFar, 0b00000010);
  const auto more = rig.load(13, kFar, 0b10000010);  // contained by neither: no entry is free
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.asked(0) == 0b10000000);
  CHECK(rig.asked(1) == 0b00000010);
  CHECK(rig.asked(2) == 0b10000010);
  CHECK(rig.arrived(1) == 11 + kForwarded);
  CHECK(rig.responded_at(first) == 10 + kAll);
  CHECK(rig.responded_at(other) == 11 + kAll);
  CHECK(rig.responded_at(merged) == 11 + kAll + 1);
  // Tried again when the first response has come.
  CHECK(rig.arrived(2) == 10 + kForwarded + kMemory + 1);
  CHECK(rig.responded_at(more) == 10 + kForwarded + kMemory + 1 + kMemory + 1);
  CHECK(rig.has_initial(first, kFar, 0b10000000));
  CHECK(rig.has_initial(other, kFar, 0b00000010));
  CHECK(rig.has_initial(more, kFar, 0b10000010));
  CHECK(rig.l1.stats().stalls_mshr > 0);
}

TEST_CASE("figure 8 (c): another line takes an entry and a request, and a full table stalls") {
  Rig rig(kFine, two_entries());
  const auto first = rig.load(10, kFar, 0b10000000);
  const auto other = rig.load(11, kFar + kLine, 0b10000000);
  const auto third = rig.load(12, kFar + 2 * kLine, 0b10000000);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.responded_at(first) == 10 + kAll);
  CHECK(rig.arrived(1) == 11 + kForwarded);
  CHECK(rig.responded_at(other) == 11 + kAll);
  CHECK(rig.arrived(2) == 10 + kForwarded + kMemory + 1);
  CHECK(rig.responded_at(third) == 10 + kForwarded + kMemory + 1 + kMemory + 1);
  CHECK(rig.has_initial(other, kFar + kLine, 0b10000000));
}

TEST_CASE("a load that straddles the pieces of two fetches gets every byte by one of its own") {
  Rig rig(kFine);
  rig.load(10, kFar, 0b0011);
  rig.load(11, kFar, 0b1100);
  const auto both = rig.load(12, kFar, 0b0110);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.asked(2) == 0b0110);
  CHECK(rig.responded_at(both) == 12 + kAll);
  CHECK(rig.has_initial(both, kFar, 0b0110));
}

TEST_CASE("an entry without room for another access stalls what it contains") {
  L1Config c = plain();
  c.mshr_targets = 2;
  Rig rig(kFine, c);
  rig.load(10, kFar, 1);
  rig.load(11, kFar, 1);
  const auto third = rig.load(12, kFar, 1);
  rig.run();
  CHECK(rig.memory.arrivals().size() == 2);
  CHECK(rig.responded_at(third) == 10 + kForwarded + kMemory + 1 + kMemory + 1);
}

TEST_CASE("a load behind a store to its pieces fetches anew, and loads before it do not see it") {
  Rig rig(kFine);
  const auto before = rig.load(10, kFar, 1);
  const auto merged = rig.load(11, kFar, 1);
  rig.store(12, kFar, 0x5a, ByteMask::range(2, 4));
  const auto after = rig.load(13, kFar, 1);
  const auto behind = rig.load(14, kFar, 1);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.arrived(1) == 12 + kForwarded);
  CHECK(rig.memory.arrivals()[1].mask == ByteMask::range(2, 4));
  CHECK(rig.arrived(2) == 13 + kForwarded);
  CHECK(rig.byte(before, 2) == initial(kFar + 2));
  CHECK(rig.responded_at(merged) == 10 + kAll + 1);
  CHECK(rig.byte(merged, 3) == initial(kFar + 3));
  CHECK(rig.responded_at(after) == 13 + kAll);
  CHECK(rig.byte(after, 1) == initial(kFar + 1));
  CHECK(rig.byte(after, 2) == 0x5a);
  CHECK(rig.responded_at(behind) == 13 + kAll + 1);
  CHECK(rig.byte(behind, 3) == 0x5a);
  CHECK(rig.remote().stores == 1);
}

TEST_CASE("a load behind an atomic fetches anew at once") {
  Rig rig(kBypass);
  rig.load(10, kFar, 1);
  rig.atomic(11, kFar);
  const auto after = rig.load(12, kFar, 1);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.responded_at(after) == 12 + kAll);
  CHECK(rig.byte(after, 0) == 0xaa);
}

TEST_CASE("transfers of 8 bytes ask for pairs of pieces") {
  Rig rig(kFine, plain(), 8);
  const auto a = rig.load(10, kFar, 1U << 5);
  const auto merged = rig.load(11, kFar, 1U << 4);
  const auto other = rig.load(12, kFar, 1U << 6 | 1U << 31);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 2);
  CHECK(rig.asked(0) == 0x30);
  CHECK(rig.asked(1) == 0xc00000c0);
  CHECK(rig.sm.result(a).request.word_mask == 0x30);
  CHECK(rig.responded_at(merged) == 10 + kAll + 1);
  CHECK(rig.has_initial(merged, kFar, 0x30));
  CHECK(rig.has_initial(other, kFar, 0xc00000c0));
  CHECK(rig.watcher.seen == std::vector<Watcher::Seen>{{0x20, true, false},
                                                       {0x10, true, true},
                                                       {0x80000040, true, false}});
}

TEST_CASE("transfers of 16 bytes ask for groups of four pieces") {
  Rig rig(kFine, plain(), 16);
  rig.load(10, kFar, 1U << 5);
  const auto merged = rig.load(11, kFar, 1U << 6);
  rig.load(12, kFar, 0x80000001);
  rig.load(13, kFar, 0x00012000);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.asked(0) == 0xf0);
  CHECK(rig.asked(1) == 0xf000000f);
  CHECK(rig.asked(2) == 0x000ff000);
  CHECK(rig.responded_at(merged) == 10 + kAll + 1);
  CHECK(rig.l1.stats().bytes_filled == 16 + 32 + 32);
}

TEST_CASE("whole lines that bypass are asked for each time, and merge while under way") {
  Rig rig(kBypass);
  const auto first = rig.load(10, kFar, 1);
  const auto merged = rig.load(11, kFar, 2);
  const auto again = rig.load(500, kFar, 1);
  const auto local = rig.load(800, 0x1000, 1);
  const auto hit = rig.load(1100, 0x1000, 1);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK_FALSE(rig.memory.arrivals()[0].request.fine_grained);
  CHECK(rig.asked(0) == 1);
  CHECK(rig.responded_at(first) == 10 + kAll);
  CHECK(rig.responded_at(merged) == 10 + kAll + 1);
  CHECK(rig.has_initial(merged, kFar, ~0U));
  CHECK(rig.responded_at(again) == 500 + kAll);
  CHECK(rig.responded_at(local) == 800 + kAll);
  CHECK(rig.responded_at(hit) == 1100 + 28);
  const L1Stats& s = rig.l1.stats();
  CHECK(s.loads == 5);
  CHECK(s.load_misses == 3);
  CHECK(rig.remote().loads == 3);
  CHECK(rig.remote().bypasses == 3);
  CHECK(rig.remote().load_misses == 2);
  CHECK(rig.remote().load_merges == 1);
  CHECK(s.bytes_filled == 3 * kLine);
  CHECK(s.evictions == 0);
}

TEST_CASE("other GPUs' lines are cached as any other until loads are to bypass") {
  Rig rig(kLineWise);
  rig.load(10, kFar, 1);
  const auto hit = rig.load(300, kFar, 1);
  const auto fetching = rig.load(470, kFar + kLine, 1);
  rig.run_to(rig.edge(500));
  rig.transfer = kFine;
  const auto merged = rig.load(501, kFar + kLine, 4);  // with the fetch of the whole line
  const auto past = rig.load(700, kFar, 1);
  rig.store(1000, kFar, 0x31, ByteMask::range(0, 4));  // the copy is kept up to date
  const auto stored = rig.load(1001, kFar, 1);
  rig.run_to(rig.edge(1500));
  rig.transfer = kLineWise;
  const auto kept = rig.load(1501, kFar, 1);
  rig.run();
  CHECK(rig.responded_at(hit) == 300 + 28);
  CHECK(rig.responded_at(fetching) == 470 + kAll);
  CHECK(rig.responded_at(merged) == 470 + kAll + 1);
  CHECK(rig.byte(merged, 8) == initial(kFar + kLine + 8));
  CHECK(rig.responded_at(past) == 700 + kAll);
  CHECK(rig.responded_at(stored) == 1001 + kAll);
  CHECK(rig.byte(stored, 3) == 0x31);
  CHECK(rig.responded_at(kept) == 1501 + 28);
  CHECK(rig.byte(kept, 3) == 0x31);
  CHECK(rig.byte(kept, 4) == initial(kFar + 4));
  const L1Stats& s = rig.l1.stats();
  CHECK(rig.remote().load_hits == 2);
  CHECK(rig.remote().bypasses == 3);
  CHECK(s.store_hits == 1);
}

TEST_CASE("a load that is to be kept waits for fetches of its line that are not") {
  Rig rig(kFine);
  rig.load(10, kFar, 1);
  rig.run_to(rig.edge(50));
  rig.transfer = kLineWise;
  const auto load = rig.load(51, kFar, 2);
  rig.run();
  CHECK(rig.responded_at(load) == 10 + kForwarded + kMemory + 1 + kMemory + 1);
  CHECK(rig.has_initial(load, kFar, ~0U));
}

TEST_CASE("a volatile load of pieces merges with nothing, and nothing with it") {
  Rig rig(kFine);
  rig.load(10, kFar, 1);
  const auto load = rig.load(11, kFar, 1, true);
  rig.load(12, kFar + kLine, 1, true);
  const auto behind = rig.load(13, kFar + kLine, 1);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 4);
  CHECK(rig.memory.arrivals()[1].request.fine_grained);
  CHECK(rig.responded_at(load) == 11 + kAll);
  CHECK(rig.responded_at(behind) == 13 + kAll);
  CHECK(rig.has_initial(load, kFar, 1));
  const L1Stats& s = rig.l1.stats();
  CHECK(s.bypasses == 2);
  CHECK(rig.remote().bypasses == 4);
  CHECK(rig.remote().load_misses == 4);
}

TEST_CASE("nothing merges with what was asked for before a flush") {
  Rig rig(kFine);
  rig.load(10, kFar, 1);
  rig.run_to(rig.edge(60) + 1);
  rig.l1.flush();
  const auto load = rig.load(70, kFar, 1);
  rig.run();
  CHECK(rig.memory.arrivals().size() == 2);
  CHECK(rig.responded_at(load) == 70 + kAll);
}

TEST_CASE("the address registers are the first byte of the own memory and the first behind it") {
  Rig rig(kFine);
  rig.load(10, kOtherHome - kLine, 1);
  rig.load(11, kOtherHome, 1);
  rig.run();
  CHECK_FALSE(rig.memory.arrivals()[0].request.fine_grained);
  CHECK(rig.memory.arrivals()[1].request.fine_grained);
  CHECK(rig.remote().loads == 1);
}

TEST_CASE("an observer is notified of every access once, also if its lookup is postponed") {
  Rig rig(kFine, two_entries());
  rig.load(10, kFar, 1);
  rig.load(11, kFar, 2);
  rig.load(12, kFar, 4);  // waits for an entry
  rig.load(13, kFar, 4);
  rig.store(14, kFar, 1);
  rig.load(15, 0x1000, 8);
  rig.load(600, 0x1000, 8);
  rig.atomic(601, 0x1000);
  rig.run();
  CHECK(rig.l1.stats().stalls_mshr > 0);
  CHECK(rig.watcher.seen == std::vector<Watcher::Seen>{{1, true, false},
                                                       {2, true, false},
                                                       {4, true, false},
                                                       {4, true, true},
                                                       {0, true, false},
                                                       {8, false, false},
                                                       {8, false, true},
                                                       {0, false, false}});
}

TEST_CASE("remote latency is the time from a load's departure to its response") {
  Rig rig(kFine);
  rig.memory.stall_until(rig.edge(100));
  rig.load(10, kFar, 1);
  rig.load(11, kFar, 2);  // leaves when END_REQ has come, at 100, and been acted on, at 101
  rig.load(12, kFar, 2, true);
  rig.load(13, 0x1000, 1);
  rig.store(14, kFar, 1);
  rig.run();
  CHECK(rig.arrived(1) == 102);
  const Histogram& h = rig.remote().latency;
  CHECK(h.count() == 3);
  CHECK(h.sum() == 3 * (kMemory + 1));
  CHECK(h.max() == kMemory + 1);
}

TEST_CASE("statistics of other GPUs' lines are there only where there are other GPUs") {
  TransactionPool pool;
  PlainMap map;
  RemoteAccessMode transfer;
  L1RoleSite site;
  site.role = "multi_gpu";
  site.transfer = &transfer;
  const auto alone = make_l1_cache("alone", plain(), map);
  const auto among = make_l1_cache("among", plain(), map, site);
  StatisticsRegistry of_alone;
  StatisticsRegistry of_among;
  alone->register_statistics(of_alone);
  among->register_statistics(of_among);
  const std::vector<std::string> added = {
      "remote_loads",    "remote_load_hits", "remote_load_merges", "remote_load_misses",
      "remote_bypasses", "remote_stores",    "remote_latency"};
  const std::size_t before = of_alone.all().size();
  REQUIRE(of_among.all().size() == before + added.size());
  for (std::size_t i = 0; i < before; ++i) {
    CHECK(of_alone.all()[i].name == of_among.all()[i].name);
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    CHECK(of_among.all()[before + i].name == added[i]);
  }
}

TEST_CASE("random accesses see what program order says, whatever the transfer, under stalls") {
  L1Config c = plain();
  c.reserve_frames = true;
  c.sets = 3;
  c.ways = 2;
  c.latency_cycles = 3;
  c.mshr_entries = 4;
  c.mshr_targets = 3;
  c.input_depth = 2;
  c.miss_queue_depth = 2;
  Rig rig(kLineWise, c, 8, RequestStyle::kRandom);
  rig.stall_at_random();
  std::mt19937_64 random(12);
  std::map<std::uint64_t, unsigned char> reference;
  struct Expected {
    std::uint32_t word_mask;
    std::vector<unsigned char> bytes;
  };
  std::map<std::size_t, Expected> expected;
  Tick at = 0;
  for (int n = 0; n < 8000; ++n) {
    if (random() % 3 == 0) at += random() % ns(30);
    // Two lines are local, three are not.
    const std::uint64_t address = kOtherHome - 2 * kLine + random() % 5 * kLine;
    ScriptedRequest r;
    r.at = at;
    r.address = address;
    if (random() % 4 == 0) {
      r.command = tlm::TLM_WRITE_COMMAND;
      r.mask = ByteMask{random() & random(), random()};
      fill_store(r, random, reference, address);
      if (random() % 5 == 0) {
        r.prepare = [](Transaction& t) { t.request().kind = RequestKind::kAtomic; };
      }
      rig.sm.add(std::move(r));
      continue;
    }
    // Few pieces, close together: masks contain each other now and then.
    const std::uint32_t word_mask = (1U + random() % 7) << random() % 2 * 16;
    r.prepare = [word_mask, bypass = random() % 20 == 0](Transaction& t) {
      t.request().word_mask = word_mask;
      t.request().bypass_l1 = bypass;
    };
    Expected e{word_mask, {}};
    for (unsigned i = 0; i < kLine; ++i) {
      const auto found = reference.find(address + i);
      e.bytes.push_back(found == reference.end() ? initial(address + i) : found->second);
    }
    expected[rig.sm.add(std::move(r))] = std::move(e);
  }
  while (!rig.sm.done()) {
    rig.run_to(now() + random() % us(1) + 1);
    const RemoteAccessMode ways[] = {kLineWise, kBypass, kFine, kFine};
    rig.transfer = ways[random() % 4];
    if (random() % 4 == 0) rig.l1.flush();
  }
  rig.run();
  std::size_t wrong = 0;
  for (const auto& [index, e] : expected) {
    for (unsigned i = 0; i < kLine; ++i) {
      if ((e.word_mask >> (i / 4) & 1) != 0 && rig.byte(index, i) != e.bytes[i]) ++wrong;
    }
  }
  CHECK(wrong == 0);
  const L1Stats& s = rig.l1.stats();
  CHECK(rig.remote().loads ==
        rig.remote().load_hits + rig.remote().load_merges + rig.remote().load_misses);
  CHECK(rig.remote().latency.count() == rig.remote().load_misses);
  CHECK(rig.watcher.seen.size() == 8000);
  CHECK(rig.remote().load_hits > 100);
  CHECK(rig.remote().load_merges > 100);
  CHECK(rig.remote().bypasses > 1000);
  CHECK(s.stalls_mshr > 0);
}

TEST_CASE("an L1 that fetches pieces passes the conformance run") {
  L1Config c = plain();
  c.sets = 4;
  c.ways = 2;
  c.mshr_entries = 4;
  c.mshr_targets = 2;
  c.miss_queue_depth = 2;
  Rig rig(kFine, c, 4, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 8;
  traffic.base = kOtherHome - 16 * kLine;
  traffic.lines = 32;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
    const auto kind = random() % 8;
    const std::uint32_t word_mask = 1U << random() % 4;
    r.prepare = [kind, word_mask, write = r.command == tlm::TLM_WRITE_COMMAND](Transaction& t) {
      if (kind == 0 && write) t.request().kind = RequestKind::kAtomic;
      if (kind == 0 && !write) t.request().bypass_l1 = true;
      if (!write) t.request().word_mask = word_mask;
    };
  };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace tessera::l1_remote_test
