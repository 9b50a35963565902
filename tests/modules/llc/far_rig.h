// SPDX-License-Identifier: Apache-2.0
#pragma once

// A slice as a cache of other GPUs' lines.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/modules/llc/slice_rig.h"

namespace tessera::test {

inline constexpr RemoteAccessMode kOff{};
inline constexpr RemoteAccessMode kOn{false, false, false, true};
/// Round the arrays: a cycle each way.
inline constexpr std::uint64_t kRound = 1 + kMemory + 1;
inline constexpr std::uint64_t kMiss = kLatency + kMemory + 1;
inline constexpr std::uint64_t kThere = kOtherHome + 0x1000;

/// 16 ways: line n goes to set n % 8, ways 2 * set and 2 * set + 1.
inline LlcSliceConfig sixteen() {
  LlcSliceConfig c = plain();
  c.sets = 8;
  c.ways = 2;
  return c;
}

/// `memory` stands for the RDMA engine and the other GPUs behind it.
struct FarRig final : CacheRig {
  RemoteAccessMode transfer;
  std::unique_ptr<LlcSlice> made;
  LlcSlice& llc;
  unsigned atomics_there = 0;

  explicit FarRig(const RemoteAccessMode& how, const LlcSliceConfig& config = plain(),
                  RequestStyle style = RequestStyle::kEarlyEndReq)
      : CacheRig(config.clock_hz, {2, 1, style}),
        transfer(how),
        made(make_llc_slice("llc", config, map, pool, site())),
        llc(*made) {
    block = &llc;
    prepare = [this](Transaction& t) { t.request().decode_home(map, t.get_address()); };
    for (unsigned i = 0; i < 2; ++i) join(sm.socket(i), llc.in[i]);
    join(llc.memory, memory.socket());
    memory.access = [this](tlm::tlm_generic_payload& p) { serve(p); };
  }

  void serve(tlm::tlm_generic_payload& p) {
    const auto* r = p.get_extension<MemoryRequest>();
    if (r != nullptr && r->kind == RequestKind::kAtomic) {
      perform(p.get_address(), *r->atomics);
      return;
    }
    const ByteMask mask = byte_mask_of(p);
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      unsigned char& byte = p.get_data_ptr()[i];
      const std::uint64_t at = p.get_address() + i;
      if (p.is_write() && mask.test(i)) memory.set_byte(at, byte);
      if (!p.is_read()) continue;
      const bool comes = r == nullptr || !r->fine_grained || (r->word_mask >> (i / 4) & 1) != 0;
      byte = static_cast<unsigned char>(comes ? memory.byte(at) : ~memory.byte(at));
    }
  }
  void perform(std::uint64_t address, AtomicOperands& o) {
    ++atomics_there;
    for (unsigned i = 0; i < o.count; ++i) {
      const std::uint64_t at = address + o.lanes[i].offset;
      std::uint64_t old = 0;
      for (unsigned b = 4; b-- > 0;) old = old << 8 | memory.byte(at + b);
      o.lanes[i].old = old;
      const std::uint64_t sum = old + o.lanes[i].operand;
      for (unsigned b = 0; b < 4; ++b) {
        memory.set_byte(at + b, static_cast<unsigned char>(sum >> 8 * b));
      }
    }
  }

  std::size_t atomic(std::uint64_t cycle, std::uint64_t address, AtomicOperands* o) {
    return sm.add(with_operands(request(cycle, address), o));
  }
  AtomicOperands* adds(unsigned count, std::uint64_t operand) {
    return test::adds(pool, count, operand);
  }
  /// Makes an access one that may be cached nowhere on the way.
  std::size_t add_volatile(ScriptedRequest r) {
    r.prepare = [before = prepare](Transaction& t) {
      before(t);
      t.request().bypass_l1 = true;
    };
    return sm.add(std::move(r));
  }
  ScriptedRequest store_request(std::uint64_t cycle, std::uint64_t address, unsigned char value,
                                ByteMask mask) {
    ScriptedRequest r = request(cycle, address);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.data.assign(kLine, value);
    r.mask = mask;
    return r;
  }
  /// Flushes so that the first way is looked at in `cycle`; returns when it is done.
  std::uint64_t flush_at(std::uint64_t cycle) {
    std::uint64_t done = 0;
    run_to(edge(cycle - 1) + 1);
    llc.flush({}, [&] { done = clock.cycle_at(now()); });
    run();
    return done;
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address,
                 std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload p;
    describe(p, command, address, data);
    return sm.socket()->transport_dbg(p);
  }
  /// Cycles that a loosely timed access takes.
  std::uint64_t blocking(tlm::tlm_command command, std::uint64_t address,
                         std::vector<unsigned char>& data) {
    tlm::tlm_generic_payload p;
    describe(p, command, address, data);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    sm.socket()->b_transport(p, delay);
    CHECK(p.is_response_ok());
    return clock.cycle_from(delay.value());
  }
  RequestKind kind(std::size_t i) const { return memory.arrivals().at(i).request.kind; }

 private:
  static void describe(tlm::tlm_generic_payload& p, tlm::tlm_command command, std::uint64_t address,
                       std::vector<unsigned char>& data) {
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data.data());
    p.set_data_length(static_cast<unsigned>(data.size()));
    p.set_streaming_width(static_cast<unsigned>(data.size()));
  }
  SliceSite site() const {
    SliceSite s;
    s.role = "remote_cache";
    s.local_inputs = 2;
    s.access_mode = &transfer;
    return s;
  }
};

}  // namespace tessera::test
