#include "typecheck/infer/unknown_names.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "frontend/suggest.h"

namespace axle {

namespace {

constexpr Message<arg::Name> usedInItself{codes::recursive, "{} is recursive: it is used in its own definition",
                                          "used before its definition ends"};
constexpr Message<arg::Name, arg::Name> notAMember{codes::unknownMember, "module {} has no {}", "not defined there"};
constexpr Message<arg::Name> notDefined{codes::unknownName, "unknown name {}", "not defined here"};
constexpr Message<arg::Name, arg::Name> moduleNotImported{
    codes::unknownName, "unknown name {}: module {} is not imported", "not defined here"};
constexpr Message<arg::Name> newAxisInIndex{codes::unknownName, "unknown name {}", "an index is a number or a range"};

}  // namespace

bool isValueInScope(const Inference& in, const std::string& name) {
  return std::any_of(in.scopes.begin(), in.scopes.end(),
                     [&](const Scope* scope) { return scope->values.count(name) > 0; });
}

namespace {

const std::map<std::string, std::size_t>& importsOf(const Inference& in) {
  return in.checked.modules.imports[in.current];
}

std::string firstPart(const std::string& name) { return name.substr(0, name.find('.')); }
std::string lastPart(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Whether a statement that did not parse, and was reported, binds the name or the part before its dot.
bool isBoundByBrokenStatement(const Inference& in, const std::string& name) {
  const std::string first = firstPart(name);
  for (const ast::Module* module : in.root)
    for (const ast::Binding& binding : module->bindings) {
      const auto* pattern = std::get_if<ast::PatternName>(&(*module)[binding.pattern].node);
      if (pattern && (pattern->name == name || (pattern->name == first && !isValueInScope(in, first))) &&
          std::holds_alternative<ast::ExprError>((*module)[binding.value].node))
        return true;
    }
  return false;
}

// Whether the name belongs to a module that was not found: the error of its `import` was reported.
bool isOfMissingModule(const Inference& in, const std::string& name) {
  for (const ast::Module* module : in.root)
    for (const ast::Item& item : module->items)
      if (auto* import = std::get_if<ast::Import>(&item);
          import && name.starts_with(import->name.text + ".") && !importsOf(in).count(import->name.text))
        return true;
  return false;
}

// Returns the place where a name is bound, later or in another scope.
std::optional<Span> bindingElsewhere(const Inference& in, const std::string& name) {
  for (const ast::Module* module : in.root)
    for (const ast::Binding& binding : module->bindings)
      if (auto* pattern = std::get_if<ast::PatternName>(&(*module)[binding.pattern].node);
          pattern && pattern->name == name)
        return binding.span;
  return std::nullopt;
}

std::vector<std::string_view> attributeNames(OperatorTable& operators, const std::string& op) {
  std::vector<std::string_view> names;
  if (auto found = operators.find(op, 0))
    for (const ast::OpAttribute& attribute : operators[*found].decl->attributes) names.push_back(attribute.name.text);
  return names;
}

// Adds the call as written in Axle as a fix to try.
void suggestCall(Inference& in, Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                 const std::string& receiver) {
  const auto attributes = attributeNames(in.checked.operators, std::string(foreign.ours));
  const auto text = inOurWords(foreign, in.module(), in.checked.sources, call, receiver, attributes);
  constexpr std::size_t longest = 60;
  if (!text || text->find('\n') != text->npos) return;
  d.fixes.push_back(
      {text->size() <= longest ? fmt::format("write `{}`", *text) : "write this as its call", {{place, *text}}});
}

void suggestImport(Diagnostic& d, const std::string& module) {
  d.addHelp("{} is a module, which {} makes known", arg::Name{module}, arg::Code{"import " + module + ";"});
}

bool isTuple(Inference& in, const std::string& value) {
  for (auto it = in.scopes.rbegin(); it != in.scopes.rend(); ++it)
    if (auto found = (*it)->values.find(value); found != (*it)->values.end())
      return termOf(in.solution, in.program[found->second].type).kind == TypeKind::tuple;
  return false;
}

// Returns the call of an operator with its arguments in order, then its attributes by name: "relu($0)".
std::string callForm(const ast::OpDecl& decl, const std::string& name) {
  constexpr std::size_t mostArguments = 10;  // one digit each
  std::string form = name + "(";
  std::size_t at = 0;
  for (; at < decl.parameters.size(); ++at) form += fmt::format("{}${}", at == 0 ? "" : ", ", at);
  for (const ast::OpAttribute& attribute : decl.attributes)
    if (at < mostArguments) form += fmt::format(", {}=${}", attribute.name.text, at++);
  return form + ")";
}

// Suggests a function for `x.relu()`: a tensor has no members, but may be an argument.
void suggestForMember(Inference& in, Diagnostic& d, Span span, const std::string& value, const std::string& member) {
  if (isTuple(in, value)) {
    d.addHelp("{} is a tuple: give its parts names, on the left of a `=`", arg::Name{value});
    return;
  }
  const auto call = callAt(in.module(), in.checked.sources, span);
  const bool isCalled = call && in.module()[call->call->callee].span == span;
  const Span place = isCalled ? call->span : span;
  const ast::ExprCall* given = isCalled ? call->call : nullptr;
  const ForeignName* foreign = foreignName(member);
  const ForeignName* use = foreignUse(member);
  const auto op = in.checked.operators.find(member, 0);
  if (op)
    d.addHelp("tensors have no members: {} is a function, which takes them", arg::Name{member});
  else
    d.addHelp("tensors have no members: functions take them");
  if (use) suggestCall(in, d, place, *use, given, value);
  if (!op && foreign) return suggestForeign(in, d, place, *foreign, given, value);
  if (!op) return;
  const std::string form = callForm(*in.checked.operators[*op].decl, member);
  suggestCall(in, d, place, {member, member, form, ""}, given, value);
}

// Returns the known names: values, sizes, operators, members of modules, words. `storage` owns names that are made
// here.
std::vector<std::string_view> knownNames(const Inference& in, const std::string& name, bool isMember,
                                         std::vector<std::string>& storage) {
  std::vector<std::string_view> known;
  for (const Scope* scope : in.scopes) {
    for (const auto& [other, binding] : scope->values) known.push_back(other);
    for (const auto& [other, value] : scope->statics) known.push_back(other);
    for (const auto& [other, size] : scope->names.dims) known.push_back(other);
  }
  for (const CoreOp& op : coreOps()) known.push_back(op.name);
  for (const auto& [import, index] : importsOf(in))
    for (const auto& [member, binding] : in.checked.moduleScopes[index].values)
      storage.push_back(import + "." + member);
  if (isMember)
    for (const CoreOp& op : coreOps()) storage.push_back(firstPart(name) + "." + std::string(op.name));
  known.insert(known.end(), storage.begin(), storage.end());
  for (std::string_view word : {"true", "false", "inf", "nan"}) known.push_back(word);
  return known;
}

// Suggests the module of the standard library that has `layer_norm`; false if none has it.
bool suggestModules(Inference& in, Diagnostic& d, Span span, const std::string& name) {
  const std::vector<std::string_view> modules = stdlibModulesWith(name);
  for (std::string_view module : modules) {
    const std::string member = fmt::format("{}.{}", module, name);
    if (importsOf(in).count(std::string(module))) {
      suggestName(d, span, member);
    } else {
      const arg::Code import{fmt::format("import {};", module)};
      d.addHelp("it is a function of the module {}: write {} at the top, and {}", arg::Name{std::string(module)},
                import, arg::Name{member});
    }
  }
  return !modules.empty();
}

// The names that the innermost tuple or call around a place uses.
std::vector<std::string> namesBeside(const ast::Module& module, Span place) {
  std::optional<Span> around;
  for (const ast::Expr& e : module.exprs)
    if (std::holds_alternative<ast::ExprTuple>(e.node) || std::holds_alternative<ast::ExprCall>(e.node))
      if (isWithin(place, e.span) && (!around || isWithin(e.span, *around))) around = e.span;
  std::vector<std::string> names;
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node); name && around && isWithin(e.span, *around))
      names.push_back(name->name);
  return names;
}

// The likeliest of equally close names: one that the program binds and does not use, then one of the group of a name
// beside it, as `l1.w` beside `l1.b`, and where nothing is called, a value before an operator.
std::string likeliestName(const Inference& in, Span place, const std::vector<std::string>& near) {
  const ast::Module& module = in.module();
  auto groupOf = [](const std::string& name) { return name.substr(0, name.rfind('.') + 1); };
  std::set<std::string> used, groups;
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node)) used.insert(name->name);
  for (const std::string& name : namesBeside(module, place)) groups.insert(groupOf(name));
  const auto call = callAt(module, in.checked.sources, place);
  const bool isCalled = call && module[call->call->callee].span == place;
  return std::ranges::max(near, {}, [&](const std::string& name) {
    const bool isOfGroup = name.find('.') != name.npos && groups.contains(groupOf(name));
    const bool isBound = isValueInScope(in, name);
    return std::tuple(isBound && !used.contains(name), isOfGroup, isBound && !isCalled);
  });
}

