// SPDX-License-Identifier: Apache-2.0
#pragma once

// A decoded kernel, shared by all its launches.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/kernel_source.h"
#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/async_form.h"
#include "stimuli/ptx/read_only.h"
#include "stimuli/ptx/shuffle.h"
#include "stimuli/ptx/texture_form.h"

namespace tessera::ptx {

/// A 64-bit vector in the launch bank that holds a module variable's address, plus an addend.
struct SymbolUse {
  std::string name;
  std::int64_t addend = 0;
  std::uint32_t launch_offset = 0;
};

/// Result of the read-only pass for a pointer (read_only.h).
struct KernelPointer {
  PointerOrigin origin;
  PointerUse use = PointerUse::kUnused;
};

/// A load that becomes ld.global.ro unless the arguments of a launch forbid it.
struct KernelLoad {
  std::uint32_t pc = 0;
  std::vector<std::uint32_t> pointers;  ///< indices of Kernel::pointers
};

/// An instruction across the lanes of a warp. The lanes of a member mask synchronise in
/// instructions of the same form, which can be at different code positions.
struct WarpSync {
  std::string form;     ///< canonical name: "shfl.sync.bfly.b32"
  Signature signature;  ///< without the member mask
  /// 32-bit cells with the member mask. If empty, the lanes that execute together participate.
  std::optional<Slot> members;
  std::optional<Shuffle> shuffle;
};

/// An argument or result of a call, in local memory or (arguments only) in the kernel's parameters.
struct CallData {
  Slot at;
  std::uint32_t bytes = 0;
};

/// A function with code of its own (calls.h).
struct KernelFunction {
  std::string name;
  std::uint64_t address = 0;
  std::uint32_t entry = 0;        ///< index of its first instruction
  std::uint64_t frame_bytes = 0;  ///< on the stack
  std::vector<CallData> results;
  std::vector<CallData> parameters;
};

struct CallSite {
  /// 64-bit cells with the address of an indirect call's target. Empty: the target is the function.
  std::optional<Slot> target;
  std::vector<std::uint32_t> functions;  ///< possible targets: indices of Kernel::functions
  std::vector<CallData> results;
  std::vector<CallData> arguments;
};

class Kernel {
 public:
  std::string name;
  std::string file;
  std::vector<std::string> linked_files;  ///< see Module::linked_files
  std::vector<Decoded> code;
  std::vector<OpInfo> info;                           ///< parallel to `code`
  std::vector<std::string> text;                      ///< parallel to `code`, for messages
  std::vector<SourceLine> sources;                    ///< parallel to `code`
  std::map<std::uint32_t, std::string> source_files;  ///< see Module::source_files
  std::vector<std::byte> constants;                   ///< bank kConstants
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<SymbolUse> symbols;
  std::vector<KernelPointer> pointers;
  std::vector<KernelLoad> read_only_loads;
  std::vector<WarpSync> syncs;
  std::vector<KernelFunction> functions;
  std::vector<CallSite> call_sites;
  /// If there are indirect calls: all functions of the module by address, for messages. True if the
  /// function has a body.
  std::map<std::uint64_t, std::pair<std::string, bool>> function_names;
  std::vector<AsyncForm> async;               ///< Decoded::aux of asynchronous instructions
  std::vector<TextureForm> textures;          ///< Decoded::aux of texture instructions
  std::vector<SymbolUse> texture_references;  ///< .texref, .surfref: the places of their handles
  std::vector<std::string> written_surfaces;  ///< references to which it stores
  bool writes_anywhere = false;               ///< ReadOnlyReport::writes_anywhere
  std::uint32_t texel_sets = 0;               ///< of hidden texel buffers per warp
  std::uint32_t launch_bytes = 0;             ///< bank kLaunch
  std::uint32_t register_bytes = 0;           ///< bank kRegisters
  std::uint32_t local_bytes = 0;              ///< .local bytes per thread, without the stack
  std::uint32_t static_shared = 0;
  std::uint32_t register_names = 0;
  /// Offset in the launch bank of the halves of the grid workspace's address, the upper half first;
  /// 0 if the kernel does not read them.
  std::uint32_t workspace_offset = 0;
  /// Offset in the launch bank of the address behind the stack; 0 if the kernel has no stack. The
  /// stack is in local memory from local_bytes on.
  std::uint32_t stack_top_offset = 0;
  std::uint32_t stack_alignment = 16;
  Slot stack_pointer;   ///< register of 64 bits
  Slot return_address;  ///< register of 64 bits
  std::uint32_t registers_per_thread = 16;
  std::optional<std::array<std::uint32_t, 3>> max_threads;
  std::optional<std::array<std::uint32_t, 3>> required_threads;
};

/// Bytes of a vector of 32 cells.
inline constexpr std::uint32_t kVector32 = 4 * kWarpLanes;
inline constexpr std::uint32_t kVector64 = 8 * kWarpLanes;

/// Fixed offsets in the launch, CTA and thread banks: x, y, z vectors of 32-bit cells.
struct LaunchBank {
  static constexpr std::uint32_t kNtid = 0;
  static constexpr std::uint32_t kNctaid = 3 * kVector32;
  static constexpr std::uint32_t kNwarps = 6 * kVector32;
  static constexpr std::uint32_t kDynamicShared = 7 * kVector32;
  static constexpr std::uint32_t kTotalShared = 8 * kVector32;
  static constexpr std::uint32_t kSymbols = 9 * kVector32;
};

}  // namespace tessera::ptx
