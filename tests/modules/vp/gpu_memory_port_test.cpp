// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gpu_memory_port.h"

#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "modules/vp/initiating_hart.h"

namespace tessera::gpu_memory_port_test {

namespace {

constexpr Tick kNs = kTicksPerNs;
constexpr std::uint64_t kBase = 0x100000000;

struct Access {
  bool store = false;
  std::uint64_t address = kBase;
  Tick delay = 0;
  std::uint64_t value = 0;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  Tick ended = 0;  ///< of the initiator's own time
};

/// Performs accesses of 8 bytes one after the other, as hart `hart`.
class Initiator final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Initiator> out;
  std::vector<Access> accesses;

  Initiator(const sc_core::sc_module_name& name, std::uint32_t hart) : sc_module(name), out("out") {
    hart_.hart = hart;
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(process);
  }

 private:
  void process() {
    for (Access& a : accesses) {
      tlm::tlm_generic_payload p;
      p.set_command(a.store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      p.set_address(a.address);
      p.set_data_ptr(reinterpret_cast<unsigned char*>(&a.value));
      p.set_data_length(8);
      p.set_streaming_width(8);
      p.set_extension(&hart_);
      sc_core::sc_time delay = to_sc_time(a.delay);
      out->b_transport(p, delay);
      p.clear_extension(&hart_);
      a.status = p.get_response_status();
      a.ended = now() + delay.value();
      wait(delay);
    }
  }
  InitiatingHart hart_;
};

/// Memory of 4 KiB, and a CPU whose accesses take 70 ns.
struct Bench {
  explicit Bench(bool cpu = false) : bytes(4096) {
    GpuMemoryPortConfig c;
    c.latency_ns = 100;
    c.bytes_per_second = 1'000'000'000;  // a byte a nanosecond
    GpuMemoryPortSite site;
    site.harts = 4;
    site.access = [this](tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                         std::uint64_t n) {
      times.push_back(now());
      if (address < kBase || address + n > kBase + bytes.size()) return false;
      unsigned char* const at = bytes.data() + (address - kBase);
      if (command == tlm::TLM_READ_COMMAND) {
        std::memcpy(data, at, n);
      } else {
        std::memcpy(at, data, n);
      }
      return true;
    };
    site.timed = [this] { return timed; };
    if (cpu) {
      site.access_by_cpu = [this, access = site.access](
                               std::uint32_t hart, tlm::tlm_command command, std::uint64_t address,
                               unsigned char* data, std::uint64_t n, GpuMemoryPortSite::Done done) {
        if (!access(command, address, data, n)) return false;
        by_hart.push_back(hart);
        ends.push_back({now() + 70 * kNs, std::move(done)});
        cpu_ends.notify(to_sc_time(70 * kNs));
        return true;
      };
    }
    port = std::make_unique<GpuMemoryPort>("port", c, site);
    initiator.out.bind(port->in);
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&cpu_ends);
    sc_core::sc_spawn(
        [this] {
          const auto all = std::exchange(ends, {});
          for (const auto& [at, done] : all) done();
        },
        "cpu", &options);
  }
  std::vector<Access>& accesses() { return initiator.accesses; }
  void run() { sc_core::sc_start(to_sc_time(10'000 * kNs)); }

  std::vector<unsigned char> bytes;
  std::vector<Tick> times;
  std::vector<std::uint32_t> by_hart;
  std::vector<std::pair<Tick, GpuMemoryPortSite::Done>> ends;
  sc_core::sc_event cpu_ends;
  bool timed = true;
  std::unique_ptr<GpuMemoryPort> port;
  Initiator initiator{"initiator", 3};
};

}  // namespace

TEST_CASE("GPU memory port: a load over the link takes both latencies, a store is posted") {
  Bench b;
  b.accesses() = {{true, kBase + 8, 30 * kNs, 77}, {false, kBase + 8}};
  b.run();
  CHECK(b.times == std::vector<Tick>{30 * kNs, 38 * kNs});
  CHECK(b.accesses()[0].ended == 38 * kNs);
  CHECK(b.accesses()[1].ended == (38 + 8 + 200) * kNs);
  CHECK(b.accesses()[1].value == 77);
  CHECK(b.accesses()[1].status == tlm::TLM_OK_RESPONSE);
  CHECK(b.port->stats().loads == 1);
  CHECK(b.port->stats().stores == 1);
  CHECK(b.port->stats().bytes == 16);
  CHECK(b.port->stats().load_latency.sum() == 208);
  CHECK(b.port->stats().store_latency.sum() == 8);
}

TEST_CASE("GPU memory port: through the caches of a CPU the initiator waits for the end") {
  Bench b(true);
  b.accesses() = {{true, kBase + 8, 30 * kNs, 77}, {false, kBase + 8}};
  b.run();
  CHECK(b.times == std::vector<Tick>{30 * kNs, 100 * kNs});
  CHECK(b.accesses()[0].ended == 100 * kNs);
  CHECK(b.accesses()[1].ended == 170 * kNs);
  CHECK(b.accesses()[1].value == 77);
  CHECK(b.by_hart == std::vector<std::uint32_t>{3, 3});
  CHECK(b.port->idle());
}

namespace {

void check_untimed(bool cpu) {
  Bench b(cpu);
  b.timed = false;
  b.accesses() = {{true, kBase + 8, 30 * kNs, 77}, {false, kBase + 8}};
  b.run();
  CHECK(b.accesses()[1].ended == 30 * kNs);
  CHECK(b.accesses()[1].value == 77);
  CHECK(b.by_hart.empty());
}

void check_refused(bool cpu) {
  Bench b(cpu);
  b.accesses() = {{false, kBase + 4096}, {false, kBase}};
  b.run();
  CHECK(b.accesses()[0].status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.accesses()[0].ended == 0);
  CHECK(b.accesses()[1].status == tlm::TLM_OK_RESPONSE);
  CHECK(b.port->stats().refused == 1);
  CHECK(b.port->stats().loads == 1);
}

}  // namespace

TEST_CASE("GPU memory port: without timing an access takes no time") { check_untimed(false); }

TEST_CASE("GPU memory port: without timing an access takes no time, with a CPU") {
  check_untimed(true);
}

TEST_CASE("GPU memory port: an access outside all allocations is an address error") {
  check_refused(false);
}

TEST_CASE("GPU memory port: the same with a CPU") { check_refused(true); }

}  // namespace tessera::gpu_memory_port_test
