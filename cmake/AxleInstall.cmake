# cmake --install build/release [--prefix DIR] [--strip] : the tools with their manual pages and completions of bash, zsh and fish,
# and the runtime as one C library with its header and a pkg-config file.
add_library(axle STATIC $<TARGET_OBJECTS:axle_io> $<TARGET_OBJECTS:axle_dims_evaluate> $<TARGET_OBJECTS:axle_runtime> $<TARGET_OBJECTS:axle_bundle_nano>)

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
# axc prints its own pages, so it must run here; a cross build has none.
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
