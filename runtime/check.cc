#include "runtime/check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dims/relation.h"
#include "io/joined.h"
#include "io/sorting.h"
#include "runtime/bundle_format.h"
#include "runtime/program.h"
#include "runtime/run_sizes.h"
#include "runtime/tensor.h"

namespace axle::runtime {
namespace {

using manifest::Graph;
using manifest::Manifest;
using manifest::Node;

tl::unexpected<RunError> tooLarge(std::string what) { return failure(ErrorCode::tooLarge, joined({"bundle: ", what})); }

// Names a node in errors: `the graph, node 3 `sums``. The text is made only for an error.
struct NodeName {
  const Manifest& manifest;
  const Graph& graph;
  const std::string& where;
  std::size_t index;

  std::string operator()() const {
    const std::string text = manifest::describeNode(manifest, graph, graph.nodes[index]).name;
    return joined({where, ", node ", index, text.empty() ? "" : joined({" `", text, "`"})});
  }
};

class Checker {
 public:
  Checker(const Manifest& manifest, std::uint64_t weightBytes) : manifest_(manifest), weightBytes_(weightBytes) {}

  Result<void> check() {
    return checkDims()
        .and_then([this] { return checkConstants(); })
        .and_then([this] { return checkBodies(); })
        .and_then([this] { return checkGraph(manifest_.graph, "the graph", 0); })
        .and_then([this] { return checkExpansion(); })
        .and_then([this] { return checkPorts(); })
        .and_then([this] { return checkSymbols(); })
        .and_then([this] { return checkGuards(); });
  }

 private:
  // Also records, for each dimension, 1 + the largest symbol in it, or 0.
  Result<void> checkDims() {
    const auto& dims = manifest_.dims;
    symbolsUpTo_.resize(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const DimNode& dim = dims[i];
      if (static_cast<std::uint32_t>(dim.op) >= dimOpCount)
        return inconsistent(joined({"dimension ", i, " has an unknown operator"}));
      if (dim.op == DimOp::constant) continue;
      if (dim.op == DimOp::symbol) {
        if (dim.value < 0 || static_cast<std::uint64_t>(dim.value) >= manifest_.symbols.size())
          return inconsistent(joined({"dimension ", i, " names a symbol that does not exist"}));
        symbolsUpTo_[i] = static_cast<std::uint32_t>(dim.value) + 1;
        continue;
      }
      if (dim.left >= i || dim.right >= i) return inconsistent(joined({"dimension ", i, " uses a later one"}));
      symbolsUpTo_[i] = std::max(symbolsUpTo_[dim.left], symbolsUpTo_[dim.right]);
    }
    late_ = lateDims(manifest_);
    return {};
  }

  Result<void> checkConstants() const {
    for (std::size_t i = 0; i < manifest_.constants.size(); ++i) {
      const manifest::Constant& constant = manifest_.constants[i];
      const auto name = [&] {
        const std::string text = constantName(manifest_.debug, i);
        return joined({"constant ", i, text.empty() ? "" : joined({" `", text, "`"})});
      };
      if (constant.elem >= static_cast<std::uint32_t>(Elem::string))
        return inconsistent(name() + " has an element type that tensors do not have");
      Shape shape;
      for (std::uint64_t size : constant.shape)
        if (size > INT64_MAX || !shape.push(static_cast<std::int64_t>(size)))
          return inconsistent(name() + " has a shape that no tensor has");
      const auto bytes = shape.checkedBytes(static_cast<Elem>(constant.elem));
      if (!bytes || *bytes != constant.bytes) return inconsistent(name() + " has a shape that does not fit its bytes");
      if (constant.offset % bundleAlignment != 0 || constant.offset > weightBytes_ ||
          constant.bytes > weightBytes_ - constant.offset)
        return inconsistent(name() + " lies outside of the weights");
    }
    return {};
  }

