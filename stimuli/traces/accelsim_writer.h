// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes traces in the form of Accel-Sim's tracer (version 5): kernelslist.g and a .traceg for each
// launch (docs/guide/captured-traces.md, "Export").

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "stimuli/traces/capture_file.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// The SASS opcode of an operation: of its access, or one of the same unit.
std::string sass_opcode_of(const TraceOperation& operation);

/// Writes a kernel's trace. `progress` gets the part that is done, often.
void write_accelsim_kernel(KernelTraceReader& reader, std::ostream& out,
                           const std::function<void(double)>& progress);

/// Writes a captured run to a folder, which is made: the host program's writes and launches, and
/// the launches' traces. Throws RunError if a file cannot be written, InputError if the run has no
/// launch, or if the folder has a kernelslist.g already.
void export_accelsim(const std::shared_ptr<const CaptureFile>& file, const std::string& folder,
                     const std::function<void(double)>& progress);

}  // namespace tessera::traces
