#include "typecheck/report/fixes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "frontend/parser.h"
#include "typecheck/checked.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

namespace {

constexpr std::uint64_t mostAsked = 8;      // queries of Z3, which are slow
constexpr std::uint64_t shareOfWork = 100;  // a try may take one part in so many of the work that a check may take
constexpr std::size_t mostErrors = 3;       // that get fixes
constexpr std::size_t mostTries = 16;       // for one error
constexpr std::size_t mostFixes = 2;        // for one error

// ---- guesses

// An expression, with its operands if it is a call or an operator's application.
struct Application {
  Span span;
  std::vector<Span> arguments;
  const std::vector<ast::NamedArgument>* named = nullptr;  // if it is a call
};

class Guesser {
 public:
  Guesser(Checked& checked, const Diagnostic& diagnostic)
      : checked_(checked), module_(checked.modules.root()), sources_(checked.sources), diagnostic_(diagnostic) {}

  // The likeliest fix comes first.
  std::vector<Fix> guesses();

 private:
  using Kind = void (Guesser::*)(const Application& at);
  struct Row {
    const DiagnosticCode* code;
    Kind kind;
  };
  static const Row rows[];

  void transposed(const Application& at);
  void swapped(const Application& at);
  void otherAxis(const Application& at);
  void along(const Application& at, Span axis, const std::string& lead);
  void channelsLast(const Application& at);
  void listed(const Application& at);
  void unusedParts(const Application& at);
  void asEinsum(const Application& at);
  void expanded(const Application& at);
  void converted(const Application& at);
  void compared(const Application& at);
  void asMask(const Application& at);
  void leftOpen(const Application& at);
  void sameLengths(const Application& at);
  void batched(const Application& at);
  void batchOfOne(const Application& at);
  void samePadding(const Application& at);

  std::vector<Application> applications() const;
  const TypeTerm* tensorAt(Span expression);
  std::optional<std::size_t> rankOf(Span expression);
  std::vector<Dim> lastSizes(Span expression, std::size_t rank);
  std::optional<Elem> elemOf(Span expression);
  std::string text(Span span) const { return std::string(sources_.text(span)); }
  void wrap(const Application& at, Span argument, const std::string& title, const std::string& before,
            const std::string& behind);
  void guess(const Application& at, const std::string& title, std::vector<Edit> edits);

