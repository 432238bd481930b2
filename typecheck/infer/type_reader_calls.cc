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
  TypeId result = freshType(c_.solver);
  const bool isCollect = call.function == "collect", isRepeat = call.function == "repeat";
  if ((!isCollect && !isRepeat) || call.types.size() != 1 || call.dims.size() != 1) {
    unsupported(span, fmt::format("`{}` in a type", call.function));
    return result;
  }
  StaticTerm count;
  count.kind = StaticKind::dim;
  count.dim = dim(call.dims[0]);
  const TypeId element = type(call.types[0]);
  if (isCollect)
    addConstraint(c_.solver, reason_, constraint::Collect{result, element, count.dim});
  else
    addConstraint(c_.solver, reason_, constraint::Repeat{result, element, c_.solution.types.add(std::move(count))});
  return result;
}

// The functions of signatures whose result is a shape (the rows of typecheck/solver/constraint.h).
Shape TypeReader::shapeCall(const ast::ShapeCall& call, Span span) {
  Shape result{ShapePart::of(freshShape(c_.solver, "s"))};
  std::vector<Shape> shapes;
  std::vector<StaticId> statics;
  for (ast::ShapeId argument : call.arguments) {
    const auto* name = std::get_if<ast::ShapeName>(&module_[argument].node);
    auto pack = name && use_ ? use_->packShapes.find(name->name) : decltype(use_->packShapes.end()){};
    if (auto value = name ? attribute(name->name) : std::nullopt)
      statics.push_back(*value);
    else if (name && use_ && pack != use_->packShapes.end())
      for (ShapeVar each : pack->second) shapes.push_back({ShapePart::of(each)});
    else
      shapes.push_back(shape(argument));
  }
  auto function = shapeFunction(call.function, result, shapes, statics);
  const bool isOfOperators = function && std::holds_alternative<constraint::Element>(*function);
  if (!function || (isOfOperators && !use_))
    unsupported(span, fmt::format("the shape function `{}` in an annotation", call.function));
  else
    addConstraint(c_.solver, reason_, std::move(*function));
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
  Dim result = freshDimTerm(c_.solver, "width(" + elemName + ")");
  addConstraint(c_.solver, reason_, constraint::Width{result, c_.solution.types.add(std::move(scalar))});
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
  Dim h = dim(call.arguments[0]), r = dim(call.arguments[1]);
  Dim result =
      freshDimTerm(c_.solver, dims.name(dims.variables(h).empty() ? freshDim(c_.solver, "h") : dims.variables(h)[0]));
  const constraint::Window window{result,
                                  h,
                                  r,
                                  asStatic(dim(call.arguments[2])),
                                  *paddingValue,
                                  asStatic(dim(call.arguments[4])),
                                  static_cast<std::size_t>(dims.asConstant(dim(padding->index)).value_or(0))};
  if (transposed)
    addConstraint(c_.solver, reason_, constraint::ConvTransposeOut{window, *sizesValue});
  else
    addConstraint(c_.solver, reason_, constraint::ConvOut{window});
  return result;
}

}  // namespace axle
