# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DOUTPUT=... -P plugin_abi.cmake: writes a header with a hash of all headers of
# the source tree, which is the interface between the command and its plugins. The file is not
# rewritten if the hash has not changed.
set(all)
foreach(room app common modules platforms policies rtl stimuli studies)
  file(GLOB_RECURSE headers RELATIVE ${SOURCE} ${SOURCE}/${room}/*.h)
  list(SORT headers)
  foreach(header ${headers})
    file(SHA256 ${SOURCE}/${header} hash)
    string(APPEND all "${header} ${hash}\n")
  endforeach()
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// Hash of the headers (cmake/plugin_abi.cmake).
inline constexpr std::uint64_t kPluginAbi = 0x${hash};

}  // namespace tessera
")
