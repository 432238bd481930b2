// What signatures of operators compute of their arguments' shapes: packs, and functions in types, shapes and sizes.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/overloaded.h"
#include "typecheck/infer/type_reader.h"

namespace axle {

bool TypeReader::mentionsPack(ast::TypeId id) const {
  if (!use_) return false;
  return std::visit(Overloaded{
                        [&](const ast::TypeTensor& t) { return t.elemIsPack || (t.shape && mentionsPack(t.shape)); },
                        [&](const ast::TypeTuple& t) {
                          return std::any_of(t.parts.begin(), t.parts.end(),
                                             [&](ast::TypeId p) { return mentionsPack(p); });
                        },
                        [&](const auto&) { return false; },
                    },
                    module_[id].node);
}

bool TypeReader::mentionsPack(ast::ShapeId id) const {
  return std::visit(
      Overloaded{
          [&](const ast::ShapePack&) { return true; },
          [&](const ast::ShapeDims& d) {
            return std::any_of(d.dims.begin(), d.dims.end(), [&](ast::DimId p) { return mentionsPack(p); });
          },
          [&](const ast::ShapeCall& c) {
            return std::any_of(c.arguments.begin(), c.arguments.end(), [&](ast::ShapeId p) { return mentionsPack(p); });
          },
          [&](const ast::ShapeAppend& a) {
            return std::any_of(a.parts.begin(), a.parts.end(), [&](ast::ShapeId p) { return mentionsPack(p); });
          },
          [&](const auto&) { return false; },
      },
      module_[id].node);
}

bool TypeReader::mentionsPack(ast::DimId id) const { return std::holds_alternative<ast::DimPack>(module_[id].node); }

// collect(u, n): what a body gives, stacked along a new leading dimension; repeat(parts, type): a tuple.
TypeId TypeReader::typeCall(const ast::TypeCall& call, Span span) {
  Constraint c;
  c.reason = reason_;
  TypeId result = freshType(c_.solver);
  if (call.function == "collect" && call.types.size() == 1 && call.dims.size() == 1) {
    c.kind = ConstraintKind::collect;
    c.dims = {dim(call.dims[0])};
  } else if (call.function == "repeat" && call.types.size() == 1 && call.dims.size() == 1) {
    c.kind = ConstraintKind::repeat;
    StaticTerm count;
    count.kind = StaticKind::dim;
    count.dim = dim(call.dims[0]);
    c.statics = {c_.solution.types.add(std::move(count))};
  } else {
    unsupported(span, fmt::format("`{}` in a type", call.function));
    return result;
  }
  c.types = {result, type(call.types[0])};
  addConstraint(c_.solver, std::move(c));
  return result;
}

// The closed table of shape functions whose result is a shape.
Shape TypeReader::shapeCall(const ast::ShapeCall& call, Span span) {
  if (use_ && call.function == "element" && call.arguments.size() == 1) {
    Constraint c;
    c.kind = ConstraintKind::element;
    c.reason = reason_;
    c.shapes = {{ShapePart::of(freshShape(c_.solver, "s"))}, shape(call.arguments[0])};
    addConstraint(c_.solver, c);
    return c.shapes[0];
  }
  struct Row {
    std::string_view name;
    ConstraintKind kind;
    std::size_t shapes, statics;  // how many arguments are shapes, how many are attributes
  };
  constexpr std::size_t ofPack = static_cast<std::size_t>(-1);  // as many shapes as the pack has
  static constexpr Row rows[] = {
      {"permute", ConstraintKind::permute, 1, 1},
      {"reshape", ConstraintKind::reshape, 1, 1},
      {"pad", ConstraintKind::pad, 1, 1},
      {"pad", ConstraintKind::pad, 1, 2},
      {"einsum", ConstraintKind::einsum, ofPack, 1},
      {"when", ConstraintKind::when, 1, 1},
      {"reduce", ConstraintKind::reduce, 1, 2},
      {"tile", ConstraintKind::tile, 1, 1},
      {"stretch", ConstraintKind::stretch, 1, 1},
      {"sized", ConstraintKind::sized, 0, 1},
      {"swap", ConstraintKind::swap, 1, 2},
      {"move", ConstraintKind::move, 1, 2},
  };
  Constraint c;
  c.reason = reason_;
  Shape result{ShapePart::of(freshShape(c_.solver, "s"))};
  c.shapes = {result};
  for (ast::ShapeId argument : call.arguments) {
    const auto* name = std::get_if<ast::ShapeName>(&module_[argument].node);
    auto pack = name && use_ ? use_->packShapes.find(name->name) : decltype(use_->packShapes.end()){};
    if (auto value = name ? attribute(name->name) : std::nullopt)
      c.statics.push_back(*value);
    else if (name && use_ && pack != use_->packShapes.end())
      for (ShapeVar each : pack->second) c.shapes.push_back({ShapePart::of(each)});
    else
      c.shapes.push_back(shape(argument));
  }
  auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) {
    return r.name == call.function && (r.shapes == ofPack || r.shapes + 1 == c.shapes.size()) &&
           r.statics == c.statics.size();
  });
  if (row == std::end(rows)) {
    unsupported(span, fmt::format("the shape function `{}` in an annotation", call.function));
    return result;
  }
  c.kind = row->kind;
  addConstraint(c_.solver, std::move(c));
  return result;
}