  Checked& checked_;
  const ast::Module& module_;
  const SourceMap& sources_;
  const Diagnostic& diagnostic_;
  std::vector<Fix> found_;
};

const Guesser::Row Guesser::rows[] = {
    {&codes::dimMismatch, &Guesser::samePadding},     {&codes::factRefuted, &Guesser::samePadding},
    {&codes::dimMismatch, &Guesser::otherAxis},       {&codes::dimMismatch, &Guesser::expanded},
    {&codes::dimMismatch, &Guesser::channelsLast},    {&codes::dimMismatch, &Guesser::transposed},
    {&codes::dimMismatch, &Guesser::swapped},         {&codes::rankMismatch, &Guesser::asEinsum},
    {&codes::rankMismatch, &Guesser::otherAxis},      {&codes::rankMismatch, &Guesser::expanded},
    {&codes::rankMismatch, &Guesser::batchOfOne},     {&codes::rankMismatch, &Guesser::swapped},
    {&codes::factRefuted, &Guesser::otherAxis},       {&codes::reshapeTotal, &Guesser::leftOpen},
    {&codes::typeMismatch, &Guesser::unusedParts},    {&codes::elemMismatch, &Guesser::compared},
    {&codes::elemMismatch, &Guesser::converted},      {&codes::elemClass, &Guesser::asMask},
    {&codes::elemClass, &Guesser::converted},         {&codes::badAttribute, &Guesser::listed},
    {&codes::nameRefined, &Guesser::batched},         {&codes::nameRefined, &Guesser::expanded},
    {&codes::nameRefined, &Guesser::transposed},      {&codes::promiseNarrowed, &Guesser::batched},
    {&codes::promiseNarrowed, &Guesser::expanded},    {&codes::promiseNarrowed, &Guesser::transposed},
    {&codes::narrowingRefused, &Guesser::batched},    {&codes::narrowingRefused, &Guesser::expanded},
    {&codes::narrowingRefused, &Guesser::transposed}, {&codes::raggedMismatch, &Guesser::sameLengths},
};

std::vector<Fix> Guesser::guesses() {
  const std::vector<Application> all = applications();
  for (const Row& row : rows)
    if (row.code == diagnostic_.code)
      for (const Application& at : all) (this->*row.kind)(at);
  return std::move(found_);
}

// The type of an expression; nullptr if it has none or is no tensor.
const TypeTerm* Guesser::tensorAt(Span expression) {
  for (const TypedExpr& e : checked_.program.exprs) {
    if (!(e.span == expression)) continue;
    const TypeTerm& type = checked_.solution.types[checked_.solution.resolve(e.type)];
    if (type.kind == TypeKind::tensor) return &type;
  }
  return nullptr;
}

// The rank of an expression; nothing if it is open.
std::optional<std::size_t> Guesser::rankOf(Span expression) {
  const TypeTerm* type = tensorAt(expression);
  if (!type) return std::nullopt;
  const Shape shape = checked_.solution.resolve(type->shape);
  bool isKnown = std::none_of(shape.begin(), shape.end(), [](const ShapePart& part) { return part.isVar; });
  return isKnown ? std::optional(shape.size()) : std::nullopt;
}

// The sizes of a tensor of this rank but the first one; none for other ranks.
std::vector<Dim> Guesser::lastSizes(Span expression, std::size_t rank) {
  if (rankOf(expression) != rank) return {};
  std::vector<Dim> sizes;
  for (const ShapePart& part : checked_.solution.resolve(tensorAt(expression)->shape))
    sizes.push_back(checked_.solution.resolve(part.dim));
  sizes.erase(sizes.begin());
  return sizes;
}

std::optional<Elem> Guesser::elemOf(Span expression) {
  const TypeTerm* type = tensorAt(expression);
  const ElemTerm elem = type ? checked_.solution.resolve(type->elem) : ElemTerm::of(ElemVar{});
  return elem.isVar ? std::nullopt : std::optional(elem.elem);
}

// The applications that the diagnostic marks, in its order.
std::vector<Application> Guesser::applications() const {
  std::vector<Application> all;
  auto applicationOf = [&](const ast::Expr& e, const ast::ExprCall& call) {
    Application application{e.span, {}, &call.named};
    for (ast::ExprId argument : call.arguments) application.arguments.push_back(module_[argument].span);
    return application;
  };
  auto addAt = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    if (!span || span->source != module_.source) return;
    for (const ast::Expr& e : module_.exprs) {
      if (!(e.span == *span)) continue;
      Application application{e.span, {}, nullptr};
      if (auto* call = std::get_if<ast::ExprCall>(&e.node)) {
        application = applicationOf(e, *call);
      } else if (auto* binary = std::get_if<ast::ExprBinary>(&e.node)) {
        application.arguments = {module_[binary->left].span, module_[binary->right].span};
      } else if (auto* unary = std::get_if<ast::ExprUnary>(&e.node)) {
        application.arguments = {module_[unary->operand].span};
      }
      all.push_back(std::move(application));
      return;
    }
    all.push_back({*span, {}, nullptr});  // not an expression: a named argument
    for (const ast::Expr& e : module_.exprs)
      if (auto* call = std::get_if<ast::ExprCall>(&e.node))
        if (std::any_of(call->named.begin(), call->named.end(), [&](const auto& n) { return n.span == *span; }))
          all.push_back(applicationOf(e, *call));
  };
  addAt(diagnostic_.primary);
  for (const Label& label : diagnostic_.secondary) addAt(label);
  return all;
}

