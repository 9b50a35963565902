// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/simulation.h"

namespace tessera {

/// A path of a setting, with the "system." that may be left out before a GPU: "gpu0.llc3.ways" is
/// "system.gpu0.llc3.ways".
std::string whole_path(const std::string& path);

/// A setting of a single block, by its whole path. Blocks that the GPUs share ("system.walker")
/// have none but their implementation.
bool is_instance(const ParameterSetting& s);

/// Reads the settings of single blocks on a copy, so that mistakes are found before a platform is
/// built, and converts their values to the parameters' units. Throws InputError, with the path that
/// was probably meant.
void check_instances(ResolvedConfig& config);

}  // namespace tessera
