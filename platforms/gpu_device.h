// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platforms/gpu.h"
#include "platforms/simulation.h"
#include "stimuli/device_memory.h"
#include "stimuli/kernels/module_loader.h"
#include "stimuli/workload.h"

namespace tessera {

/// One launch, as stats.json reports it.
struct KernelRecord {
  std::string name;
  Dim3 grid;
  Dim3 block;
  std::uint64_t start_cycle = 0;
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  CtaResources resources;
};

/// The simulated GPU as a host program sees it.
///
/// Functional mode: values live in one flat memory. Carried mode: what the host writes to a page
/// that no SM has touched stays with the host, and is copied into the page's channel when the
/// driver has placed it; pages that are placed are read and written by debug accesses.
class GpuDevice final : public Device {
 public:
  /// `run_kernel`: runs the program to its end in simulated time; throws RunError.
  GpuDevice(const GpuConfig& config, std::function<void(KernelProgram&)> run_kernel);

  /// Before the first use; the GPU is built after the device (its driver asks allocated()).
  void attach(Gpu& gpu);
  void set_values(ValueMode mode) { values_ = mode; }
  /// As ModuleLoader's.
  void check_races(std::function<void(const std::string&)> found) {
    loader_.check_races(std::move(found));
  }

  bool allocated(std::uint64_t virtual_address) const;
  /// The pages of the allocation that an allocated address belongs to.
  AllocationPages allocation(std::uint64_t virtual_address) const;

  Address allocate(const std::string& name, std::uint64_t bytes) override;
  void write(Address to, const void* from, std::uint64_t bytes) override;
  void defer(Address to, std::uint64_t bytes, Contents contents) override;
  void read(void* to, Address from, std::uint64_t bytes) override;
  void launch(const LaunchRequest& request) override;
  Address symbol(const ptx::Module& module, const std::string& name) override {
    return loader_.symbol(module, name);
  }
  const Allocations& allocations() const override { return allocations_; }
  void working(const std::string& what, double done) override {
    if (on_working) on_working(what, done);
  }
  /// Called by working(). May be empty.
  std::function<void(const std::string& what, double done)> on_working;

 private:
  void check(const char* what, Address address, std::uint64_t bytes) const;
  /// Debug accesses of physical memory, a line at a time.
  void debug(tlm::tlm_command command, std::uint64_t physical, unsigned char* data,
             std::uint64_t bytes);
  void page_copied(std::uint64_t from, std::uint64_t to);
  void page_mapped(std::uint64_t virtual_page, std::uint64_t physical);

  const GpuConfig& config_;
  std::function<void(KernelProgram&)> run_kernel_;
  Gpu* gpu_ = nullptr;
  ValueMode values_ = ValueMode::kFunctional;
  Allocations allocations_;
  /// Functional mode: all values. Carried mode: values of pages that are not placed yet.
  FlatMemory memory_;
  kernels::ModuleLoader loader_;
  /// The last launch. It outlives its run: after a failure, SMs still hold its CTAs.
  std::unique_ptr<KernelProgram> program_;
};

}  // namespace tessera
