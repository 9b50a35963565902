// SPDX-License-Identifier: Apache-2.0
// Designs as blocks: the AXI4 port of a DRAM channel and a register slice in C++, between an
// initiator and a memory.
#include "rtl/common/rtl_block.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/error.h"
#include "modules/kernel/sc_time.h"
#include "modules/memory/sites.h"
#include "modules/plan/block_family.h"
#include "rtl/common/axi4_register_slice.h"
#include "tests/support/cache_rig.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::rtl_block_test {

using namespace tessera::test;

namespace {

constexpr Tick kCycle = 1'000'000;
constexpr std::uint64_t kMessage =
    1;  ///< cycles that a message of the initiator or the memory takes
constexpr std::uint64_t kMemory = 20 + kMessage;

ScriptedTargetConfig memory_config() {
  ScriptedTargetConfig c;
  c.latency = (kMemory - kMessage) * kCycle;
  return c;
}

/// A register on each channel, one transfer in two cycles.
class Cut final : public Design {
 public:
  Cut() {
    above = below = Port::kLines;
    line_bytes = kLine;
  }
  void set_reset(bool) override {}
  void step(Tick) override {
    pass(requests_above, requests_below);
    pass(responses_below, responses_above);
  }
  bool busy() const override { return false; }

 private:
  template <class Pins>
  static void pass(Pins& from, Pins& to) {
    if (to.valid && to.ready) to.valid = false;
    if (from.valid && from.ready) {
      const bool ready = to.ready;
      to = from;
      to.ready = ready;
    }
    from.ready = !to.valid;
  }
};

/// A memory in C++: reads of one beat at a time, a fixed time after AR; writes at W.
class SlowMemory final : public Design {
 public:
  static constexpr unsigned kCycles = 50;

  void set_reset(bool) override {}
  void step(Tick) override {
    Axi4Pins& p = axi4_above;
    const bool aw = p.aw.valid && p.aw.ready;
    const bool w = p.w.valid && p.w.ready;
    const bool ar = p.ar.valid && p.ar.ready;
    if (p.b.valid && p.b.ready) p.b.valid = false;
    if (p.r.valid && p.r.ready) {
      p.r.valid = false;
      if (beat_++ == read_.len) reading_ = false;
    }
    if (aw) {
      write_ = p.aw;
      written_ = 0;
      writing_ = true;
    }
    if (w) {
      const std::uint64_t at = write_.beat_address(written_++);
      for (unsigned i = 0; i < above_shape.data_bytes; ++i) {
        if (p.w.strobe.test(i))
          bytes_[at / above_shape.data_bytes * above_shape.data_bytes + i] = p.w.data[i];
      }
      if (p.w.last) {
        writing_ = false;
        p.b.valid = true;
        p.b.id = write_.id;
      }
    }
    if (ar) {
      read_ = p.ar;
      beat_ = 0;
      reading_ = true;
      wait_ = kCycles;
    }
    if (reading_ && wait_ != 0) --wait_;
    if (reading_ && wait_ == 0 && !p.r.valid) {
      p.r.valid = true;
      p.r.id = read_.id;
      p.r.last = beat_ == read_.len;
      for (unsigned i = 0; i < above_shape.data_bytes; ++i) {
        p.r.data[i] = bytes_[read_.beat_address(beat_) + i];
      }
    }
    p.ar.ready = !reading_;
    p.aw.ready = !writing_ && !p.b.valid;
    p.w.ready = writing_;
  }
  bool busy() const override { return false; }

 private:
  std::map<std::uint64_t, unsigned char> bytes_;
  Axi4Address read_;
  Axi4Address write_;
  unsigned beat_ = 0;
  unsigned written_ = 0;
  unsigned wait_ = 0;
  bool reading_ = false;
  bool writing_ = false;
};

/// A memory behind an initiator.
struct MemoryRig {
  PlainMap map;
  TransactionPool pool;
  ScriptedInitiator initiator{"initiator", pool};
  BlockHandle memory;

