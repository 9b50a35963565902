// SPDX-License-Identifier: Apache-2.0
// The command processor with a fake SM, driven by software that knows the register table only.
#include "modules/host/command_processor.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/kernel/sc_time.h"

namespace tessera::command_processor_test {

namespace {

const ClockDomain kClock(1'000'000'000);

Tick cycle(std::uint64_t n) { return kClock.time_of(n); }

// As a driver has them: docs/blocks/command-processor.md.
constexpr std::uint64_t kQueueBase = 0x08;
constexpr std::uint64_t kQueueSize = 0x10;
constexpr std::uint64_t kHead = 0x18;
constexpr std::uint64_t kDoorbell = 0x20;
constexpr std::uint64_t kStatus = 0x28;
constexpr std::uint64_t kInterruptEnable = 0x30;
constexpr std::uint64_t kInterruptStatus = 0x38;
constexpr std::uint64_t kError = 0x40;
constexpr std::uint64_t kErrorPacket = 0x48;
constexpr std::uint64_t kLastCompleted = 0x50;
constexpr std::uint64_t kCompleted = 0x58;
constexpr std::uint64_t kQueues = 0x60;
/// From the registers of a queue to those of the next one.
constexpr std::uint64_t kNextQueue = 0x100;

class FakeKernel final : public KernelProgram {
 public:
  FakeKernel(const LaunchRequest& r, std::uint32_t threads_that_fit)
      : name_(r.kernel), grid_(r.grid), block_(r.block), fits_(threads_that_fit) {}
  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return grid_; }
  Dim3 block() const override { return block_; }
  CtaResources resources() const override {
    return {static_cast<std::uint32_t>(block_.count()), fits_, 0};
  }
  unsigned register_names() const override { return 1; }
  std::unique_ptr<CtaProgram> start_cta(CtaId) override { return nullptr; }

 private:
  std::string name_;
  Dim3 grid_;
  Dim3 block_;
  std::uint32_t fits_;
};

/// Kernel "k" with an 8-byte and a 4-byte argument; keeps the launches.
class FakeSource final : public KernelSource {
 public:
  FakeSource() : facts_{{{"p", 0, 8, true}, {"n", 8, 4}}, 12} {}
  const KernelFacts& facts(const std::string& kernel) override {
    if (kernel != "k") throw InputError("there is no kernel '" + kernel + "'");
    return facts_;
  }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& r, const LaunchEnvironment&) override {
    if (r.grid.count() == 0) throw InputError("a grid has at least one CTA");
    requests.push_back(r);
    return std::make_unique<FakeKernel>(r, 8);
  }
  std::vector<LaunchRequest> requests;

 private:
  KernelFacts facts_;
};

/// Ends each CTA 10 cycles after its start. Holds `resident` CTAs of up to 256 threads in all.
struct FakeSm final : public sc_core::sc_module, public CtaSinkIf {
  explicit FakeSm(const sc_core::sc_module_name& n) : sc_module(n) {
    wake.bind<&FakeSm::work>(*this);
  }
  void start_cta(KernelProgram&, LaunchedCta cta, Tick at) override {
    starts.push_back(at);
    launches.push_back(cta.launch.value);
    running.push_back(cta);
    ends.push_back(at + cycle(10));
    wake.at(ends.front());
  }
  void adopt_cta(KernelProgram&, std::unique_ptr<CtaProgram>, LaunchedCta, Tick) override {
    FAIL("no CTA moves here");
  }
  void release_cta(LaunchedCta, CtaReleased) override { FAIL("no CTA moves here"); }
  SmResources capacity() const override { return {resident, 8, 256, 1 << 16, 1 << 16}; }
  void work() {
    ends.erase(ends.begin());
    if (fails) {
      events->kernel_failed(SmId(0), std::make_exception_ptr(RunError("the kernel failed")));
      return;
    }
    const LaunchedCta cta = running.front();
    events->cta_finished(SmId(0), cta);
    running.erase(running.begin());
    events->sm_drained(SmId(0), cta.launch);
    if (!ends.empty()) wake.at(ends.front());
  }
  DispatchEventsIf* events = nullptr;
  bool fails = false;
  unsigned resident = 1;
  std::vector<Tick> starts;
  std::vector<unsigned> launches;  ///< of each start
  std::vector<Tick> ends;
  std::vector<LaunchedCta> running;
  ProcessTimer wake;
};

/// Keeps what it sees.
struct WatchedPlanner final : public LaunchPlanner {
  LaunchPlan plan(const LaunchView& launch) override {
    seen.push_back(launch);
    return next;
  }
  std::vector<LaunchView> seen;
  LaunchPlan next;
};

struct Testbench final : public sc_core::sc_module {
  static constexpr std::uint64_t kMemoryBytes = 4096;

