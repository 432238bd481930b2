#include "tests/operators/application.h"

#include <algorithm>
#include <numeric>

#include "typecheck/types/type.h"

namespace axle::test {

namespace {

// clang-format off
constexpr Ranges ranges[] = {
    // operator            function                   second           least most sizes from
    {"reduce",             "fn (p, q) { max(p, q) }", "",              -1, 4, 0},
    {"map",                "fn (#) { (#) }",          "",              -1, 4, 0},
    {"loop",               "fn (z, #) { (z, (#)) }",  "",              -1, 4, 0},
    {"while",              "fn (p) { false }",        "fn (p) { p }",  -1, 4, 0},
    {"top_k",              "",                        "",               0, 3, 0},
    {"segment_sum",        "",                        "",               1, 4, 0},
    {"segment_mean",       "",                        "",               1, 4, 0},
    {"segment_max",        "",                        "",               1, 4, 0},
    {"segment_min",        "",                        "",               1, 4, 0},
    {"bincount",           "",                        "",               1, 4, 0},
    {"dynamic_slice",      "",                        "",               0, 2, 0},
    {"split",              "",                        "",               1, 3, 0},
    {"space_to_depth",     "",                        "",               1, 2, 0},
    {"depth_to_space",     "",                        "",               1, 2, 0},
    {"frame",              "",                        "",               1, 3, 0},
    {"overlap_add",        "",                        "",               1, 3, 0},
    {"conv1d",             "",                        "",              -1, 4, 1},
    {"conv3d",             "",                        "",              -1, 4, 1},
    {"depthwise_conv1d",   "",                        "",              -1, 4, 1},
    {"depthwise_conv3d",   "",                        "",              -1, 4, 1},
    {"conv_transpose1d",   "",                        "",              -1, 4, 1},
    {"conv_transpose2d",   "",                        "",              -1, 4, 1},
    {"conv_transpose3d",   "",                        "",              -1, 4, 1},
    {"conv2d",             "",                        "",              -1, 4, 1},  // "same" has no padding for empty windows
    {"depthwise_conv2d",   "",                        "",              -1, 4, 1},  // as conv2d
};
// clang-format on

// Draws one application; a name gets its value when it is first met.
class Draw {
 public:
  Draw(const OperatorTable::Entry& entry, Random& random, std::string& reason)
      : decl_(*entry.decl), m_(*entry.module), random_(random), reason_(reason), ranges_(rangesOf(entry.name)) {
    made_.call = entry.name;
  }

