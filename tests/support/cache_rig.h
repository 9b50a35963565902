// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of every cache share: a scripted initiator, a scripted memory and a protocol
// checker on every socket, times in cycles of one clock.
//
//   struct Rig : CacheRig {
//     L1Cache l1;
//     explicit Rig(const L1Config& c) : CacheRig(c.clock_hz, {}), l1("l1", c, map) {
//       block = &l1;
//       join(sm.socket(), l1.core);
//       join(l1.memory, memory.socket());
//     }
//   };

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "policies/address_map.h"
#include "tests/support/conformance.h"

namespace tessera::test {

inline constexpr std::uint64_t kLine = 128;
/// From a request's arrival at a target of the rig to its response's arrival here, in cycles.
inline constexpr std::uint64_t kMemory = 100;
/// Lines from here on have slice 1 as their home, those below slice 0.
inline constexpr std::uint64_t kOtherHome = 0x10000;

inline unsigned char initial(std::uint64_t address) {
  return ScriptedTarget::initial_byte(address);
}

/// Set indices are line numbers.
class PlainMap final : public AddressMap {
 public:
  Location locate(std::uint64_t a) const override {
    Location l;
    l.slice = SliceId(a < kOtherHome ? 0 : 1);
    l.slice_line = a / kLine;
    return l;
  }
  DramLocation decode(std::uint64_t) const override { return {}; }
  std::uint64_t channel_address(std::uint64_t a) const override { return a; }
  bool page_has_one_home() const override { return true; }
  std::uint64_t page_address(ChannelId, std::uint64_t i) const override { return i * 4096; }
  const MemoryGeometry& geometry() const override { return geometry_; }

 private:
  static MemoryGeometry two_slices() {
    MemoryGeometry g;
    g.channels = 2;
    g.slices_per_channel = 1;
    return g;
  }
  MemoryGeometry geometry_ = two_slices();
};

/// Gives a store random bytes (after its mask, on which they do not depend) and writes those of the
/// mask into `reference`, a map or an array of bytes, from `at` on.
template <class Random, class Reference>
void fill_store(ScriptedRequest& r, Random& random, Reference& reference, std::uint64_t at) {
  for (unsigned i = 0; i < kLine; ++i) r.data.push_back(static_cast<unsigned char>(random()));
  for (unsigned i = 0; i < kLine; ++i) {
    if (r.mask.test(i)) reference[at + i] = r.data[i];
  }
}

class CacheRig {
 public:
  struct Shape {
    unsigned initiator_ports = 1;
    unsigned memory_ports = 1;
    RequestStyle style = RequestStyle::kEarlyEndReq;
  };

  TransactionPool pool;
  PlainMap map;
  ClockDomain clock;
  ScriptedInitiator sm;
  ScriptedTarget memory;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  /// What is tested; set by the derived rig.
  Block* block = nullptr;
  /// Applied to every request (its home, its kind); may be empty.
  std::function<void(Transaction&)> prepare;

  CacheRig(std::uint64_t clock_hz, const Shape& shape);

  Tick edge(std::uint64_t n) const { return clock.time_of(n); }
  /// The next cycle that leaves room to be scheduled for, counted from now.
  std::uint64_t soon() const { return clock.cycle_from(now()) + 10; }

  /// A load that arrives at the edge of `cycle` (0: at once).
  ScriptedRequest request(std::uint64_t cycle, std::uint64_t address, unsigned port = 0) const;
  std::size_t load(std::uint64_t cycle, std::uint64_t address, unsigned port = 0) {
    return sm.add(request(cycle, address, port));
  }
  /// Writes `value` to every byte of the mask.
  std::size_t store(std::uint64_t cycle, std::uint64_t address, unsigned char value,
                    ByteMask mask = ByteMask::first(kLine), unsigned port = 0);

  /// Memory and initiator respond late, and stall, at random.
  void stall_at_random();

  virtual ConformanceRig conformance();
  /// To the end; checks that each request received one response and nothing is left.
  void run();
  void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }
  /// Cycles, exact, of the response to a request, and the i-th arrival reached a target.
  std::uint64_t responded_at(std::size_t i) const;
  std::uint64_t arrived(std::size_t i) const { return arrived(memory, i); }
  std::uint64_t arrived(const ScriptedTarget& at, std::size_t i) const;
  unsigned char byte(std::size_t i, unsigned offset) const { return sm.result(i).data.at(offset); }

 protected:
  ~CacheRig() = default;
  /// Binds through a protocol checker.
  template <class Initiator, class Target>
  void join(Initiator& from, Target& to) {
    checkers.push_back(
        std::make_unique<ProtocolChecker>(("check" + std::to_string(checkers.size())).c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }
  /// A target that takes one request a cycle and responds after kMemory.
  static ScriptedTargetConfig target(const ClockDomain& clock, unsigned ports, RequestStyle style);
};

}  // namespace tessera::test
