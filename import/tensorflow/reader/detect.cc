#include "import/tensorflow/reader/detect.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>

#include "io/foreign_file.h"
#include "io/mapped_file.h"

namespace axle::codes {

const DiagnosticCode graphText{"E0902", Severity::error, "the text of a graph is malformed"};

}  // namespace axle::codes

namespace axle::tensorflow {

namespace {

constexpr Message<> folderWithoutModel{
    codes::graphFile, "the folder is no SavedModel: it has neither saved_model.pb nor saved_model.pbtxt"};
constexpr Message<arg::Cause> checkpointWithoutGraph{codes::graphFile,
                                                     "{0} is a checkpoint without a graph: there is no {0}.meta"};
constexpr Message<arg::Cause> unreadableFile{codes::graphFile, "cannot be read: {}"};
constexpr Message<arg::Cause, Phrase> notAGraph{codes::graphFile, "{} {}"};
constexpr Message<arg::Cause, arg::Code> textWithoutGraph{
    codes::graphFile, "{} is a text, but no graph: it begins with {}, not with `node {`"};
constexpr Message<arg::Cause> malformedText{codes::graphText, "{}"};
constexpr Message<arg::Number, arg::Cause> malformedLine{codes::graphText, "line {}: {}"};
constexpr Message<arg::Cause> noGraphWithTags{codes::graphChoice, "no graph of the SavedModel has the tags {}"};

namespace fs = std::filesystem;
namespace pb = google::protobuf;

constexpr int nestingLimit = 200;            // of messages in text; protobuf's own limit of 100 applies to binary ones
constexpr std::size_t textLimit = 1U << 30;  // bytes of a text that is kept for excerpts in errors

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}
bool isFolder(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

// ---- kinds of files

// Whether the first bytes are text. Most tags of a binary message's fields are control characters.
bool isText(std::string_view bytes) {
  return std::none_of(
      bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size(), 4096)),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t'; });
}

// Returns the first word of a text that is not in a comment.
std::string_view firstWord(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '#' || std::isspace(static_cast<unsigned char>(text[at]))))
    at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  std::size_t end = at;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
  return text.substr(at, end - at);
}

enum class Content : std::uint8_t { graph, metaGraph, savedModel, none };

// Decides by the first field of the text: each of these belongs to one kind of message only.
Content contentOfText(std::string_view text) {
  const std::string_view word = firstWord(text);
  for (std::string_view field : {"node", "versions", "version", "library"})
    if (word == field) return Content::graph;
  for (std::string_view field : {"saved_model_schema_version", "meta_graphs"})
    if (word == field) return Content::savedModel;
  for (std::string_view field : {"meta_info_def", "graph_def", "saver_def", "collection_def", "signature_def",
                                 "asset_file_def", "object_graph_def"})
    if (word == field) return Content::metaGraph;
  return Content::none;
}

class TextErrors : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!first) first = {line, column, message};
  }
  void AddWarning(int, int, const std::string&) override {}

  struct Error {
    int line, column;  // from 0; tabs advance to the next multiple of 8; -1 if there is no place
    std::string message;
  };
  std::optional<Error> first;
};

// Returns the span of a line and column as protobuf counts them.
Span spanOf(SourceId source, std::string_view text, int line, int column) {
  std::size_t at = 0;
  for (int i = 0; i < line && at < text.size(); ++i) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  for (int shown = 0; shown < column && at < text.size() && text[at] != '\n'; ++at)
    shown = text[at] == '\t' ? (shown / 8 + 1) * 8 : shown + 1;
  const auto begin = static_cast<std::uint32_t>(std::min(at, text.size()));
  return {source, begin, std::min(begin + 1, static_cast<std::uint32_t>(text.size()))};
}

class Opener {
 public:
  Opener(std::string path, const std::vector<std::string>& tags, SourceMap& sources, Problems& problems)
      : path_(std::move(path)), tags_(tags), sources_(sources), problems_(problems) {}

  std::optional<GraphFiles> open();