  MemoryRig() {
    register_design("slow", true,
                    [](const std::string&) { return std::make_unique<SlowMemory>(); });
    DramSite site;
    site.path = "system.gpu0.dram0";
    site.name = "dram";
    site.map = &map;
    site.pool = &pool;
    site.inputs = 1;
    site.config.clock_hz = kTicksPerSecond / kCycle;
    memory = make_block("slow", site);
    initiator.socket().bind(*memory.in[0]);
  }
  unsigned untimed(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                   unsigned bytes) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    return initiator.socket()->transport_dbg(p);
  }
  void load(std::uint64_t cycle, std::uint64_t line) {
    ScriptedRequest r;
    r.at = cycle * kCycle;
    r.address = line * kLine;
    initiator.add(r);
  }
  void run_to(std::uint64_t cycle) {
    sc_core::sc_start(to_sc_time(cycle * kCycle) - sc_core::sc_time_stamp());
  }
  std::uint64_t arrival(std::size_t i) { return initiator.result(i).begin_resp / kCycle; }
};

/// An implementation of rtl_link between an initiator and a memory.
struct Rig {
  PlainMap map;
  TransactionPool pool;
  ScriptedInitiator initiator{"initiator", pool};
  ScriptedTarget memory{"memory", memory_config()};
  BlockHandle link;

  explicit Rig(const std::string& implementation, bool atomics = false) {
    RtlLinkSite site;
    site.path = "system.gpu0.link0";
    site.name = "link";
    site.map = &map;
    site.pool = &pool;
    site.inputs = 1;
    site.outputs = 1;
    site.config.clock_hz = kTicksPerSecond / kCycle;
    site.config.atomics = atomics;
    link = make_block(implementation, site);
    initiator.socket().bind(*link.in[0]);
    TargetPort& below = memory.socket();
    link.out[0]->get_base_port().bind(below.get_base_interface());
    below.get_base_port().bind(link.out[0]->get_base_interface());
  }
  void load(std::uint64_t cycle, std::uint64_t line) {
    ScriptedRequest r;
    r.at = cycle * kCycle;
    r.address = line * kLine;
    initiator.add(r);
  }
  void run() {
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    REQUIRE(initiator.done());
    CHECK(link.block->idle());
    CHECK(pool.live() == 0);
  }
  std::uint64_t cycles(std::size_t i) {
    return (initiator.result(i).begin_resp - initiator.result(i).begin_req) / kCycle;
  }
};

/// Random loads and masked stores of few lines, in values as a flat memory has them. Requests of an
/// initiator to one line return in order, because AXI4 orders them.
void check_random(Rig& rig) {
  std::mt19937 random(7);
  std::map<std::uint64_t, unsigned char> bytes;
  for (std::uint64_t at = 0; at < 24 * kLine; ++at) bytes[at] = ScriptedTarget::initial_byte(at);
  std::vector<std::pair<std::size_t, std::vector<unsigned char>>> expected;
  for (unsigned i = 0; i < 3000; ++i) {
    ScriptedRequest r;
    r.at = i * (random() % 4) * kCycle / 2;
    r.address = random() % 24 * kLine;
    if (random() % 2 == 0) {
      r.command = tlm::TLM_WRITE_COMMAND;
      r.mask = ByteMask::range(random() % 100, 1 + random() % 28);
      fill_store(r, random, bytes, r.address);
    } else {
      std::vector<unsigned char> line(kLine);
      for (unsigned b = 0; b < kLine; ++b) line[b] = bytes[r.address + b];
      expected.emplace_back(i, std::move(line));
    }
    rig.initiator.add(r);
  }
  rig.run();
  for (const auto& [i, line] : expected) {
    INFO("request " << i);
    REQUIRE(rig.initiator.result(i).data == line);
  }
}

}  // namespace

TEST_CASE("a load through the AXI4 port of a channel takes these cycles") {
  Rig rig("axi4-dram-port");
  rig.load(0, 1);
  rig.run();
  // Request for the line two edges after AR, first beat of R two edges after the response, the last
  // of four beats three edges later.
  CHECK(rig.memory.arrivals().at(0).at == (kMessage + 2) * kCycle);
  CHECK(rig.cycles(0) == kMessage + 2 + kMemory + 2 + 3);
}

