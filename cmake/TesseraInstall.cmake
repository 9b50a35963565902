# SPDX-License-Identifier: Apache-2.0
# The installed package: tessera::modules, tessera::policies, tessera::stimuli, tessera::platforms,
# tessera::studies, tessera::report and tessera::app for find_package(tessera), the same libraries
# for pkg-config, headers, presets. The folders app and stimuli/kernels install the command and the
# workloads' files.
include(CMakePackageConfigHelpers)

# Components in link order: a library before its dependencies.
set(rooms)
foreach(room app import explain report studies exploration platforms configuration umh probe rdma host sm llc mdr noc mmu memory cache power kernels
             vp plan bridge protocol kernel policies traces ptx_analysis ptx common)
  if(TARGET tessera_${room})
    set_target_properties(tessera_${room} PROPERTIES EXPORT_NAME ${room})
    list(APPEND rooms ${room})
  endif()
  if(TARGET tessera_${room}_files)
    set_target_properties(tessera_${room}_files PROPERTIES EXPORT_NAME ${room}_files)
    list(APPEND rooms ${room}_files)
  endif()
endforeach()

# The libraries for users, each with one or more components.
add_library(tessera_modules INTERFACE)
set_target_properties(tessera_modules PROPERTIES EXPORT_NAME modules)
foreach(room umh probe rdma host sm llc mdr noc mmu memory cache power vp plan bridge protocol kernel)
  if(TARGET tessera_${room})
    target_link_libraries(tessera_modules INTERFACE tessera_${room})
  endif()
endforeach()
add_library(tessera_all_stimuli INTERFACE)
set_target_properties(tessera_all_stimuli PROPERTIES EXPORT_NAME stimuli)
target_link_libraries(tessera_all_stimuli INTERFACE tessera_kernels tessera_ptx_analysis
                      tessera_ptx)

list(TRANSFORM rooms PREPEND tessera_ OUTPUT_VARIABLE room_targets)
install(TARGETS ${room_targets} tessera_modules tessera_all_stimuli EXPORT tesseraTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TESSERA_LTO_USED)
  # Removes the data for link-time optimisation, which only the same compiler can read.
  install(CODE "
    file(GLOB archives
         \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libtessera_*.a\")
    foreach(archive \${archives})
      execute_process(COMMAND ${CMAKE_OBJCOPY} --remove-section=.gnu.lto_* \${archive}
                      COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
endif()

foreach(room app common modules platforms policies rtl stimuli studies)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${room}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera
          FILES_MATCHING PATTERN "*.h" PATTERN "cuda_device.h" EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/platforms/plugin_abi.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/platforms)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms/presets
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera FILES_MATCHING PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/rtl/llc_slice/llc_slice.sv
        DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/rtl)
# Software for `tessera vp`: the library, and programs to begin with.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/firmware DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera
        PATTERN "build" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
              ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TesseraSystemC.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TesseraPlugin.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TesseraRtl.cmake
              ${CMAKE_CURRENT_LIST_DIR}/rtl_glue.cpp.in
              ${CMAKE_CURRENT_LIST_DIR}/rtl_llc_glue.cpp.in
        DESTINATION ${package_dir})

# A room with policies or roles is an interface; its archive is linked whole, because they register
# themselves.
foreach(room ${rooms})
  if(TARGET tessera_${room}_files)
    list(REMOVE_ITEM rooms ${room})
  endif()
endforeach()
list(TRANSFORM rooms PREPEND "-ltessera_")
list(TRANSFORM rooms REPLACE "^(-ltessera_[a-z]+_files)$"
     "-Wl,--whole-archive,\\1,--no-whole-archive")
list(JOIN rooms " " TESSERA_PC_LIBS)
# Relative path from the .pc file to the prefix, so that the prefix can be moved.
file(RELATIVE_PATH TESSERA_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/tessera.pc.in ${PROJECT_BINARY_DIR}/tessera.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
