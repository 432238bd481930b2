#include "import/tensorflow/reader/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "import/tensorflow/reader/convert.h"

namespace axle::codes {

const DiagnosticCode danglingInput{"E0905", Severity::error, "a node takes from a node that is not there"};
const DiagnosticCode noSuchPort{"E0906", Severity::error, "a node has no such output"};
const DiagnosticCode duplicateNode{"E0907", Severity::error, "several nodes of one name"};
const DiagnosticCode cycle{"E0908", Severity::error, "nodes that take from each other"};
const DiagnosticCode nodeAttribute{"E0910", Severity::error,
                                   "an attribute is missing, or is none that its operator takes"};
const DiagnosticCode nodeConstant{"E0911", Severity::error, "a constant that is not what it says"};
const DiagnosticCode missingFunction{"E0912", Severity::error, "a function that is not in the file"};

}  // namespace axle::codes

namespace axle::tensorflow {

namespace {

using BadInput = Message<arg::Name, arg::Name, Phrase>;
constexpr BadInput inputWithoutNode{codes::danglingInput, "{} takes {}, but {}"};
constexpr BadInput inputWithoutPort{codes::noSuchPort, "{} takes {}, but {}"};
constexpr BadInput inputOfSeveralNodes{codes::duplicateNode, "{} takes {}, but {}"};
constexpr Message<arg::Name, arg::Cause, arg::Counted, arg::Number> inputCountDiffers{codes::inputCount,
                                                                                      "{} ({}) takes {}, but has {}"};
constexpr Message<Phrase> nodesInCycle{codes::cycle, "a cycle of nodes outside of any loop: {}"};
constexpr Message<arg::Name, arg::Cause, arg::Cause> brokenAttribute{codes::nodeConstant, "{} ({}): its attribute {}"};
using BadAttribute = Message<arg::Name, arg::Cause, arg::Name, Phrase>;
constexpr BadAttribute wrongAttribute{codes::nodeAttribute, "{} ({}): its attribute {} is {}"};
constexpr BadAttribute missingAttribute{codes::nodeAttribute, "{} ({}): its attribute {} of kind {} is missing"};
constexpr Message<arg::Name, arg::Cause, arg::Type, arg::Type> wrongConstantType{
    codes::nodeAttribute, "{} ({}): its value is of {}, but its attribute `dtype` is {}"};
constexpr Message<arg::Name, arg::Cause, arg::Name, arg::Name> functionNotInFile{
    codes::missingFunction, "{} ({}) calls {} by its attribute {}, but the file has no such function"};

constexpr std::int64_t notCounted = -2;
constexpr std::uint8_t unseen = 0, open = 1, done = 2;

std::optional<std::uint32_t> portNumber(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

bool isOneOf(std::string_view word, std::string_view a, std::string_view b) { return word == a || word == b; }

}  // namespace

Resolver::Resolver(Nodes& nodes, Library& library, Problems& problems, wire::FunctionDef* function)
    : nodes_(&nodes), library_(library), problems_(problems), function_(function) {
  parameters_ = function ? static_cast<std::uint32_t>(function->signature().input_arg_size()) : 0;
  byName_.reserve(size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    const auto [found, isNew] = byName_.emplace(nameOf(i), i);
    if (!isNew) duplicates_.emplace(nameOf(i), 1).first->second += 1;
  }
  inputs_.resize(size());
  state_.resize(size(), unseen);
  place_.resize(size(), -1);
  outputs_.resize(size(), notCounted);
}

const std::string& Resolver::functionName() const {
  static const std::string none;
  return function_ ? function_->signature().name() : none;
}

std::string_view Resolver::nameOf(std::uint32_t index) const {
  if (index < parameters_) return function_->signature().input_arg(static_cast<int>(index)).name();
  return message(index).name();
}

const std::string& Resolver::opOf(std::uint32_t index) const {
  static const std::string parameter = "_Arg";
  return index < parameters_ ? parameter : message(index).op();
}

// ---- names

tl::expected<std::uint32_t, Resolver::Fault> Resolver::nodeNamed(std::string_view name) const {
  if (const auto twice = duplicates_.find(name); twice != duplicates_.end())
    return tl::unexpected(Fault{&inputOfSeveralNodes,
                                Phrase("there are {} nodes called {}", arg::Number{twice->second}, arg::Name{name})});
  const auto found = byName_.find(name);
  if (found != byName_.end()) return found->second;
  return tl::unexpected(Fault{&inputWithoutNode, Phrase("there is no node {}", arg::Name{name})});
}

tl::expected<Resolver::Source, Resolver::Fault> Resolver::tensorNamed(std::string_view name) {
  const std::size_t first = name.find(':');
  const auto node = nodeNamed(name.substr(0, first));
  if (!node) return tl::unexpected(node.error());
  if (first == name.npos) return portNumbered(*node, 0);
  std::string_view rest = name.substr(first + 1);
  if (auto port = portNumber(rest)) return portNumbered(*node, *port);
  const std::size_t second = rest.find(':');
  const auto number = second == rest.npos ? 0 : portNumber(rest.substr(second + 1));
  if (function_ && number) return portNamed(*node, rest.substr(0, second), *number);
  return tl::unexpected(Fault{&inputWithoutPort, Phrase("{} does not end in a port's number", arg::Name{name})});
}

tl::expected<Resolver::Source, Resolver::Fault> Resolver::portNumbered(std::uint32_t index, std::uint32_t port) {
  const Source source{index, port};
  if (index < parameters_) return source;
  const std::int64_t count = outputCount(index);
  if (count < 0) return source;
  if (port < count) return source;
  const arg::Name node{message(index).name()};
  const arg::Cause op{message(index).op()};
  return tl::unexpected(
      Fault{&inputWithoutPort,
            count == 0 ? Phrase("{} ({}) has no outputs", node, op)
                       : Phrase("{} ({}) has {}", node, op, arg::Counted{static_cast<std::size_t>(count), "output"})});
}

// Returns -1 if the number is unknown. Counts once per node: a hostile function may have a hundred thousand results and
// take every one of them.
std::int64_t Resolver::outputCount(std::uint32_t index) {
  std::int64_t& count = outputs_[index];
  if (count != notCounted) return count;
  const wire::NodeDef& node = message(index);
  const auto interface = library_.interfaceOf(node.op());
  return count = interface ? tensorCount(interface->outputs, node, interface->op).value_or(-1) : -1;
}

// Resolves the tensor `split:output:2`. Its port counts from the first output; each output stands for as many tensors
// as the node's attributes say.
tl::expected<Resolver::Source, Resolver::Fault> Resolver::portNamed(std::uint32_t index, std::string_view output,
                                                                    std::uint32_t number) {
  if (index < parameters_) return Source{index, number};
  const wire::NodeDef& node = message(index);
  const auto interface = library_.interfaceOf(node.op());
  if (!interface) return Source{index, number};  // an operator without a row: assumed to have one output
  std::int64_t before = 0;
  for (const OperatorArgument& row : interface->outputs) {
    const auto times = multiplicity(row, node, interface->op);
    if (row.name == output) {
      if (times && number >= *times) break;
      return portNumbered(index, static_cast<std::uint32_t>(before + number));
    }
    before += times.value_or(1);
    if (before < 0 || before > INT32_MAX) break;
  }
  return tl::unexpected(
      Fault{&inputWithoutPort, Phrase("{} ({}) has no output {}", arg::Name{node.name()}, arg::Cause{node.op()},
                                      arg::Name{fmt::format("{}:{}", output, number)})});
}

// ---- nodes that are reached

bool Resolver::isFed(Source source) const { return std::binary_search(fed_.begin(), fed_.end(), source); }

bool Resolver::closesLoop(std::uint32_t from, std::uint32_t to) const {
  return isOneOf(opOf(from), "NextIteration", "RefNextIteration") && isOneOf(opOf(to), "Merge", "RefMerge");
}

void Resolver::readInputs(std::uint32_t index) {
  if (index < parameters_) return;
  const wire::NodeDef& node = message(index);
  Inputs& inputs = inputs_[index];
  for (int i = 0; i < node.input_size() && !problems_.tooMany(); ++i) {
    const std::string& input = node.input(i);
    const auto report = [&](const Fault& fault) {
      problems_.add(*fault.badInput, {node.name(), functionName()}, arg::Name{node.name()}, arg::Name{input},
                    fault.what);
    };
    if (input.starts_with('^')) {
      const std::string_view name = std::string_view(input).substr(1);
      auto control = nodeNamed(name.substr(0, name.find(':')));
      control ? inputs.controls.push_back(*control) : report(control.error());
    } else {
      auto source = tensorNamed(input);
      source ? inputs.data.push_back(*source) : report(source.error());
    }
  }
  if (!problems_.any()) checkInputCount(index, inputs.data.size());
}

void Resolver::checkInputCount(std::uint32_t index, std::size_t given) {
  const wire::NodeDef& node = message(index);
  const auto interface = library_.interfaceOf(node.op());
  const auto count = interface ? tensorCount(interface->inputs, node, interface->op) : std::nullopt;
  if (!count || static_cast<std::uint64_t>(*count) == given) return;
  problems_.add(inputCountDiffers, {node.name(), functionName()}, arg::Name{node.name()}, arg::Cause{node.op()},
                arg::Counted{static_cast<std::size_t>(*count), "input"}, arg::Number{given});
}

// Visits depth first, without recursion because a chain of nodes may be as long as the file. Adds a node to `order_`
// after its inputs.
void Resolver::visitFrom(std::uint32_t root) {
  if (state_[root] != unseen) return;
  std::vector<Frame> stack;
  const auto enter = [&](std::uint32_t index) {
    state_[index] = open;
    readInputs(index);
    stack.push_back({index});
  };
  enter(root);
  while (!stack.empty() && !problems_.tooMany()) {
    Frame& frame = stack.back();
    const Inputs& inputs = inputs_[frame.index];
    const std::size_t at = frame.next++, data = inputs.data.size();
    if (at >= data + inputs.controls.size()) {
      state_[frame.index] = done;
      order_.push_back(frame.index);
      stack.pop_back();
      continue;
    }
    if (at < data && isFed(inputs.data[at])) continue;
    const std::uint32_t next = at < data ? inputs.data[at].index : inputs.controls[at - data];
    if (closesLoop(next, frame.index))
      roots_.push_back(next);
    else if (state_[next] == unseen)
      enter(next);
    else if (state_[next] == open)
      reportCycle(stack, next);
  }
}

void Resolver::reportCycle(const std::vector<Frame>& stack, std::uint32_t back) {
  std::vector<std::string_view> names;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    names.push_back(nameOf(frame->index));
    if (frame->index == back) break;
  }
  Phrase text("{}", arg::Name{names.back()});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool isLeftOut = names.size() > 8 && i >= 4 && i + 4 < names.size();
    if (!isLeftOut) text = Phrase("{} takes from {}", text, arg::Name{names[i]});
    if (isLeftOut && i == 4) text = Phrase("{} takes from {} more,", text, arg::Number{names.size() - 8});
    if (!isLeftOut && i + 1 < names.size()) text = Phrase("{}, which", text);
  }
  problems_.add(nodesInCycle, {std::string(names.back()), functionName()}, text);
}

