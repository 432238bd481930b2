// Converts messages of the file format to values. An error is a text that continues a sentence about a node or an
// attribute: "has a shape of 300 dimensions".
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "graph.pb.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

template <class T>
using Converted = tl::expected<T, std::string>;

// Move the bytes out of the message, so that large constants are not copied.
Converted<Tensor> takeTensor(wire::TensorProto& message);
Converted<Value> takeValue(wire::AttrValue& message);

Converted<PartialShape> shapeOf(const wire::TensorShapeProto& message);
// Moves the attributes of a node or function out of the message and sorts them by name. The error names the attribute.
Converted<std::vector<Attribute>> takeAttributes(google::protobuf::Map<std::string, wire::AttrValue>& messages);

}  // namespace axle::tensorflow