  tlm_utils::simple_initiator_socket<Testbench> registers{"registers"};
  tlm_utils::multi_passthrough_target_socket<Testbench> memory{"memory"};
  std::vector<unsigned char> bytes;

  explicit Testbench(const sc_core::sc_module_name& n) : sc_module(n), bytes(kMemoryBytes) {
    memory.register_transport_dbg(this, &Testbench::transport_dbg);
  }
  unsigned transport_dbg(int, tlm::tlm_generic_payload& p) {
    if (p.get_address() + p.get_data_length() > kMemoryBytes) return 0;
    unsigned char* at = bytes.data() + p.get_address();
    if (p.is_read()) std::memcpy(p.get_data_ptr(), at, p.get_data_length());
    if (p.is_write()) std::memcpy(at, p.get_data_ptr(), p.get_data_length());
    return p.get_data_length();
  }
};

struct Rig {
  static constexpr std::uint64_t kRing = 0x400;
  static constexpr std::uint64_t kSecondRing = 0x800;
  static constexpr std::uint64_t kArguments = 0x100;

  FakeSm sm{"sm"};
  CtaDispatcher dispatcher;
  std::shared_ptr<FakeSource> source = std::make_shared<FakeSource>();
  KernelTable kernels;
  WatchedPlanner planner;
  Allocations allocations;
  std::vector<PageAssignment> placed;
  std::vector<CachingByAllocation> caching;
  const bool caches_arrays;
  unsigned ended = 0;
  CommandProcessor cp;
  Testbench bench{"bench"};

