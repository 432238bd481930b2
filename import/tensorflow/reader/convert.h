// Messages of the wire as values. What cannot be a value says why, in words that fit behind a node's or attribute's
// name.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "graph.pb.h"
#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

template <class T>
using Converted = tl::expected<T, std::string>;

// These take the message's bytes away from it, so that large constants are not copied.
Converted<Tensor> takeTensor(wire::TensorProto& message);
Converted<Value> takeValue(wire::AttrValue& message);

Converted<PartialShape> shapeOf(const wire::TensorShapeProto& message);
// Takes those of a node or function, sorted by name. The error names the attribute.
Converted<std::vector<Attribute>> takeAttributes(google::protobuf::Map<std::string, wire::AttrValue>& messages);

}  // namespace axle::tensorflow
