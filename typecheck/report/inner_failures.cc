#include "typecheck/report/inner_failures.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "frontend/parser.h"
#include "typecheck/checked.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle {
namespace {

constexpr std::size_t deepest = 5;  // calls within calls

bool isInnerCode(const DiagnosticCode* code) {
  const DiagnosticCode* known[] = {&codes::dimMismatch, &codes::rankMismatch, &codes::elemMismatch,
                                   &codes::elemClass,   &codes::factRefuted,  &codes::reshapeTotal};
  return std::find(std::begin(known), std::end(known), code) != std::end(known);
}

bool isNameChar(char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '\''; }

// The words of a text that are names.
std::set<std::string> namesIn(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && isNameChar(text[end])) ++end;
    if (end > i && !std::isdigit(static_cast<unsigned char>(text[i]))) names.emplace(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

std::string renamed(std::string_view text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && isNameChar(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word(text.substr(i, end - i));
    const auto found = names.find(word);
    out += found == names.end() ? word : found->second;
    i = end;
  }
  return out;
}

// Texts that are put in, in the order of their places.
class Insertions {
 public:
  void add(std::uint32_t at, std::string text) { inserted_.push_back({at, std::move(text)}); }

  std::string applyTo(std::string text) {
    std::stable_sort(inserted_.begin(), inserted_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (auto i = inserted_.rbegin(); i != inserted_.rend(); ++i) text.insert(i->at, i->text);
    return text;
  }

  // A span of the changed text in the text before; nothing where it begins or ends inside of an insertion.
  std::optional<Span> before(Span span, SourceId source) const {
    const auto begin = before(span.begin), end = before(span.end);
    if (!begin || !end) return std::nullopt;
    return Span{source, *begin, *end};
  }

 private:
  struct Insertion {
    std::uint32_t at;
    std::string text;
  };
  std::optional<std::uint32_t> before(std::uint32_t offset) const {
    std::uint32_t shift = 0;
    for (const Insertion& i : inserted_) {
      const auto size = static_cast<std::uint32_t>(i.text.size());
      if (offset <= i.at + shift) break;
      if (offset < i.at + shift + size) return std::nullopt;
      shift += size;
    }
    return offset - shift;
  }

  std::vector<Insertion> inserted_;
};

// The types of the arguments, printed in the same names; none where one has none that can be written.
std::vector<std::string> typesOfArguments(Checked& checked, const ast::Module& module, const ast::ExprCall& call) {
  std::vector<TypeId> types;
  for (const ast::ExprId argument : call.arguments) {
    std::optional<TypeId> type;
    for (const TypedExpr& e : checked.program.exprs) {
      const TypeKind kind = checked.solution.types[checked.solution.resolve(e.type)].kind;
      if (e.span == module[argument].span && kind != TypeKind::error) type = e.type;
    }
    if (!type) return {};
    types.push_back(*type);
  }
  std::vector<std::string> texts = printTypes(checked, types);
  for (std::string& text : texts) {
    text = text.substr(0, text.find(" where "));
    if (text.find_first_of("?~") != text.npos || text.find("->") != text.npos) return {};
  }
  return texts;
}

// The sizes of a printed shape that is one list: `f32 [b, 4*h, 64]`.
std::vector<std::string> sizesOf(const std::string& type) {
  const std::size_t open = type.find('[');
  if (open == type.npos || type.back() != ']' || type.find('@') != type.npos || type[0] == '(') return {};
  std::vector<std::string> sizes(1);
  int depth = 0;
  for (char ch : type.substr(open + 1, type.size() - open - 2)) {
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (ch == ',' && depth == 0)
      sizes.emplace_back();
    else if (ch != ' ' || !sizes.back().empty())
      sizes.back() += ch;
  }
  return sizes;
}

bool isNumber(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

bool isName(const std::string& text) {
  return !text.empty() && !isNumber(text) && std::all_of(text.begin(), text.end(), isNameChar);
}

// Writes the types of the arguments into the signature: where a parameter has none, and what its sizes are.
Insertions specialise(const SourceMap& sources, const CalledFunction& own, const std::vector<std::string>& types) {
  const ast::Module& module = *own.module;
  Insertions insertions;
  std::map<std::string, std::string> names;    // of the caller, in the function
  std::map<std::string, std::string> numbers;  // that sizes of the function are
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto declared = declaredSizesOf(module, own.function->parameters[i]);
    const auto given = sizesOf(types[i]);
    if (declared.size() != given.size()) continue;
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
      const auto* size = std::get_if<ast::DimName>(&declared[axis]->node);
      if (size && isName(given[axis])) names.emplace(given[axis], size->name);
      if (size && isNumber(given[axis])) numbers.emplace(size->name, given[axis]);
    }
  }
  const std::set<std::string> taken = namesIn(sources.text(own.span));
  for (const std::string& type : types)
    for (const std::string& size : sizesOf(type))
      for (const std::string& name : namesIn(size)) {
        std::string other = name;
        while (taken.count(other)) other += '\'';
        names.emplace(name, other);
      }
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!own.function->parameters[i].type)
      insertions.add(own.function->parameters[i].span.end, " : " + renamed(types[i], names));
  std::string facts;
  for (const auto& [name, number] : numbers)
    facts += fmt::format("{}{} == {}", facts.empty() ? "" : ", ", name, number);
  if (facts.empty()) return insertions;
  if (own.function->where.empty())
    insertions.add(module[own.function->body].span.begin, "where " + facts + " ");
  else
    insertions.add(own.function->where.back().span.end, ", " + facts);
  return insertions;
}

// Follows the failing calls into the functions.
class CallFollower {
 public:
  CallFollower(const SourceMap& sources, const CheckOptions& options) : sources_(sources), options_(options) {
    constexpr std::uint64_t share = 100;  // of the work that a check may take
    options_.dimWork /= share;
    options_.work /= share;
    options_.narrowing = Narrowing::allowed;
  }