  explicit Rig(std::uint64_t fetch = 0, std::uint64_t launch = 0, bool caches = false)
      : dispatcher("dispatcher", config(fetch, launch),
                   [](std::uint32_t) { return make_policy<CtaScheduler>("distributed"); }, {1}),
        caches_arrays(caches),
        cp("cp", config(fetch, launch), kernels, planner, dispatcher, platform()) {
    sm.events = &dispatcher;
    dispatcher.sms[0].bind(sm);
    bench.registers.bind(cp.mmio);
    cp.memory.bind(bench.memory);
    kernels.add(source, "k");
    allocations.allocate("data", 10000);
    // Sockets serve after elaboration.
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  unsigned bytes, unsigned char* enables = nullptr,
                                  unsigned enable_bytes = 0) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    p.set_byte_enable_ptr(enables);
    p.set_byte_enable_length(enable_bytes);
    bench.registers->b_transport(p, delay);
    CHECK(delay == sc_core::SC_ZERO_TIME);
    return p.get_response_status();
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    CHECK(access(tlm::TLM_READ_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::uint64_t address, std::uint64_t value) {
    CHECK(access(tlm::TLM_WRITE_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
  }

  void set_queue(std::uint64_t packets) {
    write(kQueueBase, kRing);
    write(kQueueSize, packets);
  }
  /// Queue 1, behind the ring of queue 0.
  void set_second_queue(std::uint64_t packets) {
    write(kNextQueue + kQueueBase, kSecondRing);
    write(kNextQueue + kQueueSize, packets);
  }
  void put_second(unsigned slot, const CommandPacket& p) {
    std::memcpy(bench.bytes.data() + kSecondRing + slot * 64, &p, 64);
  }
  CommandPacket packet(std::uint32_t id) const {
    CommandPacket p;
    p.type = 1;
    p.id = id;
    p.kernel = 1;
    p.grid = {2, 1, 1};
    p.block = {32, 1, 1};
    p.arguments = kArguments;
    p.completion = 8 * std::uint64_t{id};
    return p;
  }
  void put(unsigned slot, const CommandPacket& p) {
    std::memcpy(bench.bytes.data() + kRing + slot * 64, &p, 64);
  }
  std::uint64_t signal(std::uint32_t id) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bench.bytes.data() + 8 * id, 8);
    return value;
  }
  static void run(std::uint64_t cycles) { sc_core::sc_start(to_sc_time(cycle(cycles))); }

 private:
  static DispatchConfig config(std::uint64_t fetch, std::uint64_t launch) {
    DispatchConfig c;
    c.clock_hz = kClock.hertz();
    c.fetch_cycles = fetch;
    c.launch_cycles = launch;
    return c;
  }
  CommandProcessorSite platform() {
    CommandProcessorSite p;
    p.context.tree.gpus = 4;
    p.memories = 32;
    p.allocations = &allocations;
    p.make = [](KernelSource& s, const LaunchRequest& r) { return s.make(r, {}); };
    p.place = [this](const PageAssignment& a) { placed.push_back(a); };
    p.on_end = [this](std::uint32_t, const KernelEnd&) { ++ended; };
    if (caches_arrays) {
      p.check_caching = [](const CachingByAllocation&) {};
      p.cache = [this](GpuId, const CachingByAllocation& c, bool) { caching.push_back(c); };
    }
    return p;
  }
};

}  // namespace

TEST_CASE("a doorbell launches the packet's kernel after fetch and launch latency") {
  Rig rig(100, 30);
  rig.set_queue(4);
  CommandPacket p = rig.packet(7);
  p.dynamic_shared_bytes = 48;
  rig.put(0, p);
  const std::uint64_t pointer = Allocations::kBase + 5000;
  const std::uint32_t n = 99;
  std::memcpy(rig.bench.bytes.data() + Rig::kArguments, &pointer, 8);
  std::memcpy(rig.bench.bytes.data() + Rig::kArguments + 8, &n, 4);
  rig.run(5);
  rig.write(kDoorbell, 1);
  CHECK(rig.read(kStatus) == 3);  // queue set, busy
  rig.run(1000);
  // Cycle 5: the doorbell. 100 cycles of fetch; the launch counts from the next edge; a CTA starts
  // the edge after it is dealt.
  CHECK(rig.sm.starts.at(0) == cycle(5 + 100 + 1 + 30 + 1));
  REQUIRE(rig.source->requests.size() == 1);
  const LaunchRequest& r = rig.source->requests[0];
  CHECK(r.kernel == "k");
  CHECK(r.grid.x == 2);
  CHECK(r.block.x == 32);
  CHECK(r.dynamic_shared_bytes == 48);
  CHECK(r.arguments.at(0).bytes == KernelArgument::of(pointer).bytes);
  CHECK(r.arguments.at(1).bytes == KernelArgument::of(n).bytes);
  CHECK(rig.read(kStatus) == 1);
  CHECK(rig.read(kHead) == 1);
  CHECK(rig.read(kLastCompleted) == 7);
  CHECK(rig.read(kCompleted) == 1);
  CHECK(rig.signal(7) == 1);
  CHECK(rig.ended == 1);
  CHECK(rig.cp.idle());
}

TEST_CASE("packets of one doorbell run back to back, each fetched after the one before") {
  Rig rig(100);
  rig.set_queue(4);
  for (unsigned i = 0; i < 3; ++i) {
    CommandPacket p = rig.packet(10 + i);
    p.grid = {1, 1, 1};
    rig.put(i, p);
  }
  rig.write(kDoorbell, 3);
  rig.run(1000);
  // A CTA starts 2 cycles after the fetch and takes 10; the dispatcher acts the cycle after.
  constexpr std::uint64_t kEach = 100 + 2 + 10 + 1;
  CHECK(rig.sm.starts == std::vector<Tick>{cycle(102), cycle(kEach + 102), cycle(2 * kEach + 102)});
  CHECK(rig.read(kCompleted) == 3);
  CHECK(rig.read(kLastCompleted) == 12);
}

TEST_CASE("without latencies a kernel starts two cycles after its doorbell") {
  Rig rig;
  rig.set_queue(1);
  rig.put(0, rig.packet(1));
  rig.write(kDoorbell, 1);
  rig.run(100);
  CHECK(rig.sm.starts.at(0) == cycle(2));
}

TEST_CASE("a doorbell off an edge counts from the next edge, with the access's own delay") {
  Rig rig(10);
  rig.set_queue(1);
  rig.put(0, rig.packet(1));
  tlm::tlm_generic_payload p;
  sc_core::sc_time delay = to_sc_time(cycle(3) + 1);
  std::uint64_t tail = 1;
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(kDoorbell);
  p.set_data_ptr(reinterpret_cast<unsigned char*>(&tail));
  p.set_data_length(8);
  p.set_streaming_width(8);
  rig.bench.registers->b_transport(p, delay);
  rig.run(100);
  CHECK(rig.sm.starts.at(0) == cycle(4 + 10 + 2));
}

TEST_CASE("the ring wraps: slots are used again after their packets are consumed") {
  Rig rig;
  rig.set_queue(2);
  for (std::uint32_t tail = 1; tail <= 5; ++tail) {
    rig.put((tail - 1) % 2, rig.packet(tail));
    rig.write(kDoorbell, tail);
    rig.run(100);
    CHECK(rig.read(kLastCompleted) == tail);
  }
  CHECK(rig.read(kHead) == 5);
}

TEST_CASE("a full queue runs, and one packet more is an overflow and changes nothing") {
  Rig rig;
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  rig.put(1, rig.packet(2));
  rig.write(kDoorbell, 3);
  CHECK(rig.read(kError) == 2);
  CHECK(rig.read(kStatus) == (1 | 4));
  rig.run(100);
  CHECK(rig.sm.starts.empty());
  rig.write(kError, 0);
  rig.write(kDoorbell, 2);
  rig.run(100);
  CHECK(rig.read(kCompleted) == 2);
  CHECK(rig.read(kError) == 0);
}

TEST_CASE("completion raises the interrupt until software acknowledges it") {
  Rig rig;
  rig.set_queue(1);
  rig.put(0, rig.packet(1));
  rig.write(kDoorbell, 1);
  rig.run(100);
  CHECK(rig.read(kInterruptStatus) == 1);
  CHECK_FALSE(rig.cp.interrupt->read());
  rig.write(kInterruptEnable, 0xff);
  CHECK(rig.read(kInterruptEnable) == 3);
  rig.run(1);
  CHECK(rig.cp.interrupt->read());
  rig.write(kInterruptStatus, 2);  // another one
  rig.run(1);
  CHECK(rig.cp.interrupt->read());
  rig.write(kInterruptStatus, 1);
  rig.run(1);
  CHECK_FALSE(rig.cp.interrupt->read());
  CHECK(rig.read(kInterruptStatus) == 0);
}

TEST_CASE("a bad packet halts the queue until software clears the error") {
  Rig rig;
  rig.set_queue(8);
  // What the error register says of each.
  CommandPacket unknown = rig.packet(1);
  unknown.kernel = 2;
  CommandPacket type = rig.packet(2);
  type.type = 0;
  CommandPacket misaligned = rig.packet(3);
  misaligned.arguments += 4;
  CommandPacket beyond = rig.packet(4);
  beyond.arguments = Testbench::kMemoryBytes - 8;
  CommandPacket grid = rig.packet(5);
  grid.grid = {0, 1, 1};
  CommandPacket large = rig.packet(6);
  large.block = {512, 1, 1};
  const std::vector<std::pair<CommandPacket, std::uint64_t>> bad{
      {unknown, 5}, {type, 4}, {misaligned, 4}, {beyond, 3}, {grid, 6}, {large, 6}};
  for (unsigned i = 0; i < bad.size(); ++i) rig.put(i, bad[i].first);
  rig.put(6, rig.packet(7));
  rig.write(kDoorbell, 7);
  for (const auto& [packet, error] : bad) {
    rig.run(100);
    INFO("packet " << packet.id);
    CHECK(rig.read(kStatus) == (1 | 4));
    CHECK(rig.read(kError) == error);
    CHECK(rig.read(kErrorPacket) == packet.id);
    CHECK(rig.signal(packet.id) == (std::uint64_t{1} << 63 | error));
    CHECK(rig.cp.failure(0));
    CHECK((rig.read(kInterruptStatus) & 2) == 2);
    CHECK(rig.sm.starts.empty());
    rig.write(kError, 0);
  }
  rig.run(100);
  CHECK(rig.read(kCompleted) == 1);
  CHECK(rig.read(kLastCompleted) == 7);
  CHECK_FALSE(rig.cp.failure(0));
}

TEST_CASE("a failed kernel halts the command processor for good") {
  Rig rig;
  rig.set_queue(2);
  rig.sm.fails = true;
  rig.put(0, rig.packet(1));
  rig.put(1, rig.packet(2));
  rig.write(kDoorbell, 2);
  rig.run(100);
  CHECK(rig.read(kError) == 7);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.cp.failure(0)), "the kernel failed");
  CHECK(rig.ended == 1);
  std::uint64_t zero = 0;
  CHECK(rig.access(tlm::TLM_WRITE_COMMAND, kError, &zero, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  rig.run(100);
  CHECK(rig.sm.starts.size() == 1);
  CHECK(rig.cp.idle());
}

TEST_CASE("a queue of an illegal size or base, and a doorbell without one, are errors") {
  Rig rig;
  rig.write(kDoorbell, 1);
  CHECK(rig.read(kError) == 1);
  rig.write(kError, 0);
  rig.write(kQueueSize, 3);
  CHECK(rig.read(kError) == 1);
  CHECK(rig.read(kQueueSize) == 0);
  rig.write(kError, 0);
  rig.write(kQueueBase, 32);
  rig.write(kQueueSize, 4);
  CHECK(rig.read(kError) == 1);
  rig.write(kError, 0);
  // The ring is beyond memory.
  rig.write(kQueueBase, 1 << 20);
  rig.write(kQueueSize, 4);
  CHECK(rig.read(kError) == 0);
  rig.write(kDoorbell, 1);
  rig.run(10);
  CHECK(rig.read(kError) == 3);
}

TEST_CASE("registers take aligned accesses of 4 and 8 bytes with byte enables") {
  Rig rig;
  std::uint32_t half = 0x11223344;
  CHECK(rig.access(tlm::TLM_WRITE_COMMAND, kQueueBase + 4, &half, 4) == tlm::TLM_OK_RESPONSE);
  CHECK(rig.read(kQueueBase) == 0x1122334400000000);
  std::uint64_t whole = 0xaabbccddeeff0011;
  std::array<unsigned char, 2> odd{0, 0xff};
  CHECK(rig.access(tlm::TLM_WRITE_COMMAND, kQueueBase, &whole, 8, odd.data(), 2) ==
        tlm::TLM_OK_RESPONSE);
  CHECK(rig.read(kQueueBase) == 0xaa22cc44ee000000);
  std::uint32_t upper = 0x55555555;
  CHECK(rig.access(tlm::TLM_READ_COMMAND, kQueueBase + 4, &upper, 4, odd.data(), 2) ==
        tlm::TLM_OK_RESPONSE);
  CHECK(upper == 0xaa55cc55);
}

TEST_CASE("bad register accesses get a TLM error status and change nothing") {
  Rig rig;
  std::uint64_t v = 64;
  const auto read = tlm::TLM_READ_COMMAND;
  const auto write = tlm::TLM_WRITE_COMMAND;
  CHECK(rig.access(read, 0x68, &v, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.access(read, kQueueBase + 4, &v, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.access(read, kQueueBase + 2, &v, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.access(read, kQueueBase, &v, 2) == tlm::TLM_BURST_ERROR_RESPONSE);
  std::array<std::uint64_t, 2> two{};
  CHECK(rig.access(read, kQueueBase, two.data(), 16) == tlm::TLM_BURST_ERROR_RESPONSE);
  unsigned char enable = 0xff;
  CHECK(rig.access(read, kQueueBase, &v, 8, &enable, 0) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  for (const std::uint64_t r : {std::uint64_t{0}, kHead, kStatus, kErrorPacket, kLastCompleted}) {
    CHECK(rig.access(write, r, &v, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  CHECK(rig.read(kQueueBase) == 0);
  // The ring cannot be exchanged while packets are in it.
  rig.set_queue(1);
  rig.put(0, rig.packet(1));
  rig.write(kDoorbell, 1);
  CHECK(rig.access(write, kQueueSize, &v, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(rig.read(kQueueSize) == 1);
}

TEST_CASE("debug accesses read any range of the registers and write nothing") {
  Rig rig;
  rig.write(kQueueBase, 0x1122334455667700);
  tlm::tlm_generic_payload p;
  std::array<unsigned char, 3> three{};
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_address(kQueueBase + 1);
  p.set_data_ptr(three.data());
  p.set_data_length(3);
  CHECK(rig.bench.registers->transport_dbg(p) == 3);
  CHECK(three == std::array<unsigned char, 3>{0x77, 0x66, 0x55});
  p.set_address(kCommandRegisterBytes - 2);
  CHECK(rig.bench.registers->transport_dbg(p) == 0);
  CHECK(p.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(kQueueBase);
  CHECK(rig.bench.registers->transport_dbg(p) == 0);
  CHECK(p.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(rig.read(kQueueBase) == 0x1122334455667700);
}

TEST_CASE("the planner sees kernel, arguments, arrays and tree, and its plan is applied") {
  Rig rig;
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  const std::uint64_t pointer = Allocations::kBase + 5000;
  std::memcpy(rig.bench.bytes.data() + Rig::kArguments, &pointer, 8);
  rig.planner.next.pages = {{5, ChannelId(3)}, {6, ChannelId(1)}};
  rig.write(kDoorbell, 1);
  rig.run(100);
  REQUIRE(rig.planner.seen.size() == 1);
  const LaunchView& v = rig.planner.seen[0];
  CHECK(v.kernel == "k");
  CHECK(v.grid.x == 2);
  CHECK(v.block.x == 32);
  CHECK(v.platform.tree.gpus == 4);
  CHECK(v.memories == 32);
  REQUIRE(v.arrays.size() == 1);
  CHECK(v.arrays[0].name == "data");
  CHECK(v.arrays[0].bytes == 10000);
  REQUIRE(v.arguments.size() == 2);
  CHECK(v.arguments[0].name == "p");
  CHECK(v.arguments[0].array == std::size_t{0});
  CHECK(v.arguments[0].read_only);
  CHECK(v.arguments[0].value == pointer);
  CHECK_FALSE(v.arguments[1].array.has_value());
  CHECK_FALSE(v.arguments[1].read_only);
  REQUIRE(rig.placed.size() == 2);
  CHECK(rig.placed[0].virtual_page == 5);
  CHECK(rig.placed[1].memory == ChannelId(1));
  CHECK(rig.cp.stats().pages_placed == 2);
}

TEST_CASE(
    "a plan's caching reaches the platform by allocations' numbers, and ends with the launch") {
  Rig rig(0, 0, true);
  const Address second = rig.allocations.allocate("more", 100).begin;
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  rig.put(1, rig.packet(2));
  rig.planner.next.caching = {{second + 5, {true, false}}};
  rig.write(kDoorbell, 1);
  rig.run(100);
  REQUIRE(rig.caching.size() == 1);
  REQUIRE(rig.caching[0].size() == 3);
  CHECK_FALSE(rig.caching[0][1].has_value());
  REQUIRE(rig.caching[0][2].has_value());
  CHECK(rig.caching[0][2]->at_requester);
  CHECK_FALSE(rig.caching[0][2]->at_home);
  rig.planner.next = LaunchPlan{};
  rig.write(kDoorbell, 2);
  rig.run(100);
  REQUIRE(rig.caching.size() == 2);
  CHECK(rig.caching[1].empty());
}

TEST_CASE("a plan's caching of an address in no array refuses the launch") {
  Rig rig(0, 0, true);
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  rig.planner.next.caching = {{8, {}}};
  rig.write(kDoorbell, 1);
  rig.run(100);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.cp.failure(0)),
                    Catch::Contains("for 0x8, which is inside no array"));
  CHECK(rig.caching.empty());
}

TEST_CASE("a plan that the platform cannot apply refuses the launch") {
  Rig rig;
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  rig.put(1, rig.packet(2));
  rig.planner.next.caching = {{Allocations::kBase, Caching{}}};
  rig.write(kDoorbell, 2);
  rig.run(100);
  CHECK(rig.read(kError) == 6);
  rig.planner.next = LaunchPlan{};
  rig.planner.next.scheduler = CtaSchedulerChoice{"nonesuch", {}};
  rig.write(kError, 0);
  rig.run(100);
  CHECK(rig.read(kError) == 6);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.cp.failure(0)),
                    Catch::Contains("unknown cta_scheduler policy 'nonesuch'"));
  CHECK(rig.sm.starts.empty());
}

TEST_CASE("reset leaves nothing open") {
  Rig rig(50);
  rig.set_queue(2);
  rig.put(0, rig.packet(1));
  rig.write(kDoorbell, 1);
  std::vector<Waiting> waiting;
  rig.cp.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].items == 1);
  rig.cp.reset();
  CHECK(rig.cp.idle());
  CHECK(rig.read(kQueueSize) == 0);
  rig.run(200);
  CHECK(rig.sm.starts.empty());
  rig.set_queue(2);
  rig.write(kDoorbell, 1);
  rig.run(200);
  CHECK(rig.read(kCompleted) == 1);
}

TEST_CASE("kernels of two queues run at the same time, and each queue has its own registers") {
  Rig rig;
  rig.sm.resident = 2;
  CHECK(rig.read(kQueues) == 32);
  CHECK(rig.read(kNextQueue + kQueues) == 32);
  rig.set_queue(2);
  rig.set_second_queue(4);
  CHECK(rig.read(kQueueSize) == 2);
  CHECK(rig.read(kNextQueue + kQueueSize) == 4);
  CommandPacket p = rig.packet(1);
  p.grid = {1, 1, 1};
  rig.put(0, p);
  p.id = 2;
  p.completion = 16;
  rig.put_second(0, p);
  rig.write(kNextQueue + kInterruptEnable, 1);
  rig.write(kDoorbell, 1);
  rig.write(kNextQueue + kDoorbell, 1);
  CHECK(rig.read(kStatus) == 3);
  CHECK(rig.read(kNextQueue + kStatus) == 3);
  rig.run(100);
  // An SM gets one CTA a cycle.
  CHECK(rig.sm.starts == std::vector<Tick>{cycle(2), cycle(3)});
  for (const std::uint64_t queue : {std::uint64_t{0}, kNextQueue}) {
    CHECK(rig.read(queue + kHead) == 1);
    CHECK(rig.read(queue + kCompleted) == 1);
    CHECK(rig.read(queue + kInterruptStatus) == 1);
  }
  CHECK(rig.read(kLastCompleted) == 1);
  CHECK(rig.read(kNextQueue + kLastCompleted) == 2);
  CHECK(rig.signal(1) == 1);
  CHECK(rig.signal(2) == 1);
  CHECK(rig.cp.interrupt->read());
  rig.write(kInterruptStatus, 1);  // of queue 0, which has not enabled it
  rig.run(1);
  CHECK(rig.cp.interrupt->read());
  rig.write(kNextQueue + kInterruptStatus, 1);
  rig.run(1);
  CHECK_FALSE(rig.cp.interrupt->read());
}

TEST_CASE("kernels of one queue run one after the other also if both would fit") {
  Rig rig;
  rig.sm.resident = 2;
  rig.set_queue(2);
  for (unsigned i = 0; i < 2; ++i) {
    CommandPacket p = rig.packet(1 + i);
    p.grid = {1, 1, 1};
    rig.put(i, p);
  }
  rig.write(kDoorbell, 2);
  rig.run(100);
  // The first ends in cycle 13, where the second is launched.
  CHECK(rig.sm.starts == std::vector<Tick>{cycle(2), cycle(15)});
}

TEST_CASE("a kernel of a lower priority number gets the SM before the others") {
  Rig rig;
  rig.set_queue(1);
  rig.set_second_queue(1);
  CommandPacket p = rig.packet(1);
  rig.put(0, p);
  p.id = 2;
  p.priority = -1;
  rig.put_second(0, p);
  rig.write(kDoorbell, 1);
  rig.write(kNextQueue + kDoorbell, 1);
  rig.run(100);
  CHECK(rig.sm.launches == std::vector<unsigned>{2, 2, 1, 1});
}

TEST_CASE("an error halts its own queue only") {
  Rig rig;
  rig.set_queue(1);
  rig.set_second_queue(1);
  CommandPacket bad = rig.packet(1);
  bad.kernel = 2;
  rig.put(0, bad);
  rig.put_second(0, rig.packet(2));
  rig.write(kDoorbell, 1);
  rig.write(kNextQueue + kDoorbell, 1);
  rig.run(100);
  CHECK(rig.read(kStatus) == (1 | 4));
  CHECK(rig.read(kError) == 5);
  CHECK(rig.read(kNextQueue + kStatus) == 1);
  CHECK(rig.read(kNextQueue + kError) == 0);
  CHECK(rig.read(kNextQueue + kCompleted) == 1);
  CHECK(rig.cp.failure(0));
  CHECK_FALSE(rig.cp.failure(1));
}

}  // namespace tessera::command_processor_test
