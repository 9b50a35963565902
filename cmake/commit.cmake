# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake: the commit of a source tree, "-dirty" when files
# differ from it, "unknown" where there is no repository of its own. The file is not touched when
# nothing has changed. (A file beside the command, not a constant in it: studies know their points by
# the executable's contents.)
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE bad)
  file(REAL_PATH "${SOURCE}" source)
  if(NOT bad AND top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(commit STREQUAL "")
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${commit}\n")
