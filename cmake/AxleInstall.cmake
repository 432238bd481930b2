# cmake --install build/release [--prefix DIR] [--strip] : the tools, and the runtime as one C library with its header and
# a pkg-config file.
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
install(TARGETS axle ARCHIVE COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/axle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/axle COMPONENT runtime)
install(FILES ${CMAKE_BINARY_DIR}/axle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