// Adds a guess. Its title shows the changed application if that is short.
void Guesser::guess(const Application& at, const std::string& title, std::vector<Edit> edits) {
  constexpr std::size_t longest = 60;
  std::string becomes = text(at.span);
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    becomes.replace(edit->span.begin - at.span.begin, edit->span.end - edit->span.begin, edit->text);
  bool isShort = becomes.size() <= longest && becomes.find('\n') == becomes.npos;
  found_.push_back({isShort ? fmt::format("{}: `{}`", title, becomes) : title, std::move(edits)});
}

void Guesser::wrap(const Application& at, Span argument, const std::string& title, const std::string& before,
                   const std::string& behind) {
  const std::string name = text(argument);
  constexpr std::size_t longest = 30;
  guess(at, fmt::format("{} {}", title, name.size() <= longest ? "`" + name + "`" : "this argument"),
        {{argument, before + name + behind}});
}

void Guesser::transposed(const Application& at) {
  static constexpr const char* orders[] = {")", ", perm=[0, 2, 1])", ", perm=[0, 1, 3, 2])"};  // by rank, from 2
  for (auto argument = at.arguments.rbegin(); argument != at.arguments.rend(); ++argument) {
    const std::size_t rank = rankOf(*argument).value_or(2);
    if (rank >= 2 && rank - 2 < std::size(orders)) wrap(at, *argument, "transpose", "transpose(", orders[rank - 2]);
  }
}

// Transposes images [n, c, h, w] and filters [k, c, r, s], the layout of other libraries, if the sizes look like that.
void Guesser::channelsLast(const Application& at) {
  if (!at.named || at.arguments.size() < 2 || text(at.span).find("conv2d(") == std::string::npos) return;
  const char *images = ", perm=[0, 2, 3, 1])", *filters = ", perm=[2, 3, 1, 0])";
  const std::string image = "transpose(" + text(at.arguments[0]) + images;
  const std::string filter = "transpose(" + text(at.arguments[1]) + filters;
  const Span both = join(at.arguments[0], at.arguments[1]);
  auto number = [&](Dim size, std::int64_t otherwise) {
    return checked_.solution.dims.asConstant(size).value_or(otherwise);
  };
  const std::vector<Dim> chw = lastSizes(at.arguments[0], 4), crs = lastSizes(at.arguments[1], 4);
  const bool isImage =
      !chw.empty() &&
      (chw[1] == chw[2] || number(chw[0], INT64_MAX) < std::min(number(chw[1], INT64_MAX), number(chw[2], INT64_MAX)));
  constexpr std::int64_t mostOfWindow = 11;
  const bool isFilter = !crs.empty() && crs[1] == crs[2] && number(crs[2], 1) <= mostOfWindow;
  if (isImage && isFilter)
    guess(at, fmt::format("images are [n, h, w, c] and filters [r, s, c, k]: `{}` and `{}`", image, filter),
          {{both, image + ", " + filter}});
  if (isImage) wrap(at, at.arguments[0], "images are [n, h, w, c]: transpose", "transpose(", images);
  if (isFilter) wrap(at, at.arguments[1], "filters are [r, s, c, k]: transpose", "transpose(", filters);
}

// Adds names for the other parts of a tuple.
void Guesser::unusedParts(const Application& at) {
  for (const ast::Pattern& pattern : module_.patterns)
    if (pattern.span == at.span && std::holds_alternative<ast::PatternTuple>(pattern.node))
      for (const char* more : {", _", ", _, _", ", _, _, _"})
        guess(at, "`_` stands for a part that nothing needs", {{at.span, text(at.span) + more}});
}

