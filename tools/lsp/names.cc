#include "tools/lsp/names.h"

#include <algorithm>
#include <map>

namespace axle::lsp {

namespace {

class Walker {
 public:
  Walker(const ast::Module& module, const SourceMap& sources, const std::vector<std::string>& shared)
      : m_(module), sources_(sources), shared_(shared) {}

  PieceNames run() {
    for (const ast::Item& item : m_.items) {
      if (const auto* import = std::get_if<ast::Import>(&item)) {
        add({import->name.span, import->name.text, NameKind::module, true, {}, {}, 0});
      } else if (const auto* param = std::get_if<ast::Param>(&item)) {
        add({param->name.span, param->name.text, NameKind::topLevel, true, {}, {}, 0});
        type(param->type);
        facts(param->where);
      } else if (const auto* binding = std::get_if<std::uint32_t>(&item)) {
        const ast::Binding& b = m_.bindings[*binding];
        expr(b.value);
        pattern(b.pattern, false);
      }
    }
    std::stable_sort(out_.uses.begin(), out_.uses.end(),
                     [](const NameUse& a, const NameUse& b) { return a.span.begin < b.span.begin; });
    return std::move(out_);
  }

 private:
  struct Scope {
    Span span;
    std::map<std::string, Span> values, types;
  };

  void add(NameUse use) { out_.uses.push_back(std::move(use)); }

  void define(const std::string& name, Span span, std::string_view sort = {}) {
    Scope& scope = scopes_.back();
    (sort.empty() ? scope.values : scope.types)[name] = span;
    out_.locals.push_back({name, span, Span{span.source, span.end, scope.span.end}, sort});
    add({span, name, NameKind::local, true, span, {}, 0});
  }

  void say(const std::string& name, Span span) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      for (const auto* names : {&scope->values, &scope->types})
        if (auto it = names->find(name); it != names->end())
          return add({span, name, NameKind::local, false, it->second, {}, 0});
    add({span, name, NameKind::topLevel, false, {}, {}, 0});
  }

  // Adds a name in a type. A name that no enclosing signature has mentioned is defined here.
  void sayType(const std::string& name, Span span, std::string_view sort) {
    if (name.empty()) return;
    std::string_view text = sources_.text(span);
    if (auto at = text.find(name); at != std::string_view::npos)
      span = {span.source, span.begin + static_cast<std::uint32_t>(at),
              span.begin + static_cast<std::uint32_t>(at + name.size())};
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (auto it = scope->types.find(name); it != scope->types.end())
        return add({span, name, NameKind::local, false, it->second, {}, 0});
    bool isShared = std::binary_search(shared_.begin(), shared_.end(), name);
    if (!scopes_.empty() && !isShared) return define(name, span, sort);
    add({span, name, NameKind::topLevel, false, {}, {}, 0});
  }

  void pattern(ast::PatternId id, bool isLocal) {
    for (const ast::Name& name : ast::namesOf(m_, id)) {
      if (isLocal)
        define(name.text, name.span);
      else
        add({name.span, name.text, NameKind::topLevel, true, {}, {}, 0});
    }
  }

  void facts(const std::vector<ast::Fact>& all) {
    for (const ast::Fact& fact : all) {
      if (const auto* relation = std::get_if<ast::FactRelation>(&fact.node)) {
        dim(relation->left);
        dim(relation->right);
      } else if (const auto* equation = std::get_if<ast::FactShapes>(&fact.node)) {
        shape(equation->left);
        shape(equation->right);
      } else if (const auto* of = std::get_if<ast::FactClass>(&fact.node)) {
        sayType(of->variable, fact.span, "a type");
      } else if (const auto* stretch = std::get_if<ast::FactStretch>(&fact.node)) {
        sayType(stretch->dim, fact.span, "a size");
        dim(stretch->other);
      }
    }
  }

  void type(ast::TypeId id) {
    if (!id) return;
    const ast::Type& t = m_[id];
    if (const auto* tensor = std::get_if<ast::TypeTensor>(&t.node)) {
      if (!elemNamed(tensor->elem)) sayType(tensor->elem, tensor->elemSpan, "an element type");
      shape(tensor->shape);
    } else if (const auto* name = std::get_if<ast::TypeName>(&t.node)) {
      sayType(name->name, t.span, "a type");
    } else if (const auto* tuple = std::get_if<ast::TypeTuple>(&t.node)) {
      for (ast::TypeId part : tuple->parts) type(part);
    } else if (const auto* function = std::get_if<ast::TypeFunction>(&t.node)) {
      for (ast::TypeId part : function->parameters) type(part);
      type(function->result);
      facts(function->where);
    }
  }

  void shape(ast::ShapeId id) {
    if (!id) return;
    const ast::Shape& s = m_[id];
    if (const auto* dims = std::get_if<ast::ShapeDims>(&s.node))
      for (ast::DimId d : dims->dims) dim(d);
    if (const auto* name = std::get_if<ast::ShapeName>(&s.node)) sayType(name->name, s.span, "a shape");
    if (const auto* name = std::get_if<ast::ShapeRuntime>(&s.node)) sayType(name->name, s.span, "a shape");
    if (const auto* append = std::get_if<ast::ShapeAppend>(&s.node))
      for (ast::ShapeId part : append->parts) shape(part);
    if (const auto* broadcast = std::get_if<ast::ShapeBroadcast>(&s.node))
      for (ast::ShapeId part : broadcast->parts) shape(part);
    if (const auto* call = std::get_if<ast::ShapeCall>(&s.node))
      for (ast::ShapeId argument : call->arguments) shape(argument);
    if (const auto* pairs = std::get_if<ast::ShapePairs>(&s.node))
      for (ast::ShapeId pair : pairs->pairs) shape(pair);
    if (const auto* value = std::get_if<ast::ShapeValue>(&s.node))
      if (const auto* number = std::get_if<ast::DimId>(&value->value)) dim(*number);
  }

