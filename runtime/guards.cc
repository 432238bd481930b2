#include "runtime/guards.h"

#include <optional>

#include "dims/relation.h"
#include "io/joined.h"
#include "runtime/debug.h"

namespace axle::runtime {
namespace {

constexpr std::size_t longestText = 120;
constexpr int deepest = 16;

// Prints sizes from the manifest's list of dimensions, if the text is short.
class SizePrinter {
 public:
  explicit SizePrinter(const manifest::Manifest& manifest) : manifest_(manifest) {}

  std::optional<std::string> print(const manifest::Guard& guard) {
    text_.clear();
    const bool fits = append(guard.left, 0, deepest) &&
                      append(joined({" ", spelling(static_cast<FactRelation>(guard.relation)), " "})) &&
                      append(guard.right, 0, deepest);
    return fits ? std::optional(text_) : std::nullopt;
  }

 private:
  enum Precedence { sum = 1, product = 2 };

  bool append(const std::string& part) {
    if (part.size() > longestText || text_.size() + part.size() > longestText) return false;
    text_ += part;
    return true;
  }

  // Appends a dimension, in brackets if its operator binds less than `outer`. Returns false if the text gets too long.
  bool append(std::uint32_t dim, int outer, int depth) {
    const DimNode& node = manifest_.dims[dim];
    if (depth == 0) return false;
    if (node.op == DimOp::constant) return append(std::to_string(node.value));
    if (node.op == DimOp::symbol) return append(manifest_.symbols[static_cast<std::size_t>(node.value)].name);
    if (node.op == DimOp::max || node.op == DimOp::min || node.op == DimOp::ceildiv)
      return append(joined({spelling(node.op), "("})) && append(node.left, 0, depth - 1) && append(", ") &&
             append(node.right, 0, depth - 1) && append(")");
    const bool isSum = node.op == DimOp::add || node.op == DimOp::sub;
    const int own = isSum ? sum : product;
    const bool brackets = own < outer || (outer == product && node.op != DimOp::mul);
    const std::string sign = spelling(node.op), between = node.op == DimOp::mul ? sign : joined({" ", sign, " "});
    return append(brackets ? "(" : "") && append(node.left, own, depth - 1) && append(between) &&
           append(node.right, node.op == DimOp::add || node.op == DimOp::mul ? own : own + 1, depth - 1) &&
           append(brackets ? ")" : "");
  }

  const manifest::Manifest& manifest_;
  std::string text_;
};

}  // namespace

std::vector<GuardInfo> describeGuards(const manifest::Manifest& manifest) {
  std::vector<GuardInfo> guards = describeGuards(manifest.debug, manifest.guards.size());
  guards.resize(manifest.guards.size());
  SizePrinter printer(manifest);
  for (std::size_t i = 0; i < guards.size(); ++i)
    if (guards[i].text.empty()) guards[i].text = printer.print(manifest.guards[i]).value_or(unprintedGuard);
  return guards;
}

}  // namespace axle::runtime