TEST_CASE("a store through the AXI4 port of a channel takes these cycles") {
  Rig rig("axi4-dram-port");
  ScriptedRequest r;
  r.command = tlm::TLM_WRITE_COMMAND;
  r.data.assign(kLine, 5);
  rig.initiator.add(r);
  rig.run();
  // Four beats of W in the edges after AW, the line two edges after the last, B two edges after the
  // response.
  CHECK(rig.memory.arrivals().at(0).at == (kMessage + 4 + 2) * kCycle);
  CHECK(rig.cycles(0) == kMessage + 4 + 2 + kMemory + 2);
}

TEST_CASE("a load through a register slice in C++ takes these cycles") {
  Rig rig("tlm");
  rig.load(0, 1);
  rig.run();
  // AR transfers below an edge later than above, R above an edge later than below; the last of four
  // beats comes three edges after the first.
  CHECK(rig.memory.arrivals().at(0).at == (kMessage + 1) * kCycle);
  CHECK(rig.cycles(0) == kMessage + 1 + kMemory + 1 + 3);
}

TEST_CASE("random accesses through the AXI4 port of a channel have a flat memory's values") {
  Rig rig("axi4-dram-port");
  check_random(rig);
}

TEST_CASE("random accesses through a register slice in C++ have a flat memory's values") {
  Rig rig("tlm");
  check_random(rig);
}

TEST_CASE("a request below has the launch, requester and kind of the one above") {
  Rig rig("axi4-dram-port");
  ScriptedRequest r;
  r.address = 3 * kLine;
  r.prepare = [](Transaction& t) {
    t.request().requester = RequesterId(SmId(5));
    t.request().allocation = 9;
  };
  rig.initiator.add(r);
  rig.run();
  const auto& below = rig.memory.arrivals().at(0).request;
  CHECK(below.requester == RequesterId(SmId(5)));
  CHECK(below.allocation == 9);
  CHECK(below.kind == RequestKind::kLoad);
}

TEST_CASE("atomics through a link of lines are performed in front of it if it is told to") {
  register_design("cut", false, [](const std::string&) { return std::make_unique<Cut>(); });
  Rig rig("cut", true);
  AtomicOperands operands;
  operands.count = 2;
  operands.lanes[0].offset = 0;
  operands.lanes[0].operand = 5;
  operands.lanes[1].offset = 8;
  operands.lanes[1].operand = 7;
  constexpr unsigned kAtomics = 40;  // more than the link's entries
  std::vector<AtomicOperands> all(kAtomics, operands);
  for (unsigned i = 0; i < kAtomics; ++i) {
    ScriptedRequest r;
    r.command = tlm::TLM_WRITE_COMMAND;
    r.address = (i % 3) * kLine;
    r.mask = ByteMask::range(0, 4) | ByteMask::range(8, 4);
    r.prepare = [&all, i](Transaction& t) {
      t.request().kind = RequestKind::kAtomic;
      t.request().atomics = &all[i];
    };
    rig.initiator.add(r);
  }
  ScriptedRequest last;
  last.at = 4000 * kCycle;
  rig.initiator.add(last);
  rig.run();
  const auto word = [&rig](unsigned at) {
    std::uint32_t value = 0;
    std::memcpy(&value, rig.initiator.result(kAtomics).data.data() + at, sizeof value);
    return value;
  };
  const auto before = [](unsigned at) {
    std::uint32_t value = 0;
    for (unsigned b = 4; b-- > 0;) value = value << 8 | ScriptedTarget::initial_byte(at + b);
    return value;
  };
  CHECK(word(0) == before(0) + 14 * 5);
  CHECK(word(8) == before(8) + 14 * 7);
}

TEST_CASE("an untimed access to a memory at rest is performed at once") {
  MemoryRig rig;
  std::array<unsigned char, kLine> line{};
  for (unsigned i = 0; i < kLine; ++i) line[i] = static_cast<unsigned char>(i + 1);
  rig.run_to(1);
  CHECK(rig.untimed(tlm::TLM_WRITE_COMMAND, 3 * kLine + 5, line.data(), 100) == 100);
  std::array<unsigned char, kLine> back{};
  CHECK(rig.untimed(tlm::TLM_READ_COMMAND, 3 * kLine + 5, back.data(), 100) == 100);
  CHECK(std::equal(back.begin(), back.begin() + 100, line.begin()));
  CHECK(sc_core::sc_time_stamp() == to_sc_time(kCycle));
}

