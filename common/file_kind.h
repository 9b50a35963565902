// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of the wrong kind: what they are, so that a message can say it instead of a syntax error.

#include <string>
#include <string_view>

#include "common/json_fwd.h"

namespace tessera {

enum class ExpectedFile { kJson, kPtx };

/// "expected JSON, found CUDA source: ..." with the next step, for a text that is of another known
/// kind than expected: PTX, JSON, CUDA or C++ source, LLVM IR, HTML, an ELF file, a CUDA fat
/// binary, an archive, compressed or other binary data. Empty if it can be of the expected kind or
/// is unknown. `file`: its name, whose extension also counts.
std::string wrong_kind(ExpectedFile expected, std::string_view text, const std::string& file);

inline constexpr char kManifestKind[] = "a workload's manifest";
inline constexpr char kPlatformKind[] = "a platform";

/// What a JSON document is, by its keys: kManifestKind, kPlatformKind, "the results of a run", "the
/// results of a comparison", "the results of a study", "a study", "the
/// results of a sweep" or "a sweep". Empty if unknown.
std::string json_kind(const nlohmann::json& document);

}  // namespace tessera
