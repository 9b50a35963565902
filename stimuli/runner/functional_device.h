// SPDX-License-Identifier: Apache-2.0
#pragma once

// A GPU without timing: kernels run to completion on one flat memory. Used to check workloads and
// PTX without a platform.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "stimuli/device_memory.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

class FunctionalDevice final : public Device {
 public:
  /// Far above the instructions of any CTA of the suite, and reached within a minute.
  static constexpr std::uint64_t kInstructionBudget = 2'000'000'000;

  /// `instruction_budget`: maximum warp instructions of one CTA (0 = no limit).
  explicit FunctionalDevice(std::uint64_t instruction_budget = kInstructionBudget)
      : instruction_budget_(instruction_budget) {}

  Address allocate(const std::string& name, std::uint64_t bytes) override;
  void write(Address to, const void* from, std::uint64_t bytes) override;
  void defer(Address to, std::uint64_t bytes, Contents contents) override;
  void read(void* to, Address from, std::uint64_t bytes) override;
  void launch(const LaunchRequest& request) override;
  const Allocations& allocations() const override { return allocations_; }

  /// Enables the race check of later launches (LaunchEnvironment::on_race).
  void check_races(std::function<void(const std::string&)> found) { on_race_ = std::move(found); }
  /// Number of warp instructions of all launches so far.
  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t launches() const { return launches_; }
  /// Number of CTAs of all launches so far.
  std::uint64_t ctas() const { return ctas_; }

 private:
  void check(const char* what, Address address, std::uint64_t bytes) const;

  std::uint64_t instruction_budget_;
  Allocations allocations_;
  FlatMemory memory_;
  std::function<void(const std::string&)> on_race_;
  std::uint64_t instructions_ = 0;
  std::uint64_t launches_ = 0;
  std::uint64_t ctas_ = 0;
};

}  // namespace tessera::kernels