Graph Resolver::take() {
  std::sort(fed_.begin(), fed_.end());
  fed_.erase(std::unique(fed_.begin(), fed_.end()), fed_.end());
  for (Source source : asked_)
    if (!isFed(source)) roots_.push_back(source.index);
  for (std::uint32_t i = 0; i < parameters_; ++i) {
    state_[i] = done;
    order_.push_back(i);
  }
  for (std::size_t i = 0; i < roots_.size() && !problems_.tooMany(); ++i) visitFrom(roots_[i]);
  Graph graph;
  if (problems_.any()) return graph;
  place();
  graph.nodes.reserve(order_.size());
  for (std::uint32_t index : order_) {
    graph.nodes.push_back(index < parameters_ ? takeParameter(index) : takeNode(index));
    if (problems_.tooMany()) break;
  }
  return graph;
}

// Puts nodes of which only fed ports are used first: their inputs are not followed.
void Resolver::place() {
  std::vector<std::uint32_t> fedOnly;
  for (Source source : fed_) {
    if (state_[source.index] != unseen) continue;
    state_[source.index] = done;
    fedOnly.push_back(source.index);
  }
  order_.insert(order_.begin(), fedOnly.begin(), fedOnly.end());
  for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = static_cast<std::int64_t>(i);
}

// ---- nodes

