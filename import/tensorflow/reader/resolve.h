// Turns the names of one graph (the main one, or a function's body) into ids, for the nodes that its results depend on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/tensorflow/problems.h"
#include "import/tensorflow/reader/functions.h"

namespace axle::tensorflow {

class Resolver {
 public:
  using Nodes = google::protobuf::RepeatedPtrField<wire::NodeDef>;

  // A tensor of the file, by the index of its node. The parameters of a function have the first indices.
  struct Source {
    std::uint32_t index = 0;
    std::uint32_t port = 0;
    friend auto operator<=>(Source, Source) = default;
  };

  // Resolves the main graph, or the body of `function`. The messages must outlive it; `take` moves parts out of them.
  Resolver(Nodes& nodes, Library& library, Problems& problems, wire::FunctionDef* function = nullptr);

  // The reason why a name is not a tensor, and the message that reports it for a node and its input.
  struct Fault {
    const Message<arg::Name, arg::Name, Phrase>* badInput;
    Phrase what;
  };

  // Returns the tensor of a name as inputs write it: `node`, `node:k`, and in functions `argument` and `node:out:k`.
  tl::expected<Source, Fault> tensorNamed(std::string_view name);
  tl::expected<std::uint32_t, Fault> nodeNamed(std::string_view name) const;

  // Call these before `take`: they declare which tensors the caller supplies, and which tensors and nodes are needed.
  void feed(Source source) { fed_.push_back(source); }
  void need(Source source) { asked_.push_back(source); }
  void needNode(std::uint32_t index) { roots_.push_back(index); }

  // Returns the graph of the needed nodes. Do not use it after errors in `problems`.
  Graph take();
  // Returns the outlet of a fed or needed tensor in the graph. Call it after `take`.
  Outlet outlet(Source source) const { return {NodeId{static_cast<std::uint32_t>(place_[source.index])}, source.port}; }

  const std::string& functionName() const;
  const wire::NodeDef& message(std::uint32_t index) const { return (*nodes_)[static_cast<int>(index - parameters_)]; }
  std::uint32_t parameters() const { return parameters_; }
  std::uint32_t size() const { return parameters_ + static_cast<std::uint32_t>(nodes_->size()); }

 private:
  struct Inputs {
    std::vector<Source> data;
    std::vector<std::uint32_t> controls;
  };
  struct Frame {
    std::uint32_t index;
    std::size_t next = 0;
  };

  std::string_view nameOf(std::uint32_t index) const;
  const std::string& opOf(std::uint32_t index) const;
  bool isFed(Source source) const;
  bool closesLoop(std::uint32_t from, std::uint32_t to) const;
  tl::expected<Source, Fault> portNumbered(std::uint32_t index, std::uint32_t port);
  tl::expected<Source, Fault> portNamed(std::uint32_t index, std::string_view output, std::uint32_t number);
  std::int64_t outputCount(std::uint32_t index);
  void readInputs(std::uint32_t index);
  void checkInputCount(std::uint32_t index, std::size_t given);
  void visitFrom(std::uint32_t root);
  void reportCycle(const std::vector<Frame>& stack, std::uint32_t back);
  void place();
  Node takeNode(std::uint32_t index);
  Node takeParameter(std::uint32_t index);
  void checkAttributes(const Node& node, const Operator& op);
  void linkFunctions(Node& node, const Operator* op);
  void linkFunction(const Node& node, std::string_view attribute, FunctionName& function);

  Nodes* nodes_;
  Library& library_;
  Problems& problems_;
  wire::FunctionDef* function_;
  std::uint32_t parameters_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> byName_;
  std::unordered_map<std::string_view, int> duplicates_;  // names that several nodes have, with the number of nodes
  std::vector<Source> fed_, asked_;
  std::vector<std::uint32_t> roots_;
  std::vector<Inputs> inputs_;
  std::vector<std::uint8_t> state_;
  std::vector<std::int64_t> outputs_;  // of each source; see outputCount
  std::vector<std::int64_t> place_;    // by source: its index in the graph; -1 if it is not there
  std::vector<std::uint32_t> order_;
};

}  // namespace axle::tensorflow
