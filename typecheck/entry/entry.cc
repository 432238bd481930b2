// Entries: a function (or value) made monomorphic, with the guards that are left (LANGUAGE.md, sections 4 and 5).
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/checked.h"
#include "typecheck/codes.h"
#include "typecheck/infer/used_weights.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Of a graph, which is no text, the first listing.
Span startOf(const Checked& checked) {
  return checked.modules.modules.empty() ? Span{} : Span{checked.modules.root().source, 0, 0};
}

class EntryMaker {
 public:
  EntryMaker(Checked& c, const EntryOptions& options, Diagnostics& diagnostics, std::optional<OpenEntry>* open)
      : c_(c), options_(options), diagnostics_(diagnostics), open_(open) {}

  std::optional<Entry> make() {
    if (!findBinding()) return std::nullopt;
    VariableMark mark = markVariables(c_);
    c_.solver.proofs.clear();
    c_.solver.level = 1;
    instantiateEntry();
    if (!specialise()) return std::nullopt;
    TypeTerm function = c_.solution.types[c_.solution.resolve(type_)];
    const std::vector<TypeId> given = function.kind == TypeKind::function ? function.parts : std::vector<TypeId>{};
    settleOpenChoices(c_, mark, given);
    for (std::size_t i = 0; i < given.size() && c_.solver.conflicts.empty() && !c_.isGraph; ++i)
      checkGivenType(c_.solver, given[i], mark.dims, i < names_.size() ? names_[i] : "");
    if (conflict()) return std::nullopt;
    defaultElements();
    solve(c_.solver);
    if (conflict() || !partsKnown() || isOpen() || !inputs() || !weightsKnown() || !outputs()) return std::nullopt;
    nameSymbols();
    if (!outputsBound()) return std::nullopt;
    guardRefinedNames();
    collectGuards();
    if (failed_) return std::nullopt;
    finish();
    return std::move(entry_);
  }

 private:
  bool error(const DiagnosticCode& code, Span span, std::string message, std::string label, std::string help = {}) {
    Diagnostic d;
    d.code = &code;
    d.message = std::move(message);
    d.primary = {span, std::move(label)};
    if (!help.empty()) d.help.push_back(std::move(help));
    diagnostics_.push_back(std::move(d));
    failed_ = true;
    return false;
  }

  bool conflict() {
    solve(c_.solver);
    if (c_.solver.conflicts.empty()) return false;
    diagnostics_.push_back(explain(c_, c_.solver.conflicts.front()));
    c_.solver.conflicts.clear();
    return true;
  }

  bool findBinding() {
    auto it = std::find_if(c_.rootNames.begin(), c_.rootNames.end(),
                           [&](const TopLevelName& n) { return n.name == options_.name; });
    if (it == c_.rootNames.end()) {
      std::vector<std::string_view> names;
      for (const TopLevelName& n : c_.rootNames)
        if (c_.program[n.binding].kind != BindingKind::weight) names.push_back(n.name);
      auto near = closestNames(options_.name, names);
      constexpr std::size_t most = 5;
      if (names.size() > most) names.resize(most);
      return error(codes::noEntry, startOf(c_), fmt::format("there is no `{}` to run", options_.name), "in this file",
                   !near.empty()   ? fmt::format("did you mean `{}`?", near[0])
                   : names.empty() ? "the entry is `main` unless --entry names another"
                                   : fmt::format("the entry is `main` unless --entry names another; here are `{}`",
                                                 fmt::join(names, "`, `")));
    }
    binding_ = it->binding;
    span_ = c_.program[binding_].span;
    if (c_.failed.count(binding_.index)) return false;  // told already
    function_ = c_.program[binding_].value;
    if (c_.program[binding_].kind == BindingKind::weight)
      return error(codes::entryType, span_, fmt::format("`{}` is a `param`, no entry", options_.name), "this name",
                   fmt::format("a name for it is one: `same = {};`", options_.name));
    if (!function_)
      return error(codes::entryType, span_, fmt::format("`{}` is a part of a tuple, no entry", options_.name),
                   "this name");
    return true;
  }

