# The shared part of both toolchain files. Takes AXLE_TRIPLET and AXLE_QEMU. Tests run under qemu with the cross root as
# its library path. Configuring fails without qemu, so that ARM tests are never skipped silently.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${AXLE_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${AXLE_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${AXLE_TRIPLET})

find_program(AXLE_EMULATOR ${AXLE_QEMU} NO_CMAKE_FIND_ROOT_PATH)
if(NOT AXLE_EMULATOR)
  message(FATAL_ERROR "${AXLE_QEMU} is missing, and the ARM tests run under it: scripts/setup --cross installs it")
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR ${AXLE_EMULATOR};-L;/usr/${AXLE_TRIPLET})
