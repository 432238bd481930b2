#include "typecheck/infer/weight_mistakes.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "typecheck/solver/variables.h"

namespace axle {

namespace {

std::vector<const ast::Param*> paramsOf(const Inference& in) {
  std::vector<const ast::Param*> all;
  for (const ast::Item& item : in.module().items)
    if (const auto* param = std::get_if<ast::Param>(&item)) all.push_back(param);
  return all;
}

const ast::TypeTensor* declaredTensor(const Inference& in, const ast::Param& param) {
  return param.type ? std::get_if<ast::TypeTensor>(&in.module()[param.type].node) : nullptr;
}

// Returns the sizes of a declared shape, if they are numbers.
std::optional<std::vector<std::int64_t>> declaredSizes(const Inference& in, const ast::TypeTensor& type) {
  const auto* list = type.shape ? std::get_if<ast::ShapeDims>(&in.module()[type.shape].node) : nullptr;
  if (!list) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (ast::DimId id : list->dims) {
    const auto* number = std::get_if<ast::DimInt>(&in.module()[id].node);
    if (!number) return std::nullopt;
    sizes.push_back(static_cast<std::int64_t>(number->value));
  }
  return sizes;
}

// The params whose tensors the file lacks.
std::vector<const ast::Param*> missingParams(const Inference& in) {
  std::vector<const ast::Param*> missing = paramsOf(in);
  std::erase_if(missing, [&](const ast::Param* param) { return in.options.weights->find(param->tensorName); });
  return missing;
}

const OtherNames& otherNamesOf(Inference& in) {
  if (in.otherNames) return *in.otherNames;
  std::vector<std::string> named;
  for (const ast::Param* param : paramsOf(in)) named.push_back(param->tensorName);
  std::vector<MissingTensor> missing;
  for (const ast::Param* param : missingParams(in)) {
    const ast::TypeTensor* type = declaredTensor(in, *param);
    missing.push_back({param->tensorName, type ? declaredSizes(in, *type) : std::nullopt});
  }
  return in.otherNames.emplace(otherNames(*in.options.weights, named, missing));
}

const OtherName* otherName(Inference& in, const ast::Param& param) {
  const auto found = otherNamesOf(in).find(param.tensorName);
  return found == in.otherNames->end() ? nullptr : &found->second;
}

// Whether the file has no tensor of the program, by no name: it is another file, or names all of them otherwise.
bool hasNone(Inference& in) {
  constexpr std::size_t least = 3;  // fewer may be mistyped
  const std::size_t all = paramsOf(in).size();
  return all >= least && otherNamesOf(in).empty() && missingParams(in).size() == all;
}

// The params of which one error tells that the file lacks them.
std::vector<const ast::Param*> toldTogether(Inference& in, const ast::Param& param) {
  if (!in.isRoot) return {&param};
  std::vector<const ast::Param*> together = missingParams(in);
  if (hasNone(in)) return together;
  const OtherName* other = otherName(in, param);
  std::erase_if(together, [&](const ast::Param* each) {
    const OtherName* its = otherName(in, *each);
    return each != &param && (!other || !its || its->scheme != other->scheme);
  });
  return together;
}

// Returns the edit that gives a param's tensor another name.
Edit nameTensor(const Inference& in, const ast::Param& param, const std::string& tensor) {
  const std::string text(in.checked.sources.text(param.span));
  const std::string now = fmt::format("\"{}\"", param.tensorName), instead = fmt::format("\"{}\"", tensor);
  auto part = [&](std::size_t begin, std::size_t end) {
    return Span{param.span.source, param.span.begin + static_cast<std::uint32_t>(begin),
                param.span.begin + static_cast<std::uint32_t>(end)};
  };
  if (const std::size_t at = text.find(now); at != text.npos) return {part(at, at + now.size()), instead};
  const std::size_t end = text.ends_with(';') ? text.size() - 1 : text.size();
  return {part(end, end), " = " + instead};
}

std::string withEdits(const Inference& in, Span whole, const std::vector<Edit>& edits) {
  std::string text(in.checked.sources.text(whole));
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    if (whole.begin <= edit->span.begin && edit->span.end <= whole.end)
      text.replace(edit->span.begin - whole.begin, edit->span.end - edit->span.begin, edit->text);
  return text;
}

void inOrder(std::vector<Edit>& edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
}

// Notes all others by name: what is to be written to the file, or looked up in it.
void noteOthers(const std::vector<const ast::Param*>& all, Diagnostic& d, Format<Phrase> text) {
  Phrase names = "";
  for (std::size_t i = 1; i < all.size(); ++i)
    names = i == 1 ? Phrase("{}", arg::Name{all[i]->name.text}) : Phrase("{}, {}", names, arg::Name{all[i]->name.text});
  if (all.size() > 1) d.addNote(text, names);
}

void noteTensors(const WeightSource& weights, Diagnostic& d) {
  constexpr std::size_t mostNames = 5;
  const std::size_t shown = std::min(weights.names.size(), mostNames);
  Phrase names = "";
  for (std::size_t i = 0; i < shown; ++i)
    names = i == 0 ? Phrase("{}", arg::TensorName{weights.names[i]})
                   : Phrase("{}, {}", names, arg::TensorName{weights.names[i]});
  if (weights.names.size() > shown)
    names = Phrase("{} and {}", names, arg::Counted{weights.names.size() - shown, "other"});
  if (shown > 0) d.addNote("it has {}", names);
}

}  // namespace

bool isToldBefore(Inference& in, const ast::Param& param) { return toldTogether(in, param).front() != &param; }

void suggestNames(Inference& in, const ast::Param& param, Diagnostic& d) {
  const std::vector<const ast::Param*> all = toldTogether(in, param);
  noteOthers(all, d, "it also has no tensors for {}");
  if (in.isRoot && hasNone(in)) noteTensors(*in.options.weights, d);
  if (!in.isRoot || !otherName(in, param)) return;
  Fix fix;
  std::vector<OtherName> others;
  for (const ast::Param* one : all) {
    others.push_back(*otherName(in, *one));
    fix.edits.push_back(nameTensor(in, *one, others.back().tensor));
  }
  fix.title = fmt::format("the names of the file {}: `{}`", wordsOf(others), withEdits(in, param.span, fix.edits));
  d.addHelp("{}", arg::Subject{fix.title});
  d.fixes.push_back(std::move(fix));
}

bool suggestTensorOfType(Inference& in, const ast::Param& param, const std::string& wanted, Diagnostic& d) {
  const WeightSource& weights = *in.options.weights;
  std::set<std::string_view> named;
  for (const ast::Param* each : paramsOf(in)) named.insert(each->tensorName);
  for (const std::string& name : weights.names) {
    const auto found = named.count(name) || !in.isRoot ? std::nullopt : weights.find(name);
    if (!found) continue;
    Shape shape;
    for (std::int64_t size : found->shape) shape.push_back(ShapePart::of(in.solution.dims.constant(size)));
    if (printType(in.checked, tensorType(in.solution, ElemTerm::of(found->elem), std::move(shape), {})) != wanted)
      continue;
    Fix fix{"", {nameTensor(in, param, name)}};
    fix.title =
        fmt::format("no `param` uses \"{}\", which has this type: `{}`", name, withEdits(in, param.span, fix.edits));
    d.addHelp("{}", arg::Subject{fix.title});
    d.fixes.push_back(std::move(fix));
    return true;
  }
  return false;
}

namespace {

bool isOtherFloat(const Inference& in, const ast::Param& param, Elem found) {
  const ast::TypeTensor* type = declaredTensor(in, param);
  const auto tensor = in.options.weights->find(param.tensorName);
  return type && tensor && tensor->elem == found && info(found).isFloat && type->elem != info(found).name &&
         (type->elem == "f32" || type->elem == "f16" || type->elem == "f64" || type->elem == "bf16");
}

std::vector<const ast::Param*> paramsOfElement(const Inference& in, Elem found) {
  std::vector<const ast::Param*> same;
  for (const ast::Param* param : paramsOf(in))
    if (isOtherFloat(in, *param, found)) same.push_back(param);
  return same;
}

// Whether a function around a use has a parameter of that name.
bool isHidden(const Inference& in, Span use, const std::string& name) {
  return std::ranges::any_of(in.module().exprs, [&](const ast::Expr& e) {
    const auto* fn = std::get_if<ast::ExprFn>(&e.node);
    return fn && e.span.begin <= use.begin && use.end <= e.span.end &&
           std::ranges::any_of(fn->parameters, [&](const ast::Parameter& p) { return p.name.text == name; });
  });
}

// Wraps each use of a param in two texts.
void wrapUses(const Inference& in, const ast::Param& param, const std::string& before, const std::string& behind,
              std::vector<Edit>& edits) {
  for (const ast::Expr& e : in.module().exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node);
        name && name->name == param.name.text && !isHidden(in, e.span, name->name))
      edits.push_back({e.span, before + name->name + behind});
}

// Returns the order of axes that turns shape `found` into `wanted`; prefers the layouts of other libraries.
std::vector<std::size_t> orderOfAxes(const std::vector<std::int64_t>& found, const std::vector<std::int64_t>& wanted) {
  auto fits = [&](const std::vector<std::size_t>& order) {
    for (std::size_t i = 0; i < order.size(); ++i)
      if (found[order[i]] != wanted[i]) return false;
    return true;
  };
  constexpr std::size_t mostAxes = 5;
  if (found.size() != wanted.size() || found.size() < 2 || found.size() > mostAxes) return {};
  std::vector<std::size_t> order(found.size());
  // From OIHW and OHWI to HWIO, also where sizes are equal; the same of one axis.
  for (const std::vector<std::size_t>& layout :
       std::vector<std::vector<std::size_t>>{{2, 3, 1, 0}, {1, 2, 3, 0}, {2, 1, 0}, {1, 2, 0}})
    if (layout.size() == order.size() && fits(layout)) return layout;
  std::iota(order.rbegin(), order.rend(), 0);
  if (fits(order)) return order;
  std::sort(order.begin(), order.end());
  do {
    if (fits(order)) return order;
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

}  // namespace

bool earlierHasElement(Inference& in, const ast::Param& param, const WeightType& found) {
  if (!in.isRoot || !isOtherFloat(in, param, found.elem)) return false;
  for (const ast::Param* earlier : paramsOf(in)) {
    if (earlier == &param) return false;
    if (isOtherFloat(in, *earlier, found.elem)) return true;
  }
  return false;
}

void suggestType(Inference& in, const ast::Param& param, const WeightType& found, Diagnostic& d) {
  const ast::TypeTensor* type = in.isRoot ? declaredTensor(in, param) : nullptr;
  if (!type) return;
  Fix fix;
  if (isOtherFloat(in, param, found.elem)) {
    const std::vector<const ast::Param*> all = paramsOfElement(in, found.elem);
    noteOthers(all, d, "so are the tensors of {}");
    for (const ast::Param* one : all) {
      fix.edits.push_back({declaredTensor(in, *one)->elemSpan, std::string(info(found.elem).name)});
      wrapUses(in, *one, "cast(", ")", fix.edits);
    }
    fix.title = fmt::format("declare what the file has, `{} : {}`, and convert it where it is used: `cast({})`",
                            param.name.text, withEdits(in, in.module()[param.type].span, fix.edits), param.name.text);
  } else if (const auto wanted = declaredSizes(in, *type)) {
    const std::vector<std::size_t> order = orderOfAxes(found.shape, *wanted);
    if (order.empty()) return;
    std::string sizes, perm;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sizes += fmt::format("{}{}", i ? ", " : "", found.shape[i]);
      perm += fmt::format("{}{}", i ? ", " : "", order[i]);
    }
    const std::string behind = order.size() == 2 ? ")" : fmt::format(", perm=[{}])", perm);
    fix.edits.push_back({in.module()[type->shape].span, "[" + sizes + "]"});
    wrapUses(in, param, "transpose(", behind, fix.edits);
    fix.title =
        fmt::format("declare what the file has, `{} : {}`, and transpose it where it is used: `transpose({}{}`",
                    param.name.text, withEdits(in, in.module()[param.type].span, fix.edits), param.name.text, behind);
  } else {
    return;
  }
  inOrder(fix.edits);
  d.fixes.push_back(std::move(fix));
}

}  // namespace axle
