#include "runtime/named_inputs.h"

#include <string>

#include "io/joined.h"
#include "runtime/manifest.h"

namespace axle::runtime {
namespace {

std::string namesText(std::span<const PortInfo> ports) {
  std::string text;
  for (const PortInfo& port : ports) text += joined({text.empty() ? "`" : ", `", port.name, "`"});
  return text;
}

}  // namespace

std::optional<std::size_t> portNamed(std::span<const PortInfo> ports, std::string_view name) {
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == name) return i;
  return std::nullopt;
}

Result<std::vector<TensorView>> inputsInOrder(std::span<const PortInfo> ports, std::span<const NamedTensor> tensors) {
  std::vector<TensorView> inputs(ports.size());
  Marks given(inputs.size());
  for (const NamedTensor& named : tensors) {
    const auto index = portNamed(ports, named.name);
    const std::string name = joined({"`", named.name, "`"});
    if (!index)
      return failure(ErrorCode::unknownInput, joined({"there is no input ", name,
                                                      inputs.empty() ? std::string(", nor any other")
                                                                     : joined({": inputs are ", namesText(ports)})}));
    if (given[*index]) return failure(ErrorCode::unknownInput, joined({"input ", name, " is given twice"}));
    given[*index] = true;
    inputs[*index] = named.tensor;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!given[i])
      return failure(ErrorCode::missingInput, joined({"input `", ports[i].name, "` : ", ports[i].type, " is missing"}));
  return inputs;
}

}  // namespace axle::runtime
