// SPDX-License-Identifier: Apache-2.0
// The way of a launch through a platform: kernels that are no PTX, plans, and firmware that knows
// the command processor's registers only.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "modules/mmu/uvm_driver.h"
#include "platforms/gpu_device.h"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "policies/launch_planner.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/module_loader.h"
#include "tests/platforms/launch_rig.h"
#include "tests/platforms/synthetic_kernel.h"

namespace tessera::launch_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kSms = 8;  ///< of the small presets

/// One launch of the synthetic kernel.
class WhoRan final : public Workload {
 public:
  static constexpr std::uint32_t kCtas = 100;
  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale, std::uint64_t) override {
    out_ = device.allocate("out", kCtas * kWarpLanes * 4);
    device.launch(who_ran(std::make_shared<WhoRanSource>(), kCtas, out_));
  }
  std::optional<Verification> verify(Device& device) override {
    Verification v;
    for (std::uint32_t i = 0; i < kCtas * kWarpLanes; ++i) {
      std::uint32_t got = 0;
      device.read(&got, out_ + 4 * std::uint64_t{i}, 4);
      ++v.compared;
      if (got >> 8 != i / kWarpLanes || (got & 0xff) >= kSms) ++v.wrong;
    }
    v.passed = v.wrong == 0;
    return v;
  }

 private:
  Address out_ = 0;
  WorkloadInfo info_{"who-ran", "", "", true};
};

void run_synthetic(ValueMode values) {
  Simulation simulation(resolve_config("nuba-small", {}), {true});
  WhoRan workload;
  RunOptions options;
  options.values = values;
  const RunResult r = simulation.run(workload, options);
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.stats["kernels"].size() == 1);
  CHECK(r.stats["kernels"][0]["name"] == "who_ran");
  CHECK(r.stats["modules"]["system.gpu0.dispatcher"]["ctas"] == WhoRan::kCtas);
}

/// Places each array's pages in contiguous parts, one for each memory, before the kernel starts; in
/// the opposite order from the second launch on. CTAs round robin.
class KernelWidePages final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan p;
    const std::uint64_t page = launch.platform.memory.page_bytes;
    for (const LaunchArgument& a : launch.arguments) {
      if (!a.array) continue;
      const LaunchArray& array = launch.arrays[*a.array];
      const std::uint64_t pages = (array.bytes + page - 1) / page;
      for (std::uint64_t i = 0; i < pages; ++i) {
        const auto memory = static_cast<std::uint32_t>(i * launch.memories / pages);
        p.pages.push_back({array.address / page + i,
                           ChannelId(launches_ == 0 ? memory : launch.memories - 1 - memory)});
      }
    }
    p.scheduler = CtaSchedulerChoice{"round-robin"};
    ++launches_;
    return p;
  }

 private:
  unsigned launches_ = 0;
};

/// A plan with a page of no array.
class LostPage final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& /*launch*/) override {
    LaunchPlan p;
    p.pages = {{1, ChannelId(0)}};
    return p;
  }
};

/// A plan with a page in a memory after the platform's last.
class LostMemory final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan p;
    p.pages = {
        {launch.arrays[0].address / launch.platform.memory.page_bytes, ChannelId(launch.memories)}};
    return p;
  }
};

/// A plan with a page and a scheduler that does not exist.
class LostScheduler final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan p;
    p.pages = {{launch.arrays[0].address / launch.platform.memory.page_bytes, ChannelId(1)}};
    p.scheduler = CtaSchedulerChoice{"row-bindin"};
    return p;
  }
};

template <class Planner>
std::unique_ptr<LaunchPlanner> make(const PolicyContext& /*context*/) {
  return std::make_unique<Planner>();
}

const PolicyRegistration<LaunchPlanner> kKernelWidePages("kernel-wide-pages", "for this test",
                                                         make<KernelWidePages>);
const PolicyRegistration<LaunchPlanner> kLostPage("lost", "for this test", make<LostPage>);
const PolicyRegistration<LaunchPlanner> kLostMemory("lost-memory", "for this test",
                                                    make<LostMemory>);
const PolicyRegistration<LaunchPlanner> kLostScheduler("lost-scheduler", "for this test",
                                                       make<LostScheduler>);

}  // namespace

TEST_CASE("a kernel that is no PTX runs and verifies, carried") {
  run_synthetic(ValueMode::kCarried);
}
TEST_CASE("a kernel that is no PTX runs and verifies, functional") {
  run_synthetic(ValueMode::kFunctional);
}

