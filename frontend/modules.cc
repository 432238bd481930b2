#include "frontend/modules.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "frontend/families.h"
#include "frontend/parser.h"
#include "frontend/stdlib_tables.h"

namespace axle::codes {
const DiagnosticCode unknownModule{"E0204", Severity::error, "unknown module"};
const DiagnosticCode importCycle{"E0206", Severity::error, "modules import each other"};
}  // namespace axle::codes

namespace axle {

namespace {

namespace fs = std::filesystem;

constexpr Message<arg::FileName, arg::Cause> fileUnreadable{codes::cannotRead, "cannot read {}: {}"};
constexpr Message<arg::FileName, arg::Cause> importUnreadable{codes::cannotRead, "cannot read {}: {}", "imported here"};
constexpr Message<arg::Name> importedTwice{codes::duplicateName, "module {} imported twice"};
constexpr Message<arg::Name, arg::FileName> moduleNotFound{codes::unknownModule, "unknown module {}",
                                                           "no file {1} was found"};
constexpr Message<Phrase> modulesImportEachOther{codes::importCycle, "{}", "closes the circle"};

// One byte more than the parser accepts, so that the parser reports larger files.
constexpr std::size_t readLimit = (std::size_t{16} << 20) + 1;

struct Read {
  std::string text;
  std::string error;  // empty: none
};

Read readFile(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {{}, "it is a folder"};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return {{}, std::strerror(errno)};
  Read read;
  char chunk[1 << 16];
  while (read.text.size() < readLimit) {
    std::size_t got = std::fread(chunk, 1, sizeof chunk, file.get());
    read.text.append(chunk, got);
    if (got < sizeof chunk) break;
  }
  if (std::ferror(file.get())) read.error = std::strerror(errno);
  return read;
}

// Where a module's text comes from: a file, or the stdlib.
struct Place {
  std::string path;       // as diagnostics print it
  std::string identity;   // equal for all paths to one file
  bool embedded = false;  // embedded in the binary: its imports are modules of the stdlib
};

Place filePlace(const fs::path& path) { return {path.string(), fileIdentity(path.string()), false}; }

Place embeddedPlace(const std::string& name) {
  std::string path = "stdlib/" + name + ".ax";
  return {path, "<" + path + ">", true};
}

class Loader {
 public:
  Loader(SourceMap& sources, const LoadOptions& options, Diagnostics& diagnostics)
      : sources_(sources), options_(options), diagnostics_(diagnostics) {}

  Modules load(const std::string& path);
  Modules loadText(Place place, const std::string& name, std::string_view text);

 private:
  // A module that is being loaded: its imports before `next` are done.
  struct Frame {
    Place place;
    ast::Module module;
    std::vector<ast::Import> imports;
    std::size_t next = 0;
    std::map<std::string, std::size_t> meanings;
  };

  Read read(const Place& place) const;
  bool exists(const fs::path& path) const;
  Frame parse(Place place, std::string name, std::string text);
  void step();
  std::optional<Place> find(const Place& importer, const std::string& name) const;
  void unknown(const Frame& importer, const ast::Import& import);
  void cycle(std::size_t from, const ast::Import& import);

