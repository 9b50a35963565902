// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/llc/llc_slice.h"
#include "policies/remote_caching.h"
#include "tests/support/cache_rig.h"

namespace tessera::test {

/// A clock of whole nanoseconds, so that the targets' latency is one of cycles.
inline LlcSliceConfig plain() {
  LlcSliceConfig c;
  c.clock_hz = 1'000'000'000;
  c.latency_cycles = 20;
  return c;
}
inline LlcSliceConfig one_set(std::uint32_t ways) {
  LlcSliceConfig c = plain();
  c.sets = 1;
  c.ways = ways;
  return c;
}
/// Small enough for every queue to fill under random traffic.
inline LlcSliceConfig tiny() {
  LlcSliceConfig c = plain();
  c.sets = 3;
  c.ways = 2;
  c.latency_cycles = 4;
  c.mshr_entries = 4;
  c.mshr_targets = 3;
  c.queue_depth = 2;
  c.response_queue_depth = 2;
  c.memory_queue_depth = 2;
  c.remote_queue_depth = 2;
  return c;
}

/// One of the two slices, and half of the 64 SMs, each.
inline TreeShape two_partitions() {
  TreeShape tree;
  tree.partitions = 2;
  tree.sms = 64;
  return tree;
}

inline constexpr unsigned kLocal = 0;
inline constexpr unsigned kRemote = 1;
inline constexpr std::uint64_t kLatency = 20;

/// `count` lanes that add `operand` to consecutive words.
inline AtomicOperands* adds(TransactionPool& pool, unsigned count, std::uint64_t operand) {
  AtomicOperands* o = pool.acquire_atomics();
  *o = AtomicOperands{};
  o->count = static_cast<std::uint8_t>(count);
  for (unsigned i = 0; i < count; ++i) {
    o->lanes[i].offset = static_cast<std::uint8_t>(4 * i);
    o->lanes[i].operand = operand;
  }
  return o;
}

/// Makes a load an atomic.
inline ScriptedRequest with_operands(ScriptedRequest r, AtomicOperands* o) {
  r.command = tlm::TLM_WRITE_COMMAND;
  r.data.assign(kLine, 0);
  r.mask = ByteMask{};
  for (unsigned i = 0; i < o->count; ++i) {
    r.mask |= ByteMask::range(o->lanes[i].offset, atomic_bytes(o->type));
  }
  r.prepare = [before = std::move(r.prepare), o](Transaction& t) {
    if (before) before(t);
    t.request().kind = RequestKind::kAtomic;
    t.request().atomics = o;
  };
  return r;
}

/// Slice 0, with a port for its SMs and one for the network. With remote caching: `other` stands
/// for the home slices of all lines from kOtherHome on.
struct Rig final : CacheRig {
  std::unique_ptr<RemoteCaching> caching;
  std::unique_ptr<LlcSlice> made;
  LlcSlice& llc;
  std::unique_ptr<ScriptedTarget> other;

  explicit Rig(const LlcSliceConfig& config = plain(),
               RequestStyle style = RequestStyle::kEarlyEndReq, const std::string& remote = {},
               const TreeShape& tree = two_partitions())
      : Rig(config, style, remote.empty() ? nullptr : make_policy<RemoteCaching>(remote), tree) {}
  Rig(const LlcSliceConfig& config, RequestStyle style, std::unique_ptr<RemoteCaching> policy,
      const TreeShape& tree)
      : CacheRig(config.clock_hz, {2, 1, style}),
        caching(std::move(policy)),
        made(make_llc_slice("llc", config, map, pool, site(tree))),
        llc(*made) {
    block = &llc;
    prepare = [this](Transaction& t) { t.request().decode_home(map, t.get_address()); };
    for (unsigned i = 0; i < 2; ++i) join(sm.socket(i), llc.in[i]);
    join(llc.memory, memory.socket());
    if (!caching) return;
    other = std::make_unique<ScriptedTarget>("other", target(clock, 1, style));
    join(llc.remote, other->socket());
  }

  ConformanceRig conformance() override {
    ConformanceRig rig = CacheRig::conformance();
    if (other) rig.targets.push_back(other.get());
    return rig;
  }
  /// A load of data that no one writes.
  std::size_t read_only(std::uint64_t cycle, std::uint64_t address) {
    ScriptedRequest r = request(cycle, address);
    r.prepare = [this](Transaction& t) {
      prepare(t);
      t.request().read_only = true;
    };
    return sm.add(std::move(r));
  }
  ScriptedRequest atomic_request(std::uint64_t cycle, std::uint64_t address, AtomicOperands* o,
                                 unsigned port) {
    return with_operands(request(cycle, address, port), o);
  }
  std::size_t atomic(std::uint64_t cycle, std::uint64_t address, AtomicOperands* o,
                     unsigned port = kLocal) {
    return sm.add(atomic_request(cycle, address, o, port));
  }
  AtomicOperands* adds(unsigned count, std::uint64_t operand) {
    return test::adds(pool, count, operand);
  }
  /// Through the debug interface.
  std::vector<unsigned char> peek(std::uint64_t address, unsigned bytes = kLine) {
    std::vector<unsigned char> data(bytes);
    CHECK(debug(tlm::TLM_READ_COMMAND, address, data) == bytes);
    return data;
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address,
                 std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data.data());
    p.set_data_length(static_cast<unsigned>(data.size()));
    p.set_streaming_width(static_cast<unsigned>(data.size()));
    return sm.socket()->transport_dbg(p);
  }

 private:
  SliceSite site(const TreeShape& tree) const {
    SliceSite s;
    s.remote_inputs = 1;
    if (caching) s.role = "partition";
    s.caching = caching.get();
    s.tree = tree;
    s.slices = 2;
    return s;
  }
};

}  // namespace tessera::test
