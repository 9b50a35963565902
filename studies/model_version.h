// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::studies {

/// Hash of all sources that can change a result at an equal configuration
/// (cmake/model_version.cmake). Results of equal configuration, workload and version are equal.
const char* model_version();

}  // namespace tessera::studies
