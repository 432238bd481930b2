// Puts inputs that are given by name into the order of a program's ports.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/error.h"
#include "runtime/session.h"

namespace axle::runtime {

std::optional<std::size_t> portNamed(std::span<const PortInfo> ports, std::string_view name);

// Returns one tensor for each port. A port without a tensor or with two, and a name without a port, are errors.
Result<std::vector<TensorView>> inputsInOrder(std::span<const PortInfo> ports, std::span<const NamedTensor> tensors);

}  // namespace axle::runtime
