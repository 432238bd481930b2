#include "tests/runtime/mutants.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "runtime/bundle_format.h"
#include "runtime/program.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {
namespace {

using manifest::Graph;
using manifest::Manifest;
using manifest::Node;

class Damage {
 public:
  explicit Damage(std::mt19937& random) : random_(random) {}

  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  bool oneIn(std::size_t count) { return below(count) == 0; }

  void change(Manifest& manifest) {
    Manifest& program =
        manifest.variants.empty() || oneIn(4) ? manifest : manifest.variants[below(manifest.variants.size())];
    program_ = &program;
    switch (below(12)) {
      case 0:
        return changeDim();
      case 1:
        return changeTables();
      case 2:
        return changeValue(program.graph);
      case 3:
        return changePlan(program.graph);
      case 4:
        return list(oneIn(2) ? program.graph.inputs : program.graph.outputs, program.graph.values.size());
      default:
        return changeNode(program.graph);
    }
  }

  // Changes, adds, repeats or removes an item.
  template <class T>
  void list(std::vector<T>& numbers, std::size_t most) {
    const std::size_t at = below(numbers.size());
    const T number = static_cast<T>(below(most + 2));
    if (numbers.empty() || oneIn(6))
      numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(at), number);
    else if (oneIn(6))
      numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(at));
    else if (oneIn(3))
      std::swap(numbers[at], numbers[below(numbers.size())]);
    else
      numbers[at] = number;
  }

  void bytes(std::string& text) {
    if (text.empty()) return;
    switch (below(4)) {
      case 0:
        text.resize(below(text.size()));
        return;
      case 1:
        text.insert(below(text.size()), 1, static_cast<char>(random_()));
        return;
      default:
        text[below(text.size())] = static_cast<char>(oneIn(3) ? 0xFF : random_());
    }
  }

 private:
  std::int64_t number() {
    constexpr std::int64_t numbers[] = {0, 1, 2, 3, 5, 7, 64, -1, -2, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN};
    return numbers[below(std::size(numbers))];
  }

  void changeDim() {
    auto& dims = program_->dims;
    if (dims.empty()) return;
    DimNode& dim = dims[below(dims.size())];
    switch (below(4)) {
      case 0:
        dim.op = static_cast<DimOp>(below(dimOpCount + 1));
        break;
      case 1:
        dim.left = static_cast<std::uint32_t>(below(dims.size() + 1));
        break;
      case 2:
        dim.right = static_cast<std::uint32_t>(below(dims.size() + 1));
        break;
      default:
        dim.value = number();
    }
  }

  void changeTables() {
    const auto dim = [&] { return static_cast<std::uint32_t>(below(program_->dims.size() + 1)); };
    if (!program_->symbols.empty() && oneIn(3)) {
      manifest::Symbol& symbol = program_->symbols[below(program_->symbols.size())];
      (oneIn(2) ? symbol.offset : symbol.coefficient) = dim();
      if (oneIn(3)) symbol.axis = static_cast<std::uint32_t>(below(4));
      if (oneIn(3)) symbol.found = !symbol.found;
    }
    if (!program_->guards.empty() && oneIn(3)) {
      manifest::Guard& guard = program_->guards[below(program_->guards.size())];
      (oneIn(2) ? guard.left : guard.right) = dim();
      if (oneIn(3)) guard.relation = static_cast<std::uint32_t>(below(factRelationCount + 1));
      if (oneIn(3)) guard.atNode = !guard.atNode;
    }
    if (!program_->constants.empty() && oneIn(2)) {
      manifest::Constant& constant = program_->constants[below(program_->constants.size())];
      if (oneIn(2)) constant.offset += oneIn(2) ? 64 : static_cast<std::uint64_t>(number());
      if (oneIn(3)) constant.bytes = static_cast<std::uint64_t>(number());
      if (oneIn(3)) list(constant.shape, 8);
      if (oneIn(3)) constant.elem = static_cast<std::uint32_t>(below(16));
    }
    if (!program_->inputs.empty() && oneIn(4)) {
      manifest::Port& port = program_->inputs[below(program_->inputs.size())];
      port.splitsOf = static_cast<std::uint32_t>(below(3)), port.rows = dim();
    }
  }

  void changeValue(Graph& graph) {
    if (graph.values.empty()) return;
    manifest::Value& value = graph.values[below(graph.values.size())];
    if (oneIn(3))
      value.elem = static_cast<std::uint32_t>(below(16));
    else if (oneIn(6))
      value.isConstant = !value.isConstant;
    else if (oneIn(6))
      value.constant = static_cast<std::uint32_t>(below(program_->constants.size() + 1));
    else
      list(value.shape, program_->dims.size());
  }

  // Sets offsets in the arena, with enough or too little room for each value, or changes one.
  void changePlan(Graph& graph) {
    const std::size_t count = graph.values.size(), room = std::size_t{1} << below(8);
    if (!graph.offsets.empty() && !oneIn(4)) return list(graph.offsets, count * room);
    graph.offsets.resize(count);
    for (std::size_t i = 0; i < count; ++i) graph.offsets[i] = static_cast<std::uint32_t>(1 + i * room);
  }

  void changeNode(Graph& graph) {
    if (graph.nodes.empty()) return;
    const std::size_t at = below(graph.nodes.size());
    Node& node = graph.nodes[at];
    const std::size_t values = graph.values.size(), dims = program_->dims.size();
    switch (below(14)) {
      case 0:
        node.op = oneIn(3) ? (oneIn(2) ? op::chain : op::rows) : static_cast<std::uint32_t>(below(110));
        return;
      case 1:
        return list(node.outputs, values);
      case 2:
        return list(node.ints, dims);
      case 3: {
        bool& flag = oneIn(2) ? node.alias : node.byRows;
        flag = !flag;
        return;
      }
      case 4:
        node.inPlace = static_cast<std::uint32_t>(below(node.inputs.size() + 2));
        return;
      case 5:
        node.epilogueInputs = static_cast<std::uint32_t>(below(node.inputs.size() + 2));
        return;
      case 6:
        std::swap(node, graph.nodes[below(graph.nodes.size())]);
        return;
      case 7:
        graph.nodes.erase(graph.nodes.begin() + static_cast<std::ptrdiff_t>(at));
        return;
      case 8:
        return list(oneIn(2) ? node.finds : node.bodies, 3);
      case 9:
      case 10:
      case 11:
        return changeEpilogue(node);
      default:
        return list(node.inputs, values);
    }
  }

  void changeEpilogue(Node& node) {
    if (node.epilogue.empty() || oneIn(6)) {
      const std::uint32_t elem = static_cast<std::uint32_t>(Elem::f32);
      node.epilogue.push_back({static_cast<std::uint32_t>(1 + below(60)), elem, {0}, 0});
    }
    manifest::Pointwise& link = node.epilogue[below(node.epilogue.size())];
    if (oneIn(4))
      link.op = oneIn(4) ? op::shift : static_cast<std::uint32_t>(below(110));
    else if (oneIn(8))
      link.shift = static_cast<std::int64_t>(below(64)) - 32;
    else if (oneIn(3))
      link.elem = static_cast<std::uint32_t>(below(16));
    else if (oneIn(5))
      node.epilogue.pop_back();
    else
      list(link.args, node.inputs.size() + node.epilogue.size());
  }

  std::mt19937& random_;
  Manifest* program_ = nullptr;
};

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns tensors for the inputs; open sizes are 3.
std::vector<Tensor> inputsOf(const Session& session) {
  std::vector<Tensor> tensors;
  std::vector<NamedSize> sizes;
  for (const std::string& symbol : session.symbols()) sizes.push_back({symbol, 3});
  const std::vector<Shape> shapes = session.inputShapes(sizes).value();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    tensors.push_back(Tensor::make(session.inputs()[i].elem, shapes[i]).value());
  return tensors;
}

