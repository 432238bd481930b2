# GTest::gtest and GTest::gtest_main: the host's package or, for another machine, built from Debian's source package.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest REQUIRED)
  return()
endif()

set(AXLE_GOOGLETEST_SOURCE /usr/src/googletest CACHE PATH "GoogleTest's sources, for tests of a cross build")
if(NOT EXISTS ${AXLE_GOOGLETEST_SOURCE}/CMakeLists.txt)
  message(FATAL_ERROR "no GoogleTest sources in ${AXLE_GOOGLETEST_SOURCE}: scripts/setup --cross installs them")
endif()
set(BUILD_GMOCK OFF)
set(INSTALL_GTEST OFF)
add_subdirectory(${AXLE_GOOGLETEST_SOURCE} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
