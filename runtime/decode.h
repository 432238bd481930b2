// Decoding of repeated fields with nanopb, for the files that decode `bundle.proto`.
#pragma once

#include <pb_decode.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/manifest.h"

namespace axle::runtime::manifest {

using Decode = bool (*)(pb_istream_t*, const pb_field_t*, void**);

inline void bindField(pb_callback_t& field, Decode decode, void* into) {
  field.funcs.decode = decode;
  field.arg = into;
}

inline bool tooMany(pb_istream_t* stream) { PB_RETURN_ERROR(stream, "more items than the runtime takes"); }

inline bool decodeString(pb_istream_t* stream, const pb_field_t*, void** arg) {
  auto& text = *static_cast<std::string*>(*arg);
  text.resize(stream->bytes_left);
  return pb_read(stream, reinterpret_cast<pb_byte_t*>(text.data()), text.size());
}

// Decodes a repeated field of numbers, packed or not.
template <class T>
bool decodeNumbers(pb_istream_t* stream, const pb_field_t*, void** arg) {
  auto& numbers = *static_cast<std::vector<T>*>(*arg);
  while (stream->bytes_left > 0) {
    std::uint64_t number = 0;
    if (!pb_decode_varint(stream, &number)) return false;
    if (number > static_cast<T>(-1)) PB_RETURN_ERROR(stream, "number too large");
    if (numbers.size() >= maxItems) return tooMany(stream);
    numbers.push_back(static_cast<T>(number));
  }
  return true;
}

// Appends one message to the items; read(stream, item) decodes it.
template <class T, bool (*read)(pb_istream_t*, T&), std::size_t most = maxItems>
bool decodeItems(pb_istream_t* stream, const pb_field_t*, void** arg) {
  auto& items = *static_cast<std::vector<T>*>(*arg);
  if (items.size() >= most) return tooMany(stream);
  items.emplace_back();
  return read(stream, items.back());
}

// Reads one of several programs: the fields that they do not share.
bool readProgram(pb_istream_t* stream, Manifest& manifest);

// Numbers the nodes of a program.
void prepareDebug(Manifest& manifest, DebugView debug);

}  // namespace axle::runtime::manifest