  SourceMap& sources_;
  const LoadOptions& options_;
  Diagnostics& diagnostics_;
  Modules done_;
  std::map<std::string, std::size_t> loaded_;  // identity -> index into done_
  std::vector<Frame> frames_;
};

Modules Loader::load(const std::string& path) {
  Place place = filePlace(path);
  Read read = this->read(place);
  if (!read.error.empty()) {
    report(diagnostics_, fileUnreadable, ArtifactPlace{path, ""}, arg::FileName{path}, arg::Cause{read.error});
    return {};
  }
  frames_.push_back(parse(std::move(place), fs::path(path).stem().string(), std::move(read.text)));
  while (!frames_.empty()) step();
  return std::move(done_);
}

Modules Loader::loadText(Place place, const std::string& name, std::string_view text) {
  frames_.push_back(parse(std::move(place), name, std::string(text)));
  while (!frames_.empty()) step();
  return std::move(done_);
}

Loader::Frame Loader::parse(Place place, std::string name, std::string text) {
  SourceId source = sources_.add(place.path, std::move(text));
  Frame frame{std::move(place), parseModule(sources_, source, std::move(name), diagnostics_), {}, 0, {}};
  for (const ast::Item& item : frame.module.items)
    if (const auto* import = std::get_if<ast::Import>(&item)) frame.imports.push_back(*import);
  return frame;
}

// Processes the next import of the innermost module, or finishes the module.
void Loader::step() {
  Frame& frame = frames_.back();
  if (frame.next == frame.imports.size()) {
    loaded_[frame.place.identity] = done_.modules.size();
    done_.modules.push_back(std::move(frame.module));
    done_.imports.push_back(std::move(frame.meanings));
    frames_.pop_back();
    return;
  }
  const ast::Import import = frame.imports[frame.next];
  for (std::size_t i = 0; i < frame.next; ++i) {
    if (frame.imports[i].name.text != import.name.text) continue;
    report(diagnostics_, importedTwice, import.name.span, arg::Name{import.name.text})
        .addLabel(frame.imports[i].name.span, "imported here first");
    ++frame.next;
    return;
  }
  std::optional<Place> place = find(frame.place, import.name.text);
  if (!place) {
    unknown(frame, import);
    ++frame.next;
    return;
  }
  auto known = loaded_.find(place->identity);
  if (known != loaded_.end()) {
    frame.meanings[import.name.text] = known->second;
    ++frame.next;
    return;
  }
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].place.identity != place->identity) continue;
    cycle(i, import);
    ++frame.next;
    return;
  }
  Read read = place->embedded ? Read{std::string(stdlibModule(import.name.text)), ""} : this->read(*place);
  if (!read.error.empty()) {
    report(diagnostics_, importUnreadable, import.name.span, arg::FileName{place->path}, arg::Cause{read.error});
    ++frame.next;
    return;
  }
  frames_.push_back(parse(std::move(*place), import.name.text, std::move(read.text)));
}

Read Loader::read(const Place& place) const {
  auto unsaved = options_.texts.find(place.identity);
  return unsaved == options_.texts.end() ? readFile(place.path) : Read{unsaved->second, ""};
}

bool Loader::exists(const fs::path& path) const {
  std::error_code failed;
  return fs::exists(path, failed) || options_.texts.count(fileIdentity(path.string())) > 0;
}

std::optional<Place> Loader::find(const Place& importer, const std::string& name) const {
  if (!importer.embedded) {
    fs::path beside = fs::path(importer.path).parent_path() / (name + ".ax");
    if (exists(beside)) return filePlace(beside);
    for (const std::string& folder : options_.includePaths) {
      fs::path path = fs::path(folder) / (name + ".ax");
      if (exists(path)) return filePlace(path);
    }
  }
  if (stdlibModule(name).empty()) return std::nullopt;
  return embeddedPlace(name);
}

// A function of the standard library that has the name of the import, or is used as a member of it: `import layers;`
// for `layers.dense(x, w, b)`. Empty: none.
std::string functionMeant(const ast::Module& importer, const std::string& import) {
  if (!stdlibModulesWith(import).empty()) return import;
  for (const ast::Expr& e : importer.exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name.starts_with(import + "."))
      if (std::string member = used->name.substr(import.size() + 1); !stdlibModulesWith(member).empty()) return member;
  return {};
}

// Tells which module the import may have meant, or which ones there are.
void suggestModule(Diagnostic& d, const ast::Module& importer, const std::string& import) {
  const std::string function = functionMeant(importer, import);
  for (std::string_view module : stdlibModulesWith(function))
    d.addHelp("{} is a function of the module {}: write {}", arg::Name{function}, arg::Name{module},
              arg::Code{"import " + std::string(module) + ";"});
  if (!function.empty()) return;
  d.addHelp("the library has the modules {}; core operators need no import", arg::Names{stdlibModuleNames()});
}

