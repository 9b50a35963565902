// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <systemc>

#include "modules/kernel/block_base.h"
#include "modules/vp/gpu_services_registers.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct GpuServicesStats {
  Counter commands = 0;
  Counter errors = 0;
};

void describe(StatisticsVisitor& v, GpuServicesStats& s);

/// What the services act on.
struct GpuServicesSite {
  /// Reads software's memory; false if an address is not memory.
  std::function<bool(std::uint64_t address, unsigned char* data, std::uint64_t bytes)> read;
  /// The handle of a kernel, for packets (KernelTable); 0 if there is none of that name.
  std::function<std::uint64_t(const std::string& name)> kernel;
  /// Reserves device memory, a multiple of pages. None if there is not enough.
  std::function<std::optional<std::uint64_t>(std::uint64_t bytes)> allocate;
  /// The present value of a statistic, "system.gpu0.sm0.warp_instructions"; none if there is none.
  std::function<std::optional<std::uint64_t>(const std::string& name)> statistic;
  /// Whether kernels and accesses to device memory are simulated in detail from now on. False: it
  /// cannot change now.
  std::function<bool(bool detailed)> set_detailed;
};

/// Services for a GPU's driver: loads kernels by name, in place of a loader of code objects, and
/// reserves device memory. Registers of 64 bits: GpuServicesRegister. A command takes no time.
/// DETAIL can be written while no kernel runs.
class GpuServices final : public BlockBase<NoConfig, GpuServicesStats, GpuServicesSite>,
                          private MmioRegisters {
 public:
  using Register = GpuServicesRegister;
  using Command = GpuServicesCommand;
  using Status = GpuServicesStatus;

  tlm_utils::simple_target_socket<GpuServices> in;

  /// `detailed`: DETAIL after reset.
  GpuServices(const sc_core::sc_module_name& name, GpuServicesSite site, bool detailed = true);

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
  Status execute(Command command);
  /// The ARG1 bytes at ARG0; none if they are not memory, or too many.
  std::optional<std::string> name_argument() const;
  Status set_detailed(bool detailed);

  const GpuServicesSite site_;
  const bool detailed_at_reset_;
  bool detailed_;
  std::uint64_t arguments_[2] = {};
  std::uint64_t result_ = 0;
  Status status_ = Status::kOk;
};

}  // namespace tessera