// Replaces `matmul` for a vector, or for batches by one matrix.
void Guesser::asEinsum(const Application& at) {
  if (at.arguments.size() != 2 || !text(at.span).starts_with("matmul(")) return;
  for (const char* equation : {"k,kn->n", "mk,k->m", "bmk,kn->bmn"})
    guess(at, "say what is summed",
          {{at.span, fmt::format("einsum(\"{}\", {}, {})", equation, text(at.arguments[0]), text(at.arguments[1]))}});
}

// Makes a list of a number or a tuple.
void Guesser::listed(const Application& at) {
  if (at.named) return;
  Span value = at.span;  // in `stride=2`, the part behind the `=`
  if (std::size_t equals = text(value).find('='); equals != std::string::npos)
    value.begin += static_cast<std::uint32_t>(equals + 1);
  const std::string given = text(value);
  guess(at, "one for each axis", {{value, "[" + given + "]"}});
  guess(at, "one for each axis", {{value, "[" + given + ", " + given + "]"}});
  const std::string sides = "[" + given + ", " + given + "]";
  guess(at, "before and behind each axis", {{value, "[" + sides + ", " + sides + "]"}});
}

void Guesser::swapped(const Application& at) {
  if (at.arguments.size() != 2) return;
  const Span first = at.arguments[0], second = at.arguments[1];
  guess(at, "swap the arguments", {{first, text(second)}, {second, text(first)}});
}

void Guesser::along(const Application& at, Span axis, const std::string& lead) {
  const std::string given = text(axis);
  for (const char* other : {"0", "1", "2", "3"})
    if (given != other) guess(at, "along another axis", {{axis, lead + other}});
}

void Guesser::otherAxis(const Application& at) {
  if (!at.named) return;
  for (const ast::NamedArgument& named : *at.named)
    if (named.name.text == "axis") return along(at, module_[named.value].span, "");
  const Span behind{at.span.source, at.span.end - 1, at.span.end - 1};  // before the closing bracket of the call
  along(at, behind, ", axis=");
}

void Guesser::expanded(const Application& at) {
  if (at.named || at.arguments.size() != 2) return;  // only operators broadcast
  const auto left = rankOf(at.arguments[0]), right = rankOf(at.arguments[1]);
  if (!left || !right || *left == *right) return;  // otherwise the result would have one more axis than either
  const Span less = at.arguments[*left < *right ? 0 : 1];
  for (const char* axis : {"1", "0", "2"})
    wrap(at, less, "give an axis of size 1 to", "expand(", std::string(", axis=") + axis + ")");
  const std::size_t missing = std::max(*left, *right) - std::min(*left, *right);
  std::string before, behind;
  for (std::size_t i = 0; i < missing; ++i) before += "expand(", behind += ", axis=1)";
  if (missing > 1) wrap(at, less, "give axes of size 1 to", before, behind);
}

void Guesser::converted(const Application& at) {
  auto isNumber = [&](Span span) {
    return std::any_of(module_.exprs.begin(), module_.exprs.end(), [&](const ast::Expr& e) {
      return e.span == span && std::holds_alternative<ast::ExprNumber>(e.node);
    });
  };
  for (auto argument = at.arguments.rbegin(); argument != at.arguments.rend(); ++argument)
    if (!isNumber(*argument)) wrap(at, *argument, "convert", "cast(", ")");
}

// Compares numbers with 0 where bool is needed.
void Guesser::compared(const Application& at) {
  for (const Span argument : at.arguments)
    if (auto elem = elemOf(argument); elem && *elem != Elem::boolean) wrap(at, argument, "compare", "(", " != 0)");
}

// Makes positions of a mask.
void Guesser::asMask(const Application& at) {
  if (!at.named || at.arguments.size() != 2 || elemOf(at.arguments[1]) != Elem::boolean) return;
  if (!text(at.span).starts_with("gather(")) return;
  const std::string positions = "squeeze(nonzero(" + text(at.arguments[1]) + "), axis=1)";
  guess(at, "the positions where a mask holds", {{at.arguments[1], positions}});
}

