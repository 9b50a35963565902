// SPDX-License-Identifier: Apache-2.0
// Random traffic of four ports over few lines of two coherent slices, against what the contract
// allows: a load returns a value not older than the last store that was acknowledged before the
// load was issued, nor newer than the last one issued before its response; its own port's
// earlier stores in any case, and no later ones.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "tests/modules/llc/peer_rig.h"

namespace tessera::llc_peers_random_test {

using namespace tessera::test;

namespace {

constexpr unsigned kPorts = 4;
constexpr unsigned kLinesEach = 3;
constexpr unsigned kLines = 2 * kLinesEach;
/// Words of a line: one for each port, which alone writes it, counting up; one for atomics.
constexpr unsigned kAtomicWord = kPorts;

std::uint64_t address_of(unsigned line) {
  return line < kLinesEach ? line * kLine : kOtherHome + (line - kLinesEach) * kLine;
}

std::uint32_t word(const std::vector<unsigned char>& data, unsigned i) {
  std::uint32_t w = 0;
  std::memcpy(&w, &data[4 * i], 4);
  return w;
}

struct Load {
  std::size_t result;
  unsigned port;
  unsigned line;
  std::uint32_t own;  ///< its port's stores to the line before it
};

struct Traffic {
  /// [line][port]: the n-th store (from 0) writes n + 1.
  std::array<std::array<std::vector<std::size_t>, kPorts>, kLines> stores;
  std::array<std::vector<AtomicOperands*>, kLines> atomics;
  std::vector<Load> loads;
};

Traffic schedule(PeerRig& rig, std::uint64_t seed, unsigned requests) {
  std::mt19937_64 random(seed);
  Traffic t;
  std::array<Tick, kPorts> at{};
  for (unsigned n = 0; n < requests; ++n) {
    const auto port = static_cast<unsigned>(random() % kPorts);
    const auto line = static_cast<unsigned>(random() % kLines);
    if (random() % 3 == 0) at[port] += random() % ns(60);
    ScriptedRequest r = rig.request(0, address_of(line), port);
    r.at = at[port];
    auto& own = t.stores[line][port];
    const auto kind = random() % 10;
    if (kind == 0) {
      AtomicOperands* o = adds(rig.pool, 1, 1);
      o->lanes[0].offset = 4 * kAtomicWord;
      t.atomics[line].push_back(o);
      rig.sm.add(with_operands(std::move(r), o));
    } else if (kind < 4) {
      const auto value = static_cast<std::uint32_t>(own.size() + 1);
      r.command = tlm::TLM_WRITE_COMMAND;
      r.mask = ByteMask::range(4 * port, 4);
      r.data.assign(kLine, 0xee);
      std::memcpy(&r.data[4 * port], &value, 4);
      own.push_back(rig.sm.add(std::move(r)));
    } else {
      const auto before = static_cast<std::uint32_t>(own.size());
      t.loads.push_back({rig.sm.add(std::move(r)), port, line, before});
    }
  }
  return t;
}

/// Words of all loads that are older or newer than they may be.
std::size_t violations(const PeerRig& rig, const Traffic& t) {
  std::size_t wrong = 0;
  for (const Load& l : t.loads) {
    const ScriptedResult& load = rig.sm.result(l.result);
    for (unsigned writer = 0; writer < kPorts; ++writer) {
      const auto& stores = t.stores[l.line][writer];
      std::uint32_t least = 0;
      std::uint32_t most = 0;
      for (std::uint32_t n = 0; n < stores.size(); ++n) {
        const ScriptedResult& store = rig.sm.result(stores[n]);
        if (store.begin_resp <= load.begin_req) least = n + 1;
        if (store.begin_req <= load.begin_resp) most = n + 1;
      }
      if (writer == l.port) least = most = l.own;
      const std::uint32_t seen = word(load.data, writer);
      if (seen < least || seen > most) ++wrong;
    }
  }
  return wrong;
}

/// Atomics that add 1 return every value from 0 up once.
bool counted(const std::vector<AtomicOperands*>& atomics) {
  std::set<std::uint64_t> old;
  for (const AtomicOperands* o : atomics) old.insert(o->lanes[0].old);
  return old.size() == atomics.size() && (old.empty() || *old.rbegin() == atomics.size() - 1);
}

void race(std::uint64_t seed, const LlcSliceConfig& config) {
  PeerRig rig(config, RequestStyle::kRandom);
  for (unsigned line = 0; line < kLines; ++line) {
    for (unsigned i = 0; i < kLine; ++i) rig.memory.set_byte(address_of(line) + i, 0);
  }
  rig.stall_at_random();
  const Traffic t = schedule(rig, seed, 6000);
  rig.run();
  CHECK(violations(rig, t) == 0);
  for (unsigned line = 0; line < kLines; ++line) {
    INFO("line " << line);
    CHECK(counted(t.atomics[line]));
    // The home has the last values.
    std::vector<unsigned char> data(kLine);
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_address(address_of(line));
    p.set_data_ptr(data.data());
    p.set_data_length(kLine);
    p.set_streaming_width(kLine);
    CHECK(rig.sm.socket(line % kPorts)->transport_dbg(p) == kLine);
    for (unsigned port = 0; port < kPorts; ++port) {
      CHECK(word(data, port) == t.stores[line][port].size());
    }
    CHECK(word(data, kAtomicWord) == t.atomics[line].size());
  }
  for (const LlcSlice* s : {&rig.near, &rig.far}) {
    INFO(s->name());
    CHECK(s->stats().replica_hits > 50);
    CHECK(s->stats().invalidations_sent > 50);
    CHECK(s->stats().bypasses > 100);
  }
}

}  // namespace

TEST_CASE("racing ports of two coherent slices see no value too old or too new") {
  race(21, plain());
}

TEST_CASE("racing ports see no value too old or too new in tiny slices that evict") {
  LlcSliceConfig c = tiny();
  c.directory_sets = 1;
  c.directory_ways = 2;
  race(22, c);
}

TEST_CASE("racing ports see no value too old or too new with one line in each set") {
  LlcSliceConfig c = plain();
  c.latency_cycles = 3;
  c.mshr_entries = 8;
  c.mshr_targets = 2;
  c.directory_ways = 1;
  race(23, c);
}

}  // namespace tessera::llc_peers_random_test