void runMutant(const std::vector<std::byte>& bundle, const std::vector<Tensor>& tensors, MutantCounts& counts) {
  auto session = load(bundle, {false, 1u << 20});
  if (!session) {
    ++counts.refusedAtLoad;
    return;
  }
  session->info();
  std::vector<NamedTensor> inputs;
  for (std::size_t i = 0; i < std::min(tensors.size(), session->inputs().size()); ++i)
    inputs.push_back({session->inputs()[i].name, tensors[i].view()});
  if (!session->bind(inputs)) {
    ++counts.refusedAtBind;
    return;
  }
  session->info();
  for (int round = 0; round < 2; ++round)  // the second round finds values of the first in the arena
    if (!session->run()) {
      ++counts.stopped;
      return;
    }
  std::size_t sum = 0;
  for (std::size_t i = 0; i < session->outputs().size(); ++i) {
    const TensorView view = session->output(i);
    for (std::size_t at = 0; at < view.bytes(); ++at) sum += view.as<std::uint8_t>()[at];
  }
  volatile std::size_t read = sum;
  (void)read;
  ++counts.ran;
}

}  // namespace

std::vector<std::byte> mutant(std::span<const std::byte> bundle, std::mt19937& random) {
  Damage damage(random);
  std::vector<std::byte> file(bundle.begin(), bundle.end());
  const std::size_t changes = damage.oneIn(3) ? 1 + damage.below(3) : 1;
  if (damage.oneIn(8)) {
    for (std::size_t i = 0; i < changes; ++i)
      file[damage.below(file.size())] ^= static_cast<std::byte>(1 + damage.below(255));
    return file;
  }
  const BundleSections sections = readBundleFrame(file, false).value();
  manifest::Manifest manifest = manifest::readManifest(sections.manifest, sections.debug).value();
  std::string debug = textOf(sections.debug);
  for (std::size_t i = 0; i < changes; ++i)
    if (damage.oneIn(8))
      damage.bytes(debug);
    else
      damage.change(manifest);
  return makeBundle(manifest, {sections.weights.begin(), sections.weights.end()}, debug);
}

MutantCounts runMutants(std::span<const std::byte> bundle, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  MutantCounts counts;
  const std::vector<Tensor> tensors = inputsOf(load({bundle.begin(), bundle.end()}).value());
  for (std::size_t i = 0; i < count; ++i) runMutant(mutant(bundle, random), tensors, counts);
  return counts;
}

std::size_t mutantsOf(std::size_t few) {
  const char* asked = std::getenv("AXLE_MUTANTS");
  return asked == nullptr ? few : std::strtoull(asked, nullptr, 10);
}

}  // namespace axle::runtime::test
