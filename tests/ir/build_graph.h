// Hand-built graphs for tests.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/table.h"

namespace axle::test {

struct Builder {
  DimStore dims;
  ir::Model model;

  Builder() {
    model.dims = &dims;
    model.entry = "main";
    model.graphs.emplace_back();
  }

  ir::Fact fact(Elem elem, std::vector<std::int64_t> sizes) {
    ir::Fact fact{elem, {}, {}};
    for (std::int64_t size : sizes) fact.shape.push_back(dims.constant(size));
    return fact;
  }
  ir::OutletId input(ir::Fact fact, std::size_t graph = 0) {
    ir::OutletId id = add(ir::Op::input, {}, std::move(fact), {}, graph);
    model.graphs[graph].inputs.push_back(id);
    if (graph == 0) model.inputNames.push_back("x" + std::to_string(model.inputNames.size()));
    return id;
  }
  template <class T>
  ir::OutletId constant(Elem elem, std::vector<std::int64_t> sizes, std::vector<T> values, std::size_t graph = 0) {
    const std::span<const std::byte> given = std::as_bytes(std::span(values));
    std::vector<std::byte> bytes(given.begin(), given.end());
    ir::Fact of = fact(elem, sizes);
    ir::OutletId id = add(ir::Op::constant, {}, std::move(of), {}, graph);
    ir::ConstantId constant = model.addConstant(elem, std::move(sizes), std::move(bytes));
    ir::Graph& g = model.graphs[graph];
    g[g[id].node].constant = constant;
    g[id].fact.value = constant;
    return id;
  }
  // `ints` are the attributes in a bundle's form.
  ir::OutletId add(ir::Op op, std::vector<ir::OutletId> inputs, ir::Fact fact, std::vector<std::int64_t> ints = {},
                   std::size_t graph = 0) {
    ir::Node node;
    node.op = op;
    node.inputs = std::move(inputs);
    std::vector<Dim> integers;
    for (std::int64_t i : ints) integers.push_back(dims.constant(i));
    node.attributes = ir::attributesOf(dims, ir::row(op).attributes, integers).value_or(ir::NoAttributes{});
    ir::Graph& g = model.graphs[graph];
    return g[g.add(std::move(node), {std::move(fact)})].outputs[0];
  }
  void output(ir::OutletId id, std::size_t graph = 0) {
    model.graphs[graph].outputs.push_back(id);
    if (graph == 0) model.outputNames.push_back("out." + std::to_string(model.outputNames.size()));
  }
};

}  // namespace axle::test
