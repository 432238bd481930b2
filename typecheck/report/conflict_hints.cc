#include "typecheck/report/conflict_hints.h"

#include <string_view>

#include "typecheck/report/conflict_messages.h"

namespace axle {
namespace {

struct Hint {
  std::string_view subject;  // empty: any
  ConflictKind kind;
  Format<> text;
};
constexpr Format<> mapOverRows =
    "`map(fn (row) { ... }, x)` hands over one element at a time, as a tensor of one length";
constexpr Hint hintsOfKind[] = {
    {"", ConflictKind::unragged, mapOverRows},
    {"", ConflictKind::escape,
     "`match y : f32 [k, d] { ... }` names the size inside of a block; a result type can say `?k`"},
    {"", ConflictKind::undetermined,
     "a name, or a multiple of one, as in `match y : f32 [2*k] { ... }`, is told by the size that is found"},
    {"", ConflictKind::unopened,
     "call the function by its own name, or write it where `map` applies it: each such call has its own size"},
    {"", ConflictKind::stream,
     "convolutions, pools, `map`, a forward `loop`, and the other axes stream; a mean over a window is `avg_pool`"},
    {"", ConflictKind::stream, "where the whole sequence is at hand, write its size without `~`"},
    {"", ConflictKind::elemClass, "`cast` converts; to what, an annotation says, as in `fn (x) : f32 [n] { ... }`"},
};
constexpr Hint hintsOfSubject[] = {
    {"`if`", ConflictKind::rank, "`select(condition, a, b)` chooses element by element"},
    {"`matmul`", ConflictKind::rank,
     "it multiplies matrices, in batches of equal shape: for vectors, or a batch by one matrix, use `einsum` or "
     "`map`"},
    {"`slice`", ConflictKind::fact, "bounds lie within the axis, the first one first, and a step is >= 1"},
};

// The texts of the facts that an error relies on, as a list.
Phrase listed(const SourceMap& sources, const std::vector<std::pair<Span, Phrase>>& facts) {
  Phrase all("{}", arg::Code{sources.text(facts.front().first)});
  for (std::size_t i = 1; i < facts.size(); ++i)
    all = Phrase(Format<Phrase, arg::Code>("{}, {}"), all, arg::Code{sources.text(facts[i].first)});
  return all;
}

}  // namespace

void addHints(const Conflict& conflict, const Reason& reason, bool isGraph, Diagnostic& d) {
  if (wantsBool(conflict, reason)) {
    if (!isGraph) d.addHelp("a comparison gives bool, as in `x > 0`");
  } else if (conflict.kind == ConflictKind::elem && reason.kind == ReasonKind::application) {
    d.addHelp(isGraph ? Phrase("nothing is converted unasked: a `Cast` node makes one type of the other")
                      : Phrase("nothing is converted unasked: `cast` gives the element type that its use asks for"));
  }
  const bool isMask = conflict.kind == ConflictKind::elemClass && conflict.left == "int" && conflict.right == "bool";
  if (!isGraph && !isMask)
    for (const Hint& hint : hintsOfKind)
      if (conflict.kind == hint.kind) d.addHelp(hint.text);
  if (conflict.kind == ConflictKind::ragged && (!conflict.right.empty() || !conflict.sizeName.empty())) {
    const bool areLengths = conflict.right.starts_with('*') && conflict.left.starts_with('*');
    if (areLengths)
      d.addHelp(
          "where the lengths are always equal, give them one name in the signature; "
          "`same_lengths(x, y)` gives y the lengths of x, checked in the run");
    else
      d.addHelp(mapOverRows);
  }
  for (const Hint& hint : hintsOfSubject)
    if (reason.subject == hint.subject && conflict.kind == hint.kind) d.addHelp(hint.text);
  if (reason.subject.starts_with("the index ") && conflict.kind == ConflictKind::fact)
    d.addHelp("an axis of size n has the indices 0 to n - 1, and -n to -1, which count from its end");
}

void addContradiction(const SourceMap& sources, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  const bool isOfSignature = reason.kind == ReasonKind::where && std::get<Span>(d.primary.place) == reason.span;
  if (!isOfSignature || conflict.because.empty()) return;
  d.addHelp("they contradict each other: leave out {} or {}", listed(sources, conflict.because),
            arg::Code{sources.text(reason.span)});
}

}  // namespace axle
