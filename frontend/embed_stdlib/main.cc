// Build step: stdlib/*.ax -> a C++ file with the tables that `frontend/modules.h` declares.
// Usage: embed_stdlib OUT.cc CORE.ax MODULE.ax...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Declaration {
  std::string name, text, doc;
  std::size_t line;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) throw std::runtime_error("cannot read " + path);
  return text.str();
}

std::size_t lineEnd(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

// Returns the end of the declaration that starts at `at`: after the first `;` outside brackets, strings and comments.
std::size_t declarationEnd(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == '"') at = text.find('"', at + 1);
    if (c == '/' && text.substr(at, 2) == "//") at = lineEnd(text, at);
    if (at >= text.size()) break;
    if (text[at] == ';' && depth == 0) return at + 1;
  }
  throw std::runtime_error("an `op` declaration does not end");
}

std::vector<Declaration> split(std::string_view text) {
  std::vector<Declaration> found;
  std::string doc;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == '\n' || c == ' ') {
      line += c == '\n';
      ++at;
    } else if (text.substr(at, 2) == "//") {
      std::size_t end = lineEnd(text, at);
      std::string_view comment = text.substr(at, end - at);
      if (comment.starts_with("///") && !comment.starts_with("////")) {
        comment.remove_prefix(comment.starts_with("/// ") ? 4 : 3);
        doc += (doc.empty() ? "" : "\n") + std::string(comment);
      }
      at = end;
    } else if (text.substr(at, 3) == "op ") {
      std::size_t end = declarationEnd(text, at);
      std::string_view whole = text.substr(at, end - at);
      std::string_view name = whole.substr(3);
      name.remove_prefix(name.find_first_not_of(' '));
      found.push_back({std::string(name.substr(0, name.find(' '))), std::string(whole), doc, line});
      doc.clear();
      for (char each : whole) line += each == '\n';
      at = end;
    } else {
      throw std::runtime_error("line " + std::to_string(line) + " is neither a comment nor an `op` declaration");
    }
  }
  return found;
}

std::string literal(std::string_view text) {
  if (text.find(")ax\"") != std::string_view::npos) throw std::runtime_error("a text contains `)ax\"`");
  return "R\"ax(" + std::string(text) + ")ax\"";
}

std::string tables(const std::string& core, const std::vector<std::string>& modules) {
  std::string out =
      "// Generated from stdlib/. Do not edit.\n#include \"frontend/stdlib_tables.h\"\n\nnamespace axle::embedded "
      "{\n\n";
  out += "const std::string_view core = " + literal(read(core)) + ";\n\nstatic const CoreOp ops[] = {\n";
  for (const Declaration& op : split(read(core)))
    out += "    {" + literal(op.name) + ", " + literal(op.text) + ", " + literal(op.doc) + ", " +
           std::to_string(op.line) + "},\n";
  out += "};\nconst std::span<const CoreOp> coreOps = ops;\n\nstatic const std::string_view names[] = {\n";
  for (const std::string& path : modules) out += "    " + literal(std::filesystem::path(path).stem().string()) + ",\n";
  out += "};\nstatic const std::string_view texts[] = {\n";
  for (const std::string& path : modules) out += "    " + literal(read(path)) + ",\n";
  out += "};\nconst std::span<const std::string_view> moduleNames = names;\n";
  out += "const std::span<const std::string_view> moduleTexts = texts;\n\n}  // namespace axle::embedded\n";
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: embed_stdlib OUT.cc CORE.ax MODULE.ax...\n", stderr);
    return 2;
  }
  try {
    std::string text = tables(argv[2], std::vector<std::string>(argv + 3, argv + argc));
    std::ofstream out(argv[1], std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embed_stdlib: %s\n", error.what());
    return 1;
  }
  return 0;
}
