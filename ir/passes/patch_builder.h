// Builds a patch of one graph: `tap` reads an outlet of the graph, `wire` adds a node whose fact is inferred, `shunt`
// makes readers of an old outlet read a new one.
#pragma once

#include <cstddef>

#include "ir/passes/patch.h"

namespace axle::ir {

class PatchBuilder {
 public:
  // `origin`: the node that the patch replaces, from which new nodes take names and spans.
  PatchBuilder(Model& model, GraphId graph, NodeId origin);

  Model& model() { return model_; }
  DimStore& dims() { return *model_.dims; }
  // Returns the fact of an outlet of the graph or of a new node.
  const Fact& tap(OutletId id) const;

  // Nodes added from now on take their names and spans from the producer of `outlet`.
  void comeFrom(OutletId outlet);
  // Adds a node with one output. `declared`: the output's fact, for operators whose inputs do not determine it. If the
  // operator's rule does not accept the inputs, returns no outlet and the patch fails.
  OutletId wire(Op op, std::vector<OutletId> inputs, Attributes attributes = {}, const Fact* declared = nullptr);
  // Adds a node with known facts. It may have bodies.
  std::vector<OutletId> wireNode(Node node, std::vector<Fact> facts);
  OutletId wireConstant(ConstantId constant);
  // Adds the scalar 0 or 1 of the given element type.
  OutletId wireScalar(Elem elem, bool isOne);
  OutletId wireReshape(OutletId x, std::vector<Dim> shape);

  // Makes readers of `from` read `to`. If `to` is not an outlet, the patch fails.
  void shunt(OutletId from, OutletId to);
  // Declares sizes equal although their normal forms differ; facts take the second.
  void declareEqual(Dim from, Dim to);
  GraphEdit& edit() { return edit_; }

  // Returns nothing if the patch failed.
  std::optional<Patch> finish(std::string what);

 private:
  std::vector<OutletId> orderAfterSizes(const Node& node, const std::vector<Fact>& facts) const;

  Model& model_;
  GraphEdit edit_;
  NodeId origin_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // of outlets: addition and slot
  std::string at_;                                               // the name of the node that the patch replaces
  bool failed_ = false;
};

// Returns a new node for a constant of the model.
Addition constantNode(const Model& model, ConstantId id);

}  // namespace axle::ir
