// SPDX-License-Identifier: Apache-2.0
#pragma once

// Written by scripts/generate-registers from modules/vp/registers.json; do not edit.

#include <cstdint>

namespace tessera {

// GPU services: kernels by name, device memory, statistics, region of interest.

/// Byte offsets of the registers of block gpu-services.
enum class GpuServicesRegister : std::uint64_t {
  /// RO. "GTSV", version 1.
  kId = 0x00,
  /// RW. First argument of a command.
  kArg0 = 0x08,
  /// RW. Second argument of a command.
  kArg1 = 0x10,
  /// WO. A write executes a command, which takes no time.
  kCommand = 0x18,
  /// RO. Result of the last command; 0 after an error.
  kResult = 0x20,
  /// RO. Status of the last command, or write of DETAIL.
  kStatus = 0x28,
  /// RW. 1: the region of interest, which is simulated in detail; 0: kernels, and accesses of the
  /// cores to device memory, take no time. It can be written while no kernel runs.
  kDetail = 0x30,
};
inline constexpr std::uint64_t kGpuServicesRegisterBytes = 0x38;
inline constexpr std::uint64_t kGpuServicesIdReset = 0x156535447;
/// Longest name of a kernel or statistic, bytes.
inline constexpr std::uint64_t kGpuServicesMostName = 4096;

enum class GpuServicesCommand : std::uint64_t {
  /// The kernel whose name is ARG1 bytes at ARG0; RESULT is its handle, for packets.
  kFindKernel = 1,
  /// Reserves ARG0 bytes of device memory; RESULT is its address.
  kAllocate = 2,
  /// The present value of the statistic whose name is ARG1 bytes at ARG0,
  /// `system.gpu0.sm0.warp_instructions`; RESULT is the value, rounded down.
  kReadStatistic = 3,
};

enum class GpuServicesStatus : std::uint64_t {
  /// The command has been executed.
  kOk = 0,
  /// There is no such command.
  kUnknownCommand = 1,
  /// The name is not in memory, is empty, or is too long.
  kBadAddress = 2,
  /// No file of --kernels, or more than one kernel of a file, has the name.
  kUnknownKernel = 3,
  /// Not enough device memory is left.
  kNoMemory = 4,
  /// There is no such statistic, or it is no number from 0 on.
  kUnknownStatistic = 5,
  /// DETAIL cannot be written while a kernel runs.
  kBusy = 6,
};

}  // namespace tessera
