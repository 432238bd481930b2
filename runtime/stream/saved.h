// Saves and restores the state of a network as bytes.
//
//   0  magic "AXS1"   4  u32 version   8  u64 of the bundle   16  u64 of the inputs' sizes   24  u64 bytes that follow
//  32  u64 CRC-32 of these
//
// All numbers have the byte order of the machine. Then follow numbers, frames, states and slots in the network's order.
#pragma once

#include <span>
#include <vector>

#include "runtime/stream/network.h"

namespace axle::runtime {

std::vector<std::byte> saveNetwork(Network& network);
Result<void> restoreNetwork(Network& network, std::span<const std::byte> saved);

}  // namespace axle::runtime
