# cmake --install build/release [--prefix DIR] [--strip] : installs the tools with their manual pages and completions of bash, zsh and
# fish, and the runtime as one C library with its header and a pkg-config file.
add_library(axle STATIC $<TARGET_OBJECTS:axle_vector> $<TARGET_OBJECTS:axle_bundle_nano>)
add_library(axle_device STATIC $<TARGET_OBJECTS:axle_vector> $<TARGET_OBJECTS:axle_bundle_nano>)
foreach(library io dims_evaluate runtime kernels)
  target_sources(axle PRIVATE $<TARGET_OBJECTS:axle_${library}>)
  target_sources(axle_device PRIVATE $<TARGET_OBJECTS:axle_${library}${AXLE_DEVICE_SUFFIX}>)
endforeach()
target_sources(axle_device PRIVATE $<TARGET_OBJECTS:axle_axrun${AXLE_DEVICE_SUFFIX}> $<TARGET_OBJECTS:axle_run${AXLE_DEVICE_SUFFIX}>)

# The device library, for `axc build --runtime`: all of axrun, and its link options. In a build tree it has the same place as installed.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(AXLE_TARGET arm64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^arm")
  set(AXLE_TARGET armhf)
else()
  set(AXLE_TARGET x86-64)
endif()
set(AXLE_DEVICE_FOLDER lib/axle/${AXLE_TARGET})
set_target_properties(axle_device PROPERTIES OUTPUT_NAME axrun ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${AXLE_DEVICE_FOLDER})
add_dependencies(axrun axle_device)
list(JOIN AXLE_DEVICE_LINK_OPTIONS "\n" AXLE_DEVICE_OPTIONS)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${AXLE_DEVICE_FOLDER}/link.options @ONLY CONTENT
  "@AXLE_DEVICE_OPTIONS@\n-l:libprotobuf-nanopb.a\n-lm\n")

# The file computes its prefix from its own location, so an installed tree may be moved.
file(RELATIVE_PATH AXLE_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/axle.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@AXLE_PC_UP@
Name: axle
Description: Runs bundles of shape-typed models
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L${prefix}/@CMAKE_INSTALL_LIBDIR@ -laxle -lprotobuf-nanopb -lstdc++ -lm
]])

install(TARGETS axrun RUNTIME COMPONENT tools)
if(AXLE_COMPILER)
  install(TARGETS axc RUNTIME COMPONENT tools)
endif()
# axc prints its pages, so it must run here; a cross build has no pages.
if(AXLE_COMPILER AND NOT CMAKE_CROSSCOMPILING)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  add_custom_command(
    OUTPUT ${pages}/stamp
    COMMAND ${CMAKE_COMMAND} -DAXC=$<TARGET_FILE:axc> -DPAGES=${pages} -P ${PROJECT_SOURCE_DIR}/cmake/Pages.cmake
    DEPENDS axc ${PROJECT_SOURCE_DIR}/cmake/Pages.cmake
    COMMENT "Writing manual pages and completions"
    VERBATIM)
  add_custom_target(pages ALL DEPENDS ${pages}/stamp)
  install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools)
  install(FILES ${pages}/bash/axc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  install(FILES ${pages}/zsh/_axc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
  install(FILES ${pages}/fish/axc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()
install(TARGETS axle ARCHIVE COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/axle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/axle COMPONENT runtime)
install(FILES ${CMAKE_BINARY_DIR}/axle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
install(TARGETS axle_device ARCHIVE DESTINATION ${AXLE_DEVICE_FOLDER} COMPONENT device)
install(FILES ${CMAKE_BINARY_DIR}/${AXLE_DEVICE_FOLDER}/link.options DESTINATION ${AXLE_DEVICE_FOLDER} COMPONENT device)
