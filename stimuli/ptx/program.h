// SPDX-License-Identifier: Apache-2.0
#pragma once

// Executable PTX: a kernel decoded for the 32-lane interpreter, and its launch as a KernelProgram,
// which an SM or a functional runner (stimuli/functional_run.h) executes.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/ptx/module.h"
#include "stimuli/warp_program.h"
#include "stimuli/workload.h"

namespace tessera::ptx {

class DeviceHeap;

/// The device memory that holds the local memory of resident warps (.local variables and the stack
/// of calls), by SM and warp slot. A warp's values are in its program; these are the addresses of
/// its accesses.
struct LocalMemory {
  Address begin = 0;
  std::uint64_t sm_bytes = 0;
  std::uint64_t warp_bytes = 0;

  Address of(std::uint32_t sm, std::uint32_t warp_slot) const {
    return begin + sm * sm_bytes + warp_slot * warp_bytes;
  }
};
/// Local memory of a thread (CUDA C++ Programming Guide, "Technical Specifications").
inline constexpr std::uint64_t kMostLocalBytes = 512 * 1024;
/// CUDA's default of cudaLimitStackSize.
inline constexpr std::uint32_t kDefaultStackBytes = 1024;

/// A launch's view of device memory.
struct MemoryView {
  /// Allocations for the bounds checks of all accesses. Never null.
  const Allocations* allocations = nullptr;
  /// Functional mode: memory that is accessed at issue. Null: carried mode.
  FlatMemory* flat = nullptr;
  /// Addresses of module-scope .global and .const variables.
  const std::map<std::string, Address>* symbols = nullptr;
  /// Textures and surfaces by handle. Null if there are none.
  const TextureTable* textures = nullptr;
  /// Bytes of stack of a thread, for kernels with out-of-line functions or alloca (calls.h).
  std::uint32_t stack_bytes = kDefaultStackBytes;
  /// Heap of malloc and free in device code. Null if there is none.
  DeviceHeap* heap = nullptr;
  /// Address in %envreg1 and %envreg2: kGridWorkspaceBytes bytes of zeros. 0 if there is none.
  Address grid_workspace = 0;
  /// Of a launch on SMs whose kernel has local memory.
  LocalMemory local;
  /// Lives as long as the launch: what it uses of the memory. Can be null.
  std::shared_ptr<const void> held;
  /// Carried mode: reads the present contents of memory, for the strings of printf and assert.
  std::function<void(void* to, Address from, std::uint64_t bytes)> read;
  /// Receives warnings; all warnings of an instruction have the same `place`. Null: ignored.
  std::function<void(const std::string& place, const std::string& text)> warn;
  /// Receives races and barriers in divergent code (race_check.h), at most two per instruction and
  /// launch; `place` is the same in the next launch. Null: accesses are not checked.
  std::function<void(const std::string& place, const std::string& text)> race;
};

/// A kernel in decoded form; immutable, shared by all its launches.
class Kernel;

/// Decodes one entry of a module. Throws InputError (file, line, text, supported forms) for an
/// unsupported instruction, an undeclared register or an unknown label.
std::shared_ptr<const Kernel> decode(const Module& module, const std::string& entry);

/// Whether the kernel synchronises its grid: it reads %envreg1 or %envreg2. Its launches need
/// MemoryView::grid_workspace, and all their CTAs must be resident at the same time.
bool is_cooperative(const Kernel& kernel);
/// Bytes of local memory that a thread of the kernel needs, with a stack of `stack_bytes` bytes if
/// it has a stack; 0 if it has neither.
std::uint64_t local_bytes_per_thread(const Kernel& kernel, std::uint32_t stack_bytes);
/// Bytes of MemoryView::grid_workspace: a size and the barrier, 4 bytes each, the layout of
/// cooperative_groups/details/driver_abi.h in CUDA 13.
inline constexpr std::uint64_t kGridWorkspaceBytes = 8;

/// Checks the request's arguments against the kernel's parameters (count and bytes; InputError) and
/// creates the launch. The request's module need not outlive the call; the kernel is shared.
std::unique_ptr<KernelProgram> make_program(std::shared_ptr<const Kernel> kernel,
                                            const LaunchRequest& request, const MemoryView& memory);

}  // namespace tessera::ptx
