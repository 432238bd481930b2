# 64-bit ARM with Debian's cross compiler; its programs run under qemu-user.
set(AXLE_TRIPLET aarch64-linux-gnu)
set(AXLE_QEMU qemu-aarch64)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/Cross.cmake)