// The close names that a program binds in the group of a name, as `encoder.norms` in that of `encoder.norm`: no other
// library's name begins like them.
std::vector<std::string> closeNamesOfGroup(const Inference& in, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos) return {};
  std::vector<std::string_view> ofGroup;
  for (const Scope* scope : in.scopes)
    for (const auto& [other, binding] : scope->values)
      if (other.rfind('.') == dot && other.starts_with(name.substr(0, dot + 1))) ofGroup.push_back(other);
  return equallyCloseNames(name, ofGroup);
}

// These, or if there are none, the close names in groups of other names: `head.w` for `haed.w`.
std::vector<std::string> closeNamesInGroups(const Inference& in, const std::string& name) {
  std::vector<std::string> ofGroup = closeNamesOfGroup(in, name);
  if (!ofGroup.empty() || name.find('.') == name.npos) return ofGroup;
  std::vector<std::string_view> others;
  for (const Scope* scope : in.scopes)
    for (const auto& [other, binding] : scope->values)
      if (lastPart(other) == lastPart(name) && other != lastPart(name)) others.push_back(other);
  return equallyCloseNames(name, others);
}

// The names that a program binds in groups, and that end with a name, as `encoder.norms` for `norms`.
std::vector<std::string> namesInGroups(const Inference& in, const std::string& name) {
  std::vector<std::string> found;
  for (const Scope* scope : in.scopes)
    for (const auto& [other, binding] : scope->values)
      if (other.ends_with("." + name)) found.push_back(other);
  return found;
}

