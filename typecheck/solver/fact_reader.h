// Reads one written fact as dimensions, for `axc prove`: names are integers >= 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/parser.h"
#include "typecheck/types/typed.h"

namespace axle::decide {

class FactReader {
 public:
  explicit FactReader(DimStore& store) : store_(store) {}

  struct Read {
    DimFact fact;
    std::vector<Dim> divisors;  // as written: the normal form may have lost them
  };
  // None, with diagnostics, if the source is not a relation between integers and names.
  std::optional<Read> read(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

 private:
  Dim dim(const ast::Module& module, ast::DimId id, std::vector<Dim>& divisors);
  Dim binary(const ast::Module& module, const ast::DimBinary& binary, std::vector<Dim>& divisors);

  DimStore& store_;
  std::map<std::string, DimVar> names_;
  std::optional<Span> refused_;
};

}  // namespace axle::decide