TEST_CASE("a planner of one's own places pages before the start and chooses the CTA scheduler") {
  LaunchRig rig("nuba-small", {"dispatch.planner=kernel-wide-pages", "uvm.mode=fault",
                               "system.page_placement=round-robin"});
  const std::uint64_t page = rig.config.gpu.system.page_bytes;
  const std::uint32_t ctas = 2 * kSms;
  const Address out = rig.device.allocate("out", 8 * page);
  rig.device.launch(who_ran(rig.source, ctas, out));
  const std::vector<std::uint32_t> kernel_wide{0, 0, 1, 1, 2, 2, 3, 3};
  CHECK(rig.homes(out, 8) == kernel_wide);
  CHECK(rig.system->uvm().stats().faults == 0);
  // Round-robin deals the CTAs over the SMs twice; the platform's own scheduler, distributed,
  // gives CTAs 2s and 2s + 1 to SM s.
  std::vector<std::uint32_t> dealt;
  for (std::uint32_t i = 0; i < ctas; ++i) dealt.push_back(i % kSms);
  CHECK(rig.sms(out, ctas) == dealt);
  CHECK(rig.device.host().command_processor.stats().pages_placed == 8);

  // The second launch wants them elsewhere: pages that are placed stay.
  rig.device.launch(who_ran(rig.source, ctas, out));
  CHECK(rig.homes(out, 8) == kernel_wide);
  CHECK(rig.system->uvm().stats().pages_mapped == 8);
}

TEST_CASE(
    "the immediate planner leaves pages to their first touch and CTAs to dispatch.scheduler") {
  LaunchRig rig("nuba-small", {"uvm.mode=fault", "system.page_placement=round-robin"});
  const std::uint32_t ctas = 2 * kSms;
  const Address out = rig.device.allocate("out", 8 * rig.config.gpu.system.page_bytes);
  rig.device.launch(who_ran(rig.source, ctas, out));
  CHECK(rig.system->uvm().stats().faults == 1);  // 16 CTAs store to 2 KiB
  std::vector<std::uint32_t> dealt;
  for (std::uint32_t i = 0; i < ctas; ++i) dealt.push_back(i / 2);
  CHECK(rig.sms(out, ctas) == dealt);
}

TEST_CASE("a plan with a page of no array refuses the launch") {
  LaunchRig rig("nuba-small", {"dispatch.planner=lost"});
  const Address out = rig.device.allocate("out", 4096);
  CHECK_THROWS_WITH(rig.device.launch(who_ran(rig.source, 1, out)),
                    "page 1 cannot be placed: it is in no allocation");
}

TEST_CASE("a plan with a memory that does not exist refuses the launch") {
  LaunchRig rig("ladm-4x4-small", {"dispatch.planner=lost-memory"});
  const Address out = rig.device.allocate("out", 4096);
  CHECK_THROWS_WITH(
      rig.device.launch(who_ran(rig.source, 1, out)),
      "page " + std::to_string(out / 4096) + " cannot be placed in memory 4: the platform has 4");
}

TEST_CASE("a plan with a scheduler that does not exist refuses the launch and places no page") {
  LaunchRig rig("ladm-4x4-small", {"dispatch.planner=lost-scheduler"});
  const Address out = rig.device.allocate("out", 4096);
  CHECK_THROWS_WITH(rig.device.launch(who_ran(rig.source, 1, out)),
                    Catch::Contains("unknown cta_scheduler policy 'row-bindin'") &&
                        Catch::Contains("did you mean 'row-binding'?"));
  CHECK_FALSE(rig.system->uvm().translate(out).has_value());
}

TEST_CASE("after a launch that is refused, the host program can launch again") {
  LaunchRig rig("nuba-small");
  const Address out = rig.device.allocate("out", 4096);
  LaunchRequest bad = who_ran(rig.source, 1, out);
  bad.arguments.clear();
  CHECK_THROWS_WITH(rig.device.launch(bad), "kernel 'who_ran' takes 1 arguments, not 0");
  const ptx::Module module = ptx::parse(
      ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n",
      "k.ptx");
  LaunchRequest large;
  large.source = kernels::ModuleLoader::make(rig.device)->source(module);
  large.kernel = "k";
  large.block = {70000, 1, 1};
  CHECK_THROWS_WITH(rig.device.launch(large), Catch::Contains("not 70000 x 1 x 1"));
  rig.device.launch(who_ran(rig.source, 4, out));
  CHECK(rig.sms(out, 4).size() == 4);
}

TEST_CASE("fetch and launch latency delay a launch by their cycles") {
  const auto busy = [](LaunchRig& rig) {
    const Address out = rig.device.allocate("out", 4096);
    rig.device.launch(who_ran(rig.source, 1, out));
    return now();
  };
  const ClockDomain clock(resolve_config("nuba-small", {}).gpu.dispatch.clock_hz);
  LaunchRig rig("nuba-small", {"dispatch.fetch_cycles=1000", "dispatch.launch_cycles=300"});
  const std::uint64_t with = clock.cycle_at(busy(rig));
  // The same launch again, of a kernel whose page is placed: both latencies once more.
  CHECK(with > 1300);
  const std::uint64_t dispatched = rig.system->dispatcher().stats().busy_cycles;
  // From the doorbell in cycle 0: the fetch; the launch counts from the next edge.
  CHECK(with == 1000 + 1 + 300 + dispatched);
}

