// SPDX-License-Identifier: Apache-2.0
// The core with a scripted simulator in place of Unicorn.
#include "modules/vp/riscv_core.h"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/vp/board_memory.h"

namespace tessera::riscv_core_test {

namespace {

constexpr Tick kNs = kTicksPerNs;

/// Each run() executes a step.
class ScriptedIss final : public Iss {
 public:
  explicit ScriptedIss(IssBus& b) : bus(b) {}

  struct Step {
    std::uint64_t before = 0;  ///< instructions before the access
    std::uint64_t load = 0;    ///< address; 0: no access
    std::uint64_t after = 0;
    IssStop stop = IssStop::kQuantum;
  };

  void map_memory(std::uint64_t a, std::uint64_t, unsigned char*, bool) override {
    memories.push_back(a);
  }
  void map_device(std::uint64_t a, std::uint64_t) override { devices.push_back(a); }
  void unmap(std::uint64_t a, std::uint64_t) override { unmapped.push_back(a); }
  void reset(std::uint64_t pc, std::uint64_t) override { reset_pc = pc; }
  IssStop run(std::uint64_t quantum) override {
    runs.push_back(now());
    quanta.push_back(quantum);
    times.push_back(bus.time());
    if (steps.empty()) return IssStop::kWaits;
    const Step s = steps.front();
    steps.pop_front();
    executed += s.before;
    if (s.load != 0) {
      std::uint64_t value = 0;
      loads.emplace_back(bus.load(s.load, &value, 8), value);
    }
    executed += s.after;
    return s.stop;
  }
  void stop() override { ++stops; }
  void set_pending(std::uint64_t m) override { mip = m; }
  std::uint64_t instructions() const override { return executed; }
  std::uint64_t fences() const override { return 7; }
  void set_on_fault(std::function<void(const IssFault&)> f) override { on_fault = std::move(f); }
  std::uint64_t pc() const override { return 0; }

  IssBus& bus;
  std::deque<Step> steps;
  std::vector<std::uint64_t> memories, devices, unmapped;
  std::vector<Tick> runs;
  std::vector<std::uint64_t> quanta, times;
  std::vector<std::pair<bool, std::uint64_t>> loads;
  std::uint64_t executed = 0;
  unsigned stops = 0;
  std::uint64_t reset_pc = 0;
  std::uint64_t mip = 0;
  std::function<void(const IssFault&)> on_fault;
};

/// Notes the time of each access, and takes 50 ns.
class Device final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Device> in;
  explicit Device(const sc_core::sc_module_name& name) : sc_module(name), in("in") {
    in.register_b_transport(this, &Device::blocking);
  }
  void blocking(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    at.push_back(now() + delay.value());
    const auto* const from = p.get_extension<InitiatingHart>();
    hart = from == nullptr ? 99 : from->hart;
    fences = from == nullptr ? 0 : from->fences;
    if (waits) {
      wait(delay + to_sc_time(50 * kNs));
      delay = sc_core::SC_ZERO_TIME;
      p.set_response_status(tlm::TLM_OK_RESPONSE);
      return;
    }
    delay += to_sc_time(50 * kNs);
    *p.get_data_ptr() = 0x5a;
    p.set_response_status(refuses ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  }
  std::vector<Tick> at;
  bool refuses = false;
  bool waits = false;
  std::uint32_t hart = 99;
  std::uint64_t fences = 0;
};

struct Bench {
  Bench() {
    const std::vector<BoardRange> ranges = {{"ram", 0x8000, 0x1000, true},
                                            {"device", 0x1000, 0x1000, false}};
    bus = std::make_unique<BoardBus>("bus", BoardBusConfig{ranges});
    BoardMemoryConfig m;
    m.bytes = 0x1000;
    ram = std::make_unique<BoardMemory>("ram", m);
    RiscvCoreSite site;
    site.hart = 2;
    site.reset_pc = 0x8000;
    site.ranges = ranges;
    site.time = [](Tick t) { return t / kNs; };
    site.make_iss = [this](std::uint32_t, IssBus& b) {
      auto made = std::make_unique<ScriptedIss>(b);
      iss = made.get();
      return made;
    };
    RiscvCoreConfig c;
    c.quantum = 100;
    core = std::make_unique<RiscvCore>("core", c, site);
    core->bus.bind(bus->in);
    bus->out[0]->bind(ram->in);
    bus->out[1]->bind(device.in);
    core->software.bind(wires[0]);
    core->timer.bind(wires[1]);
    core->external.bind(wires[2]);
    core->supervisor_external.bind(wires[3]);
  }
  void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }

  std::unique_ptr<BoardBus> bus;
  std::unique_ptr<BoardMemory> ram;
  Device device{"device"};
  sc_core::sc_vector<sc_core::sc_signal<bool>> wires{"wires", 4};
  std::unique_ptr<RiscvCore> core;
  ScriptedIss* iss = nullptr;
};

}  // namespace

TEST_CASE("RISC-V core: a quantum takes a cycle an instruction, and the next one follows") {
  Bench b;
  b.iss->steps = {{100, 0, 0}, {37, 0, 0}, {1, 0, 0}};
  b.run(1000 * kNs);
  CHECK(b.iss->reset_pc == 0x8000);
  CHECK(b.iss->memories == std::vector<std::uint64_t>{0x8000});
  CHECK(b.iss->devices == std::vector<std::uint64_t>{0x1000});
  CHECK(b.iss->quanta[0] == 100);
  CHECK(b.iss->runs == std::vector<Tick>{0, 100 * kNs, 137 * kNs, 138 * kNs});
  CHECK(b.core->stats().instructions == 138);
}

TEST_CASE("RISC-V core: an access carries the core's own time, and its time counts") {
  Bench b;
  b.iss->steps = {{20, 0x1008, 30}, {10, 0x1010, 0}};
  b.run(1000 * kNs);
  CHECK(b.device.at == std::vector<Tick>{20 * kNs, (100 + 10) * kNs});
  CHECK(b.iss->loads[0] == std::pair<bool, std::uint64_t>(true, 0x5a));
  CHECK(b.iss->runs == std::vector<Tick>{0, 100 * kNs, 160 * kNs});
  CHECK(b.core->stats().loads == 2);
}

TEST_CASE("RISC-V core: a target that waits takes the core's time") {
  Bench b;
  b.device.waits = true;
  b.iss->steps = {{20, 0x1008, 30}, {10, 0x1010, 0}};
  b.run(1000 * kNs);
  CHECK(b.device.at == std::vector<Tick>{20 * kNs, (100 + 10) * kNs});
  CHECK(b.device.hart == 2);
  CHECK(b.device.fences == 7);
  CHECK(b.iss->runs == std::vector<Tick>{0, 100 * kNs, 160 * kNs});
  CHECK(b.iss->times == std::vector<std::uint64_t>{0, 100, 160});
  CHECK(b.iss->stops == 2);
}

TEST_CASE("RISC-V core: an interrupt that rises while the core waits for a target is seen next") {
  Bench b;
  b.device.waits = true;
  b.iss->steps = {{20, 0x1008, 0}, {5, 0, 0}};
  b.run(40 * kNs);
  b.wires[1].write(true);
  b.run(1000 * kNs);
  CHECK(b.iss->mip == Iss::kMtip);
  CHECK(b.iss->runs == std::vector<Tick>{0, 70 * kNs, 75 * kNs});
}

TEST_CASE("RISC-V core: a core that is halted executes nothing more") {
  Bench b;
  b.iss->steps = {{100, 0, 0}, {100, 0, 0}};
  b.run(50 * kNs);
  b.core->halt();
  b.run(1000 * kNs);
  CHECK(b.iss->runs == std::vector<Tick>{0});
}

TEST_CASE("RISC-V core: refused accesses and those to nothing fail") {
  Bench b;
  b.device.refuses = true;
  b.iss->steps = {{0, 0x1008, 1}, {0, 0x5000, 1}};
  b.run(1000 * kNs);
  CHECK_FALSE(b.iss->loads[0].first);
  CHECK_FALSE(b.iss->loads[1].first);
}