// Leaves one size of a `reshape` open.
void Guesser::leftOpen(const Application& at) {
  for (const ast::Expr& e : module_.exprs) {
    auto* list = std::get_if<ast::ExprList>(&e.node);
    if (!list || e.span.begin < at.span.begin || e.span.end > at.span.end) continue;
    for (auto item = list->items.rbegin(); item != list->items.rend(); ++item)
      guess(at, "let one size follow from the others", {{module_[*item].span, "_"}});
  }
}

void Guesser::sameLengths(const Application& at) {
  if (at.arguments.size() != 2) return;
  wrap(at, at.arguments[1], "checked in the run: lengths of the first for",
       "same_lengths(" + text(at.arguments[0]) + ", ", ")");
}

// Replaces `matmul`, whose batches must have one size.
void Guesser::batched(const Application& at) {
  const std::string given = text(at.span), name = "matmul";
  if (!given.starts_with(name + "(")) return;
  const auto begin = at.span.begin, end = begin + static_cast<std::uint32_t>(name.size());
  guess(at, "batches that broadcast", {{{at.span.source, begin, end}, "batch_matmul"}});
}

namespace {

bool isWindow(std::string_view application) {
  const std::string_view name = application.substr(0, application.find('('));
  return name.find("conv") != name.npos || name.find("pool") != name.npos;
}

}  // namespace

void Guesser::batchOfOne(const Application& at) {
  if (!at.named || at.arguments.empty() || !isWindow(text(at.span))) return;
  guess(at, "a batch of one image", {{at.arguments[0], "expand(" + text(at.arguments[0]) + ", axis=0)"}});
}

// Pads the image of a window that is wider than it, or that makes it smaller than another one.
void Guesser::samePadding(const Application& at) {
  if (!at.named || !isWindow(text(at.span))) return;
  for (const ast::NamedArgument& named : *at.named)
    if (named.name.text == "padding") return;
  const Span behind{at.span.source, at.span.end - 1, at.span.end - 1};
  guess(at, "padded to keep its size", {{behind, ", padding=\"same\""}});
}

// ---- tries

class Tries {
 public:
  Tries(Checked& checked, const CheckOptions& options, const Diagnostics& before)
      : modules_(checked.modules), sources_(checked.sources), options_(options), before_(before) {
    options_.dimWork /= shareOfWork;
    options_.work /= shareOfWork;
    for (const BindingType& binding : bindingTypes(checked)) good_.insert(binding.name);
  }

  // Whether the error goes away and everything else stays. Notes count: a change that refines another name is no fix.
  bool mends(const Diagnostic& error, const Fix& fix);

 private:
  Modules modules_;
  SourceMap sources_;  // with the changed texts
  CheckOptions options_;
  const Diagnostics& before_;
  std::set<std::string> good_;  // bindings without errors
};

// Whether a type leaves a fact to callers that they meet only by luck: `where (9*n) % 187 == 0`, or an equation
// although the program states none.
bool leavesMore(std::string_view type, bool statesEquations) {
  const std::size_t where = type.find(" where ");
  if (where == type.npos) return false;
  return type.find('%', where) != type.npos || (!statesEquations && type.find("==", where) != type.npos);
}

// Whether the `cast` at an offset makes whole numbers of floats, bool of numbers, or positions of a mask: such a
// program checks, but computes something that nobody means.
bool losesValues(Checked& checked, std::size_t begin) {
  for (const TypedExpr& e : checked.program.exprs) {
    const auto* apply = std::get_if<TypedApply>(&e.node);
    if (!apply || e.span.begin != begin || checked.operators[apply->op].name != "cast") continue;
    if (e.span.source != checked.modules.root().source) continue;
    auto elemOf = [&](TypeId type) {
      return checked.solution.resolve(checked.solution.types[checked.solution.resolve(type)].elem);
    };
    const ElemTerm from = elemOf(checked.program[apply->arguments[0]].type), to = elemOf(e.type);
    const bool isOpenInt = to.isVar && checked.solution.elemVars[to.var.index].elemClass == ElemClass::integer;
    const bool isInt = isOpenInt || (!to.isVar && info(to.elem).isInt);
    if (!from.isVar && isInt && info(from.elem).isFloat) return true;
    if (!from.isVar && isOpenInt && from.elem == Elem::boolean) return true;
    return !to.isVar && to.elem == Elem::boolean;
  }
  return false;
}