  std::optional<Application> run() {
    std::vector<std::string> given;
    chooseCount();
    for (const ast::OpParameter& parameter : decl_.parameters)
      if (parameter.type && !function(parameter.type)) tensors(parameter);
    std::size_t tensor = 0, functions = 0;
    for (const ast::OpParameter& parameter : decl_.parameters) {
      if (!parameter.type) {
        given.push_back(attribute(*std::find_if(decl_.attributes.begin(), decl_.attributes.end(),
                                                [&](const auto& a) { return a.name.text == parameter.name; })));
      } else if (function(parameter.type)) {
        given.push_back(functionText(functions++));
      } else {
        for (std::size_t i = 0; i < counts_[&parameter]; ++i)
          given.push_back(std::string(1, static_cast<char>('a' + tensor++)));
      }
    }
    for (const ast::OpAttribute& a : decl_.attributes) {
      bool positional = std::any_of(decl_.parameters.begin(), decl_.parameters.end(),
                                    [&](const auto& p) { return p.name == a.name.text; });
      bool drawn = dims_.count(a.name.text) > 0;  // a parameter's size depends on it
      if (positional || (a.defaultValue && !drawn && below(3) == 0)) continue;
      given.push_back(a.name.text + "=" + attribute(a));
    }
    made_.call = spelled(given);
    annotate();
    if (!reason_.empty()) return std::nullopt;
    return std::move(made_);
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  void cannot(const std::string& what) {
    if (reason_.empty()) reason_ = what;
  }

  // ---- values of names

  std::int64_t drawSize() {
    std::int64_t size = below(12) == 0 ? 0 : between(1, 4);
    return ranges_ ? std::max(size, ranges_->smallest) : size;
  }

  struct Size {
    std::int64_t value;
    std::string symbol;
  };

  Size dimNamed(const std::string& name) {
    auto [known, isNew] = dims_.try_emplace(name);
    if (isNew) known->second = {drawSize(), name};
    return known->second;
  }

  std::vector<Size> shapeNamed(const std::string& name) {
    auto [known, isNew] = shapes_.try_emplace(name);
    if (isNew)
      for (std::int64_t i = below(3); i > 0; --i) known->second.push_back({drawSize(), name + std::to_string(i)});
    return known->second;
  }

  Elem elemNamed_(const std::string& name) {
    if (auto builtin = elemNamed(name)) return *builtin;
    auto [known, isNew] = elems_.try_emplace(name);
    if (!isNew) return known->second;
    ElemClass wanted = ElemClass::any;
    for (const ast::Fact& fact : decl_.where)
      if (auto* cls = std::get_if<ast::FactClass>(&fact.node); cls && cls->variable == name)
        for (ElemClass c : {ElemClass::eq, ElemClass::num, ElemClass::floating, ElemClass::integer})
          if (cls->className == axle::name(c)) wanted = c;
    do known->second = static_cast<Elem>(below(elemCount));
    while (known->second == Elem::string || !contains(wanted, known->second));
    return known->second;
  }

  void chooseCount() {
    for (const ast::OpParameter& parameter : decl_.parameters) {
      counts_[&parameter] = 1;
      bool packed = !parameter.count.empty() || (parameter.type && mentionsPack(parameter.type));
      if (packed && parameter.type && !function(parameter.type))
        counts_[&parameter] = sequences_ = static_cast<std::size_t>(between(1, 3));
    }
  }

  bool function(ast::TypeId id) const { return std::holds_alternative<ast::TypeFunction>(m_[id].node); }
  bool mentionsPack(ast::TypeId id) const {
    auto* t = std::get_if<ast::TypeTensor>(&m_[id].node);
    return t && (t->elemIsPack || (t->shape && mentionsPack(t->shape)));
  }
  bool mentionsPack(ast::ShapeId id) const {
    const auto& node = m_[id].node;
    if (std::holds_alternative<ast::ShapePack>(node)) return true;
    if (auto* append = std::get_if<ast::ShapeAppend>(&node))
      return std::any_of(append->parts.begin(), append->parts.end(), [&](ast::ShapeId p) { return mentionsPack(p); });
    if (auto* dims = std::get_if<ast::ShapeDims>(&node))
      return std::any_of(dims->dims.begin(), dims->dims.end(),
                         [&](ast::DimId d) { return std::holds_alternative<ast::DimPack>(m_[d].node); });
    return false;
  }

  // ---- parameters

  void tensors(const ast::OpParameter& parameter) {
    for (pack_ = 0; pack_ < counts_[&parameter]; ++pack_) {
      Argument argument;
      if (auto* tensor = std::get_if<ast::TypeTensor>(&m_[parameter.type].node)) {
        argument.elem = elemNamed_(tensor->elem + (tensor->elemIsPack ? std::to_string(pack_) : ""));
        if (tensor->shape)
          for (const Size& size : shape(tensor->shape)) {
            argument.shape.push_back(size.value);
            argument.symbols.push_back(size.symbol.empty() ? std::to_string(size.value) : size.symbol);
          }
        if (argument.ragged()) argument.lengths = lengths_;
      } else if (std::holds_alternative<ast::TypeName>(m_[parameter.type].node)) {  // any type: another tensor's
        for (const Size& size : shapeNamed("any")) {
          argument.shape.push_back(size.value);
          argument.symbols.push_back(size.symbol);
        }
      } else {
        cannot("a parameter is neither a tensor nor a function");
      }
      made_.arguments.push_back(std::move(argument));
    }
    pack_ = 0;
  }

  std::vector<Size> shape(ast::ShapeId id) {
    const auto& node = m_[id].node;
    std::vector<Size> out;
    if (auto* named = std::get_if<ast::ShapeName>(&node)) return shapeNamed(named->name);
    if (auto* packed = std::get_if<ast::ShapePack>(&node)) return shapeNamed(packed->name + std::to_string(pack_));
    if (auto* append = std::get_if<ast::ShapeAppend>(&node)) {
      for (ast::ShapeId part : append->parts)
        for (Size& size : shape(part)) out.push_back(std::move(size));
      return out;
    }
    if (auto* dims = std::get_if<ast::ShapeDims>(&node)) {
      for (ast::DimId d : dims->dims) {
        auto* length = std::get_if<ast::DimRagged>(&m_[d].node);
        out.push_back(length ? ragged(length->name, out[0].value) : dim(d));
      }
      return out;
    }
    cannot("a parameter's shape is computed");
    return out;
  }

  // Returns a length for each element; half of the time those of the previous ragged argument.
  Size ragged(const std::string& name, std::int64_t elements) {
    if (lengths_.empty() || below(2)) {
      lengths_.assign(static_cast<std::size_t>(elements), 0);
      for (std::int64_t& length : lengths_) length = below(4);
    }
    return {std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0}), "*" + name};
  }

