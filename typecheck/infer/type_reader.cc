#include "typecheck/infer/type_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/overloaded.h"
#include "typecheck/types/size_operators.h"

namespace axle {

OriginId TypeReader::originAt(Span span) {
  if (use_) return {};
  Origin origin;
  origin.span = span;
  origin.written = true;
  return c_.provenance.add(std::move(origin));
}

void TypeReader::unsupported(Span span, const std::string& what) {
  if (failed_) return;  // one is enough
  failed_ = true;
  if (use_) span = c_.provenance[reason_].span;
  Diagnostic d;
  d.code = &codes::unsupported;
  d.message = use_ ? fmt::format("{} makes {}, which cannot be checked yet", c_.provenance[reason_].subject, what)
                   : what + " cannot be checked yet";
  d.primary = {span, "this is part of the language, but not of this version's checker"};
  diagnostics_.push_back(std::move(d));
}

std::optional<StaticId> TypeReader::attribute(const std::string& name) const {
  if (!use_) return std::nullopt;
  auto it = use_->attributes.find(name);
  return it == use_->attributes.end() ? std::nullopt : std::optional(it->second);
}

std::optional<ShapeVar> TypeReader::shapeNamed(const std::string& name) const {
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    if (auto found = (*it)->names.shapes.find(name); found != (*it)->names.shapes.end()) return found->second;
  return std::nullopt;
}

ElemTerm TypeReader::elem(const ast::TypeTensor& tensor) {
  if (auto builtin = elemNamed(tensor.elem)) return ElemTerm::of(*builtin);
  if (tensor.elemIsPack && !use_) failed_ = true;  // the parser has said so
  if (tensor.elemIsPack && use_) {
    auto& pack = use_->packElems[tensor.elem];
    while (pack.size() < use_->packSize) pack.push_back(freshElem(c_.solver, tensor.elem));
    return ElemTerm::of(pack[packIndex_]);
  }
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    if (auto found = (*it)->names.elems.find(tensor.elem); found != (*it)->names.elems.end())
      return ElemTerm::of(found->second);
  refuseSlip(tensor.elem, tensor.elemSpan);
  ElemVar fresh = freshElem(c_.solver, tensor.elem);
  scopes_.back()->names.elems[tensor.elem] = fresh;
  return ElemTerm::of(fresh);
}

TypeId TypeReader::typeVariable(const std::string& name, Span span) {
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    if (auto found = (*it)->names.types.find(name); found != (*it)->names.types.end()) return found->second;
  refuseSlip(name, span);
  TypeId fresh = freshType(c_.solver);
  scopes_.back()->names.types[name] = fresh;
  return fresh;
}

TypeId TypeReader::type(ast::TypeId id) {
  const ast::Type& t = module_[id];
  OriginId origin = originAt(t.span);
  return std::visit(Overloaded{
                        [&](const ast::TypeTensor& tensor) {
                          TypeTerm term;
                          term.kind = TypeKind::tensor;
                          term.origin = origin;
                          term.elem = elem(tensor);
                          if (tensor.shape) term.shape = shape(tensor.shape);
                          return c_.solution.types.add(std::move(term));
                        },
                        [&](const ast::TypeName& name) { return typeVariable(name.name, t.span); },
                        [&](const ast::TypeHole&) { return freshType(c_.solver); },
                        [&](const ast::TypeTuple& tuple) {
                          TypeTerm term;
                          term.kind = TypeKind::tuple;
                          term.origin = origin;
                          for (ast::TypeId part : tuple.parts) term.parts.push_back(type(part));
                          return c_.solution.types.add(std::move(term));
                        },
                        [&](const ast::TypeFunction& f) { return function(f, origin); },
                        [&](const ast::TypeCall& call) { return typeCall(call, t.span); },
                    },
                    t.node);
}

TypeId TypeReader::function(const ast::TypeFunction& f, OriginId origin) {
  if (!f.where.empty()) unsupported(f.where.front().span, "a fact inside of a function's type");
  TypeTerm term;
  term.kind = TypeKind::function;
  term.origin = origin;
  for (ast::TypeId parameter : f.parameters) {
    std::size_t copies = mentionsPack(parameter) ? use_->packSize : 1;
    for (std::size_t i = 0; i < copies; ++i) {
      packIndex_ = i;
      term.parts.push_back(type(parameter));
    }
  }
  packIndex_ = 0;
  term.result = type(f.result);
  return c_.solution.types.add(std::move(term));
}

Shape TypeReader::broadcast(const Shape& a, const Shape& b) {
  Shape result{ShapePart::of(freshShape(c_.solver, "s"))};
  addConstraint(c_.solver, reason_, constraint::Broadcast{result, a, b});
  return result;
}

Shape TypeReader::shape(ast::ShapeId id) {
  const ast::Shape& s = module_[id];
  auto size = [&](ast::DimId part) {
    Dim d = dim(part);
    auto value = c_.solution.dims.asConstant(d);
    if (value && *value < 0 && !failed_) {
      failed_ = true;
      Diagnostic negative;
      negative.code = &codes::overflow;
      negative.message = "a size cannot be negative";
      negative.primary = {module_[part].span, fmt::format("this is {}", *value)};
      negative.help.push_back("an open size is a name, as in `f32 [n, 3]`, or `_`");
      diagnostics_.push_back(std::move(negative));
    }
    return d;
  };
  return std::visit(Overloaded{
                        [&](const ast::ShapeDims& d) {
                          Shape out;
                          for (ast::DimId part : d.dims) {
                            out.push_back(ShapePart::of(size(part), originAt(module_[part].span)));
                            plainName(part, out.back().dim);
                            if (out.size() > 1) regular(part, out.back().dim);
                          }
                          placeLengths(out);
                          return out;
                        },
                        [&](const ast::ShapeName& name) {
                          if (name.name == "_") return Shape{ShapePart::of(freshShape(c_.solver, "s"))};
                          OriginId origin = originAt(s.span);
                          if (auto known = shapeNamed(name.name)) return Shape{ShapePart::of(*known, origin)};
                          ShapeVar fresh = freshShape(c_.solver, name.name);
                          c_.solution.shapeVars[fresh.index].named = use_ == nullptr;
                          scopes_.back()->names.shapes[name.name] = fresh;
                          if (!use_) scopes_.back()->names.written.push_back({s.span, ShapePart::of(fresh)});
                          return Shape{ShapePart::of(fresh, origin)};
                        },
                        [&](const ast::ShapeRuntime& name) { return runtimeShape(name.name, s.span); },
                        [&](const ast::ShapeAppend& append) {
                          Shape out;
                          const bool within = std::exchange(inAppend_, true);
                          for (ast::ShapeId part : append.parts) {
                            Shape next = shape(part);
                            out.insert(out.end(), next.begin(), next.end());
                          }
                          inAppend_ = within;
                          placeLengths(out);
                          return out;
                        },
                        [&](const ast::ShapeBroadcast& b) {
                          Shape out = shape(b.parts[0]);
                          for (std::size_t i = 1; i < b.parts.size(); ++i) out = broadcast(out, shape(b.parts[i]));
                          return out;
                        },
                        [&](const ast::ShapePack& pack) {
                          if (!use_) {
                            failed_ = true;  // the parser has said so
                            return Shape{};
                          }
                          auto& vars = use_->packShapes[pack.name];
                          while (vars.size() < use_->packSize) vars.push_back(freshShape(c_.solver, pack.name));
                          return Shape{ShapePart::of(vars[packIndex_])};
                        },
                        [&](const ast::ShapeCall& call) { return shapeCall(call, s.span); },
                    },
                    s.node);
}

Dim TypeReader::dimName(const std::string& name, Span span) {
  if (use_ && !use_->count.empty() && name == use_->count)
    return c_.solution.dims.constant(static_cast<std::int64_t>(use_->packSize));
  if (auto value = attribute(name)) {
    const StaticTerm& term = c_.solution.types[c_.solution.resolve(*value)];
    if (term.kind == StaticKind::dim) return inFact_ ? namedValue(name, term.dim) : term.dim;
  }
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it) {
    if (auto found = (*it)->names.dims.find(name); found != (*it)->names.dims.end())
      return c_.solution.dims.variable(found->second);
    if (auto given = (*it)->statics.find(name); given != (*it)->statics.end())
      if (const StaticTerm& term = c_.solution.types[c_.solution.resolve(given->second)]; term.kind == StaticKind::dim)
        return term.dim;
  }
  if (inFact_ && !use_) unknownInFact(name, span, "no size");
  refuseSize(name, span);
  DimVar fresh = freshDim(c_.solver, name, use_ == nullptr);
  scopes_.back()->names.dims[name] = fresh;
  Dim dim = c_.solution.dims.variable(fresh);
  if (!use_) scopes_.back()->names.written.push_back({span, ShapePart::of(dim)});
  return dim;
}