// A variable of this name that is the value: a fact that fails is told in the names that it is written in.
Dim TypeReader::namedValue(const std::string& name, Dim value) {
  Dim named = freshInteger(c_.solver, name);
  c_.solution.dimVars[c_.solution.dims.asVariable(named)->index].binding = value;
  return named;
}

// The bytes of an element.
Dim TypeReader::width(const std::string& elemName) {
  ast::TypeTensor named;
  named.elem = elemName;
  TypeTerm scalar;
  scalar.kind = TypeKind::tensor;
  scalar.elem = elem(named);
  Constraint c;
  c.kind = ConstraintKind::width;
  c.reason = reason_;
  Dim result = freshDimTerm(c_.solver, "width(" + elemName + ")");
  c.dims = {result};
  c.types = {c_.solution.types.add(std::move(scalar))};
  addConstraint(c_.solver, std::move(c));
  return result;
}

// sum(pack), width(elem), or what a window makes of a size.
Dim TypeReader::dimCall(const ast::DimCall& call, Span span) {
  DimStore& dims = c_.solution.dims;
  if (call.function == "sum" && call.arguments.size() == 1)
    if (auto* name = std::get_if<ast::DimName>(&module_[call.arguments[0]].node); name && use_) {
      Dim total = dims.constant(0);
      auto& parts = use_->packDims[name->name];
      // The sum of lengths is a length: of the same elements, but another function.
      if (!parts.empty() &&
          std::all_of(parts.begin(), parts.end(), [&](Dim d) { return c_.solution.kindOf(d) == DimKind::ragged; })) {
        Dim length = marked("", DimKind::ragged, span);
        auto first = dims.asVariable(c_.solution.resolve(parts[0]));
        if (first) {
          Shape over = c_.solution.dimVars[first->index].over;
          c_.solution.dimVars[dims.asVariable(length)->index].over = std::move(over);
        }
        return length;
      }
      for (Dim part : use_->packDims[name->name]) total = dims.add(total, part);
      return total;
    }
  if (call.function == "width" && call.arguments.size() == 1)
    if (auto* name = std::get_if<ast::DimName>(&module_[call.arguments[0]].node); name && use_)
      return width(name->name);
  return windowCall(call, span);
}

// conv_out(h, r, stride, padding[axis], dilation), conv_transpose_out(..., sizes[axis]).
Dim TypeReader::windowCall(const ast::DimCall& call, Span span) {
  DimStore& dims = c_.solution.dims;
  bool transposed = call.function == "conv_transpose_out";
  bool known =
      (call.function == "conv_out" && call.arguments.size() == 5) || (transposed && call.arguments.size() == 6);
  auto* padding = known ? std::get_if<ast::DimAttribute>(&module_[call.arguments[3]].node) : nullptr;
  auto* sizes = known && transposed ? std::get_if<ast::DimAttribute>(&module_[call.arguments[5]].node) : nullptr;
  auto paddingValue = padding ? attribute(padding->name) : std::nullopt;
  auto sizesValue = sizes ? attribute(sizes->name) : std::nullopt;
  bool oneAxis = padding && sizes && dims.asConstant(dim(sizes->index)) == dims.asConstant(dim(padding->index));
  if (!paddingValue || (transposed && !(sizesValue && oneAxis))) {
    unsupported(span, fmt::format("the function `{}` in a dimension", call.function));
    return dims.constant(0);
  }
  auto asStatic = [&](Dim d) {
    StaticTerm term;
    term.kind = StaticKind::dim;
    term.dim = d;
    return c_.solution.types.add(std::move(term));
  };
  Constraint c;
  c.kind = transposed ? ConstraintKind::convTransposeOut : ConstraintKind::convOut;
  c.reason = reason_;
  Dim h = dim(call.arguments[0]), r = dim(call.arguments[1]);
  Dim result =
      freshDimTerm(c_.solver, dims.name(dims.variables(h).empty() ? freshDim(c_.solver, "h") : dims.variables(h)[0]));
  c.dims = {result, h, r, dim(padding->index)};
  c.statics = {asStatic(dim(call.arguments[2])), *paddingValue, asStatic(dim(call.arguments[4]))};
  if (transposed) c.statics.push_back(*sizesValue);
  addConstraint(c_.solver, std::move(c));
  return result;
}

}  // namespace axle