  Size dim(ast::DimId id) {
    const auto& node = m_[id].node;
    if (auto* number = std::get_if<ast::DimInt>(&node)) return {static_cast<std::int64_t>(number->value), ""};
    if (auto* named = std::get_if<ast::DimName>(&node)) return dimNamed(named->name);
    if (auto* packed = std::get_if<ast::DimPack>(&node)) return dimNamed(packed->name + std::to_string(pack_));
    if (auto* of = std::get_if<ast::DimOfShape>(&node); of && of->isRank)
      return {static_cast<std::int64_t>(shape(of->shape).size()), ""};
    if (auto* binary = std::get_if<ast::DimBinary>(&node)) {
      std::int64_t left = dim(binary->left).value, right = dim(binary->right).value;
      if (binary->op == ast::DimOp::add) return {left + right, ""};
      if (binary->op == ast::DimOp::mul) return {left * right, ""};
      if (binary->op == ast::DimOp::div && right > 0) return {left / right, ""};
    }
    cannot("a parameter's size is computed");
    return {};
  }

  std::string functionText(std::size_t which) {
    std::string_view text = !ranges_ ? "" : which == 0 ? ranges_->function : ranges_->second;
    if (text.empty()) cannot("a parameter is a function: it needs a row that says which");
    std::string elements, out;
    for (std::size_t i = 0; i < sequences_; ++i) elements += (i ? ", q" : "q") + std::to_string(i);
    for (char c : text) out += c == '#' ? elements : std::string(1, c);
    return out;
  }

  // ---- attributes

  std::size_t firstRank() const { return made_.arguments.empty() ? 0 : made_.arguments[0].shape.size(); }

