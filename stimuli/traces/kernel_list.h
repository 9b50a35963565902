// SPDX-License-Identifier: Apache-2.0
#pragma once

// Accel-Sim's kernelslist.g: the commands of a host program, one a line.

#include <string>
#include <vector>

#include "stimuli/device_memory.h"

namespace tessera::traces {

struct ListedCommand {
  std::string kernel;  ///< path of a kernel's file; empty: a copy to the device
  Address destination = 0;
  std::uint64_t bytes = 0;
};

struct KernelList {
  std::string path;  ///< of the list, or of the kernel's file that is its only command
  std::vector<ListedCommand> commands;

  /// Paths of the kernels' files in the order of their first launch, each once.
  std::vector<std::string> kernels() const;
  /// The list, if there is one, and the kernels' files.
  std::vector<std::string> files() const;
};

/// Whether a workload of this name is a trace: a folder (not *.json), a list (*.g), or a kernel's
/// file (*.traceg with or without .xz, .gz or .zst, *.tracez).
bool is_trace_name(const std::string& name);

/// Reads the list of a folder, a list, or one kernel's file. Throws InputError.
KernelList read_kernel_list(const std::string& name);

}  // namespace tessera::traces