TEST_CASE("an untimed write to a memory that reads waits for the read, and later reads for it") {
  MemoryRig rig;
  rig.load(0, 0);
  rig.load(10, 1);
  std::array<unsigned char, kLine> line{};
  line.fill(9);
  rig.run_to(5);
  CHECK(rig.untimed(tlm::TLM_WRITE_COMMAND, kLine, line.data(), kLine) == kLine);
  std::array<unsigned char, kLine> back{};
  CHECK(rig.untimed(tlm::TLM_READ_COMMAND, kLine, back.data(), kLine) == kLine);
  CHECK(back == line);
  CHECK_THROWS_WITH(rig.untimed(tlm::TLM_READ_COMMAND, 0, back.data(), kLine),
                    Catch::Contains("dram: an untimed read while requests are in the design"));
  rig.run_to(1000);
  REQUIRE(rig.initiator.done());
  // AR at 1, four beats from 51 on. The edge after the last beat issues the second.
  CHECK(rig.arrival(0) == kMessage + SlowMemory::kCycles + 3);
  CHECK(rig.arrival(1) == rig.arrival(0) + 1 + SlowMemory::kCycles + 3);
  CHECK(rig.initiator.result(0).data == std::vector<unsigned char>(kLine, 0));
  CHECK(rig.initiator.result(1).data == std::vector<unsigned char>(kLine, 9));
  CHECK(rig.memory.block->idle());
}

TEST_CASE("an untimed write without an enabled byte holds no request") {
  MemoryRig rig;
  rig.load(0, 0);
  rig.load(10, 1);
  rig.run_to(5);
  std::array<unsigned char, kLine> line{};
  std::array<unsigned char, kLine> enables{};
  tlm::tlm_generic_payload p;
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_data_ptr(line.data());
  p.set_data_length(kLine);
  p.set_streaming_width(kLine);
  p.set_byte_enable_ptr(enables.data());
  p.set_byte_enable_length(kLine);
  sc_core::sc_time delay;
  rig.initiator.socket()->b_transport(p, delay);
  CHECK(p.get_response_status() == tlm::TLM_OK_RESPONSE);
  rig.run_to(1000);
  CHECK(rig.initiator.done());
}

TEST_CASE("an output that depends on an input of its cycle is an error that names it") {
  class Wire final : public Design {
   public:
    Wire() { below = Port::kAxi4; }
    void set_reset(bool) override {}
    void step(Tick) override {}
    bool busy() const override { return false; }
    const char* broken_rule() const override { return axi4_above.ar.valid ? "m_arvalid" : nullptr; }
  };
  register_design("wire", false, [](const std::string&) { return std::make_unique<Wire>(); });
  Rig rig("wire");
  rig.load(0, 1);
  CHECK_THROWS_WITH(sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US)),
                    Catch::Contains("link: output m_arvalid changes with an input of the same "
                                    "cycle; it must come from a register (or add REGISTERED to "
                                    "tessera_add_rtl_block)"));
}

TEST_CASE("a design whose address or bus does not fit is refused with all reasons") {
  class Narrow final : public Design {
   public:
    Narrow() {
      below = Port::kLines;
      above_shape.addr_bits = 20;
      line_bytes = 64;
    }
    void set_reset(bool) override {}
    void step(Tick) override {}
    bool busy() const override { return false; }
  };
  register_design("narrow", false, [](const std::string&) { return std::make_unique<Narrow>(); });
  CHECK_THROWS_WITH(Rig("narrow"),
                    "system.gpu0.link0.impl = narrow: addresses go up to " +
                        std::to_string(PlainMap().geometry().total_bytes() - 1) +
                        ", and the design has 20 address bits above; the design's lines have 64 "
                        "bytes, and the memory's have 128");
}

TEST_CASE("a design that never responds ends with a rule of AXI4 that names the limit") {
  class Silent final : public Design {
   public:
    Silent() { below = Port::kAxi4; }
    void set_reset(bool) override {}
    void step(Tick) override { axi4_above.ar.ready = true; }
    bool busy() const override { return false; }
  };
  register_design("silent", false, [](const std::string&) { return std::make_unique<Silent>(); });
  Rig rig("silent");
  rig.load(0, 1);
  CHECK_THROWS_WITH(sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS)),
                    Catch::Contains("link.above: R breaks read_limit"));
}

}  // namespace tessera::rtl_block_test
