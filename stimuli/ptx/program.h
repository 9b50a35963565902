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
  /// Carried mode: what memory holds now, for the strings of printf and assert.
  std::function<void(void* to, Address from, std::uint64_t bytes)> read;
  /// Takes warnings; `place` is the same for each warning of one instruction. Null: dropped.
  std::function<void(const std::string& place, const std::string& text)> warn;
};

/// A kernel in decoded form; immutable, shared by all its launches.
class Kernel;

/// Decodes one entry of a module. Throws InputError (file, line, text, what is supported) for an
/// instruction outside the supported set, an undeclared register, an unknown label.
std::shared_ptr<const Kernel> decode(const Module& module, const std::string& entry);

/// Checks the request's arguments against the kernel's parameters (count and bytes; InputError)
/// and makes the launch. The request's module need not outlive the call; the kernel is shared.
std::unique_ptr<KernelProgram> make_program(std::shared_ptr<const Kernel> kernel,
                                            const LaunchRequest& request, const MemoryView& memory);

/// Runs a launch to its end without any timing, CTA by CTA, warps round-robin between barriers.
/// `memory.flat` must have been set at make_program. Returns warp instructions executed. Throws
/// RunError, with the warp and the line it stands at, when one CTA needs more than
/// `instruction_budget` warp instructions (0 = no limit) or deadlocks on a barrier.
std::uint64_t run_functionally(KernelProgram& program, std::uint64_t instruction_budget = 0);

}  // namespace tessera::ptx
