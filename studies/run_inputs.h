// SPDX-License-Identifier: Apache-2.0
#pragma once

// Readers of what the files of studies and of sweeps say about runs.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/json_node.h"
#include "platforms/simulation.h"

namespace tessera::studies {

/// The scales by name.
const std::vector<std::pair<std::string, Scale>>& scales();

/// {"skip": ..., "detail": ..., "rest": ...}. Throws InputError.
WindowOptions read_window(const JsonNode& n);

/// A parameter's value as --set has it after "PATH=". Throws InputError for another value.
std::string setting_text(const JsonNode& n);

/// The path of the file in the folder if there is such a JSON file, otherwise `name`.
std::string file_beside(const std::filesystem::path& folder, const std::string& name);

}  // namespace tessera::studies