  template <class F>
  std::string list(std::size_t count, F item) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) out += (i ? ", " : "") + item();
    return out + "]";
  }

  std::string attribute(const ast::OpAttribute& a) {
    auto number = [&](std::int64_t low, std::int64_t high) {
      return [=, this] { return std::to_string(between(low, high)); };
    };
    auto pair = [&] { return list(2, number(0, 2)); };
    std::int64_t rank = static_cast<std::int64_t>(firstRank());
    switch (a.sort) {
      case ast::Sort::integer:
        if (auto known = dims_.find(a.name.text); known != dims_.end()) return std::to_string(known->second.value);
        return ranges_ ? number(ranges_->least, ranges_->most)() : number(-1, 4)();
      case ast::Sort::ints:
        return list(a.length ? *a.length : firstRank(), number(1, 3));
      case ast::Sort::pairs:
        return list(firstRank(), pair);
      case ast::Sort::axis: {
        auto before = static_cast<std::int64_t>(shapeNamed(a.sortArguments[0]).size());
        auto after = static_cast<std::int64_t>(shapeNamed(a.sortArguments[1]).size());
        return std::to_string(below(2) ? before : -1 - after);
      }
      case ast::Sort::axes: {
        std::vector<std::string> chosen;
        for (std::int64_t i = 0; i < rank; ++i)
          if (below(2)) chosen.push_back(std::to_string(below(2) ? i : i - rank));
        std::shuffle(chosen.begin(), chosen.end(), random_);
        if (chosen.size() == 1 && below(2)) return chosen[0];
        std::size_t at = 0;
        return list(chosen.size(), [&] { return chosen[at++]; });
      }
      case ast::Sort::perm: {
        std::vector<std::size_t> order(firstRank());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random_);
        std::size_t at = 0;
        return list(order.size(), [&] { return std::to_string(order[at++]); });
      }
      case ast::Sort::padding:
        return below(3) == 0 ? "\"valid\"" : below(2) == 0 ? "\"same\"" : list(a.length.value_or(2), pair);
      case ast::Sort::boolean:
        return below(2) ? "true" : "false";
      case ast::Sort::shape:
        return sizes(a.name.text);
      case ast::Sort::real: {
        static constexpr const char* values[] = {"0.5", "1", "-2.0", "0.25"};
        return values[below(4)];
      }
      case ast::Sort::sizes:
        return list(*a.length, [] { return std::string("_"); });
      case ast::Sort::word:
        return "\"" +
               a.sortArguments[static_cast<std::size_t>(below(static_cast<std::int64_t>(a.sortArguments.size())))] +
               "\"";
      case ast::Sort::equation:
        return equation();
      case ast::Sort::elem:
        cannot("an attribute is an element type");
    }
    return "";
  }

  // Returns an equation with a letter for each axis of each operand; the result keeps some of them.
  std::string equation() {
    std::string operands, kept;
    char letter = 'a';
    for (std::size_t i = 0; i < made_.arguments.size(); ++i) {
      operands += i ? "," : "";
      for (std::size_t k = 0; k < made_.arguments[i].shape.size(); ++k, ++letter) {
        operands += letter;
        if (below(2)) kept += letter;
      }
    }
    std::shuffle(kept.begin(), kept.end(), random_);
    return "\"" + operands + "->" + kept + "\"";
  }

  // Returns a list of sizes, suitable for the shape function that takes it.
  std::string sizes(const std::string& name) {
    std::string function = shapeFunctionOf(name);
    std::vector<std::int64_t> out;
    std::vector<std::int64_t> first = made_.arguments.empty() ? std::vector<std::int64_t>{} : made_.arguments[0].shape;
    if (function == "sized") {
      for (std::int64_t i = below(3); i >= 0; --i) out.push_back(between(0, 3));
    } else if (function == "stretch") {
      for (std::int64_t i = below(3); i > 0; --i) out.push_back(between(1, 3));
      for (std::int64_t size : first) out.push_back(size == 1 ? between(1, 3) : size);
    } else if (function == "reshape") {
      std::int64_t rest = std::accumulate(first.begin(), first.end(), std::int64_t{1}, std::multiplies<>());
      for (int i = 0; i < 2; ++i) {
        std::int64_t factor = between(1, 4);
        out.push_back(rest % factor == 0 ? factor : 1);
        rest /= out.back();
      }
      out.push_back(rest);
      std::shuffle(out.begin(), out.end(), random_);
    } else {
      cannot("a list of sizes that no shape function takes");
    }
    std::size_t at = 0;
    return list(out.size(), [&] { return std::to_string(out[at++]); });
  }

  std::string shapeFunctionOf(const std::string& name) const {
    auto* tensor = std::get_if<ast::TypeTensor>(&m_[decl_.result].node);
    auto* call = tensor && tensor->shape ? std::get_if<ast::ShapeCall>(&m_[tensor->shape].node) : nullptr;
    if (call)
      for (ast::ShapeId argument : call->arguments)
        if (auto* named = std::get_if<ast::ShapeName>(&m_[argument].node); named && named->name == name)
          return call->function;
    return "";
  }

  // ---- text

  std::string spelled(const std::vector<std::string>& given) const {
    bool isName = std::isalpha(static_cast<unsigned char>(decl_.name.text[0])) != 0;
    if (decl_.name.text == "not" || (!isName && given.size() == 1)) return decl_.name.text + " " + given[0];
    if (!isName || decl_.name.text == "and" || decl_.name.text == "or")
      return given[0] + " " + decl_.name.text + " " + given[1];
    std::string out = decl_.name.text + "(";
    for (std::size_t i = 0; i < given.size(); ++i) out += (i ? ", " : "") + given[i];
    return out + ")";
  }

  // Annotates the result with an element type if no argument determines it.
  void annotate() {
    auto* tensor = std::get_if<ast::TypeTensor>(&m_[decl_.result].node);
    if (!tensor || elemNamed(tensor->elem) || elems_.count(tensor->elem)) return;
    made_.result = std::string(info(elemNamed_(tensor->elem)).name) + " res";
  }

  const ast::OpDecl& decl_;
  const ast::Module& m_;
  Random& random_;
  std::string& reason_;
  const Ranges* ranges_;
  Application made_;
  std::map<std::string, Size> dims_;
  std::map<std::string, std::vector<Size>> shapes_;
  std::map<std::string, Elem> elems_;
  std::map<const ast::OpParameter*, std::size_t> counts_;
  std::vector<std::int64_t> lengths_;
  std::size_t pack_ = 0, sequences_ = 1;
};

}  // namespace

