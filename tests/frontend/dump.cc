#include "tests/frontend/dump.h"

namespace axle::test {

using namespace ast;

namespace {

template <class... Ts>
struct Visitor : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Visitor(Ts...) -> Visitor<Ts...>;

class Dumper {
 public:
  explicit Dumper(const Module& module) : m_(module) {}

  std::string expr(ExprId id);
  std::string type(TypeId id);
  std::string item(const Item& item);

 private:
  std::string shape(ShapeId id);
  std::string dim(DimId id);
  std::string pattern(PatternId id);
  std::string fact(const Fact& fact);
  std::string binding(std::uint32_t index);
  std::string number(const ExprNumber& number);
  std::string fn(const ExprFn& fn);
  std::string call(const ExprCall& call);
  std::string index(const ExprIndex& index);
  std::string attribute(const OpAttribute& attribute);
  std::string op(const OpDecl& op);
  template <class Items, class Show>
  std::string list(const Items& items, Show show, std::string_view separator = " ") {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : std::string(separator)) + show(item);
    return out;
  }
  std::string exprs(const std::vector<ExprId>& ids) {
    return list(ids, [&](ExprId id) { return expr(id); });
  }
  std::string where(const std::vector<Fact>& facts) {
    return facts.empty() ? "" : " where " + list(facts, [&](const Fact& f) { return fact(f); }, ", ");
  }

