# SPDX-License-Identifier: Apache-2.0
# Installs the build tree into a folder of its own, then builds and runs consumer/ against it by
# find_package and by pkg-config. The folder is moved in between: the package must not care.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

function(check_output how)
  if(NOT out MATCHES "read back 42" OR NOT out MATCHES "8 SMs, [1-9][0-9]* workloads")
    message(FATAL_ERROR "${how}: the platform says\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${WORK}/prefix)
# Whatever the program finds, it finds here.
set(ENV{TESSERA_PRESETS_DIR} ${WORK}/prefix/share/tessera/presets)
set(ENV{TESSERA_KERNELS_DIR} ${WORK}/prefix/share/tessera/kernels)

run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/platform)
check_output("find_package")

set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig:$ENV{PKG_CONFIG_PATH})
run(pkg-config --cflags --libs tessera)
string(STRIP "${out}" flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CXX} ${SOURCE}/platform.cpp -o ${WORK}/platform ${flags})
run(${WORK}/platform)
check_output("pkg-config")

# The command that was installed finds its files beside itself.
unset(ENV{TESSERA_PRESETS_DIR})
unset(ENV{TESSERA_KERNELS_DIR})
run(${WORK}/prefix/bin/tessera list platforms --json)
if(NOT out MATCHES "${WORK}/prefix/share/tessera/presets/uba-mem.json")
  message(FATAL_ERROR "the installed command lists\n${out}")
endif()