Dim TypeReader::dim(ast::DimId id) {
  Dim read = dimOf(id);
  if (use_ || failed_ || !c_.solution.dims.isUndefined(read)) return read;
  failed_ = true;
  Diagnostic d;
  d.code = &codes::overflow;
  d.message = "a size does not fit into 64 bits, or divides by 0";
  d.primary = {module_[id].span, "here"};
  diagnostics_.push_back(std::move(d));
  return read;
}

Dim TypeReader::dimOf(ast::DimId id) {
  const ast::Dim& d = module_[id];
  DimStore& dims = c_.solution.dims;
  return std::visit(
      Overloaded{
          [&](const ast::DimInt& value) {
            if (value.value <= INT64_MAX) return dims.constant(static_cast<std::int64_t>(value.value));
            return dims.undefined();
          },
          [&](const ast::DimName& name) { return dimName(name.name, d.span); },
          [&](const ast::DimHole&) { return freshDimTerm(c_.solver, "n"); },
          [&](const ast::DimNegate& negate) { return dims.mul(dims.constant(-1), dim(negate.operand)); },
          [&](const ast::DimBinary& binary) {
            Dim left = dim(binary.left), right = dim(binary.right);
            Dim value = dims.apply(dimOperator(binary.op), left, right);
            bool divides = binary.op == ast::DimOp::div || binary.op == ast::DimOp::mod;
            if (divides && !use_) requireDivisor(c_.solver, value, right, d.span);
            return value;
          },
          [&](const ast::DimOfShape& of) {
            Shape operand = shape(of.shape);
            Dim result = freshDimTerm(c_.solver, "n");
            if (of.isRank)
              addConstraint(c_.solver, reason_, constraint::RankOf{result, std::move(operand)});
            else
              addConstraint(c_.solver, reason_, constraint::SizeOf{result, std::move(operand)});
            return result;
          },
          [&](const ast::DimRagged& ragged) { return marked(ragged.name, DimKind::ragged, d.span); },
          [&](const ast::DimRuntime& runtime) { return marked(runtime.name, DimKind::runtime, d.span); },
          [&](const ast::DimStreamed& stream) { return streamed(stream.inner, d.span); },
          [&](const ast::DimPack& pack) {
            if (!use_) {
              failed_ = true;  // the parser has said so
              return dims.constant(0);
            }
            auto& vars = use_->packDims[pack.name];
            while (vars.size() < use_->packSize) vars.push_back(freshDimTerm(c_.solver, pack.name));
            return vars[packIndex_];
          },
          [&](const ast::DimAttribute& at) {
            auto value = attribute(at.name);
            auto index = dims.asConstant(dim(at.index));
            if (value && index) {
              const StaticTerm& list = c_.solution.types[c_.solution.resolve(*value)];
              if (list.kind == StaticKind::list && *index >= 0 &&
                  *index < static_cast<std::int64_t>(list.items.size())) {
                const StaticTerm& item =
                    c_.solution.types[c_.solution.resolve(list.items[static_cast<std::size_t>(*index)])];
                if (item.kind == StaticKind::dim)
                  return inFact_ ? namedValue(fmt::format("{}[{}]", at.name, *index), item.dim) : item.dim;
              }
            }
            unsupported(d.span, fmt::format("`{}[...]` in a dimension", at.name));
            return dims.constant(0);
          },
          [&](const ast::DimCall& call) { return dimCall(call, d.span); },
      },
      d.node);
}

}  // namespace axle