// Suggests a close name, or our name for another library's.
void suggestFor(Inference& in, Diagnostic& d, Span span, const std::string& name, bool isMember) {
  if (std::size_t dot = name.rfind('.'); dot != name.npos && !isMember && isValueInScope(in, name.substr(0, dot))) {
    // The name of a value may also be that of a group of weights.
    if (const std::vector<std::string> near = closeNamesOfGroup(in, name); !near.empty())
      return suggestName(d, span, likeliestName(in, span, near));
    return suggestForMember(in, d, span, name.substr(0, dot), name.substr(dot + 1));
  }
  std::vector<std::string> storage;
  const std::vector<std::string_view> known = knownNames(in, name, isMember, storage);
  const std::string last = lastPart(name);
  // `torch.relu`: a known name after another module's.
  const bool isElsewhere = !isMember && last != name && std::find(known.begin(), known.end(), last) != known.end();
  const ForeignName* foreign = foreignName(name);
  const bool isForeign = foreign && lastPart(std::string(foreign->ours)) != name;
  std::vector<std::string> ofGroup;
  if (!isMember && (isElsewhere || isForeign)) ofGroup = closeNamesInGroups(in, name);
  if (!ofGroup.empty()) {
    suggestName(d, span, likeliestName(in, span, ofGroup));
  } else if (isElsewhere) {
    suggestName(d, span, last);
  } else if (isForeign) {
    const std::string ours(foreign->ours);
    if (isMember && foreign->call.empty() && firstPart(ours) == firstPart(name)) return suggestName(d, span, ours);
    const auto call = callAt(in.module(), in.checked.sources, span);
    const bool isCalled = call && in.module()[call->call->callee].span == span;
    suggestForeign(in, d, isCalled ? call->span : span, *foreign, isCalled ? call->call : nullptr, {});
  } else if (!suggestModules(in, d, span, name)) {
    std::vector<std::string> near = equallyCloseNames(name, known);
    if (near.empty()) near = namesInGroups(in, name);
    if (!near.empty()) suggestName(d, span, likeliestName(in, span, near));
  }
}

bool isWithinStatement(const Inference& in, Span place) { return isWithin(place, in.at); }

// Returns the uses of a name in the statement, in the order of the text.
std::vector<Span> usesInStatement(const Inference& in, const std::string& name) {
  std::vector<Span> uses;
  for (const ast::Expr& e : in.module().exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name == name)
      if (isWithinStatement(in, e.span)) uses.push_back(e.span);
  std::ranges::sort(uses, {}, &Span::begin);
  return uses;
}

