// Names that mean nothing here: what may have been meant.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/infer.h"

namespace axle {

bool Inferer::isInScope(const std::string& value) const {
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const Scope* scope) { return scope->values.count(value) > 0; });
}

// Whether a statement that did not parse mentions the name, or what is before its dot: that statement's error is told.
bool Inferer::isOfBroken(const std::string& name) const {
  const std::string first = name.substr(0, name.find('.'));
  for (const ast::Module* part : root_)
    for (const ast::Binding& binding : part->bindings) {
      const auto* pattern = std::get_if<ast::PatternName>(&(*part)[binding.pattern].node);
      if (pattern && (pattern->name == name || (pattern->name == first && !isInScope(first))) &&
          std::holds_alternative<ast::ExprError>((*part)[binding.value].node))
        return true;
    }
  return false;
}

TypedId Inferer::unknownName(Span span, const std::string& name) {
  if (errors_ >= maxErrors) {
    ++errors_;
    bindingFailed_ = true;
    return errorAt(span);
  }
  for (const std::string& defining : defining_)
    if (defining == name) {
      Diagnostic& d =
          report(codes::recursive, span, fmt::format("`{}` is recursive: it is used in its own definition", name),
                 "used before its definition ends");
      d.help.push_back("there is no recursion; iterate with `map`, `reduce`, `loop` or `while`");
      return errorAt(span);
    }
  for (const ast::Module* part : root_)
    for (const ast::Item& item : part->items)  // a module that was not found is told already
      if (auto* import = std::get_if<ast::Import>(&item);
          import && name.starts_with(import->name.text + ".") && !c_.modules.imports[current_].count(import->name.text))
        return errorAt(span);
  bool isMember =
      name.find('.') != std::string::npos && c_.modules.imports[current_].count(name.substr(0, name.find('.'))) > 0;
  if (!isMember && isOfBroken(name)) return errorAt(span);
  Diagnostic& d = isMember
                      ? report(codes::unknownMember, span,
                               fmt::format("module `{}` has no `{}`", name.substr(0, name.find('.')),
                                           name.substr(name.find('.') + 1)),
                               "not defined there")
                      : report(codes::unknownName, span, fmt::format("unknown name `{}`", name), "not defined here");
  for (const ast::Module* part : root_)
    for (const ast::Binding& binding : part->bindings)
      if (auto* pattern = std::get_if<ast::PatternName>(&(*part)[binding.pattern].node);
          pattern && pattern->name == name) {
        d.secondary.push_back({binding.span, fmt::format("`{}` is defined here, later or in another scope", name)});
        return errorAt(span);
      }
  static constexpr std::string_view elsewhere[] = {"grad",      "gradient", "gradients", "backward", "train",
                                                   "optimizer", "loss",     "cuda",      "gpu"};
  if (std::find(std::begin(elsewhere), std::end(elsewhere), name) != std::end(elsewhere)) {
    d.notes.push_back("Axle runs trained models on CPUs: training, gradients and GPUs are not its business");
    return errorAt(span);
  }
  tellMeant(d, span, name, isMember);
  return errorAt(span);
}

// What is close to the name, or what others call so.
void Inferer::tellMeant(Diagnostic& d, Span span, const std::string& name, bool isMember) {
  std::vector<std::string_view> known;
  for (const Scope* scope : scopes_)
    for (const auto& [other, binding] : scope->values) known.push_back(other);
  for (const CoreOp& op : coreOps()) known.push_back(op.name);
  std::vector<std::string> owned;
  for (const auto& [import, index] : c_.modules.imports[current_])
    for (const auto& [member, binding] : c_.moduleScopes[index].values) owned.push_back(import + "." + member);
  if (isMember)
    for (const CoreOp& op : coreOps()) owned.push_back(name.substr(0, name.find('.') + 1) + std::string(op.name));
  known.insert(known.end(), owned.begin(), owned.end());
  for (std::string_view word : {"true", "false", "inf", "nan"}) known.push_back(word);
  if (std::size_t dot = name.rfind('.'); dot != name.npos && !isMember && isInScope(name.substr(0, dot))) {
    tellMember(d, span, name.substr(0, dot), name.substr(dot + 1));
    return;
  }
  // `torch.relu`: what another module's name stands before.
  const std::string last = name.substr(name.rfind('.') + 1);
  const bool isElsewhere = !isMember && last != name && std::find(known.begin(), known.end(), last) != known.end();
  if (isElsewhere) {
    suggest(d, span, last);
  } else if (const ForeignName* foreign = foreignName(name)) {
    auto call = callAt(module(), c_.sources, span);
    const bool isCalled = call && module()[call->call->callee].span == span;
    tellForeign(d, isCalled ? call->span : span, *foreign, isCalled ? call->call : nullptr, {});
  } else if (const std::string first = name.substr(0, name.find('.'));
             first != name && !isMember && !stdlibModule(first).empty()) {
    d.help.push_back(fmt::format("`{}` is a module, which `import {};` makes known", first, first));
  } else {
    for (const std::string& near : closestNames(name, known)) suggest(d, span, near);
  }
}