 private:
  template <class... Args>
  std::optional<GraphFiles> fail(const Message<Args...>& message, const std::type_identity_t<Args>&... arguments) {
    problems_.add(message, {}, arguments...);
    return std::nullopt;
  }
  // Reports what kind of file it is instead of a graph.
  std::optional<GraphFiles> refuse(const std::string& file, const Phrase& what) {
    return fail(notAGraph, arg::Cause{file}, Phrase(what));
  }
  std::optional<GraphFiles> openFolder();
  std::optional<GraphFiles> openFile(const std::string& file);
  std::optional<GraphFiles> openCheckpoint(const std::string& prefix);
  std::optional<GraphFiles> parseText(std::string_view text, const std::string& file);
  std::optional<GraphFiles> parseBinary(std::string_view bytes, const std::string& file);
  bool parseTextAs(pb::Message& message, std::string_view text, const std::string& file);
  std::optional<GraphFiles> chosen(wire::SavedModel& model, const std::string& file);
  GraphFiles files(std::string kind, const std::string& file, wire::MetaGraphDef* meta) const;
  template <class T>
  T* make() {
    return pb::Arena::CreateMessage<T>(arena_.get());
  }

  std::string path_;
  const std::vector<std::string>& tags_;
  SourceMap& sources_;
  Problems& problems_;
  std::shared_ptr<pb::Arena> arena_ = std::make_shared<pb::Arena>();
};

std::optional<GraphFiles> Opener::open() {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  if (isFolder(path_)) return openFolder();
  for (std::string_view ending : {".index", ".meta"})
    if (path_.ends_with(ending)) return openCheckpoint(path_.substr(0, path_.size() - ending.size()));
  if (exists(path_ + ".meta") || exists(path_ + ".index")) return openCheckpoint(path_);
  return openFile(path_);
}

std::optional<GraphFiles> Opener::openFolder() {
  for (std::string_view name : {"/saved_model.pb", "/saved_model.pbtxt"})
    if (exists(path_ + std::string(name))) return openFile(path_ + std::string(name));
  return fail(folderWithoutModel);
}

std::optional<GraphFiles> Opener::openCheckpoint(const std::string& prefix) {
  if (exists(prefix + ".meta")) return openFile(prefix + ".meta");
  problems_.add(checkpointWithoutGraph, {}, arg::Cause{prefix})
      .addHelp("give the SavedModel, or write the graph beside the checkpoint (tf.train.export_meta_graph)");
  return std::nullopt;
}

std::optional<GraphFiles> Opener::openFile(const std::string& file) {
  auto mapped = mapFile(file);
  if (!mapped) return fail(unreadableFile, arg::Cause{mapped.error().what});
  const std::string_view bytes(reinterpret_cast<const char*>(mapped->bytes.data()), mapped->bytes.size());
  if (bytes.empty()) return refuse(file, "is empty");
  if (const ForeignFile* foreign = foreignByContents(bytes.substr(0, foreignHeadBytes))) {
    refuse(file, Phrase("{}", arg::Cause{foreign->what}));
    if (!foreign->help.empty()) problems_.diagnostics().back().addHelp("{}", arg::Cause{foreign->help});
    return std::nullopt;
  }
  if (!isText(bytes)) return parseBinary(bytes, file);
  if (file.ends_with(".pb") && contentOfText(bytes) != Content::none) {
    refuse(file, "is a graph as text, but its name is one of a binary file");
    problems_.diagnostics().back().addHelp("rename it to .pbtxt");
    return std::nullopt;
  }
  return parseText(bytes, file);
}

GraphFiles Opener::files(std::string kind, const std::string& file, wire::MetaGraphDef* meta) const {
  GraphFiles found{std::move(kind), file, {}, arena_, meta};
  const std::string folder = fs::path(file).parent_path().string();
  if (found.kind == "SavedModel") found.checkpoint = (folder.empty() ? "." : folder) + "/variables/variables";
  if (found.kind == "MetaGraph")
    found.checkpoint = file.ends_with(".meta") ? file.substr(0, file.size() - 5) : std::string();
  return found;
}

bool Opener::parseTextAs(pb::Message& message, std::string_view text, const std::string& file) {
  pb::TextFormat::Parser parser;
  TextErrors errors;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(nestingLimit);
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, &message)) return true;
  auto error = errors.first.value_or(TextErrors::Error{-1, -1, "the text ends too early"});
  while (error.message.ends_with('.')) error.message.pop_back();
  const arg::Cause cause{error.message};
  if (error.line < 0) {
    problems_.add(malformedText, {}, cause);
    return false;
  }
  Diagnostic& problem = problems_.add(malformedLine, {}, arg::Number{error.line + 1}, cause);
  const SourceId source = sources_.add(file, std::string(text));
  problem.primary = {spanOf(source, sources_.text(source), error.line, error.column), ""};
  return false;
}