namespace {

// As firmware has them: docs/blocks/command-processor.md.
constexpr std::uint64_t kQueueBase = 0x08;
constexpr std::uint64_t kQueueSize = 0x10;
constexpr std::uint64_t kDoorbell = 0x20;
constexpr std::uint64_t kStatus = 0x28;
constexpr std::uint64_t kLastCompleted = 0x50;

/// Adds two vectors on the GPU, by plain TLM accesses.
struct Firmware final : public sc_core::sc_module {
  static constexpr std::uint32_t kElements = 1000;
  static constexpr std::uint64_t kRing = 0x1000;
  static constexpr std::uint64_t kArguments = 0x2000;
  static constexpr std::uint64_t kSignal = 0x3000;

  tlm_utils::simple_initiator_socket<Firmware> registers{"registers"};
  tlm_utils::simple_initiator_socket<Firmware> memory{"memory"};
  KernelHandle kernel = 0;
  std::array<Address, 3> arrays{};  ///< a, b, and their sum
  unsigned polls = 0;
  std::uint64_t signal = 0;
  std::uint64_t last_completed = 0;
  std::vector<float> sum = std::vector<float>(kElements);
  bool done = false;

  explicit Firmware(const sc_core::sc_module_name& n) : sc_module(n) {
    SC_HAS_PROCESS(Firmware);
    SC_THREAD(run);
  }

  template <class Socket>
  static void access(Socket& socket, tlm::tlm_command command, std::uint64_t address, void* data,
                     std::size_t bytes) {
    tlm::tlm_generic_payload p;
    sc_core::sc_time delay;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(static_cast<unsigned>(bytes));
    p.set_streaming_width(static_cast<unsigned>(bytes));
    socket->b_transport(p, delay);
    CHECK(p.is_response_ok());
    sc_core::wait(delay);
  }
  void store(std::uint64_t address, const void* data, std::size_t bytes) {
    access(memory, tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes);
  }
  void write(std::uint64_t r, std::uint64_t value) {
    access(registers, tlm::TLM_WRITE_COMMAND, r, &value, 8);
  }
  std::uint64_t read(std::uint64_t r) {
    std::uint64_t value = 0;
    access(registers, tlm::TLM_READ_COMMAND, r, &value, 8);
    return value;
  }

  void run() {
    std::vector<float> a(kElements);
    std::vector<float> b(kElements);
    for (std::uint32_t i = 0; i < kElements; ++i) {
      a[i] = static_cast<float>(i);
      b[i] = static_cast<float>(3 * i + 1);
    }
    store(arrays[0], a.data(), 4 * kElements);
    store(arrays[1], b.data(), 4 * kElements);
    const std::uint32_t n = kElements;
    store(kArguments, arrays.data(), 24);
    store(kArguments + 24, &n, 4);
    std::array<std::uint32_t, 16> packet{};
    packet[0] = 1;   // kernel dispatch
    packet[1] = 42;  // id
    packet[2] = static_cast<std::uint32_t>(kernel);
    packet[4] = (kElements + 127) / 128;
    packet[5] = packet[6] = 1;
    packet[7] = 128;
    packet[8] = packet[9] = 1;
    packet[12] = kArguments;
    packet[14] = kSignal;
    store(kRing, packet.data(), 64);
    write(kQueueBase, kRing);
    write(kQueueSize, 4);
    write(kDoorbell, 1);
    do {
      wait(100, sc_core::SC_NS);
      ++polls;
    } while ((read(kStatus) & 2) != 0);
    last_completed = read(kLastCompleted);
    access(memory, tlm::TLM_READ_COMMAND, kSignal, &signal, 8);
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_address(arrays[2]);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(sum.data()));
    p.set_data_length(4 * kElements);
    p.set_streaming_width(4 * kElements);
    CHECK(memory->transport_dbg(p) == 4 * kElements);
    done = true;
    sc_core::sc_pause();
  }
};

}  // namespace

TEST_CASE("firmware that knows the register table only launches vecadd and polls its status") {
  LaunchRig rig("uba-mem-small");
  const ptx::Module module =
      ptx::parse_file(TESSERA_SOURCE_DIR "/stimuli/kernels/vecadd/vecadd.ptx");
  Firmware firmware("firmware");
  firmware.registers.bind(rig.device.host().command_processor.mmio);
  firmware.memory.bind(rig.device.host().memory);
  firmware.kernel =
      rig.device.kernels().add(kernels::ModuleLoader::make(rig.device)->source(module), "vecadd");
  const char* const names[] = {"a", "b", "c"};
  for (unsigned i = 0; i < 3; ++i) {
    firmware.arrays[i] = rig.device.allocate(names[i], 4 * Firmware::kElements);
  }
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  REQUIRE(firmware.done);
  CHECK(firmware.polls > 1);
  CHECK(firmware.signal == 1);
  CHECK(firmware.last_completed == 42);
  unsigned wrong = 0;
  for (std::uint32_t i = 0; i < Firmware::kElements; ++i) {
    wrong += firmware.sum[i] == static_cast<float>(4 * i + 1) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK_FALSE(rig.ended);  // the host program's driver took no part
}

}  // namespace tessera::launch_test
