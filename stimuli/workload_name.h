// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera {

/// A workload as the user names it: "fwt", "my/kernel.json", or with sizes that take the place of
/// those of each scale: "fwt:n=262144:passes=4".
struct WorkloadName {
  std::string name;                           ///< without sizes
  std::map<std::string, std::int64_t> sizes;  ///< of the manifest, by name
};

/// A file or a folder of this name has no sizes. Throws InputError if something other than
/// NAME=INTEGER follows a colon, or if a size is given twice.
WorkloadName parse_workload_name(const std::string& text);

}  // namespace tessera