  void dim(ast::DimId id) {
    if (!id) return;
    const ast::Dim& d = m_[id];
    if (const auto* name = std::get_if<ast::DimName>(&d.node)) sayType(name->name, d.span, "a size");
    if (const auto* name = std::get_if<ast::DimRagged>(&d.node)) sayType(name->name, d.span, "a size");
    if (const auto* name = std::get_if<ast::DimRuntime>(&d.node)) sayType(name->name, d.span, "a size");
    if (const auto* negate = std::get_if<ast::DimNegate>(&d.node)) dim(negate->operand);
    if (const auto* streamed = std::get_if<ast::DimStreamed>(&d.node)) dim(streamed->inner);
    if (const auto* of = std::get_if<ast::DimOfShape>(&d.node)) shape(of->shape);
    if (const auto* binary = std::get_if<ast::DimBinary>(&d.node)) {
      dim(binary->left);
      dim(binary->right);
    }
  }

  void symbol(ast::Operator op, Span span, std::size_t arity) {
    add({span, std::string(ast::spelling(op)), NameKind::symbol, false, {}, {}, arity});
  }

  void function(const ast::Expr& e, const ast::ExprFn& fn) {
    scopes_.push_back({e.span, {}, {}});
    for (const ast::Parameter& parameter : fn.parameters) {
      define(parameter.name.text, parameter.name.span);
      type(parameter.type);
    }
    for (const ast::StaticParameter& parameter : fn.statics) {
      expr(parameter.defaultValue);
      define(parameter.name.text, parameter.name.span);
    }
    type(fn.resultType);
    facts(fn.where);
    expr(fn.body);
    scopes_.pop_back();
  }

  void expr(ast::ExprId id) {
    if (!id) return;
    const ast::Expr& e = m_[id];
    if (const auto* name = std::get_if<ast::ExprName>(&e.node)) {
      say(name->name, e.span);
    } else if (const auto* section = std::get_if<ast::ExprSection>(&e.node)) {
      symbol(section->op, e.span, 2);
    } else if (const auto* unary = std::get_if<ast::ExprUnary>(&e.node)) {
      symbol(unary->op, unary->opSpan, 1);
      expr(unary->operand);
    } else if (const auto* binary = std::get_if<ast::ExprBinary>(&e.node)) {
      expr(binary->left);
      symbol(binary->op, binary->opSpan, 2);
      expr(binary->right);
    } else if (const auto* call = std::get_if<ast::ExprCall>(&e.node)) {
      expr(call->callee);
      for (ast::ExprId argument : call->arguments) expr(argument);
      for (const ast::NamedArgument& argument : call->named) {
        add({argument.name.span,
             argument.name.text,
             NameKind::attribute,
             false,
             {},
             std::string(sources_.text(m_[call->callee].span)),
             0});
        expr(argument.value);
      }
    } else if (const auto* index = std::get_if<ast::ExprIndex>(&e.node)) {
      expr(index->base);
      for (const ast::IndexItem& item : index->items) {
        if (const auto* at = std::get_if<ast::IndexAt>(&item.node)) expr(at->index);
        if (const auto* range = std::get_if<ast::IndexRange>(&item.node))
          for (ast::ExprId part : {range->start, range->stop, range->step}) expr(part);
      }
    } else if (const auto* list = std::get_if<ast::ExprList>(&e.node)) {
      for (ast::ExprId item : list->items) expr(item);
    } else if (const auto* tuple = std::get_if<ast::ExprTuple>(&e.node)) {
      for (ast::ExprId part : tuple->parts) expr(part);
    } else if (const auto* group = std::get_if<ast::ExprGroup>(&e.node)) {
      expr(group->inner);
    } else if (const auto* block = std::get_if<ast::ExprBlock>(&e.node)) {
      scopes_.push_back({e.span, {}, {}});
      for (std::uint32_t binding : block->bindings) {
        expr(m_.bindings[binding].value);
        pattern(m_.bindings[binding].pattern, true);
      }
      expr(block->result);
      scopes_.pop_back();
    } else if (const auto* fn = std::get_if<ast::ExprFn>(&e.node)) {
      function(e, *fn);
    } else if (const auto* branch = std::get_if<ast::ExprIf>(&e.node)) {
      expr(branch->condition);
      expr(branch->thenBlock);
      expr(branch->elseBlock);
    } else if (const auto* match = std::get_if<ast::ExprMatch>(&e.node)) {
      expr(match->scrutinee);
      scopes_.push_back({e.span, {}, {}});
      type(match->type);
      expr(match->body);
      scopes_.pop_back();
    }
  }

  const ast::Module& m_;
  const SourceMap& sources_;
  const std::vector<std::string>& shared_;
  std::vector<Scope> scopes_;
  PieceNames out_;
};

}  // namespace

PieceNames namesOf(const ast::Module& piece, const SourceMap& sources, const std::vector<std::string>& sharedNames) {
  return Walker(piece, sources, sharedNames).run();
}

}  // namespace axle::lsp
