#include "io/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "io/joined.h"
#include "io/tensor_file.h"

namespace axle {
namespace {

// Receives the events of the JSON parser, which does not recurse. Refuses nesting deeper than the format allows.
class Reader {
 public:
  std::vector<SafetensorsEntry> entries;
  SafetensorsHeaderError error;

  bool null() { return misplaced("null"); }
  bool boolean(bool) { return misplaced("a bool"); }
  bool number_integer(std::int64_t) { return misplaced("a negative number"); }
  bool number_float(double, const std::string&) { return misplaced("a fraction, or a number beyond 2^64"); }
  bool binary(nlohmann::json::binary_t&) { return misplaced("binary data"); }

  bool number_unsigned(std::uint64_t value) {
    if (where_ == Where::shape) {
      if (entry_.shape.size() == mostAxes) return fail(joined({"its rank is above ", mostAxes}));
      entry_.shape.push_back(value);
      return true;
    }
    if (where_ == Where::offsets) {
      if (offsets_ == 2) return fail("'data_offsets' has more than two numbers");
      (offsets_ == 0 ? entry_.begin : entry_.end) = value;
      ++offsets_;
      return true;
    }
    return misplaced("a number");
  }

  bool string(std::string& value) {
    if (where_ == Where::metadata) return true;
    if (where_ != Where::tensor || field_ != Field::dtype) return misplaced("a string");
    entry_.dtype = std::move(value);
    return true;
  }

  bool start_object(std::size_t) {
    if (where_ == Where::outside)
      where_ = Where::file;
    else if (where_ == Where::file)
      where_ = entry_.name == metadataName ? Where::metadata : Where::tensor;
    else
      return misplaced("an object");
    return true;
  }

  bool key(std::string& name) {
    if (where_ == Where::file) {
      entry_ = {};
      entry_.name = name;
      offsets_ = 0;
      seen_[0] = seen_[1] = seen_[2] = false;
      return names_.insert(name).second || fail("the header names it twice");
    }
    if (where_ == Where::metadata)
      return metadata_.insert(name).second || fail(joined({"the key '", name, "' occurs twice"}));
    field_ = name == "dtype"          ? Field::dtype
             : name == "shape"        ? Field::shape
             : name == "data_offsets" ? Field::offsets
                                      : Field::none;
    if (field_ == Field::none) return fail(joined({"the key '", name, "' is unknown"}));
    bool& seen = seen_[static_cast<int>(field_)];
    if (seen) return fail(joined({"'", name, "' occurs twice"}));
    seen = true;
    return true;
  }

  bool end_object() {
    if (where_ == Where::tensor) {
      if (!(seen_[0] && seen_[1] && seen_[2])) return fail("one of 'dtype', 'shape' and 'data_offsets' is missing");
      entries.push_back(std::move(entry_));
    }
    where_ = where_ == Where::file ? Where::outside : Where::file;
    return true;
  }

  bool start_array(std::size_t) {
    if (where_ == Where::tensor && field_ == Field::shape)
      where_ = Where::shape;
    else if (where_ == Where::tensor && field_ == Field::offsets)
      where_ = Where::offsets;
    else
      return misplaced("a list");
    return true;
  }

  bool end_array() {
    if (where_ == Where::offsets && offsets_ != 2) return fail("'data_offsets' has fewer than two numbers");
    where_ = Where::tensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    error = {{}, joined({"its header is not valid JSON at byte ", position})};
    return false;
  }

 private:
  enum class Where { outside, file, tensor, shape, offsets, metadata };
  enum class Field { dtype, shape, offsets, none };
  static constexpr std::string_view metadataName = "__metadata__";

  bool fail(std::string what) {
    error = {where_ == Where::outside ? std::string() : entry_.name, std::move(what)};
    return false;
  }
  bool misplaced(const std::string& what) {
    return fail(joined({"its header has ", what, " where the format has none"}));
  }

  Where where_ = Where::outside;
  Field field_ = Field::none;
  SafetensorsEntry entry_;
  int offsets_ = 0;
  bool seen_[3] = {};
  std::unordered_set<std::string> names_, metadata_;
};

}  // namespace

tl::expected<std::vector<SafetensorsEntry>, SafetensorsHeaderError> parseSafetensorsHeader(std::string_view json) {
  Reader reader;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &reader)) return tl::unexpected(std::move(reader.error));
  return std::move(reader.entries);
}

}  // namespace axle