  const Module& m_;
};

std::string Dumper::number(const ExprNumber& n) {
  std::string out = n.negative ? "-" : "";
  switch (n.form) {
    case NumberForm::integer:
      out += std::to_string(n.integer);
      break;
    case NumberForm::real:
      out += "real:" + std::to_string(n.real);
      break;
    case NumberForm::inf:
      out += "inf";
      break;
    case NumberForm::nan:
      out += "nan";
      break;
    case NumberForm::lowest:
      out += "lowest";
      break;
  }
  if (n.isFloat && n.form == NumberForm::integer) out += "f";
  if (n.suffix) out += ":" + std::string(info(*n.suffix).name);
  return out;
}

std::string Dumper::fn(const ExprFn& f) {
  std::string out =
      "(fn (" +
      list(f.parameters, [&](const Parameter& p) { return p.name.text + (p.type ? " : " + type(p.type) : ""); }, ", ");
  if (!f.statics.empty())
    out += "; " +
           list(f.statics, [&](const StaticParameter& p) { return p.name.text + " = " + expr(p.defaultValue); }, ", ");
  return out + ")" + (f.resultType ? " : " + type(f.resultType) : "") + where(f.where) + " " + expr(f.body) + ")";
}

std::string Dumper::call(const ExprCall& c) {
  std::string out = "(call " + expr(c.callee) + (c.arguments.empty() ? "" : " ") + exprs(c.arguments);
  for (const NamedArgument& n : c.named) out += " " + n.name.text + "=" + expr(n.value);
  return out + ")";
}

std::string Dumper::index(const ExprIndex& i) {
  std::string out = "(index " + expr(i.base);
  for (const IndexItem& item : i.items)
    out += " " + std::visit(Visitor{[&](const IndexAt& at) { return expr(at.index); },
                                    [](const IndexEllipsis&) { return std::string("..."); },
                                    [&](const IndexRange& r) {
                                      auto part = [&](ExprId id) { return id ? expr(id) : std::string(); };
                                      return part(r.start) + ":" + part(r.stop) + ":" + part(r.step);
                                    }},
                            item.node);
  return out + ")";
}

std::string Dumper::expr(ExprId id) {
  if (!id) return "<none>";
  return std::visit(
      Visitor{
          [](const ExprName& n) { return n.name; },
          [&](const ExprNumber& n) { return number(n); },
          [](const ExprBool& b) { return std::string(b.value ? "true" : "false"); },
          [](const ExprString& s) { return "\"" + s.value + "\""; },
          [&](const ExprList& l) { return "[" + exprs(l.items) + "]"; },
          [](const ExprHole&) { return std::string("_"); },
          [](const ExprSection& s) { return "(section " + std::string(spelling(s.op)) + ")"; },
          [&](const ExprUnary& u) { return "(" + std::string(spelling(u.op)) + " " + expr(u.operand) + ")"; },
          [&](const ExprBinary& b) {
            return "(" + std::string(spelling(b.op)) + " " + expr(b.left) + " " + expr(b.right) + ")";
          },
          [&](const ExprCall& c) { return call(c); },
          [&](const ExprIndex& i) { return index(i); },
          [&](const ExprTuple& t) { return "(tuple" + std::string(t.parts.empty() ? "" : " ") + exprs(t.parts) + ")"; },
          [&](const ExprGroup& g) { return "(group " + expr(g.inner) + ")"; },
          [&](const ExprBlock& b) {
            return "{" +
                   list(b.bindings, [&](std::uint32_t i) { return binding(i) + "; "; }, "") + expr(b.result) + "}";
          },
          [&](const ExprFn& f) { return fn(f); },
          [&](const ExprIf& i) {
            return "(if " + expr(i.condition) + " " + expr(i.thenBlock) + " " + expr(i.elseBlock) + ")";
          },
          [&](const ExprMatch& x) {
            return "(match " + expr(x.scrutinee) + " : " + type(x.type) + " " + expr(x.body) + ")";
          },
          [](const ExprError&) { return std::string("<error>"); },
      },
      m_[id].node);
}

std::string Dumper::pattern(PatternId id) {
  return std::visit(
      Visitor{[](const PatternName& n) { return n.name; }, [](const PatternWildcard&) { return std::string("_"); },
              [&](const PatternTuple& t) {
                return "(" + list(t.parts, [&](PatternId p) { return pattern(p); }, ", ") + ")";
              }},
      m_[id].node);
}

std::string Dumper::type(TypeId id) {
  auto types = [&](const std::vector<TypeId>& ids) { return list(ids, [&](TypeId t) { return type(t); }, ", "); };
  return std::visit(Visitor{
                        [&](const TypeTensor& t) {
                          return (t.elemIsPack ? ".." : "") + t.elem + (t.shape ? " " + shape(t.shape) : "");
                        },
                        [](const TypeName& n) { return "'" + n.name; },
                        [](const TypeHole&) { return std::string("_"); },
                        [&](const TypeTuple& t) { return "(tuple " + types(t.parts) + ")"; },
                        [&](const TypeFunction& f) {
                          return "((" + types(f.parameters) + ") -> " + type(f.result) + where(f.where) + ")";
                        },
                        [&](const TypeCall& c) {
                          return c.function + "<" + types(c.types) + "; " +
                                 list(c.dims, [&](DimId d) { return dim(d); }, ", ") + ">";
                        },
                    },
                    m_.types[id.index].node);
}

std::string Dumper::shape(ShapeId id) {
  auto shapes = [&](const std::vector<ShapeId>& ids, std::string_view by) {
    return list(ids, [&](ShapeId s) { return shape(s); }, by);
  };
  return std::visit(
      Visitor{
          [&](const ShapeDims& d) { return "[" + list(d.dims, [&](DimId x) { return dim(x); }, ", ") + "]"; },
          [](const ShapeName& n) { return n.name; },
          [](const ShapeRuntime& r) { return "?" + r.name; },
          [&](const ShapeAppend& a) { return "(" + shapes(a.parts, " @ ") + ")"; },
          [&](const ShapeBroadcast& b) { return "(" + shapes(b.parts, " # ") + ")"; },
          [](const ShapePack& p) { return ".." + p.name; },
          [&](const ShapeCall& c) { return c.function + "<" + shapes(c.arguments, ", ") + ">"; },
          [&](const ShapePairs& p) { return "[" + shapes(p.pairs, ", ") + "]"; },
          [&](const ShapeValue& v) {
            return std::visit(
                Visitor{[&](DimId d) { return dim(d); }, [](bool b) { return std::string(b ? "true" : "false"); },
                        [](const std::string& text) { return "\"" + text + "\""; }},
                v.value);
          },
      },
      m_.shapes[id.index].node);
}

std::string Dumper::dim(DimId id) {
  static constexpr std::string_view ops[] = {"+", "-", "*", "/", "%", "max", "min", "ceildiv"};
  return std::visit(Visitor{
                        [](const DimInt& i) { return std::to_string(i.value); },
                        [](const DimName& n) { return n.name; },
                        [](const DimHole&) { return std::string("_"); },
                        [&](const DimNegate& n) { return "(- " + dim(n.operand) + ")"; },
                        [&](const DimBinary& b) {
                          return "(" + std::string(ops[static_cast<std::size_t>(b.op)]) + " " + dim(b.left) + " " +
                                 dim(b.right) + ")";
                        },
                        [&](const DimOfShape& s) { return (s.isRank ? "rank<" : "size<") + shape(s.shape) + ">"; },
                        [](const DimRagged& r) { return "*" + r.name; },
                        [](const DimRuntime& r) { return "?" + r.name; },
                        [&](const DimStreamed& s) { return "~" + dim(s.inner); },
                        [](const DimPack& p) { return ".." + p.name; },
                        [&](const DimAttribute& a) { return a.name + "<" + dim(a.index) + ">"; },
                        [](const DimText& t) { return "\"" + t.value + "\""; },
                        [&](const DimList& l) { return shape(l.list); },
                        [&](const DimCall& c) {
                          return c.function + "<" + list(c.arguments, [&](DimId d) { return dim(d); }, ", ") + ">";
                        },
                    },
                    m_[id].node);
}

std::string Dumper::fact(const Fact& f) {
  static constexpr std::string_view relations[] = {"==", "!=", "<", "<=", ">", ">="};
  return std::visit(Visitor{
                        [&](const FactRelation& r) {
                          return dim(r.left) + " " + std::string(relations[static_cast<std::size_t>(r.relation)]) +
                                 " " + dim(r.right);
                        },
                        [&](const FactShapes& s) { return shape(s.left) + " == " + shape(s.right); },
                        [](const FactClass& c) { return c.variable + " : " + c.className; },
                        [&](const FactStretch& s) { return s.dim + " : 1 or " + dim(s.other); },
                    },
                    f.node);
}

std::string Dumper::binding(std::uint32_t index) {
  const Binding& b = m_.bindings[index];
  std::string out;
  if (!b.doc.empty()) out += "doc<" + b.doc + "> ";
  for (const Annotation& a : b.annotations)
    out += "@" + a.name.text + "<" + list(a.arguments, [](const std::string& s) { return s; }, ", ") + "> ";
  return out + pattern(b.pattern) + " = " + expr(b.value);
}

std::string Dumper::attribute(const OpAttribute& a) {
  static constexpr std::string_view sorts[] = {"int",  "ints", "pairs", "axis", "axes",  "perm", "padding",
                                               "bool", "elem", "shape", "real", "sizes", "word", "equation"};
  std::string out = a.name.text + " : " + std::string(sorts[static_cast<std::size_t>(a.sort)]);
  for (const std::string& argument : a.sortArguments) out += " " + argument;
  if (a.length) out += " " + std::to_string(*a.length);
  return out + (a.defaultValue ? " = " + expr(a.defaultValue) : "");
}

std::string Dumper::op(const OpDecl& o) {
  std::string out = (o.doc.empty() ? "" : "doc<" + o.doc + "> ") + "op " + o.name.text + " : (";
  out += list(
             o.parameters,
             [&](const OpParameter& p) {
               if (!p.type) return "static " + p.name;
               return (p.name.empty() ? "" : p.name + " : ") + type(p.type) + (p.count.empty() ? "" : " ..." + p.count);
             },
             ", ") +
         "; ";
  out += list(o.attributes, [&](const OpAttribute& a) { return attribute(a); }, ", ");
  return out + ") -> " + type(o.result) + where(o.where);
}

std::string Dumper::item(const Item& item) {
  return std::visit(Visitor{
                        [](const Import& i) { return "import " + i.name.text; },
                        [&](const Param& p) {
                          return (p.doc.empty() ? "" : "doc<" + p.doc + "> ") + "param " + p.name.text +
                                 (p.type ? " : " + type(p.type) : "") + where(p.where) + " = \"" + p.tensorName + "\"";
                        },
                        [&](const OpDecl& o) { return op(o); },
                        [&](std::uint32_t index) { return binding(index); },
                    },
                    item);
}

}  // namespace

std::string dump(const Module& module) {
  std::string out;
  Dumper dumper(module);
  for (const Item& item : module.items) out += dumper.item(item) + "\n";
  return out;
}
std::string dump(const Module& module, ExprId id) { return Dumper(module).expr(id); }
std::string dump(const Module& module, TypeId id) { return Dumper(module).type(id); }

}  // namespace axle::test
