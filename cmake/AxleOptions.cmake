# Settings and helpers that every folder's CMakeLists.txt uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
foreach(language C CXX)
  string(REPLACE "-O3" "-O2" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

find_program(AXLE_CCACHE ccache)
if(AXLE_CCACHE)
  # Otherwise ccache keeps nothing that includes a precompiled header.
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${AXLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()

if(AXLE_ASAN)
  # Without optimisation tests take twice as long; full debug information takes three times the space.
  foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_DEBUG "-O1 -g1")
  endforeach()
  # Errors that AddressSanitizer finds, too (members of null, objects that are too small), are checked only once, which saves a quarter of
  # a build's time. Only code that reads foreign bytes can meet unaligned values. Uses of a local variable after its block are looked for
  # only there, too, which saves another quarter (axle_reads_bytes).
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,object-size,vptr,alignment -fno-sanitize-recover=undefined
    -fno-sanitize-address-use-after-scope -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# GCC's garbage collection takes a seventh of the time of a unity object; without it such an object takes up to 2 GB.
if(AXLE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options("SHELL:--param ggc-min-expand=10000" "SHELL:--param ggc-min-heapsize=3000000")
endif()

# Puts each function and table into a separate section, so that a device tool contains only what it can reach.
add_compile_options(-ffunction-sections -fdata-sections)

# axle_library(NAME [FOLDERS DIRS...] [FILES FILES...]) : adds a static library of our own code, `axle_NAME`, included from
# the repository's root. It has every .cc file of this folder, or of the folders named; FILES adds generated files or,
# without FOLDERS, names all files. With AXLE_UNITY several files are compiled as one, so names in anonymous namespaces must
# differ within a library.
function(axle_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;FILES" ${ARGN})
  if(NOT ARG_FOLDERS AND NOT ARG_FILES)
    set(ARG_FOLDERS .)
  endif()
  list(TRANSFORM ARG_FOLDERS APPEND /*.cc OUTPUT_VARIABLE patterns)
  if(patterns)
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  endif()
  add_library(axle_${name} STATIC ${sources} ${ARG_FILES})
  axle_unity(axle_${name})
  axle_own_code(axle_${name})
endfunction()

# axle_unity(TARGET) : if AXLE_UNITY is on, compiles the target's files forty at a time. This is a tenth quicker than twenty at a time, and
# takes up to 2.1 GB, with sanitizers half as much again.
function(axle_unity target)
  if(AXLE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
    # GCC 12 gives false warnings about moved variants when it sees many functions at once.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
endfunction()

# Warnings are errors in our own code, except with sanitizers, whose instrumentation makes GCC give false warnings. Include
# paths start at the repository's root.
function(axle_own_code target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${AXLE_ASAN}>>:-Werror>)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# axle_quick_build(TARGET) : compiles the target with -O1, in three quarters of the time. The compiler's code uses it, except the
# arithmetic of sizes; a check takes 2 % more instructions.
function(axle_quick_build target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# axle_reads_bytes(TARGET) : checks code that reads foreign bytes as numbers for their alignment, and for uses of variables after their
# block.
function(axle_reads_bytes target)
  if(AXLE_ASAN)
    target_compile_options(${target} PRIVATE -fsanitize=alignment -fsanitize-address-use-after-scope)
  endif()
endfunction()

# axle_cold(TARGET) : compiles code that takes little time of a run for size: without two optimisations that -Oz leaves on, and without
# run-time types, which nothing uses (a TARGET can still catch exceptions by type).
function(axle_cold target)
  target_compile_options(${target} PRIVATE
    "$<$<CONFIG:Release>:-Oz;-fomit-frame-pointer;-fno-gcse;-fno-schedule-insns2;$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>>")
  axle_few_unwind_tables(${target})
endfunction()

# axle_few_unwind_tables(TARGET) : gives unwind tables only to functions that an exception can pass. The compiler omits the other tables
# only if it writes the tables itself.
function(axle_few_unwind_tables target)
  target_compile_options(${target} PRIVATE
    "$<$<CONFIG:Release>:-fno-asynchronous-unwind-tables;-fno-unwind-tables;-fno-dwarf2-cfi-asm>")
endfunction()

# axle_for_devices(LIBRARY) : if AXLE_DEVICE_EXCEPTIONS is off, compiles a library once more as LIBRARY_device, for axrun and the device
# library: without exceptions, whose tables and unwinder are a quarter of a runtime for one bundle. Such a program ends when memory runs
# out (tools/axrun/memory.cc); the C library and the tests are compiled with exceptions and catch that. Local statics need no guards,
# either: axrun has one thread when it makes them.
option(AXLE_DEVICE_EXCEPTIONS "Compile axrun with exceptions, as the libraries are" ON)
if(NOT AXLE_DEVICE_EXCEPTIONS)
  set(AXLE_DEVICE_SUFFIX _device)
endif()
function(axle_for_devices library)
  if(AXLE_DEVICE_EXCEPTIONS)
    return()
  endif()
  get_target_property(sources ${library} SOURCES)
  add_library(${library}_device OBJECT ${sources})
  axle_unity(${library}_device)
  foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_LIBRARIES)
    set_target_properties(${library}_device PROPERTIES ${property} $<TARGET_PROPERTY:${library},${property}>)
  endforeach()
  target_compile_options(${library}_device PRIVATE -fno-exceptions -fno-threadsafe-statics)
endfunction()

# Links programs for devices: only libc and libm dynamically, since devices may lack libstdc++, and only reachable code.
set(AXLE_PAGE_BYTES 4096 CACHE STRING "The largest page size of devices that run axrun; 65536 fits every kernel, in larger files")
set(AXLE_DEVICE_LINK_OPTIONS -Wl,--gc-sections -Wl,-z,max-page-size=${AXLE_PAGE_BYTES})
if(AXLE_ASAN)
  list(APPEND AXLE_DEVICE_LINK_OPTIONS -fsanitize=address,undefined)
else()
  list(APPEND AXLE_DEVICE_LINK_OPTIONS -static-libstdc++ -static-libgcc)
endif()

# axle_test(NAME LIBRARIES LIBS... SOURCES FILES...) : adds a GoogleTest program, run from the repository's root as one ctest test,
# because starting a process for each case takes longer than the cases. `NAME --gtest_filter=...` runs single cases.
function(axle_test name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  axle_test_code(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 2400)
endfunction()

# axle_test_code(TARGET) : sets the options for tests and for libraries that only tests use.
function(axle_test_code target)
  axle_own_code(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)  # the code under test is in the libraries
  target_link_libraries(${target} PRIVATE GTest::gtest)
  axle_unity(${target})
  axle_test_headers(${target})
endfunction()

# axle_test_headers(TARGET) : in a whole build, compiles the headers that all tests include once, which saves a second for each test.
function(axle_test_headers target)
  if(NOT AXLE_UNITY)
    return()
  endif()
  if(NOT TARGET axle_test_headers)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/axle_test_headers.cc CONTENT "")
    add_library(axle_test_headers STATIC ${CMAKE_BINARY_DIR}/axle_test_headers.cc)
    axle_own_code(axle_test_headers)
    target_compile_options(axle_test_headers PRIVATE $<$<CONFIG:Release>:-O1>)
    target_link_libraries(axle_test_headers PRIVATE GTest::gtest)
    target_precompile_headers(axle_test_headers PRIVATE
      <gtest/gtest.h> <algorithm> <filesystem> <fstream> <functional> <map> <optional> <set> <span> <sstream> <string> <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM axle_test_headers)
endfunction()