const Ranges* rangesOf(std::string_view op) {
  const auto* row = std::find_if(std::begin(ranges), std::end(ranges), [&](const Ranges& r) { return r.op == op; });
  return row == std::end(ranges) ? nullptr : row;
}

std::string Application::program(bool symbolic) const {
  std::string out = "main = fn (";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out += (i ? ", " : "") + std::string(1, static_cast<char>('a' + i)) + " : " +
           std::string(info(arguments[i].elem).name) + " [";
    for (std::size_t k = 0; k < arguments[i].shape.size(); ++k) {
      bool named = (symbolic && arguments[i].shape[k] != 1) || (k == 1 && arguments[i].ragged());
      out += (k ? ", " : "") + (named ? arguments[i].symbols[k] : std::to_string(arguments[i].shape[k]));
    }
    out += "]";
  }
  return out + ")" + (result.empty() ? "" : " : " + result) + " { " + call + " };";
}

std::optional<Application> draw(const OperatorTable::Entry& entry, Random& random, std::string& reason) {
  return Draw(entry, random, reason).run();
}

namespace {

runtime::Tensor filled(Elem elem, const std::vector<std::int64_t>& sizes, Random& random) {
  runtime::Shape shape;
  for (std::int64_t size : sizes) shape.push(size);
  runtime::Tensor tensor = std::move(runtime::Tensor::make(elem, shape).value());
  const std::size_t width = info(elem).bytes;
  for (std::size_t i = 0; i < tensor.bytes().size(); ++i) {
    bool lowest = i % width == 0, highest = i % width == width - 1;
    auto bits = static_cast<unsigned>(random());
    if (info(elem).isFloat)  // the exponent is that of numbers from 0.5 to 4
      tensor.bytes()[i] =
          static_cast<std::byte>(highest ? (elem == Elem::f16 ? 0x38 + bits % 12 : 0x3f + bits % 2) : bits & 0x7f);
    else
      tensor.bytes()[i] = static_cast<std::byte>(lowest ? bits % 2 : 0);
  }
  return tensor;
}

}  // namespace

std::vector<runtime::Tensor> fill(const Application& application, Random& random) {
  std::vector<runtime::Tensor> all;
  for (const Argument& argument : application.arguments) {
    std::vector<std::int64_t> sizes = argument.shape;
    if (argument.ragged()) sizes.erase(sizes.begin());
    all.push_back(filled(argument.elem, sizes, random));
    if (!argument.ragged()) continue;
    all.push_back(filled(Elem::i64, {static_cast<std::int64_t>(argument.lengths.size()) + 1}, random));
    auto* splits = all.back().view().as<std::int64_t>();
    splits[0] = 0;
    std::partial_sum(argument.lengths.begin(), argument.lengths.end(), splits + 1);
  }
  return all;
}

}  // namespace axle::test
