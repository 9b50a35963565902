# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
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

# The examples of the guide: one block by itself; a policy and a block in the command.
run(${CMAKE_COMMAND} -S ${EXAMPLES}/one-block -B ${WORK}/one-block -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/one-block)
run(${WORK}/one-block/one_block)
if(NOT out MATCHES "16 lines, the last at [1-9].*LLC misses 16, DRAM reads 16, in flight 0")
  message(FATAL_ERROR "one-block says\n${out}")
endif()
file(COPY ${EXAMPLES}/plugin DESTINATION ${WORK})
run(${CMAKE_COMMAND} -S ${WORK}/plugin -B ${WORK}/plugin/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/plugin/build)

# The command that was installed finds its files beside itself.
unset(ENV{TESSERA_PRESETS_DIR})
unset(ENV{TESSERA_KERNELS_DIR})
run(${WORK}/prefix/bin/tessera list platforms --json)
if(NOT out MATCHES "${WORK}/prefix/share/tessera/presets/uba-mem.json")
  message(FATAL_ERROR "the installed command lists\n${out}")
endif()

file(GLOB studies RELATIVE ${STUDIES} ${STUDIES}/*/study.json)
run(${WORK}/prefix/bin/tessera list studies)
foreach(study ${studies})
  get_filename_component(study ${study} DIRECTORY)
  if(NOT EXISTS ${WORK}/prefix/share/tessera/studies/${study}/study.json OR NOT out MATCHES ${study})
    message(FATAL_ERROR "the study ${study} is not installed:\n${out}")
  endif()
endforeach()

# Out-of-tree policy and block in every verb, and in the reports.
set(tessera ${WORK}/prefix/bin/tessera)
set(pairs --plugin ${WORK}/plugin/build/pairs.so)
run(${tessera} list policies ${pairs})
if(NOT out MATCHES "page_placement +pairs")
  message(FATAL_ERROR "list policies knows no plugin:\n${out}")
endif()
run(${tessera} list parameters ${pairs})
if(NOT out MATCHES "page_placement.pairs.pages +2 ")
  message(FATAL_ERROR "list parameters knows no parameter of the plugin's policy:\n${out}")
endif()
run(${tessera} run nuba-small vecadd ${pairs} --set system.page_placement=pairs
    --set page_placement.pairs.pages=4 --values carried --out ${WORK}/run)
file(READ ${WORK}/run/stats.json stats)
string(JSON verified GET "${stats}" verified)
string(JSON policy GET "${stats}" config system page_placement)
string(JSON named GET "${stats}" config plugins 0)
string(JSON pages GET "${stats}" config page_placement pairs pages)
string(JSON far GET "${stats}" modules system.gpu0.uvm pages_far)
if(NOT pages EQUAL 4 OR far EQUAL 0)
  message(FATAL_ERROR "run: the plugin's policy has ${pages} pages a group, ${far} far ones")
endif()
if(NOT verified STREQUAL "ON" OR NOT policy STREQUAL "pairs" OR NOT named MATCHES "pairs.so$")
  message(FATAL_ERROR "run: verified ${verified}, policy ${policy}, plugin ${named}")
endif()
# The platform's file names its plugin itself.
run(${tessera} compare uba-mem-small,${WORK}/plugin/uncached.json vecadd --values carried
    --out ${WORK}/compare)
file(READ ${WORK}/compare/report.html report)
if(NOT report MATCHES "uncached")
  message(FATAL_ERROR "the comparison's report does not name the block")
endif()
run(${tessera} study ${WORK}/plugin/study --out ${WORK}/study)
foreach(file study.json report.html)
  file(READ ${WORK}/study/${file} text)
  if(NOT text MATCHES "uncached")
    message(FATAL_ERROR "the study's ${file} does not name the block")
  endif()
endforeach()
file(READ ${WORK}/study/study.json text)
string(JSON verdict GET "${text}" claims 0 verdict)
if(NOT verdict STREQUAL "holds")
  message(FATAL_ERROR "the study's claim: ${verdict}")
endif()
