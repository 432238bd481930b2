#include "import/tensorflow/operators/outlet_fact.h"

#include <utility>

namespace axle::tensorflow {

std::optional<Elem> elementOf(Type type) {
  if (auto element = info(type).element) return element;
  switch (type) {
    case Type::c64:
      return Elem::f32;
    case Type::c128:
      return Elem::f64;
    case Type::qint8:
      return Elem::i8;
    case Type::quint8:
      return Elem::u8;
    case Type::qint16:
      return Elem::i16;
    case Type::quint16:
      return Elem::u16;
    case Type::qint32:
      return Elem::i32;
    default:
      return std::nullopt;
  }
}

TypeId tensorType(GraphTyper& t, Type type, Shape shape, Span at) {
  if (isComplex(type)) shape.push_back(ShapePart::of(t.constant(2)));
  auto elem = elementOf(type);
  return t.tensor(elem ? ElemTerm::of(*elem) : t.unknownElem(), std::move(shape), at);
}

}  // namespace axle::tensorflow
