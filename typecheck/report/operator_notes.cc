#include "typecheck/report/operator_notes.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "frontend/spans.h"

namespace axle {
namespace {

struct Call {
  const ast::Module* module = nullptr;
  const ast::ExprCall* call = nullptr;
};

// The call at a span.
Call callAt(const Checked& checked, Span span) {
  for (const ast::Module& module : checked.modules.modules)
    if (module.source == span.source)
      for (const ast::Expr& e : module.exprs)
        if (e.span == span)
          if (auto* call = std::get_if<ast::ExprCall>(&e.node)) return {&module, call};
  return {};
}

std::string textWith(const Checked& checked, Span whole, Span part, const std::string& instead) {
  std::string text(checked.sources.text(whole));
  return text.replace(part.begin - whole.begin, part.end - part.begin, instead);
}

// Adds fixes for a reshape: the sizes that fit in the place of a number in its list.
void addFittingSizes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  const Call at = callAt(checked, reason.span);
  if (!at.call || at.call->arguments.size() != 2) return;
  const auto* list = std::get_if<ast::ExprList>(&(*at.module)[at.call->arguments[1]].node);
  if (!list) return;
  for (const auto& [index, size] : conflict.fits) {
    if (index >= list->items.size()) continue;
    const Span item = (*at.module)[list->items[index]].span;
    d.fixes.push_back(
        {fmt::format("the size that fits: `{}`", textWith(checked, reason.span, item, size)), {{item, size}}});
  }
}

// Adds a note such as "`x` has 6 channels, 3 in each group, `f` is for 6".
void addChannelNote(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  if (conflict.sizeName != "c" || reason.given.size() < 2) return;
  struct Row {
    std::string_view signature;
    std::size_t ofFilter;  // which of its sizes, from the last one
  };
  static constexpr Row rows[] = {{"op conv_transpose", 0}, {"op conv", 1}, {"op depthwise_conv", 1}};
  auto row = std::find_if(std::begin(rows), std::end(rows),
                          [&](const Row& r) { return reason.signature.starts_with(r.signature); });
  if (row == std::end(rows)) return;
  auto sizeOf = [&](const Given& given, std::size_t fromLast) -> std::string {
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(given.type)];
    if (type.kind != TypeKind::tensor) return {};
    const Shape shape = checked.solution.resolve(type.shape);
    if (shape.size() <= fromLast || shape[shape.size() - 1 - fromLast].isVar) return {};
    return checked.solution.printSize(shape[shape.size() - 1 - fromLast].dim);
  };
  auto nameOf = [](const Given& given, Format<> otherwise) {
    return given.name.empty() ? Phrase(otherwise) : Phrase("{}", arg::Name{given.name});
  };
  const std::string has = sizeOf(reason.given[0], 0), wants = sizeOf(reason.given[1], row->ofFilter);
  if (has.empty() || wants.empty()) return;
  const std::string each = conflict.left == wants ? conflict.right : conflict.left;
  const Phrase inGroups = each == has ? Phrase("") : Phrase(", {} in each group", arg::Size{each});
  d.addNote("{} has {} channels{}, {} is for {}", nameOf(reason.given[0], "the image"), arg::Size{has}, inGroups,
            nameOf(reason.given[1], "the filter"), arg::Size{wants});
}

// Adds fixes for slices that end behind the axis, as `x[2:9]` of 5, and help for steps below 1.
void addSliceHelp(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  if (conflict.text.starts_with("step ")) d.addHelp("`reverse(x)` reverses the order");
  auto size =
      std::find_if(conflict.values.begin(), conflict.values.end(), [](const auto& v) { return v.first == "n"; });
  if (conflict.text != "stop <= n" || size == conflict.values.end()) return;
  for (const ast::Module& module : checked.modules.modules) {
    if (module.source != reason.span.source) continue;
    for (const ast::Expr& e : module.exprs) {
      const auto* index = e.span == reason.span ? std::get_if<ast::ExprIndex>(&e.node) : nullptr;
      if (!index) continue;
      for (const ast::IndexItem& item : index->items)
        if (const auto* range = std::get_if<ast::IndexRange>(&item.node); range && range->stop) {
          const Span stop = module[range->stop].span;
          d.fixes.push_back(
              {fmt::format("up to the end: `{}`", textWith(checked, reason.span, stop, "")), {{stop, ""}}});
        }
    }
  }
}