// Returns the error of an earlier use of the name in the statement, if it suggests another name for all uses.
Diagnostic* errorOfEarlierUse(Inference& in, Span span, const std::string& name) {
  const std::string printed = arg::Name{name}.text;
  const auto first = std::ranges::find_if(in.diagnostics, [&](const Diagnostic& d) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    return d.is(notDefined) && d.arguments[0] == printed && place && isWithinStatement(in, *place) && *place != span;
  });
  if (first == in.diagnostics.end() || !isWithinStatement(in, span)) return nullptr;
  const bool isOfName = std::ranges::all_of(first->fixes, [&](const Fix& fix) {
    return std::ranges::all_of(
        fix.edits, [&](const Edit& edit) { return edit.text == name || in.checked.sources.text(edit.span) == name; });
  });
  return isOfName ? &*first : nullptr;
}

struct BoundName {
  std::string_view name;
  Span span;
};

// Returns the names that the enclosing function binds before a place and that nothing in the statement uses; also those
// of parameters, if that is asked for.
std::vector<BoundName> unusedBefore(const Inference& in, Span place, bool areParameters) {
  const ast::Module& module = in.module();
  const ast::Expr* around = nullptr;
  for (const ast::Expr& e : module.exprs)
    if (std::holds_alternative<ast::ExprFn>(e.node) && isWithin(place, e.span))
      if (!around || isWithin(e.span, around->span)) around = &e;
  std::set<std::string_view> used;
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node); name && isWithinStatement(in, e.span))
      used.insert(name->name);
  std::vector<BoundName> unused;
  auto add = [&](std::string_view name, Span span) {
    if (!used.contains(name) && isValueInScope(in, std::string(name))) unused.push_back({name, span});
  };
  if (around && areParameters)
    for (const ast::Parameter& parameter : std::get<ast::ExprFn>(around->node).parameters)
      add(parameter.name.text, parameter.name.span);
  for (const ast::Pattern& pattern : module.patterns) {
    const auto* bound = std::get_if<ast::PatternName>(&pattern.node);
    const bool isBefore = around && isWithin(pattern.span, around->span) && pattern.span.end <= place.begin;
    if (bound && isBefore) add(bound->name, pattern.span);
  }
  return unused;
}

// Suggests the one name that is bound but not used: probably one of the two names was changed and the other was not.
// `elsewhere`: where the unknown name is bound; then a close name comes first, and in the same statement only that.
void suggestUnused(Inference& in, Diagnostic& d, Span span, const std::string& wrong, std::optional<Span> elsewhere) {
  const auto call = callAt(in.module(), in.checked.sources, span);
  const bool isCalled = call && in.module()[call->call->callee].span == span;
  if (isCalled || !isWithinStatement(in, span)) return;
  std::vector<BoundName> unused;
  if (elsewhere) {
    unused = unusedBefore(in, span, true);
    std::erase_if(unused, [&](const BoundName& bound) { return equallyCloseNames(wrong, {&bound.name, 1}).empty(); });
  }
  const bool mayBeAny = unused.empty() && !(elsewhere && isWithinStatement(in, *elsewhere));
  if (mayBeAny) unused = unusedBefore(in, span, false);
  const bool isParameter = mayBeAny && unused.empty();  // a value that is not used comes first
  if (isParameter) unused = unusedBefore(in, span, true);
  if (unused.size() != 1) return;
  const auto& [name, place] = unused.front();
  d.addLabel(place, "{} is not used", arg::Name{std::string(name)});
  suggestName(d, span, std::string(name));
  if (isParameter) d.fixes.push_back({fmt::format("call the parameter `{}`", wrong), {{place, wrong}}});
}

