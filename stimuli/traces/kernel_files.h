// SPDX-License-Identifier: Apache-2.0
#pragma once

// Accel-Sim's kernel files: .traceg as text, with or without compression, and the .tracez
// container.

#include <memory>
#include <string>

#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// Opens a kernel file and reads its header. Throws InputError.
std::unique_ptr<KernelTraceReader> open_kernel(const std::string& path);

/// The same of one of the formats.
std::unique_ptr<KernelTraceReader> open_text_kernel(const std::string& path);
std::unique_ptr<KernelTraceReader> open_container_kernel(const std::string& path);

}  // namespace tessera::traces