// Marks one named argument, as in `axis=2`, instead of the whole call.
void narrowTo(Checked& checked, const Reason& reason, std::string_view argument, Diagnostic& d) {
  const Call at = callAt(checked, reason.span);
  if (!at.call) return;
  for (const ast::NamedArgument& named : at.call->named)
    if (named.name.text == argument && d.primary.place.index() == 0 && std::get<Span>(d.primary.place) == reason.span)
      d.primary.place = named.span;
}

// The parameter that a signature declares as an order of axes, as `perm` in `(t s; perm : perm)`; empty: none.
std::string_view orderOfAxesIn(std::string_view signature) {
  const std::size_t end = signature.find(" : perm");
  if (end == signature.npos) return {};
  const std::size_t before = signature.find_last_of(" (", end - 1);
  return signature.substr(before + 1, end - before - 1);
}

// Names the axis that an order of axes has twice.
void labelAxisTwice(Checked& checked, const Reason& reason, std::string_view order, Diagnostic& d) {
  const Call at = callAt(checked, reason.span);
  if (!at.call) return;
  for (const ast::NamedArgument& named : at.call->named) {
    const auto* list = std::get_if<ast::ExprList>(&(*at.module)[named.value].node);
    if (named.name.text != order || !list) continue;
    std::vector<std::string_view> seen;
    for (ast::ExprId item : list->items) {
      const std::string_view axis = checked.sources.text((*at.module)[item].span);
      if (std::find(seen.begin(), seen.end(), axis) != seen.end())
        return void(d.setLabel("axis {} is here twice", arg::Code{axis}));
      seen.push_back(axis);
    }
  }
}

// The statement that names a value, in the same module before a place.
const ast::Binding* bindingOf(const Checked& checked, const std::string& name, Span place) {
  const ast::Binding* found = nullptr;
  for (const ast::Module& module : checked.modules.modules)
    if (module.source == place.source)
      for (const ast::Binding& binding : module.bindings)
        if (binding.span.begin < place.begin && checked.sources.text(module[binding.pattern].span) == name)
          if (!found || found->span.begin < binding.span.begin) found = &binding;
  return found;
}

// Whether a place is in all functions that a statement is in.
bool seesStatement(const ast::Module& module, Span place, const ast::Binding& statement) {
  return std::ranges::none_of(module.exprs, [&](const ast::Expr& e) {
    return std::holds_alternative<ast::ExprFn>(e.node) && isWithin(statement.span, e.span) && !isWithin(place, e.span);
  });
}

// The element type of a tensor that a pattern names, as printed; empty where it is open.
std::string elemBoundAt(Checked& checked, Span name) {
  for (auto typed = checked.program.bindings.rbegin(); typed != checked.program.bindings.rend(); ++typed) {
    if (!(typed->span == name)) continue;
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(typed->type)];
    if (type.kind != TypeKind::tensor) return {};
    const ElemTerm elem = checked.solution.resolve(type.elem);
    return elem.isVar ? std::string() : std::string(info(elem.elem).name);
  }
  return {};
}

std::string joinedLines(std::string_view text) {
  std::string line;
  for (const char ch : text) {
    const bool isSpace = std::isspace(static_cast<unsigned char>(ch)) != 0;
    const bool isLead = isSpace && (line.empty() || line.back() == ' ' || line.back() == '(');
    if (!isLead) line += isSpace ? ' ' : ch;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// The result of a signature, as told behind its parameters: whole where it is short, without the facts.
std::string resultOnOneLine(std::string_view signature) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view arrow = " -> ";
  const std::size_t end = std::min(signature.find("\n  where "), signature.size());
  const std::string_view result = signature.substr(0, end);
  const bool isShort = result.starts_with(arrow) && result.size() <= longest && result.find('\n') == result.npos;
  if (!isShort) return std::string(arrow) + "...";
  return std::string(result) + (end < signature.size() ? " where ..." : "");
}

}  // namespace

std::string onOneLine(const std::string& signature) {
  const std::size_t open = signature.find('(');
  if (signature.find('\n') == signature.npos || open == signature.npos) return signature;
  std::vector<std::string> parts{""};  // the parameters, and each static parameter
  int depth = 0;
  std::size_t i = open + 1;
  for (; i < signature.size() && depth >= 0; ++i) {
    const char ch = signature[i];
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    const bool isBetween = depth == 0 && (ch == ';' || (ch == ',' && parts.size() > 1));
    if (isBetween)
      parts.emplace_back();
    else if (depth >= 0)
      parts.back() += ch;
  }
  std::string line = signature.substr(0, open + 1) + joinedLines(parts[0]);
  std::string_view before = "; ";
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const bool isShown = parts[k].find(": axis(") != std::string::npos;
    const bool isFirstLeftOut = !isShown && !line.ends_with("...");
    if (!isShown && !isFirstLeftOut) continue;
    line += std::string(before) + (isShown ? joinedLines(parts[k]) : "...");
    before = ", ";
  }
  return line + ")" + resultOnOneLine(std::string_view(signature).substr(i));
}