  Result<void> checkBodies() const {
    for (std::size_t i = 0; i < manifest_.bodies.size(); ++i)
      if (auto checked = checkGraph(manifest_.bodies[i], joined({"body ", i}), i + 1); !checked) return checked;
    return {};
  }

  // `firstBody`: the smallest body that its nodes may name.
  Result<void> checkGraph(const Graph& graph, const std::string& where, std::size_t firstBody) const {
    Marks defined(graph.values.size());
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
      if (auto checked = checkValue(graph.values[i], joined({where, ", value ", i})); !checked) return checked;
      defined[i] = graph.values[i].isConstant;
    }
    const auto define = [&](std::uint32_t value) {
      if (value >= defined.size() || defined[value]) return false;
      defined[value] = true;
      return true;
    };
    const auto known = [&](std::uint32_t value) { return value < defined.size() && defined[value]; };
    if (&graph == &manifest_.graph)
      for (std::uint32_t input : graph.inputs)
        if (input < graph.values.size())
          for (std::uint32_t dim : graph.values[input].shape)
            if (late_[dim]) return inconsistent("an input has a size that is only found in the run");
    for (std::uint32_t input : graph.inputs)
      if (!define(input)) return inconsistent(where + ": an input is out of range or made twice");
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      const NodeName name{manifest_, graph, where, i};
      if (auto checked = checkNode(node, name, firstBody); !checked) return checked;
      if (!std::all_of(node.inputs.begin(), node.inputs.end(), known))
        return inconsistent(name() + " uses a value before it is made");
      if (!std::all_of(node.outputs.begin(), node.outputs.end(), define))
        return inconsistent(name() + " makes a value that is out of range or made twice");
    }
    if (!std::all_of(graph.outputs.begin(), graph.outputs.end(), known))
      return inconsistent(where + ": an output is never made");
    if (!graph.offsets.empty() && graph.offsets.size() != graph.values.size())
      return inconsistent(where + ": its memory plan has another number of offsets");
    return {};
  }

  Result<void> checkValue(const manifest::Value& value, const std::string& name) const {
    if (value.elem == static_cast<std::uint32_t>(Elem::string))
      return failure(ErrorCode::unknownOperator,
                     joined({"bundle: ", name, " is a string: that needs a newer runtime"}));
    if (value.elem >= static_cast<std::uint32_t>(elemCount)) return inconsistent(name + " has an unknown element type");
    if (value.shape.size() > static_cast<std::size_t>(maxRank))
      return tooLarge(joined({name, " has rank ", value.shape.size(), ", the limit is ", maxRank}));
    for (std::uint32_t dim : value.shape)
      if (dim >= manifest_.dims.size()) return inconsistent(name + " has a dimension that does not exist");
    if (!value.isConstant) return {};
    if (value.constant >= manifest_.constants.size())
      return inconsistent(name + " names a constant that does not exist");
    const manifest::Constant& constant = manifest_.constants[value.constant];
    if (constant.elem != value.elem || constant.shape.size() != value.shape.size())
      return inconsistent(name + " and its constant differ in type");
    return {};
  }

  Result<void> checkNode(const Node& node, const NodeName& name, std::size_t firstBody) const {
    const OpRow* row = operatorRow(node.op);
    if (row == nullptr)
      return failure(ErrorCode::unknownOperator,
                     joined({"bundle: ", name(), ": operator ", node.op,
                             isOperator(node.op) ? " is not in this runtime, which was built for another bundle"
                                                 : " needs a newer runtime"}));
    const std::size_t own =
        node.inputs.size() - (node.op == op::chain || node.op == op::rows ? 0 : node.epilogueInputs);
    if (node.epilogueInputs > node.inputs.size() || !row->inputs.contains(own) ||
        !row->outputs.contains(node.outputs.size()) || node.outputs.empty())
      return inconsistent(joined({name(), ": ", row->name, " has another number of inputs or outputs"}));
    if ((row->ints != OpRow::any && node.ints.size() != static_cast<std::size_t>(row->ints)) ||
        node.bodies.size() != static_cast<std::size_t>(row->bodies))
      return inconsistent(joined({name(), ": ", row->name, " has another number of integers or bodies"}));
    for (std::uint32_t dim : node.ints)
      if (dim >= manifest_.dims.size()) return inconsistent(name() + " has a dimension that does not exist");
    if (auto checked = checkEpilogue(node, name); !checked) return checked;
    if (auto checked = checkFinds(node, *row, name); !checked) return checked;
    for (std::uint32_t body : node.bodies)
      if (body < firstBody || body >= manifest_.bodies.size())
        return inconsistent(name() + " names a body that does not exist or comes before its own");
    return {};
  }

