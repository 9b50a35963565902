# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake: writes the commit of a source tree, with "-dirty"
# if files differ from it, or "unknown" if the tree is not a repository. The file is not rewritten
# if the commit has not changed. The commit is a file next to the command and not a constant in it,
# so that a commit does not relink the command.
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