bool labelTuple(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  if (conflict.kind != ConflictKind::type || conflict.left != "a tensor" || conflict.right != "a tuple") return false;
  const bool isCall = reason.kind == ReasonKind::call && reason.given.size() == 2;
  if (!isCall && reason.kind != ReasonKind::application) return false;
  for (std::size_t i = isCall ? 1 : 0; i < reason.given.size(); ++i) {
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(reason.given[i].type)];
    if (type.kind != TypeKind::tuple) continue;
    const std::string& name = reason.given[i].name;
    const Phrase parts("a tuple of {} parts", arg::Number{type.parts.size()});
    d.setLabel("{} is {}", name.empty() ? Phrase("this argument") : Phrase("{}", arg::Name{name}), parts);
    const ast::Binding* binding = name.empty() ? nullptr : bindingOf(checked, name, reason.span);
    if (binding) d.addLabel(binding->span, "{} is bound here", arg::Name{name});
    return true;
  }
  return false;
}

void addOperatorNotes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  if (reason.kind != ReasonKind::application) return;
  if (!conflict.fits.empty()) addFittingSizes(checked, conflict, reason, d);
  if (conflict.kind == ConflictKind::dim) addChannelNote(checked, conflict, reason, d);
  if (conflict.kind == ConflictKind::fact && reason.signature.starts_with("op slice "))
    addSliceHelp(checked, conflict, reason, d);
  const bool isAxis =
      (conflict.kind == ConflictKind::attribute && conflict.text.starts_with("axis ")) ||
      (conflict.kind == ConflictKind::rank && d.primary.text.starts_with("axis ") && conflict.right != "[]");
  if (isAxis) narrowTo(checked, reason, "axis", d);
  const std::string_view order = orderOfAxesIn(reason.signature);
  if (conflict.kind == ConflictKind::attribute && !order.empty()) {
    narrowTo(checked, reason, order, d);
    labelAxisTwice(checked, reason, order, d);
  }
}

void labelDefinitions(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  constexpr std::size_t most = 2;
  const auto module = std::ranges::find(checked.modules.modules, reason.span.source, &ast::Module::source);
  if (module == checked.modules.modules.end()) return;
  std::size_t found = 0;
  for (const ast::Expr& e : module->exprs) {
    const auto* used = std::get_if<ast::ExprName>(&e.node);
    const ast::Binding* statement =
        used && isWithin(e.span, reason.span) ? bindingOf(checked, used->name, e.span) : nullptr;
    if (!statement || !seesStatement(*module, e.span, *statement)) continue;
    const Span name = (*module)[statement->pattern].span;
    const std::string elem = elemBoundAt(checked, name);
    const bool isMarked = std::ranges::any_of(d.secondary, [&](const Label& label) {
      const Span* at = std::get_if<Span>(&label.place);
      return at && isWithin(*at, statement->span);
    });
    if (!isMarked && !elem.empty() && (elem == conflict.left || elem == conflict.right) && ++found <= most)
      d.addLabel(name, "{} is {}", arg::Name{used->name}, arg::Type{elem});
  }
}

void nameOperands(Checked& checked, const Reason& reason, Conflict& conflict) {
  const bool isVariadic = reason.signature.find("(tensors : ") != std::string::npos;
  const bool isStretched = reason.signature.find(" stretch(") != std::string::npos;
  std::vector<Shape> shapes;
  for (const Given& given : reason.given) {
    const TypeTerm& type = checked.solution.types[checked.solution.resolve(given.type)];
    if (type.kind != TypeKind::tensor || std::ranges::any_of(type.shape, &ShapePart::isVar)) return;
    shapes.push_back(type.shape);
  }
  if (isStretched && shapes.size() == 1) conflict.right = printShape(checked, shapes[0]);
  if (!isVariadic || shapes.size() < 2) return;
  const auto other =
      std::ranges::find_if(shapes, [&](const Shape& shape) { return shape.size() != shapes.front().size(); });
  if (other == shapes.end()) return;
  conflict.left = printShape(checked, shapes.front());
  conflict.right = printShape(checked, *other);
}

}  // namespace axle