bool Tries::mends(const Diagnostic& error, const Fix& fix) {
  const ast::Module& root = modules_.root();
  const SourceId source = std::get<Span>(error.primary.place).source;
  std::string text(sources_.text(source));
  const bool statesEquations = text.find("==") != text.npos;
  for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit) {
    if (edit->span.source != source) return false;
    text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
  }
  Diagnostics after;
  SourceId changed = sources_.add(std::string(sources_.path(source)), std::move(text));
  modules_.modules.back() = parseModule(sources_, changed, std::string(root.name), after);
  if (!after.empty()) return false;
  CheckedPtr checked = check(modules_, sources_, options_, after);
  for (const Edit& edit : fix.edits)
    if (edit.text.starts_with("cast(") && losesValues(*checked, edit.span.begin)) return false;
  for (const BindingType& binding : bindingTypes(*checked))
    if (!good_.count(binding.name) && leavesMore(binding.type, statesEquations)) return false;
  std::vector<std::string_view> left;
  for (const Diagnostic& d : before_)
    if (&d != &error) left.push_back(d.message);
  return after.size() <= left.size() && std::all_of(after.begin(), after.end(), [&](const Diagnostic& d) {
           auto known = std::find(left.begin(), left.end(), d.message);
           if (known == left.end()) return false;
           left.erase(known);
           return true;
         });
}

bool hasHelp(const Diagnostic& error, const Fix& fix) {
  return std::find(error.help.begin(), error.help.end(), fix.title) != error.help.end();
}

}  // namespace

bool offerFixes(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics,
                const std::function<bool()>& goOn) {
  const Modules& modules = checked.modules;
  const SourceMap& sources = checked.sources;
  const SourceId root = modules.root().source;
  auto isOfRoot = [&](const Diagnostic& d) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    const bool isMended = d.code->severity != Severity::note || d.code == &codes::nameRefined;
    return isMended && place && place->source == root;
  };
  const bool isTooMuch = sources.text(root).size() > longestTextWithFixes || checked.gaveUp ||
                         decisionStatistics(checked.solver).askedZ3 > mostAsked ||
                         std::any_of(diagnostics.begin(), diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code->code.starts_with("E01"); });
  std::size_t errors = 0;
  bool isWhole = true;
  std::vector<std::vector<Fix>> fixes(diagnostics.size());
  for (std::size_t i = 0; i < diagnostics.size() && !isTooMuch; ++i) {
    const Diagnostic& error = diagnostics[i];
    if (!isOfRoot(error) || errors == mostErrors) continue;
    std::vector<Fix> guesses = error.fixes;
    std::vector<Fix> more = Guesser(checked, error).guesses();
    guesses.insert(guesses.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    if (guesses.empty()) continue;
    ++errors;
    guesses.resize(std::min(guesses.size(), mostTries));
    Tries tries(checked, options, diagnostics);
    for (Fix& guess : guesses) {
      isWhole = isWhole && (!goOn || goOn());
      if (isWhole && fixes[i].size() < mostFixes && tries.mends(error, guess)) fixes[i].push_back(std::move(guess));
    }
  }
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    Diagnostic& error = diagnostics[i];
    error.fixes = std::move(fixes[i]);
    for (const Fix& fix : error.fixes)
      if (!hasHelp(error, fix)) error.help.push_back(fix.title);
  }
  return isWhole;
}

}  // namespace axle