  Result<void> checkEpilogue(const Node& node, const NodeName& name) const {
    const ops::KernelTraits traits = kernelTraits(node.op);
    if (node.epilogue.empty() && node.epilogueInputs != 0) return inconsistent(name() + " has operands of no epilogue");
    if (!node.epilogue.empty() && (traits & ops::epilogue) == 0)
      return inconsistent(name() + ": its operator has no epilogue");
    if (node.alias && (traits & ops::view) == 0) return inconsistent(name() + " cannot be a view");
    if (node.alias && (!node.epilogue.empty() || node.inPlace != 0))
      return inconsistent(name() + " is a view that runs");
    if (node.inPlace > node.inputs.size()) return inconsistent(name() + " is in an operand that does not exist");
    if (node.epilogue.size() > maxLinks) return tooLarge(joined({name(), " has more than ", maxLinks, " operators"}));
    for (const manifest::Pointwise& pointwise : node.epilogue)
      if (pointwise.elem >= static_cast<std::uint32_t>(Elem::string))
        return inconsistent(name() + " has an element type that tensors do not have");
    return {};
  }

  Result<void> checkFinds(const Node& node, const OpRow& row, const NodeName& name) const {
    if (node.finds.empty()) {
      if (!row.has(ops::takesGuards)) return {};
      for (std::uint32_t dim : node.ints) {
        const DimNode& guard = manifest_.dims[dim];
        if (guard.op != DimOp::constant || guard.value < 0 ||
            static_cast<std::uint64_t>(guard.value) >= manifest_.guards.size())
          return inconsistent(name() + " names a guard that does not exist");
      }
      return {};
    }
    bool fits = row.has(ops::findsSizes) && node.finds.size() == node.outputs.size();
    for (std::uint32_t found : node.finds)
      fits = fits && found <= manifest_.symbols.size() && (found == 0 || manifest_.symbols[found - 1].found);
    return fits ? Result<void>{} : inconsistent(name() + " finds a size that it cannot");
  }

  // Limits the nesting of bodies, and the number of items in the program with every body expanded where it is used.
  Result<void> checkExpansion() const {
    std::vector<std::uint64_t> items(manifest_.bodies.size());
    std::vector<std::uint32_t> depth(manifest_.bodies.size());
    const auto measure = [&](const Graph& graph, std::uint64_t& count, std::uint32_t& deep) {
      count = graph.nodes.size() + graph.values.size();
      deep = 0;
      for (const Node& node : graph.nodes)
        for (std::uint32_t body : node.bodies) {
          count = std::min(count + items[body], maxProgramItems + 1);
          deep = std::max(deep, depth[body] + 1);
        }
      return count <= maxProgramItems && deep <= maxBodyDepth;
    };
    bool fits = true;
    for (std::size_t i = manifest_.bodies.size(); i-- > 0;)
      fits = measure(manifest_.bodies[i], items[i], depth[i]) && fits;
    std::uint64_t count = 0;
    std::uint32_t deep = 0;
    if (!measure(manifest_.graph, count, deep) || !fits)
      return tooLarge(joined({"it has more than ", maxProgramItems, " nodes and values, or bodies nested more than ",
                              maxBodyDepth, " deep"}));
    return {};
  }