  void instantiateEntry() {
    type_ = c_.program[binding_].type;
    auto it = c_.schemes.find(binding_.index);
    if (it != c_.schemes.end()) {
      Reason use;
      use.kind = ReasonKind::call;
      use.span = span_;
      use.subject = fmt::format("`{}`", options_.name);
      Scheme scheme = it->second;
      scheme.stated.clear();
      Instantiation instance = instantiate(c_, scheme, c_.provenance.add(std::move(use)));
      entry_.substitution = asSubstitution(instance);
      for (const auto& [var, shape] : instance.shapes)
        shapeNames_.emplace(c_.solution.shapeVars[var.index].name, shape);
      for (const auto& [var, dim] : instance.dims) dimNames_.emplace(c_.solution.dims.name(var), dim);
      for (const auto& [var, dim] : instance.dims)
        if (c_.solution.dimVars[var.index].kind == DimKind::streamed) streams_.push_back(dim);
      for (const auto& [var, dim] : instance.dims)
        if (auto fresh = c_.solution.dims.asVariable(dim))
          c_.solution.dimVars[fresh->index].named = c_.solution.dimVars[var.index].named;
      for (DimFact fact : it->second.stated) {
        fact.left = c_.solution.resolve(fact.left, &entry_.substitution);
        fact.right = c_.solution.resolve(fact.right, &entry_.substitution);
        if (fact.stretch)
          for (Dim* d : {&fact.stretch->first, &fact.stretch->second})
            *d = c_.solution.resolve(*d, &entry_.substitution);
        fact.reason = fmt::format("`{}` states it", options_.name);
        stated_.push_back(std::move(fact));
      }
      type_ = c_.solution.resolve(type_, &entry_.substitution);
    }
    for (std::size_t i = 0; i < c_.solution.dimVars.size(); ++i)
      if (c_.solution.dimVars[i].named && c_.solution.dimVars[i].level == 0)
        dimNames_.emplace(c_.solution.dims.name(DimVar{static_cast<std::uint32_t>(i)}),
                          c_.solution.dims.variable(DimVar{static_cast<std::uint32_t>(i)}));
    if (c_.isGraph) {  // which names sizes in messages only
      OpenVariables sizes;
      collectVariables(c_.solver, type_, sizes);
      for (DimVar v : sizes.dims) dimNames_.emplace(c_.solution.dims.name(v), c_.solution.dims.variable(v));
    }
    parameterNames();
  }

