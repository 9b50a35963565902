// SPDX-License-Identifier: Apache-2.0
#pragma once

// A platform under a host program of a test: launches, and the places of pages and CTAs.

#include <catch2/catch.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "modules/mmu/uvm_driver.h"
#include "platforms/gpu_device.h"
#include "platforms/simulation.h"
#include "tests/platforms/synthetic_kernel.h"

namespace tessera::test {

/// A platform with its host's side, whose launches run to their ends.
struct LaunchRig {
  ResolvedConfig config;
  TransactionPool pool;
  GpuDevice device;
  std::unique_ptr<System> system;
  std::shared_ptr<KernelSource> source = std::make_shared<WhoRanSource>();
  bool ended = false;
  std::exception_ptr error;

  explicit LaunchRig(const std::string& preset, const std::vector<std::string>& sets = {})
      : config(resolve_config(preset, sets)),
        device(config.gpu, [this](const LaunchRequest& r) { run(r); }) {
    SystemOptions options;
    options.check_protocol = true;
    options.allocated = [this](std::uint64_t a) { return device.allocated(a); };
    options.allocation = [this](std::uint64_t a) { return device.allocation(a); };
    system = std::make_unique<System>(config.gpu, pool, options);
    device.attach(*system);
    device.set_values(ValueMode::kCarried);
    device.on_launch_ended = [this](const std::exception_ptr& e) {
      ended = true;
      error = e;
      sc_core::sc_pause();
    };
  }
  void run(const LaunchRequest& r) {
    ended = false;
    device.submit(r);
    while (!ended) sc_core::sc_start();
    if (error) std::rethrow_exception(error);
  }
  /// Where the pages of an allocation are.
  std::vector<std::uint32_t> homes(Address begin, std::uint64_t pages) {
    std::vector<std::uint32_t> all;
    for (std::uint64_t i = 0; i < pages; ++i) {
      const auto physical = system->uvm().translate(begin + i * config.gpu.system.page_bytes);
      REQUIRE(physical.has_value());
      all.push_back(system->address_map().page_home(*physical).value);
    }
    return all;
  }
  /// The SM that has run each CTA of who_ran().
  std::vector<std::uint32_t> sms(Address out, std::uint32_t ctas) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t cta = 0; cta < ctas; ++cta) {
      for (unsigned lane = 0; lane < kWarpLanes; lane += kWarpLanes - 1) {
        std::uint32_t v = 0;
        device.read(&v, out + (std::uint64_t{cta} * kWarpLanes + lane) * 4, 4);
        CHECK(v >> 8 == cta);
        if (lane == 0) all.push_back(v & 0xff);
      }
    }
    return all;
  }
};

}  // namespace tessera::test