  Result<void> checkPorts() const {
    if (manifest_.inputs.size() != manifest_.graph.inputs.size() ||
        manifest_.outputs.size() != manifest_.graph.outputs.size())
      return inconsistent("names and values of its inputs or outputs differ in number");
    std::vector<std::string_view> names;
    for (const manifest::Port& port : manifest_.inputs) names.push_back(port.name);
    sortItems(std::span(names));
    for (const auto* ports : {&manifest_.inputs, &manifest_.outputs})
      for (std::size_t i = 0; i < ports->size(); ++i)
        if (auto checked = checkSplits(*ports, i, ports == &manifest_.inputs); !checked) return checked;
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) return inconsistent("two inputs have one name");
    return {};
  }

  Result<void> checkSplits(const std::vector<manifest::Port>& ports, std::size_t index, bool isInput) const {
    const manifest::Port& port = ports[index];
    if (port.splitsOf == 0) return {};
    const auto& values = isInput ? manifest_.graph.inputs : manifest_.graph.outputs;
    const auto isSplits = [&](std::size_t i) {
      const manifest::Value& value = manifest_.graph.values[values[i]];
      return ports[i].splitsOf != 0 && value.elem == static_cast<std::uint32_t>(Elem::i64) && value.shape.size() == 1;
    };
    const bool fits = isSplits(index) && port.splitsOf <= ports.size() && ports[port.splitsOf - 1].splitsOf == 0 &&
                      port.sameAs <= index && (port.sameAs == 0 || isSplits(port.sameAs - 1)) &&
                      (!isInput || (port.rows < manifest_.dims.size() && !late_[port.rows]));
    return fits ? Result<void>{} : inconsistent(joined({"the row splits `", port.name, "` belong to no port"}));
  }

  Result<void> checkSymbols() const {
    if (manifest_.symbols.size() > maxSymbols) return tooLarge(joined({"it has more than ", maxSymbols, " symbols"}));
    for (std::size_t i = 0; i < manifest_.symbols.size(); ++i) {
      const manifest::Symbol& symbol = manifest_.symbols[i];
      const std::string name = joined({"symbol `", symbol.name, "`"});
      if (symbol.found) {
        if (symbol.most >= manifest_.dims.size() || symbolsUpTo_[symbol.most] > i)
          return inconsistent(name + " is at most a dimension that does not exist or needs a later symbol");
        continue;
      }
      if (symbol.input >= manifest_.graph.inputs.size())
        return inconsistent(name + " is bound by an input that does not exist");
      const auto& value = manifest_.graph.values[manifest_.graph.inputs[symbol.input]];
      if (symbol.axis >= value.shape.size()) return inconsistent(name + " is bound by an axis that does not exist");
      for (std::uint32_t dim : {symbol.offset, symbol.coefficient})
        if (dim >= manifest_.dims.size() || symbolsUpTo_[dim] > i || late_[dim])
          return inconsistent(name + " is bound by a dimension that does not exist or needs a later symbol");
    }
    return {};
  }

  Result<void> checkGuards() const {
    for (std::size_t i = 0; i < manifest_.guards.size(); ++i) {
      const manifest::Guard& guard = manifest_.guards[i];
      if (guard.left >= manifest_.dims.size() || guard.right >= manifest_.dims.size() ||
          guard.relation >= factRelationCount)
        return inconsistent(joined({"guard ", i, " is out of range"}));
    }
    return {};
  }

  const Manifest& manifest_;
  std::uint64_t weightBytes_;
  std::vector<std::uint32_t> symbolsUpTo_;
  Marks late_;  // whether a dimension mentions a symbol found in the run
};

}  // namespace

tl::unexpected<RunError> inconsistent(const std::string& what) {
  return failure(ErrorCode::inconsistent, joined({"bundle: ", what}));
}

Result<void> checkManifest(const Manifest& manifest, std::uint64_t weightBytes) {
  return Checker(manifest, weightBytes).check();
}

}  // namespace axle::runtime