  // A size that the user named and inference made a number is a symbol all the same where an input tells it: that it
  // has this value is a guard.
  void refinedNames(TypedId lambda, const std::vector<BindingId>& parameters) {
    auto found = c_.written.find(lambda.index);
    if (found == c_.written.end()) return;
    for (const WrittenName& name : found->second) {
      auto var = name.is.isVar ? std::nullopt : c_.solution.dims.asVariable(name.is.dim);
      Dim is = c_.solution.resolve(name.is.dim);
      if (!var || !c_.solution.dims.asConstant(is)) continue;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        TypeTerm type = c_.solution.types[c_.program[parameters[i]].type];
        for (std::size_t axis = 0; type.kind == TypeKind::tensor && axis < type.shape.size(); ++axis) {
          const ShapePart& part = type.shape[axis];
          if (part.isVar || c_.solution.dims.asVariable(part.dim) != var) continue;
          const std::string& text = c_.solution.dims.name(*var);
          dimNames_.emplace(text, is);
          refined_.push_back({i, axis, text, is, name.span, sourceOf(c_, name.is)});
          axis = type.shape.size(), i = parameters.size();
        }
      }
    }
  }

  void guardRefinedNames() {
    for (const RefinedName& name : refined_) {
      if (options_.dims.count(name.name)) continue;  // the number was asked for
      DimVar symbol = freshDim(c_.solver, name.name, true);
      entry_.symbols.push_back(symbol);
      Dim dim = c_.solution.dims.variable(symbol);
      entry_.inputs[firstInput_.at(name.input)].named.emplace_back(name.axis, dim);
      DimFact guard;
      guard.left = dim;
      guard.relation = FactRelation::eq;
      guard.right = name.is;
      guard.reason = fmt::format("`{}` is inferred to be a number", name.name);
      guard.places = {name.span};
      if (name.source && !(name.source->span == name.span)) guard.places.push_back(name.source->span);
      if (name.source && !name.source->owner.empty()) guard.reason += fmt::format(", by `{}`", name.source->owner);
      guard.stated = true;
      keep(guard);
    }
  }

  // The lambda behind aliases, for its parameters' names.
  void parameterNames() {
    TypedId at = function_;
    for (int i = 0; i < 100; ++i) {
      const TypedExpr& e = c_.program[at];
      if (auto* lambda = std::get_if<TypedLambda>(&e.node)) {
        for (BindingId parameter : lambda->parameters) {
          const TypedBinding& b = c_.program[parameter];
          names_.push_back(b.name.empty() ? "x" + std::to_string(names_.size()) : b.name);
          spans_.push_back(b.span);
        }
        refinedNames(at, lambda->parameters);
        return;
      }
      auto* ref = std::get_if<TypedRef>(&e.node);
      if (!ref || !c_.program[ref->binding].value) return;
      at = c_.program[ref->binding].value;
    }
  }

  bool unifyShapeWith(const Shape& shape, const std::vector<std::int64_t>* sizes, std::size_t rank,
                      const std::string& name) {
    Shape dims;
    for (std::size_t i = 0; i < rank; ++i)
      dims.push_back(ShapePart::of(sizes ? c_.solution.dims.constant((*sizes)[i])
                                         : freshDimTerm(c_.solver, name + std::to_string(i))));
    Reason why;
    why.kind = ReasonKind::annotation;
    why.span = span_;
    why.subject = fmt::format("`{}`", name);
    return unifyShape(c_.solver, shape, dims, c_.provenance.add(std::move(why)));
  }

  template <class Names>
  static std::string namesToSet(const Names& names) {
    std::vector<std::string> known;
    for (const auto& [name, is] : names)
      if (!name.empty()) known.push_back(name);
    return known.empty() ? "it leaves none open" : fmt::format("it has `{}`", fmt::join(known, "`, `"));
  }

  // Puts what the command line and the inputs' ranks say.
  bool specialise() {
    for (const auto& [name, sizes] : options_.shapes) {
      auto it = shapeNames_.find(name);
      if (it == shapeNames_.end())
        return error(codes::unknownSet, span_,
                     fmt::format("the type of `{}` has no shape `{}` to set", options_.name, name), "this entry",
                     namesToSet(shapeNames_));
      unifyShapeWith(it->second, &sizes, sizes.size(), name);
    }
    for (const auto& [name, size] : options_.dims) {
      auto it = dimNames_.find(name);
      if (it == dimNames_.end())
        return error(codes::unknownSet, span_,
                     fmt::format("the type of `{}` has no dimension `{}` to set", options_.name, name), "this entry",
                     namesToSet(dimNames_));
      Reason why;
      why.kind = ReasonKind::annotation;
      why.span = span_;
      why.subject = fmt::format("`--set {}={}`", name, size);
      unifyDim(c_.solver, ShapePart::of(it->second), ShapePart::of(c_.solution.dims.constant(size)),
                         c_.provenance.add(std::move(why)));
    }
    TypeTerm function = c_.solution.types[c_.solution.resolve(type_)];
    if (function.kind != TypeKind::function) return !conflict();
    for (const StaticField& field : function.statics) unifyStatic(c_.solver, field.value, field.defaultValue, {});
    // One input's rank may tell a shape that another one's splits at.
    for (bool changed = true; changed && c_.solver.conflicts.empty();) {
      changed = false;
      for (const InputLeaf& input : inputLeaves(c_.solution, type_, names_)) {
        auto rank = options_.inputRanks.find(input.name);
        auto open = onlyOpenPart(c_.solution, input.type);
        if (rank == options_.inputRanks.end() || !open) continue;
        changed = true;
        // One of too small a rank is refused when it is bound, as of any other entry.
        const std::size_t most = std::max(rank->second, open->sizes);
        unifyShapeWith({open->part}, nullptr, most - open->sizes, c_.solution.shapeVars[open->part.var.index].name);
        solve(c_.solver);
      }
    }
    return !conflict();
  }

  bool isOpen() {
    TypeTerm function = c_.solution.types[c_.solution.resolve(type_)];
    if (open_ && function.kind == TypeKind::function) *open_ = openEntry(c_, type_, names_, options_);
    return open_ && *open_;
  }

  void defaultElements() {
    std::set<std::uint32_t> ofInputs;
    const std::vector<InputLeaf> inputs = inputLeaves(c_.solution, type_, names_);
    for (const InputLeaf& input : inputs) {
      OpenVariables v;
      collectVariables(c_.solver, input.type, v);
      for (ElemVar e : v.elems) ofInputs.insert(e.index);
    }
    for (std::uint32_t i = 0; i < c_.solution.elemVars.size(); ++i) {
      ElemVarInfo& e = c_.solution.elemVars[i];
      if (e.binding || e.level == genericLevel) continue;
      bool integer = e.elemClass == ElemClass::integer || (e.elemClass == ElemClass::num && !ofInputs.count(i));
      e.binding = ElemTerm::of(integer ? Elem::i64 : Elem::f32);
      if (ofInputs.count(i)) noteDefault(inputs, ElemVar{i});
    }
  }

  // `inputs` as they were before.
  void noteDefault(const std::vector<InputLeaf>& inputs, ElemVar defaulted) {
    for (const InputLeaf& input : inputs) {
      const TypeTerm& tensor = c_.solution.types[input.type];
      if (tensor.kind != TypeKind::tensor || tensor.elem != ElemTerm::of(defaulted)) continue;
      std::string_view taken = info(c_.solution.resolve(tensor.elem).elem).name;
      std::string type = printType(c_, input.type);
      Diagnostic d;
      d.code = &codes::elementDefaulted;
      d.message = fmt::format("the element type of `{}` is open: {} is taken", input.name, taken);
      d.primary = {spanOf(input), fmt::format("annotate it to choose another, as in `{} : {}`", input.name, type)};
      diagnostics_.push_back(std::move(d));
    }
  }

  Span spanOf(const InputLeaf& input) const {
    return input.parameter < spans_.size() ? spans_[input.parameter] : span_;
  }

  bool openShape(const TypeTerm& t) const {
    return std::any_of(t.shape.begin(), t.shape.end(), [](const ShapePart& p) { return p.isVar; });
  }

  bool inputs() {
    TypeTerm function = c_.solution.types[c_.solution.resolve(type_)];
    if (function.kind != TypeKind::function) return true;
    for (TypeId parameter : function.parts) entry_.parameters.push_back(c_.solution.resolve(parameter));
    for (const InputLeaf& input : inputLeaves(c_.solution, type_, names_)) {
      TypeTerm t = c_.solution.types[input.type];
      if (t.kind != TypeKind::tensor)
        return error(
            codes::entryType, spanOf(input),
            fmt::format("the input `{}` of an entry must be a tensor, but is {}", input.name, kindName(t.kind)),
            "this parameter",
            t.kind == TypeKind::function ? handOver() : "annotate it with a tensor's type, or name another entry");
      if (openShape(t))
        return error(codes::entryRank, spanOf(input),
                     fmt::format("the rank of the input `{}` is open: {}", input.name, printType(c_, input.type)),
                     "this parameter", "give the shape: `--set s=[2,3]`, or annotate the parameter");
      if (!isNumeric(t, spanOf(input), fmt::format("the input `{}`", input.name), "this parameter")) return false;
      firstInput_.emplace(input.parameter, entry_.inputs.size());
      entry_.inputs.push_back({input.name, input.type, {}, {}});
    }
    return true;
  }

  bool isNumeric(const TypeTerm& tensor, Span span, const std::string& what, const char* label) {
    ElemTerm elem = c_.solution.resolve(tensor.elem);
    if (elem.isVar || elem.elem != Elem::string) return true;
    return error(codes::entryText, span, fmt::format("{} is text, which bundles do not hold", what), label,
                 "give its bytes: u8");
  }

  bool outputs() {
    TypeTerm function = c_.solution.types[c_.solution.resolve(type_)];
    return output(function.kind == TypeKind::function ? function.result : type_, "out");
  }

  // What calls the entry's function, with functions for those that it takes.
  std::string handOver() {
    std::string arguments;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool isFunction = c_.solution.types[entry_.parameters[i]].kind == TypeKind::function;
      arguments += (i ? ", " : "") + (isFunction ? std::string("tanh") : names_[i]);
    }
    return fmt::format("the body calls it, so it is no tensor: an entry calls this function with one, as in `{}({})`",
                       options_.name == "main" ? "layer" : options_.name, arguments);
  }

  static const char* kindName(TypeKind kind) {
    return kind == TypeKind::function ? "a function" : kind == TypeKind::tuple ? "a tuple" : "of an open type";
  }

  bool output(TypeId type, const std::string& name) {
    TypeTerm t = c_.solution.types[c_.solution.resolve(type)];
    if (t.kind == TypeKind::tuple) {
      for (std::size_t i = 0; i < t.parts.size(); ++i)
        if (!output(t.parts[i], name + "." + std::to_string(i))) return false;
      return true;
    }
    if (t.kind != TypeKind::tensor)
      return error(codes::entryType, span_,
                   fmt::format("the result `{}` of an entry must be a tensor, but is {}", name, kindName(t.kind)),
                   "this entry");
    if (openShape(t))
      return error(codes::openEntry, span_,
                   fmt::format("the shape of the result `{}` stays open: {}", name, printType(c_, type)), "this entry");
    if (!isNumeric(t, span_, fmt::format("the result `{}`", name), "this entry")) return false;
    entry_.outputs.push_back({name, c_.solution.resolve(type), {}, {}});
    return true;
  }

  // `f32 [32, _]`: a name that the printer finds for a size is none that anything says.
  std::string withHoles(const TypeTerm& type) {
    const ElemTerm elem = c_.solution.resolve(type.elem);
    const Shape shape = c_.solution.resolve(type.shape);
    if (elem.isVar || std::any_of(shape.begin(), shape.end(), [](const ShapePart& part) { return part.isVar; }))
      return printType(c_, c_.solution.types.add(TypeTerm(type)));
    auto nameOf = [&](DimVar v) { return c_.solution.dimVars[v.index].named ? c_.solution.dims.name(v) : "_"; };
    std::string sizes;
    for (const ShapePart& part : shape) sizes += (sizes.empty() ? "" : ", ") + c_.solution.printSize(part.dim, nameOf);
    return fmt::format("{} [{}]", info(elem.elem).name, sizes);
  }

  // How many tensors there are is fixed when a program is compiled.
  bool partsKnown() {
    for (const Pending<constraint::Repeat>& parts : pendingOf<constraint::Repeat>(c_.solver)) {
      const Reason& why = c_.provenance[parts.reason];
      const StaticTerm count = c_.solution.types[c_.solution.resolve(parts->count)];
      const std::string number = count.kind == StaticKind::dim ? c_.solution.printSize(count.dim) : "_";
      const auto size = count.kind == StaticKind::dim ? c_.solution.dims.asVariable(count.dim) : std::nullopt;
      error(codes::openEntry, why.span, fmt::format("{} gives {} parts, which only the run tells", why.subject, number),
            "their number is open",
            size && c_.solution.dimVars[size->index].named
                ? fmt::format("a pattern of as many names says it, and so does `--set {}=4`", number)
                : "a pattern of as many names says it");
    }
    return !failed_;
  }

  bool weightsKnown() {
    const std::set<std::uint32_t> used = weightsUsed(c_.program, function_);
    for (const TypedWeight& weight : c_.program.weights) {
      TypeTerm type = c_.solution.types[c_.solution.resolve(c_.program[weight.binding].type)];
      isNumeric(type, weight.span, fmt::format("the weight `{}`", weight.parameter), "this parameter");
      OpenVariables v;
      collectVariables(c_.solver, c_.program[weight.binding].type, v);
      if ((v.shapes.empty() && v.dims.empty()) || !used.count(weight.binding.index)) continue;
      std::string sets;  // where names of the user's are all that is open
      bool onlyNamed = v.shapes.empty();
      for (DimVar d : v.dims) {
        onlyNamed = onlyNamed && c_.solution.dimVars[d.index].named;
        sets += fmt::format("{}`--set {}=4`", sets.empty() ? "" : ", ", c_.solution.dims.name(d));
      }
      error(codes::weightsNeeded, weight.span,
            fmt::format("the type of `{}` is not known: {}", weight.parameter, withHoles(type)), "this parameter",
            onlyNamed ? fmt::format("give its sizes, as in {}, or the file that holds it: `--weights FILE`", sets)
                      : fmt::format("annotate it, as in `param {} : f32 [4, 3]`, or give the file that holds it: "
                                    "`--weights FILE`",
                                    weight.parameter));
    }
    return !failed_;
  }

  // Every symbol gets a name of its own, the user's first.
  void nameSymbols() {
    std::vector<DimVar> order, lengths;
    auto note = [&](Dim d) {
      for (DimVar v : c_.solution.dims.variables(c_.solution.resolve(d))) {
        std::vector<DimVar>& of = c_.solution.dimVars[v.index].kind == DimKind::ragged ? lengths : order;
        if (std::find(of.begin(), of.end(), v) == of.end()) of.push_back(v);
      }
    };
    for (const EntryPort& port : entry_.inputs)
      for (const ShapePart& part : c_.solution.types[port.type].shape)
        if (c_.solution.dims.asVariable(part.dim)) note(part.dim);
    for (const EntryPort& port : entry_.inputs)
      for (const ShapePart& part : c_.solution.types[port.type].shape) note(part.dim);
    std::map<std::uint32_t, std::string> names;
    std::set<std::string> used;
    for (const RefinedName& name : refined_) used.insert(name.name);
    for (bool named : {true, false})
      for (DimVar v : order) {
        if (c_.solution.dimVars[v.index].named != named) continue;
        std::string base = c_.solution.dims.name(v), chosen = base;
        for (int i = 2; used.count(chosen); ++i) chosen = base + std::to_string(i);
        used.insert(chosen);
        names[v.index] = chosen;
      }
    for (DimVar v : order) {
      DimVar symbol = freshDim(c_.solver, names[v.index], true);
      c_.solution.dimVars[v.index].binding = c_.solution.dims.variable(symbol);
      entry_.symbols.push_back(symbol);
    }
    for (DimVar length : lengths) {
      std::string base = c_.solution.dims.name(length), chosen = base;
      for (int i = 2; used.count(chosen); ++i) chosen = base + std::to_string(i);
      used.insert(chosen);
      entry_.symbols.push_back(freshDim(c_.solver, chosen, true));
      entry_.lengths.push_back({length, entry_.symbols.back()});
    }
  }

  // What a run finds: a size of its own, or a length for each element.
  bool isOfTheRun(DimVar v) const {
    const DimVarInfo& info = c_.solution.dimVars[v.index];
    return info.kind == DimKind::ragged || (info.kind == DimKind::runtime && info.rigid);
  }

  // Of a graph, whose sizes broadcast in ways that numbers decide.
  std::string givenSizes() {
    std::string sets;
    for (DimVar symbol : entry_.symbols)
      sets += fmt::format("{}`--set {}=4`", sets.empty() ? "" : ", ", c_.solution.dims.name(symbol));
    return sets.empty() ? "" : "sizes of the inputs decide, where they are given: " + sets;
  }

  // Sizes of results must follow from the inputs' sizes, or be made in the run.
  bool outputsBound() {
    for (const EntryPort& port : entry_.outputs) {
      OpenVariables v;
      collectVariables(c_.solver, port.type, v);
      for (DimVar var : v.dims)
        if (!isOfTheRun(var) && std::find(entry_.symbols.begin(), entry_.symbols.end(), var) == entry_.symbols.end())
          return error(codes::openEntry, span_,
                       fmt::format("the size `{}` of the result `{}` does not follow from the inputs: {}",
                                   c_.solution.dims.name(var), port.name, printType(c_, port.type)),
                       "this entry", c_.isGraph ? givenSizes() : "");
    }
    return true;
  }

  void collectGuards() {
    std::size_t assumed = c_.solver.assumptions.size();
    for (DimFact& fact : stated_) keep(fact);
    for (const Constraint& c : takeConstraints(c_.solver, [](const Constraint&) { return true; })) {
      auto fact = comparisonOf(c);
      if (!fact) continue;  // of values nothing reads
      bool inMatch = c_.provenance[c.reason].kind == ReasonKind::match;
      if (inMatch && ofTheRun({fact->left, fact->right})) continue;  // checked where it stands
      keep(factOf(c_, c));
    }
    c_.solver.assumptions.resize(assumed);
  }

  bool ofTheRun(std::initializer_list<Dim> sides) {
    OpenVariables v;
    for (Dim side : sides) collectVariables(c_.solver, side, v);
    return std::any_of(v.dims.begin(), v.dims.end(), [&](DimVar var) { return isOfTheRun(var); });
  }

  // ": n is 3 and k is 2", of the variables that have a value now.
  std::string valuesIn(const DimFact& fact) {
    std::vector<std::string> values;
    for (Dim side : {fact.left, fact.right})
      for (DimVar v : c_.solution.dims.variables(side)) {
        Dim is = c_.solution.resolve(c_.solution.dims.variable(v));
        std::string text = fmt::format("{} is {}", c_.solution.dims.name(v), c_.solution.dims.print(is));
        bool bound = c_.solution.dims.asVariable(is) != v;
        if (bound && std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
      }
    return values.empty() ? "" : fmt::format(": {}", fmt::join(values, " and "));
  }

  void keep(DimFact fact) {
    const DimFact written = fact;
    fact.left = c_.solution.resolve(fact.left);
    fact.right = c_.solution.resolve(fact.right);
    std::string counterexample;
    FactVerdict verdict = decideFact(c_.solver, fact, &counterexample);
    if (verdict == FactVerdict::proved) entry_.proved.push_back({fact, c_.solver.decidedBy});
    if (verdict == FactVerdict::proved) return;
    if (verdict == FactVerdict::refuted) {
      error(codes::factRefuted, fact.places.empty() ? span_ : fact.places.front(),
            fmt::format("`{}` needs `{} {} {}`, which does not hold{}", options_.name,
                        c_.solution.dims.print(written.left), spelling(written.relation),
                        c_.solution.dims.print(written.right), valuesIn(written)),
            "asked for here");
      if (!counterexample.empty()) diagnostics_.back().notes.push_back(std::move(counterexample));
      return;
    }
    noteGivenUp(c_.solver, fact);
    OpenVariables v;
    collectVariables(c_.solver, fact.left, v);
    collectVariables(c_.solver, fact.right, v);
    for (DimVar var : v.dims)
      if (!isOfTheRun(var) && std::find(entry_.symbols.begin(), entry_.symbols.end(), var) == entry_.symbols.end()) {
        if (fact.stated)
          error(codes::openEntry, fact.places.front(),
                fmt::format("`{}` follows from no input of `{}`", c_.solution.dims.name(var), options_.name),
                "stated here");
        return;  // of a value that this entry does not read
      }
    c_.solver.assumptions.push_back(fact);
    entry_.guards.push_back(std::move(fact));
  }

  // As a batch a stream is as long as it is, so its lower bounds are guards; only its type says that it streams.
  void markStreams() {
    for (Dim stream : streams_)
      for (DimVar v : c_.solution.dims.variables(c_.solution.resolve(stream)))
        if (c_.solution.dimVars[v.index].kind == DimKind::plain) c_.solution.dimVars[v.index].kind = DimKind::streamed;
  }

  void finish() {
    markStreams();
    std::vector<ProvedFact> settled;  // before the guards were collected
    for (const FactProof& proof : c_.solver.proofs) settled.push_back({factOf(c_, proof.fact), proof.tier});
    entry_.proved.insert(entry_.proved.begin(), settled.begin(), settled.end());
    entry_.name = options_.name;
    entry_.function = function_;
    for (TypeId& parameter : entry_.parameters) parameter = c_.solution.resolve(parameter);
    for (auto* ports : {&entry_.inputs, &entry_.outputs})
      for (EntryPort& port : *ports) {
        port.type = c_.solution.resolve(port.type);
        port.text = printType(c_, port.type, entry_.guards);
      }
    entry_.type = printType(c_, type_, entry_.guards);
  }

  struct RefinedName {
    std::size_t input, axis;
    std::string name;
    Dim is;
    Span span;
    std::optional<Source> source;
  };

  Checked& c_;
  const EntryOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<OpenEntry>* open_;
  Entry entry_;
  std::vector<RefinedName> refined_;
  std::map<std::size_t, std::size_t> firstInput_;  // of each parameter that has one
  std::vector<Dim> streams_;
  BindingId binding_;
  TypedId function_;
  TypeId type_;
  Span span_;
  std::vector<std::string> names_;
  std::vector<Span> spans_;
  std::map<std::string, Shape> shapeNames_;
  std::map<std::string, Dim> dimNames_;
  std::vector<DimFact> stated_;
  bool failed_ = false;
};

}  // namespace

std::optional<Entry> prepareEntry(Checked& checked, const EntryOptions& options, Diagnostics& diagnostics,
                                  std::optional<OpenEntry>* open) {
  if (checked.gaveUp) return std::nullopt;
  auto giveUp = [&](const char* what) {
    Diagnostic d;
    d.code = &codes::typesTooLarge;
    d.message = fmt::format("the {} of `{}` grow too large to compile", what, options.name);
    d.primary = {startOf(checked), "in this file"};
    diagnostics.push_back(std::move(d));
  };
  DimStore& dims = checked.solution.dims;
  dims.limitWork(dims.work() + maxDimWork);
  checked.solution.restartWork();
  std::optional<Entry> entry;
  try {
    entry = EntryMaker(checked, options, diagnostics, open).make();
  } catch (const TypesTooLarge&) {
    giveUp("types");
  } catch (const DimsTooLarge&) {
    giveUp("sizes");
  }
  dims.limitWork(UINT64_MAX);
  return entry;
}

}  // namespace axle