Node Resolver::takeParameter(std::uint32_t index) {
  const auto& parameter = function_->signature().input_arg(static_cast<int>(index));
  Node node;
  node.name = parameter.name();
  node.op = opOf(index);
  if (parameter.type_attr().empty())
    node.attributes.push_back({"T", typeNumbered(parameter.type())});
  else
    node.attributes.push_back({"T", FromCall{parameter.type_attr()}});
  node.attributes.push_back({"index", static_cast<std::int64_t>(index)});
  return node;
}

Node Resolver::takeNode(std::uint32_t index) {
  wire::NodeDef& message = *nodes_->Mutable(static_cast<int>(index - parameters_));
  Node node;
  node.name = message.name();
  node.op = message.op();
  node.device = std::move(*message.mutable_device());
  for (Source source : inputs_[index].data) node.inputs.push_back(outlet(source));
  for (std::uint32_t control : inputs_[index].controls) node.controls.push_back(outlet({control, 0}).node);
  for (auto fed = std::lower_bound(fed_.begin(), fed_.end(), Source{index, 0});
       fed != fed_.end() && fed->index == index; ++fed)
    node.fed.push_back(fed->port);
  auto attributes = takeAttributes(*message.mutable_attr());
  if (!attributes) {
    problems_.add(brokenAttribute, {node.name, functionName()}, arg::Name{node.name}, arg::Cause{node.op},
                  arg::Cause{attributes.error()});
    return node;
  }
  node.attributes = std::move(*attributes);
  if (library_.has(node.op)) node.callee = library_.reach(node.op);
  const Operator* op = node.callee ? nullptr : operatorNamed(node.op);
  if (op) checkAttributes(node, *op);
  linkFunctions(node, op);
  return node;
}