TEST_CASE("RISC-V core: WFI waits for a wire") {
  Bench b;
  b.iss->steps = {{5, 0, 0, IssStop::kWaits}, {7, 0, 0}};
  b.run(300 * kNs);
  CHECK(b.core->idle());
  CHECK(b.iss->runs == std::vector<Tick>{0});
  b.wires[2].write(true);
  b.run(100 * kNs);
  CHECK(b.iss->mip == Iss::kMeip);
  CHECK(b.iss->runs == std::vector<Tick>{0, 300 * kNs, 307 * kNs});
  CHECK(b.core->stats().waits == 2);  // the script ends with another
  CHECK(b.core->stats().waiting == 295 * kNs);
}

TEST_CASE("RISC-V core: each wire has its bit of mip") {
  Bench b;
  b.run(kNs);
  const std::uint64_t bits[] = {Iss::kMsip, Iss::kMtip, Iss::kMeip, Iss::kSeip};
  for (unsigned i = 0; i < 4; ++i) {
    b.wires[i].write(true);
    b.run(kNs);
    CHECK(b.iss->mip == bits[i]);
    b.wires[i].write(false);
    b.run(kNs);
  }
}

TEST_CASE("RISC-V core: the time CSR is that of the core's own time") {
  Bench b;
  b.iss->steps = {{100, 0, 0}};
  b.run(1000 * kNs);
  CHECK(b.iss->times == std::vector<std::uint64_t>{0, 100});
}

TEST_CASE("RISC-V core: revoked DMI makes memory a device") {
  Bench b;
  b.run(kNs);
  b.ram->in->invalidate_direct_mem_ptr(0, ~std::uint64_t{0});
  CHECK(b.iss->unmapped == std::vector<std::uint64_t>{0x8000});
  CHECK(b.iss->devices == std::vector<std::uint64_t>{0x1000, 0x8000});
}

TEST_CASE("RISC-V core: an exception without a handler halts the core") {
  Bench b;
  unsigned lost = 0;
  b.core->on_lost = [&] { ++lost; };
  b.iss->steps = {{5, 0, 0, IssStop::kLost}, {7, 0, 0}};
  b.run(1000 * kNs);
  CHECK(lost == 1);
  CHECK(b.iss->runs.size() == 1);
}

TEST_CASE("RISC-V core: the time of accesses is reported") {
  Bench b;
  std::vector<std::pair<Tick, Tick>> accesses;
  b.core->on_access = [&](Tick from, Tick to) { accesses.emplace_back(from / kNs, to / kNs); };
  b.iss->steps = {{20, 0x1008, 30}, {10, 0x1010, 0}, {1, 0x8010, 1}};
  b.run(1000 * kNs);  // the last one, to memory, takes no time
  CHECK(accesses == std::vector<std::pair<Tick, Tick>>{{20, 70}, {110, 160}});
}

TEST_CASE("RISC-V core: what it does is reported, with the core's own time") {
  using Report = std::pair<CoreActivity, Tick>;
  Bench b;
  std::vector<Report> reports;
  std::vector<std::uint64_t> risen;
  b.core->on_activity = [&](CoreActivity a, Tick at) { reports.emplace_back(a, at / kNs); };
  b.core->on_interrupt = [&](std::uint64_t wires) { risen.push_back(wires); };
  b.iss->steps = {{5, 0, 0, IssStop::kWaits}, {0, 0, 0, IssStop::kHeld}, {7, 0, 0, IssStop::kLost}};
  b.run(300 * kNs);
  b.wires[2].write(true);
  b.run(50 * kNs);
  b.wires[1].write(true);
  b.run(450 * kNs);
  b.wires[2].write(false);
  b.run(kNs);
  CHECK(reports == std::vector<Report>{{CoreActivity::kExecutes, 0},
                                       {CoreActivity::kWaits, 5},
                                       {CoreActivity::kExecutes, 300},
                                       {CoreActivity::kStopped, 300},  // for a quantum of 100
                                       {CoreActivity::kExecutes, 400},
                                       {CoreActivity::kStopped, 407}});
  CHECK(risen == std::vector<std::uint64_t>{Iss::kMeip, Iss::kMtip});
}

}  // namespace tessera::riscv_core_test
