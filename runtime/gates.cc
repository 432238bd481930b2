#include <algorithm>

#include "runtime/chain.h"
#include "runtime/program.h"

namespace axle::runtime {

void joinGates(const manifest::Node& node, Chain& chain) {
  const std::size_t firstLink = chain.operands + (chain.hasBase ? 1u : 0u);
  const auto linkOf = [&](std::uint16_t arg) { return arg < firstLink ? nullptr : &chain.links[arg - firstLink]; };
  const auto uses = [&](std::uint16_t arg) {
    std::size_t count = 0;
    for (const Link& link : chain.links)
      count += static_cast<std::size_t>(std::count(link.args.begin(), link.args.begin() + link.arity, arg));
    return count;
  };
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    Link& product = chain.links[i];
    if (node.epilogue[i].op != op::mul) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      Link *const tanh = linkOf(product.args[k]), *const sigmoid = linkOf(product.args[1 - k]);
      if (tanh == nullptr || sigmoid == nullptr || !tanh->isTanh || sigmoid->gate == nullptr ||
          uses(product.args[0]) != 1 || uses(product.args[1]) != 1 || tanh->isScalar != sigmoid->isScalar)
        continue;
      product.kernel = sigmoid->gate;
      product.args = {tanh->args[0], sigmoid->args[0], 0};
      product.mayStay = false;
      for (Link* factor : {tanh, sigmoid}) factor->kernel = nullptr, factor->arity = 0;
      break;
    }
  }
}

}  // namespace axle::runtime