namespace {

struct AttributeFault {
  const BadAttribute* message;
  Phrase what;
};

// Returns the fault of a node's attribute, given its operator's row; `value` is null if the attribute is missing. Does
// not check element types, which the check of the tensors does.
std::optional<AttributeFault> attributeFault(const Value* value, const OperatorAttribute& row) {
  if (!value || std::holds_alternative<std::monostate>(*value)) {
    if (row.fallback) return std::nullopt;
    return AttributeFault{&missingAttribute, Phrase("{}", arg::Cause{row.kind})};
  }
  const arg::Cause text{toText(*value)};
  if (!isOfKind(*value, row.kind))
    return AttributeFault{&wrongAttribute, Phrase("{}, but must be of kind {}", text, arg::Cause{row.kind})};
  if (!row.meetsMinimum(*value)) {
    const arg::Number least{*row.least};
    return AttributeFault{&wrongAttribute, std::holds_alternative<Values>(*value)
                                               ? Phrase("{}, but must have at least {}", text, least)
                                               : Phrase("{}, but must be at least {}", text, least)};
  }
  if (row.kind == "string" && !row.allows(*value))
    return AttributeFault{&wrongAttribute,
                          Phrase("{}, but must be one of {}", text, arg::Cause{toText(Value(Values(row.allowed)))})};
  return std::nullopt;
}

}  // namespace

void Resolver::checkAttributes(const Node& node, const Operator& op) {
  const GraphPlace place{node.name, functionName()};
  const arg::Name name{node.name};
  const arg::Cause operatorName{node.op};
  for (const OperatorAttribute& row : op.attributes)
    if (const auto fault = attributeFault(node.find(row.name), row))
      problems_.add(*fault->message, place, name, operatorName, arg::Name{row.name}, fault->what);
  for (const auto* arguments : {&op.inputs, &op.outputs})
    for (const OperatorArgument& argument : *arguments) {
      const Value* value = argument.number.empty() ? nullptr : node.find(argument.number);
      const auto* times = value ? std::get_if<std::int64_t>(value) : nullptr;
      if (times && (*times < 0 || *times > mostTimes))
        problems_.add(wrongAttribute, place, name, operatorName, arg::Name{argument.number},
                      Phrase("{}, but no node has so many tensors", arg::Number{*times}));
    }
  const auto* value = node.get<std::shared_ptr<const Tensor>>("value");
  const auto* type = node.get<Type>("dtype");
  if (node.op == "Const" && value && type && (*value)->type != *type)
    problems_.add(wrongConstantType, place, name, operatorName, arg::Type{spelling((*value)->type)},
                  arg::Type{spelling(*type)});
}

// Sets the ids of the functions that attributes name. For an unknown operator it is not known which attributes are
// functions that it calls, so each one that the file defines gets an id.
void Resolver::linkFunctions(Node& node, const Operator* op) {
  for (Attribute& attribute : node.attributes) {
    if (op && !op->find(attribute.name)) continue;
    if (auto* function = std::get_if<FunctionName>(&attribute.value))
      linkFunction(node, attribute.name, *function);
    else if (auto* list = std::get_if<Values>(&attribute.value))
      for (Value& value : *list)
        if (auto* each = std::get_if<FunctionName>(&value)) linkFunction(node, attribute.name, *each);
  }
}

void Resolver::linkFunction(const Node& node, std::string_view attribute, FunctionName& function) {
  function.id = library_.reach(function.name);
  if (function.id || !operatorNamed(node.op) || operatorNamed(function.name)) return;
  problems_.add(functionNotInFile, {node.name, functionName()}, arg::Name{node.name}, arg::Cause{node.op},
                arg::Name{function.name}, arg::Name{attribute});
}

}  // namespace axle::tensorflow