void reportUnknownName(Inference& in, Span span, const std::string& name, bool isMember) {
  const std::string member = name.substr(name.find('.') + 1), first = firstPart(name);
  if (first != name && !isMember && !isValueInScope(in, first) && !stdlibModule(first).empty()) {
    const bool isNew = in.missingImports.emplace(in.checked.sources.path(span.source), first).second;
    in.bindingFailed = true;
    // A repeated one does not count as an error; `keepFirstOfMissingImports` drops it.
    suggestImport(isNew ? report(in, moduleNotImported, span, arg::Name{name}, arg::Name{first})
                        : report(in.diagnostics, moduleNotImported, span, arg::Name{name}, arg::Name{first}),
                  first);
    return;
  }
  if (Diagnostic* earlier = isMember ? nullptr : errorOfEarlierUse(in, span, name)) {
    constexpr std::size_t mostLabels = 3;
    if (earlier->secondary.size() < mostLabels) earlier->addLabel(span, "and not here");
    in.bindingFailed = true;
    return;
  }
  Diagnostic& d = isMember ? report(in, notAMember, span, arg::Name{firstPart(name)}, arg::Name{member})
                           : report(in, notDefined, span, arg::Name{name});
  if (auto elsewhere = bindingElsewhere(in, name)) {
    d.addLabel(*elsewhere, "{} is defined here, later or in another scope", arg::Name{name});
    return suggestUnused(in, d, span, name, elsewhere);
  }
  static constexpr std::string_view training[] = {"grad",      "gradient", "gradients", "backward", "train",
                                                  "optimizer", "loss",     "cuda",      "gpu"};
  if (std::find(std::begin(training), std::end(training), name) != std::end(training))
    d.addNote("Axle runs trained models on CPUs: training, gradients and GPUs are not its business");
  else
    suggestFor(in, d, span, name, isMember);
  if (!isMember && d.fixes.empty() && d.help.empty() && d.notes.empty()) suggestUnused(in, d, span, name, std::nullopt);
  if (isMember) return;
  for (Fix& fix : d.fixes)  // the other name replaces all uses
    if (fix.edits.size() == 1 && fix.edits[0].span == span && isWithinStatement(in, span)) {
      const std::string other = fix.edits[0].text;
      fix.edits.clear();
      for (const Span use : usesInStatement(in, name)) fix.edits.push_back({use, other});
    }
}

}  // namespace

TypedId inferUnknownName(Inference& in, Span span, const std::string& name) {
  const bool isMember = name.find('.') != std::string::npos && importsOf(in).count(firstPart(name)) > 0;
  const bool isRecursive = std::find(in.defining.begin(), in.defining.end(), name) != in.defining.end();
  if (in.errors >= maxErrors) {
    ++in.errors;
  } else if (isRecursive) {
    report(in, usedInItself, span, arg::Name{name})
        .addHelp("there is no recursion; iterate with `map`, `reduce`, `loop` or `while`");
  } else if (!isOfMissingModule(in, name) && (isMember || !isBoundByBrokenStatement(in, name))) {
    reportUnknownName(in, span, name, isMember);
  }
  return errorExpr(in, span);
}

std::optional<std::string> missingImport(const Diagnostic& diagnostic) {
  if (!diagnostic.is(moduleNotImported)) return std::nullopt;
  const std::string& quoted = diagnostic.arguments[1];
  return quoted.substr(1, quoted.size() - 2);
}

void keepFirstOfMissingImports(const SourceMap& sources, Diagnostics& diagnostics) {
  std::set<std::pair<std::string, std::string>> told;  // reported ones: file and module
  std::erase_if(diagnostics, [&](const Diagnostic& d) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    return place && d.is(moduleNotImported) && !told.emplace(sources.path(place->source), d.arguments[1]).second;
  });
}

void noteErrorsLeftOut(Diagnostics& diagnostics, std::size_t count) {
  if (count > 0) addNoteToLastError(diagnostics, Phrase("{} more errors are left out", arg::Number{count}));
}

void suggestForeign(Inference& in, Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                    const std::string& receiver) {
  const std::string ours(foreign.ours), module = firstPart(ours);
  if (!foreign.help.text().empty())
    d.addHelp(foreign.help);
  else if (!ours.empty() && ours != foreign.theirs)
    d.addHelp("this is called {} here", arg::Name{ours});
  if (module != ours && !importsOf(in).count(module)) suggestImport(d, module);
  suggestCall(in, d, place, foreign, call, receiver);
}

void reportNewAxis(Inference& in, Span none, Span whole, const ast::ExprIndex& index, std::size_t axis) {
  const SourceMap& sources = in.checked.sources;
  Diagnostic& d = report(in, newAxisInIndex, none, arg::Name{sources.text(none)});
  d.addHelp("`expand` makes an axis of size 1");
  for (std::size_t i = 0; i < index.items.size(); ++i)
    if (sources.text(index.items[i].span) != ":" && i != axis) return;
  const std::string text = fmt::format("expand({}, axis={})", sources.text(in.module()[index.base].span), axis);
  d.fixes.push_back({fmt::format("write `{}`", text), {{whole, text}}});
}

}  // namespace axle
