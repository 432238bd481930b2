#include "ir/import/tensorflow/codes.h"

namespace axle::codes {

constexpr DiagnosticCode graphFile{
    "E0901", Severity::error, "a file that is no TensorFlow graph",
    R"(A graph is a frozen GraphDef (`.pb`, or `.pbtxt` as text), the folder of a SavedModel, or a checkpoint's prefix
with its `.meta` beside it. What a file is, is seen in its content, not in its name. This one cannot be
read, is empty, is of another kind, or is damaged: the message says which.

A checkpoint without `.meta` has weights but no graph. A Keras file (`.keras`, `.h5`) is turned into a
SavedModel by `model.export(FOLDER)`.)"};

constexpr DiagnosticCode graphText{
    "E0902", Severity::error, "the text of a graph is malformed",
    R"(A graph in text form is a list of `node { name: "x" op: "Relu" input: "y" }`. At the place that is shown it
goes wrong: often a quote or a brace is missing on the line before.)"};

constexpr DiagnosticCode graphChoice{
    "E0903", Severity::error, "there is no such part of the SavedModel",
    R"(A SavedModel may hold several graphs, told apart by their tags, and each graph several signatures. `--tag` and
`--signature` choose; without them the tag `serve` and the signature `serving_default` are taken, or the
only one that there is. The notes list what the file has.)"};

constexpr DiagnosticCode noSuchTensor{
    "E0904", Severity::error, "there is no such tensor",
    R"(A name that was asked for, by `--input`, `--output` or by a signature of the file, is no tensor of the graph. A tensor
is `NODE:PORT`, and `:0` may be left off; for a SavedModel the signature's own keys will do.)"};

constexpr DiagnosticCode danglingInput{
    "E0905", Severity::error, "a node takes from a node that is not there",
    R"(An input names a node (or, in a function, an argument) that the graph does not have. The graph was cut
carelessly, or a tool renamed one end only. Only nodes that the outputs need are looked at.)"};

constexpr DiagnosticCode noSuchPort{
    "E0906", Severity::error, "a node has no such output",
    R"(`x:2` is the third output of `x`. How many there are, its operator and its attributes say: `Split` has as many as
`num_split`, a call as many as its function returns.)"};

constexpr DiagnosticCode duplicateNode{
    "E0907", Severity::error, "several nodes of one name",
    R"(Inputs are names, so two nodes of one name make it unclear who is meant. Graphs that were merged by hand need a
prefix each (`tf.import_graph_def(graph, name="second")`).)"};

constexpr DiagnosticCode cycle{
    "E0908", Severity::error, "nodes that take from each other",
    R"(Following inputs leads back to where it began, and no `NextIteration` closes the circle, as it does in a
loop: none of these nodes can be computed.)"};

constexpr DiagnosticCode inputCount{
    "E0909", Severity::error, "a node has too many or too few inputs",
    R"(How many inputs a node takes, its operator and its attributes say: `ConcatV2` takes `N` and an axis, `MatMul` two.)"};

constexpr DiagnosticCode nodeAttribute{
    "E0910", Severity::error, "an attribute is missing or of the wrong kind",
    R"(Each operator has attributes of fixed kinds: `transpose_a` of MatMul is a bool, `strides` of Conv2D a list of
integers. One that is left out takes its default; some have none and must be there.)"};

constexpr DiagnosticCode nodeConstant{
    "E0911", Severity::error, "a constant that is not what it says",
    R"(A constant has an element type, a shape and its values. Here they contradict each other: content of
another length than shape and type take, a negative size, or an element type that does not exist.
Values that are fewer than the shape has are no error: the last one is repeated.)"};

constexpr DiagnosticCode missingFunction{
    "E0912", Severity::error, "a function that is not in the file",
    R"(A node calls a function (`f` of PartitionedCall, `body` of While, ...) that the graph's library does not have. A
tool has dropped it, or the graph was saved without its library.)"};

constexpr DiagnosticCode badFunction{
    "E0913", Severity::error, "a function that is not whole",
    R"(A function of the library maps each of its results to a tensor of its body by `ret`. One is missing, or names a
tensor that the body does not have.)"};

constexpr DiagnosticCode checkpointFile{
    "E0914", Severity::error, "a checkpoint that cannot be read",
    R"(A checkpoint is an index (`PREFIX.index`) and data files (`PREFIX.data-00000-of-00001`, ...). One is missing, cut off
or damaged: the message says which, and what was found. Checkpoints of one file, as TensorFlow wrote
them before 2017, are not read.)"};

constexpr DiagnosticCode variableValue{
    "E0915", Severity::error, "a variable without its value",
    R"(The graph reads a variable that it never assigns, so its value must be in the checkpoint: the key is not there, or its
element type or shape is another than the variable's. Variables that the outputs do not need may be
missing.)"};

constexpr DiagnosticCode nodeMisfit{
    "E0916", Severity::error, "a node does not fit what it takes",
    R"(The element types, ranks, sizes or attributes of a node and of its inputs contradict each other: TensorFlow would refuse
it too, some of it only in the run. The message names both ends.)"};

constexpr DiagnosticCode callsNotFollowed{
    "E0917", Severity::warning, "calls that are not followed",
    R"(The body of a function is looked at once for each call, with what that call gives it. Functions that call themselves, or
each other many times over, have no end that way: there is a limit, and behind it nothing is known
of what calls give.)"};

constexpr DiagnosticCode notComputed{
    "E0918", Severity::error, "nodes that cannot be computed yet",
    R"(The outputs that were asked for need nodes whose operators have types here, so that the graph can be checked, but no
values yet: it cannot be run or built. The notes list the nodes with their operators. `--output`
asks for others; `--input` gives what such a node makes from outside.)"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> tensorflowCodes() {
  static constexpr const DiagnosticCode* all[] = {
      &codes::graphFile,        &codes::graphText,      &codes::graphChoice,   &codes::noSuchTensor,
      &codes::danglingInput,    &codes::noSuchPort,     &codes::duplicateNode, &codes::cycle,
      &codes::inputCount,       &codes::nodeAttribute,  &codes::nodeConstant,  &codes::missingFunction,
      &codes::badFunction,      &codes::checkpointFile, &codes::variableValue, &codes::nodeMisfit,
      &codes::callsNotFollowed, &codes::notComputed};
  return all;
}

}  // namespace axle
