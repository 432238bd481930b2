#include "io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "io/joined.h"
#include "io/mapped_file.h"
#include "io/whole_file.h"

namespace axle {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes in files and memory are little-endian");

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t maxNpyHeaderBytes = 1 << 20;

// NumPy's type codes without the byte order. `<V2` is how NumPy itself names ml_dtypes' bfloat16.
struct Code {
  std::string_view text;
  Elem elem;
};
constexpr Code codes[] = {
    {"f2", Elem::f16}, {"f4", Elem::f32},  {"f8", Elem::f64},        {"i1", Elem::i8},      {"i2", Elem::i16},
    {"i4", Elem::i32}, {"i8", Elem::i64},  {"u1", Elem::u8},         {"u2", Elem::u16},     {"u4", Elem::u32},
    {"u8", Elem::u64}, {"V2", Elem::bf16}, {"bfloat16", Elem::bf16}, {"b1", Elem::boolean}, {"?", Elem::boolean},
};

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Parses the header, a Python literal: a dictionary of three known keys.
class Literal {
 public:
  explicit Literal(std::string_view rest) : rest_(rest) {}

  bool take(char c) {
    skipBlanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool takeWord(std::string_view word) {
    skipBlanks();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> string() {
    skipBlanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return value;
  }

  std::optional<std::uint64_t> integer() {
    skipBlanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // Python 2 appended it to integers
    return value;
  }

  bool atEnd() {
    skipBlanks();
    return rest_.empty();
  }

 private:
  void skipBlanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }

  std::string_view rest_;
};

// Returns what is wrong, or an empty string.
std::string readDescr(Literal& literal, NpyHeader& header) {
  if (literal.take('[')) return "holds records (a structured element type), which are not supported";
  const auto descr = literal.string();
  if (!descr) return "its header is malformed: no element type after 'descr'";
  std::string_view code = *descr;
  char order = '=';
  if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
    order = code.front();
    code.remove_prefix(1);
  }
  if (!code.empty() && code.front() == 'O') return "holds Python objects, which are not supported";
  for (const Code& known : codes) {
    if (known.text != code || (order == '>' && known.elem == Elem::bf16)) continue;
    header.elem = known.elem;
    header.bigEndian = order == '>' && info(known.elem).bytes > 1;
    return {};
  }
  return joined({"its element type '", *descr, "' is not supported"});
}

std::string readShape(Literal& literal, NpyHeader& header) {
  if (!literal.take('(')) return "its header is malformed: 'shape' is not a tuple";
  while (!literal.take(')')) {
    const auto size = literal.integer();
    if (!size) return "its header is malformed: a size in 'shape' is not a number below 2^64";
    header.shape.push_back(*size);
    if (literal.take(',')) continue;
    if (literal.take(')')) break;
    return "its header is malformed: 'shape' does not end";
  }
  return {};
}

std::string readDictionary(std::string_view source, NpyHeader& header) {
  Literal literal(source);
  std::array<bool, 3> seen{};
  if (!literal.take('{')) return "its header is malformed: it is not a dictionary";
  while (!literal.take('}')) {
    const auto key = literal.string();
    if (!key || !literal.take(':')) return "its header is malformed: expected a key";
    constexpr std::array<std::string_view, 3> keys{"descr", "fortran_order", "shape"};
    const auto which = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), *key) - keys.begin());
    if (which == keys.size()) return joined({"its header has the unknown key '", *key, "'"});
    if (seen[which]) return joined({"its header has the key '", *key, "' twice"});
    seen[which] = true;
    std::string error;
    if (which == 0) error = readDescr(literal, header);
    if (which == 1) {
      header.fortranOrder = literal.takeWord("True");
      if (!header.fortranOrder && !literal.takeWord("False"))
        error = "its header is malformed: 'fortran_order' is not a bool";
    }
    if (which == 2) error = readShape(literal, header);
    if (!error.empty()) return error;
    if (literal.take(',')) continue;
    if (literal.take('}')) break;
    return "its header is malformed: the dictionary does not end";
  }
  if (!literal.atEnd()) return "its header is malformed: something follows the dictionary";
  if (!(seen[0] && seen[1] && seen[2])) return "its header lacks one of 'descr', 'fortran_order' and 'shape'";
  return {};
}

void swapBytes(std::vector<std::byte>& data, std::size_t elemBytes) {
  for (std::size_t at = 0; at + elemBytes <= data.size(); at += elemBytes)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + elemBytes));
}

// Converts the data from column-major to row-major order.
std::vector<std::byte> transposed(const NpyHeader& header, std::span<const std::byte> data) {
  const std::size_t width = info(header.elem).bytes;
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> sizes(header.shape.begin(), header.shape.end());
  std::vector<std::size_t> strides(rank), index(rank, 0);
  std::size_t stride = width;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  std::vector<std::byte> result(data.size());
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += width) {
    std::memcpy(result.data() + to, data.data() + from, width);
    for (std::size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis];
      index[axis] = 0;
    }
  }
  return result;
}

