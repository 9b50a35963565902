// SPDX-License-Identifier: Apache-2.0
#pragma once

// Executable PTX: a kernel decoded for the 32-lane interpreter, and its launch as a KernelProgram
// that an SM (or run_functionally) steps.

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

/// What a launch sees of device memory.
struct MemoryView {
  /// Bounds of every access are checked against these. Never null.
  const Allocations* allocations = nullptr;
  /// Functional mode: values come from and go to this memory at issue. Null: carried mode.
  FlatMemory* flat = nullptr;
  /// Addresses of module-scope .global and .const variables.
  const std::map<std::string, Address>* symbols = nullptr;
  /// Textures and surfaces by handle. Null: there are none.
  const TextureTable* textures = nullptr;
  /// Of malloc and free in device code. Null: there is none.
  DeviceHeap* heap = nullptr;
  /// What %envreg1 and %envreg2 point to: 8 bytes of zeros. 0: there is none.
  Address grid_workspace = 0;
  /// Carried mode: what memory holds now, for the strings of printf and assert.
  std::function<void(void* to, Address from, std::uint64_t bytes)> read;
  /// Takes warnings; `place` is the same for each warning of one instruction. Null: dropped.
  std::function<void(const std::string& place, const std::string& text)> warn;
  /// Takes races and barriers in divergent code (race_check.h), an instruction's at most twice in
  /// a launch; `place` is the same in the next launch. Null: accesses are not checked.
  std::function<void(const std::string& place, const std::string& text)> race;
};

/// A kernel in decoded form; immutable, shared by all its launches.
class Kernel;

/// Decodes one entry of a module. Throws InputError (file, line, text, what is supported) for an
/// instruction outside the supported set, an undeclared register, an unknown label.
std::shared_ptr<const Kernel> decode(const Module& module, const std::string& entry);

/// Whether the kernel synchronises its grid (it reads %envreg1 or %envreg2): its launches need
/// MemoryView::grid_workspace, and all their CTAs must be resident at once.
bool is_cooperative(const Kernel& kernel);
/// Bytes of MemoryView::grid_workspace: a size and the barrier, 4 bytes each, as
/// cooperative_groups/details/driver_abi.h of CUDA 13 has them.
inline constexpr std::uint64_t kGridWorkspaceBytes = 8;

/// Checks the request's arguments against the kernel's parameters (count and bytes; InputError)
/// and makes the launch. The request's module need not outlive the call; the kernel is shared.
std::unique_ptr<KernelProgram> make_program(std::shared_ptr<const Kernel> kernel,
                                            const LaunchRequest& request, const MemoryView& memory);

/// Runs a launch to its end without any timing, CTA by CTA, warps round-robin between barriers; of
/// a cooperative kernel, all CTAs in turn, some instructions of each warp at a time (at most 16384
/// CTAs; InputError beyond).
/// `memory.flat` must have been set at make_program. Returns warp instructions executed. Throws
/// RunError, with the warp and the line it stands at, when one CTA needs more than
/// `instruction_budget` warp instructions (0 = no limit) or deadlocks on a barrier.
std::uint64_t run_functionally(KernelProgram& program, std::uint64_t instruction_budget = 0);

/// Runs one CTA of a launch without any timing, for at most `most` warp instructions or to its end,
/// from where it is: a fresh one, or one that an SM has released half way. What is left of it can
/// be adopted by an SM (CtaSinkIf::adopt_cta). `memory.flat` must have been set at make_program.
/// Returns warp instructions executed. Throws RunError as run_functionally() does.
std::uint64_t run_cta(const KernelProgram& program, CtaProgram& cta,
                      std::uint64_t most = ~std::uint64_t{0});

}  // namespace tessera::ptx