std::vector<std::string_view> Inferer::attributesOf(const std::string& op) const {
  std::vector<std::string_view> names;
  if (auto found = c_.operators.find(op, 0))
    for (const ast::OpAttribute& attribute : c_.operators[*found].decl->attributes)
      names.push_back(attribute.name.text);
  return names;
}

// What a name of another library is called here. `place` is the call, or the name where that is not called.
void Inferer::tellForeign(Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                          const std::string& receiver) {
  const std::string ours(foreign.ours), module = ours.substr(0, ours.find('.'));
  if (!foreign.help.empty())
    d.help.emplace_back(foreign.help);
  else if (!ours.empty() && ours != foreign.theirs)
    d.help.push_back(fmt::format("this is called `{}` here", ours));
  if (module != ours && !c_.modules.imports[current_].count(module))
    d.help.push_back(fmt::format("`{}` is a module, which `import {};` makes known", module, module));
  offerCall(d, place, foreign, call, receiver);
}

// A guess that `offerFixes` tries.
void Inferer::offerCall(Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                        const std::string& receiver) {
  auto text = inOurWords(foreign, module(), c_.sources, call, receiver, attributesOf(std::string(foreign.ours)));
  constexpr std::size_t longest = 60;
  if (!text || text->find('\n') != text->npos) return;
  d.fixes.push_back(
      {text->size() <= longest ? fmt::format("write `{}`", *text) : "write this as its call", {{place, *text}}});
}

// `x.relu()`: the tensor is an argument here, and all that are not tensors have names.
void Inferer::tellMember(Diagnostic& d, Span span, const std::string& value, const std::string& member) {
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
    if (auto found = (*it)->values.find(value); found != (*it)->values.end()) {
      const TypeId type = c_.program[found->second].type;
      if (c_.solution.types[c_.solution.resolve(type)].kind != TypeKind::tuple) break;
      d.help.push_back(fmt::format("`{}` is a tuple: give its parts names, on the left of a `=`", value));
      return;
    }
  auto call = callAt(module(), c_.sources, span);
  const bool isCalled = call && module()[call->call->callee].span == span;
  const Span place = isCalled ? call->span : span;
  const ast::ExprCall* given = isCalled ? call->call : nullptr;
  const ForeignName* foreign = foreignName(member);
  const ForeignName* use = foreignUse(member);
  auto op = c_.operators.find(member, 0);
  d.help.push_back(op ? fmt::format("tensors have no members: `{}` is a function, which takes them", member)
                      : "tensors have no members: functions take them");
  if (use) offerCall(d, place, *use, given, value);
  if (!op && foreign) return tellForeign(d, place, *foreign, given, value);
  if (!op) return;
  std::string form = member + "(";
  const ast::OpDecl& decl = *c_.operators[*op].decl;
  std::size_t at = 0;
  for (const ast::OpParameter& parameter : decl.parameters)
    if (parameter.type || !parameter.name.empty()) form += fmt::format("{}${}", at == 0 ? "" : ", ", at), ++at;
  for (const ast::OpAttribute& attribute : decl.attributes)
    if (at < 10) form += fmt::format(", {}=${}", attribute.name.text, at++);
  form += ")";
  offerCall(d, place, {member, member, form, ""}, given, value);
}

// `x[:, None]`
void Inferer::tellNewAxis(Span none, Span whole, const ast::ExprIndex& index, std::size_t axis) {
  Diagnostic& d = report(codes::unknownName, none, fmt::format("unknown name `{}`", c_.sources.text(none)),
                         "an index is a number or a range");
  d.help.emplace_back("`expand` makes an axis of size 1");
  for (std::size_t i = 0; i < index.items.size(); ++i)
    if (c_.sources.text(index.items[i].span) != ":" && i != axis) return;
  const std::string text = fmt::format("expand({}, axis={})", c_.sources.text(module()[index.base].span), axis);
  d.fixes.push_back({fmt::format("write `{}`", text), {{whole, text}}});
}

}  // namespace axle