std::string stem(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (const std::size_t dot = name.find_last_of('.'); dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

struct Mapped {
  MappedFile file;
  NpyHeader header;
};

FileResult<Mapped> mapNpy(const std::string& path) {
  auto file = mapFile(path);
  if (!file) return tl::unexpected(file.error());
  auto header = parseNpyHeader(file->bytes);
  if (!header) return fileError(path, header.error());
  const std::size_t rest = file->bytes.size() - header->dataOffset;
  if (rest != header->dataBytes)
    return fileError(
        path,
        joined({rest < header->dataBytes ? "is truncated: " : "is too long: ", typeText(header->elem, header->shape),
                " takes ", header->dataBytes, " bytes, the file has ", rest}));
  return Mapped{std::move(*file), std::move(*header)};
}

FileResult<TensorBytes> dataOf(const std::string& path, const Mapped& mapped) {
  auto data = normaliseNpyData(mapped.header, mapped.file.bytes.subspan(mapped.header.dataOffset), mapped.file.owner);
  if (!data) return fileError(path, data.error());
  return std::move(*data);
}

bool recognisesNpy(std::span<const std::byte> head) { return text(head).substr(0, magic.size()) == magic; }

FileResult<TensorFile> openNpy(const std::string& path) {
  auto mapped = mapNpy(path);
  if (!mapped) return tl::unexpected(mapped.error());
  TensorFile file;
  file.path = path;
  file.format = "npy";
  file.tensors.push_back({stem(path), mapped->header.elem, mapped->header.shape, mapped->header.dataBytes});
  file.readAt = [path, mapped = std::move(*mapped)](std::size_t) { return dataOf(path, mapped); };
  return file;
}

}  // namespace

const FileFormat npyFormat = {"npy", ".npy", recognisesNpy, openNpy};

tl::expected<std::size_t, std::string> npyDataOffset(std::span<const std::byte> head) {
  const auto byteAt = [&](std::size_t i) { return static_cast<std::size_t>(head[i]); };
  if (!recognisesNpy(head)) return tl::unexpected(std::string("is not an npy file: it begins with other bytes"));
  if (head.size() < 10) return tl::unexpected(std::string("is truncated within its header"));
  const std::size_t version = byteAt(6);
  if (version < 1 || version > 3) return tl::unexpected(joined({"has the unknown npy version ", version}));
  if (version > 1 && head.size() < 12) return tl::unexpected(std::string("is truncated within its header"));
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byteAt(8) | byteAt(9) << 8;
  if (version > 1) length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > maxNpyHeaderBytes) return tl::unexpected(joined({"claims a header of ", length, " bytes"}));
  return start + length;
}

tl::expected<NpyHeader, std::string> parseNpyHeader(std::span<const std::byte> file) {
  const auto offset = npyDataOffset(file);
  if (!offset) return tl::unexpected(offset.error());
  if (*offset > file.size()) return tl::unexpected(std::string("is truncated within its header"));
  const std::size_t start = static_cast<std::size_t>(file[6]) == 1 ? 10 : 12;
  NpyHeader header;
  header.dataOffset = *offset;
  if (std::string error = readDictionary(text(file.subspan(start, *offset - start)), header); !error.empty())
    return tl::unexpected(std::move(error));
  const auto bytes = tensorByteCount(header.elem, header.shape);
  if (!bytes) return tl::unexpected(joined({"claims an impossible shape: ", typeText(header.elem, header.shape)}));
  header.dataBytes = *bytes;
  return header;
}

tl::expected<TensorBytes, std::string> normaliseNpyData(const NpyHeader& header, std::span<const std::byte> data,
                                                        std::shared_ptr<const void> owner) {
  if (header.elem == Elem::boolean && !areBools(data))
    return tl::unexpected(std::string("holds a bool that is neither 0 nor 1"));
  if (!header.fortranOrder && !header.bigEndian) return TensorBytes{std::move(owner), data};
  auto copy = std::make_shared<std::vector<std::byte>>();
  *copy = header.fortranOrder ? transposed(header, data) : std::vector<std::byte>(data.begin(), data.end());
  if (header.bigEndian) swapBytes(*copy, info(header.elem).bytes);
  const std::span<const std::byte> bytes(*copy);
  return TensorBytes{std::move(copy), bytes};
}

FileResult<NpyArray> readNpy(const std::string& path) {
  auto mapped = mapNpy(path);
  if (!mapped) return tl::unexpected(mapped.error());
  auto data = dataOf(path, *mapped);
  if (!data) return tl::unexpected(data.error());
  return NpyArray{mapped->header.elem, std::move(mapped->header.shape), std::move(*data)};
}

FileResult<void> writeNpy(const std::string& path, Elem elem, std::span<const std::uint64_t> shape,
                          std::span<const std::byte> bytes) {
  const auto code = std::find_if(std::begin(codes), std::end(codes), [&](const Code& c) { return c.elem == elem; });
  if (code == std::end(codes)) return fileError(path, joined({"npy cannot hold ", info(elem).name}));
  if (tensorByteCount(elem, shape) != bytes.size())
    return fileError(path, joined({typeText(elem, shape), " does not take ", bytes.size(), " bytes"}));
  std::string dictionary = "{'descr': '";
  dictionary += info(elem).bytes > 1 ? '<' : '|';
  dictionary += joined({code->text, "', 'fortran_order': False, 'shape': ("});
  for (std::size_t i = 0; i < shape.size(); ++i) dictionary += joined({i > 0 ? ", " : "", shape[i]});
  dictionary += shape.size() == 1 ? ",), }" : "), }";
  // The data starts at a multiple of 64. A rank of at most 64 keeps the header's length within version 1's 16 bits.
  dictionary.append(63 - (10 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string head(magic);
  head += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  head += dictionary;
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), bytes};
  return writeWholeFile(path, pieces);
}

}  // namespace axle
