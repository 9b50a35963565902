// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/delivery.h"
#include "app/output_directory.h"
#include "app/point.h"

namespace tessera::app {

/// Writes a run's files, the report last. Returns the report's path; empty if it is not written.
std::string write_run_files(const OutputDirectory& out, const PointOutcome& outcome,
                            const Workload& program, Delivery& delivery);

}  // namespace tessera::app