std::optional<GraphFiles> Opener::parseText(std::string_view text, const std::string& file) {
  if (text.size() > textLimit) return refuse(file, "is a text of more than a gigabyte");
  auto* meta = make<wire::MetaGraphDef>();
  switch (contentOfText(text)) {
    case Content::graph:
      if (!parseTextAs(*meta->mutable_graph_def(), text, file)) return std::nullopt;
      return files("GraphDef", file, meta);
    case Content::metaGraph:
      if (!parseTextAs(*meta, text, file)) return std::nullopt;
      return files("MetaGraph", file, meta);
    case Content::savedModel: {
      auto* model = make<wire::SavedModel>();
      if (!parseTextAs(*model, text, file)) return std::nullopt;
      return chosen(*model, file);
    }
    case Content::none:
      break;
  }
  const std::string_view word = firstWord(text);
  return fail(textWithoutGraph, arg::Cause{file}, arg::Code{word.substr(0, 40)});
}

// Whether every node has a name and an operator. Other messages that parse as a graph almost never have both.
bool looksLikeGraph(const wire::GraphDef& graph) {
  return graph.node_size() > 0 && std::all_of(graph.node().begin(), graph.node().end(), [](const wire::NodeDef& node) {
           return !node.name().empty() && !node.op().empty();
         });
}

std::optional<GraphFiles> Opener::parseBinary(std::string_view bytes, const std::string& file) {
  if (bytes.size() > INT32_MAX) return refuse(file, "is larger than 2 GiB, more than a protobuf can be");
  const auto parse = [&](pb::MessageLite& message) {
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  };
  auto* model = make<wire::SavedModel>();
  // Only a SavedModel begins with its version number.
  if ((bytes[0] == 0x08 || file.ends_with("saved_model.pb")) && parse(*model)) return chosen(*model, file);
  auto* meta = make<wire::MetaGraphDef>();
  const bool isGraph = parse(*meta->mutable_graph_def());
  if (isGraph && looksLikeGraph(meta->graph_def())) return files("GraphDef", file, meta);
  auto* whole = make<wire::MetaGraphDef>();
  if (parse(*whole) && whole->graph_def().node_size() > 0) return files("MetaGraph", file, whole);
  if (isGraph && meta->graph_def().node_size() == 0 && bytes[0] != 0x08) return refuse(file, "has no nodes");
  if (isGraph && bytes[0] != 0x08)
    return refuse(file, "is no TensorFlow graph: it has nodes without a name or an operator");
  return refuse(file, "is no TensorFlow graph, or is damaged or cut off");
}

std::string tagsText(const wire::MetaGraphDef& meta) {
  return fmt::format("{}", fmt::join(meta.meta_info_def().tags(), ","));
}

std::optional<GraphFiles> Opener::chosen(wire::SavedModel& model, const std::string& file) {
  const auto has = [](const wire::MetaGraphDef& meta, const std::string& tag) {
    const auto& tags = meta.meta_info_def().tags();
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  };
  const std::vector<std::string> wanted = tags_.empty() ? std::vector<std::string>{"serve"} : tags_;
  wire::MetaGraphDef* best = nullptr;
  for (wire::MetaGraphDef& meta : *model.mutable_meta_graphs()) {
    if (!std::all_of(wanted.begin(), wanted.end(), [&](const std::string& tag) { return has(meta, tag); })) continue;
    // Of several graphs with these tags, chooses the one with the fewest other tags: `serve` means the graph with only
    // that tag.
    if (!best || meta.meta_info_def().tags_size() < best->meta_info_def().tags_size()) best = &meta;
  }
  if (!best && tags_.empty() && model.meta_graphs_size() == 1) best = model.mutable_meta_graphs(0);
  if (best) return files("SavedModel", file, best);
  if (model.meta_graphs_size() == 0) return refuse(file, "has no graphs");
  Diagnostic& problem = problems_.add(noGraphWithTags, {}, arg::Cause{fmt::format("{}", fmt::join(wanted, ","))});
  for (const wire::MetaGraphDef& meta : model.meta_graphs())
    problem.addNote("there is a graph with the tags {}", arg::Cause{tagsText(meta)});
  problem.addHelp("choose one with `--tag`");
  return std::nullopt;
}

}  // namespace

std::optional<GraphFiles> openGraph(const std::string& path, const std::vector<std::string>& tags, SourceMap& sources,
                                    Problems& problems) {
  pb::LogSilencer silent;  // the diagnostics contain its messages
  return Opener(path, tags, sources, problems).open();
}

}  // namespace axle::tensorflow