void Loader::unknown(const Frame& importer, const ast::Import& import) {
  if (diagnostics_.size() >= maxErrors) return;
  std::vector<std::string> names(stdlibModuleNames().begin(), stdlibModuleNames().end());
  fs::path beside = fs::path(importer.place.path).parent_path();
  std::error_code failed;
  for (fs::directory_iterator entry(beside.empty() ? "." : beside, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().extension() == ".ax") names.push_back(entry->path().stem().string());
  std::vector<std::string_view> views(names.begin(), names.end());
  Diagnostic& d = report(diagnostics_, moduleNotFound, import.name.span, arg::Name{import.name.text},
                         arg::FileName{import.name.text + ".ax"});
  const std::vector<std::string> near = closestNames(import.name.text, views);
  for (const std::string& name : near) d.addHelp("did you mean {}?", arg::Name{name});
  if (near.empty()) suggestModule(d, importer.module, import.name.text);
}

void Loader::cycle(std::size_t from, const ast::Import& import) {
  const bool isItself = from + 1 == frames_.size();
  Phrase circle = isItself ? Phrase("itself") : Phrase("{}", arg::Name{import.name.text});
  for (std::size_t i = frames_.size(); i-- > from;)
    circle = Phrase("{} imports {}", arg::Name{frames_[i].module.name}, circle);
  Diagnostic& d = report(diagnostics_, modulesImportEachOther, import.name.span, circle);
  for (std::size_t i = from; i + 1 < frames_.size(); ++i) {
    const ast::Import& other = frames_[i].imports[frames_[i].next];
    d.addLabel(other.name.span, "{} imports {} here", arg::Name{frames_[i].module.name}, arg::Name{other.name.text});
  }
}

}  // namespace

std::string fileIdentity(const std::string& path) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(path, failed);
  return failed ? path : whole.string();
}

Modules loadModules(SourceMap& sources, const std::string& path, const LoadOptions& options, Diagnostics& diagnostics) {
  return Loader(sources, options, diagnostics).load(path);
}

Modules loadStdlibModule(SourceMap& sources, const std::string& name, Diagnostics& diagnostics) {
  return Loader(sources, {}, diagnostics).loadText(embeddedPlace(name), name, stdlibModule(name));
}

Modules loadText(SourceMap& sources, const std::string& name, const std::string& text, Diagnostics& diagnostics) {
  const std::string path = name + ".ax";
  return Loader(sources, {}, diagnostics).loadText({path, "<" + path + ">", true}, name, text);
}

std::span<const CoreOp> coreOps() { return embedded::coreOps; }

std::string_view coreText() { return embedded::core; }

std::string headComment(std::string_view text) {
  std::string about;
  while (text.starts_with("//") && !text.starts_with("///")) {
    std::size_t end = std::min(text.find('\n'), text.size());
    about += std::string(text.substr(2, end - 2)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return about;
}

std::string_view familyOf(const CoreOp& op) {
  constexpr std::string_view mark = "// ---- ";
  std::string_view text = embedded::core, family;
  for (std::uint32_t line = 1; line < op.line && !text.empty(); ++line) {
    std::size_t end = std::min(text.find('\n'), text.size());
    if (std::string_view heading = text.substr(0, end); heading.starts_with(mark)) {
      heading.remove_prefix(mark.size());
      family = heading.substr(0, heading.find(" --"));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return family;
}

std::string_view stdlibModule(std::string_view name) {
  auto found = std::find(embedded::moduleNames.begin(), embedded::moduleNames.end(), name);
  if (found == embedded::moduleNames.end()) return {};
  return embedded::moduleTexts[static_cast<std::size_t>(found - embedded::moduleNames.begin())];
}

std::span<const std::string_view> stdlibModuleNames() { return embedded::moduleNames; }

std::vector<std::string_view> stdlibModulesWith(std::string_view function) {
  std::vector<std::string_view> found;
  const std::string definition = "\n" + std::string(function) + " = ";
  for (std::string_view name : embedded::moduleNames)
    if (stdlibModule(name).find(definition) != std::string_view::npos) found.push_back(name);
  return found;
}

}  // namespace axle