  std::optional<InnerFailure> find(Checked& checked, const Diagnostic& error, std::size_t depth = 0);

 private:
  SourceMap sources_;  // with the changed texts
  CheckOptions options_;
};

std::optional<InnerFailure> CallFollower::find(Checked& checked, const Diagnostic& error, std::size_t depth) {
  const ast::Module& root = checked.modules.root();
  const Span* place = std::get_if<Span>(&error.primary.place);
  const auto own = place && isInnerCode(error.code) ? calledFunctionAt(checked.modules, *place) : std::nullopt;
  if (!own || own->module != &root || own->caller != &root || depth == deepest) return std::nullopt;
  if (own->function->parameters.size() != own->call->arguments.size()) return std::nullopt;
  const std::vector<std::string> types = typesOfArguments(checked, root, *own->call);
  if (types.empty()) return std::nullopt;
  Insertions insertions = specialise(sources_, *own, types);
  Diagnostics found;
  const SourceId changed = sources_.add(std::string(sources_.path(root.source)),
                                        insertions.applyTo(std::string(sources_.text(root.source))));
  Modules modules = checked.modules;
  modules.modules.back() = parseModule(sources_, changed, std::string(root.name), found);
  if (!found.empty()) return std::nullopt;
  const CheckedPtr inside = check(modules, sources_, options_, found);
  for (const Diagnostic& d : found) {
    const Span* at = std::get_if<Span>(&d.primary.place);
    const auto in = at && at->source == changed ? insertions.before(*at, root.source) : std::nullopt;
    if (!in || !isWithin(*in, root[own->function->body].span) || d.code->severity != Severity::error) continue;
    if (!isInnerCode(d.code)) return std::nullopt;
    std::optional<InnerFailure> inner = find(*inside, d, depth + 1);
    if (!inner) {
      inner = InnerFailure{*at, own->name, {}, d.message, guessFixes(*inside, d)};
    } else {
      inner->calls.insert(inner->calls.begin(), *at);
    }
    auto toBefore = [&](Span& span) {
      const auto before = insertions.before(span, root.source);
      if (before) span = *before;
      return before.has_value();
    };
    if (!toBefore(inner->place)) return std::nullopt;
    std::erase_if(inner->calls, [&](Span& span) { return !toBefore(span); });
    std::erase_if(inner->guesses, [&](Fix& fix) {
      return !std::all_of(fix.edits.begin(), fix.edits.end(), [&](Edit& edit) { return toBefore(edit.span); });
    });
    return inner;
  }
  return std::nullopt;
}

}  // namespace

std::optional<InnerFailure> findInnerFailure(Checked& checked, const CheckOptions& options, const Diagnostic& error) {
  return CallFollower(checked.sources, options).find(checked, error);
}

void markInnerFailure(const InnerFailure& inner, Diagnostic& error) {
  std::erase_if(error.secondary, [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    return label.text == "by way of this" || label.text == "one of the shapes is from here" ||
           (span && *span == inner.place);
  });
  for (const Span call : inner.calls) error.addLabel(call, "which this asks for");
  error.addLabel(inner.place, "in {}: {}", arg::Name{inner.function}, arg::Subject{inner.message});
}

}  // namespace axle
