# 32-bit ARM with hard floats; Debian's compiler leaves NEON off unless asked.
set(AXLE_TRIPLET arm-linux-gnueabihf)
set(AXLE_QEMU qemu-arm)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(CMAKE_C_FLAGS_INIT -mfpu=neon-vfpv4)
set(CMAKE_CXX_FLAGS_INIT "-mfpu=neon-vfpv4 -Wno-psabi")
include(${CMAKE_CURRENT_LIST_DIR}/Cross.cmake)
