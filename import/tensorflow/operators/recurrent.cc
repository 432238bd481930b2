// Recurrent cells that are single operators.
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::recurrent {
namespace {

constexpr std::string_view lstmBlock =
    "(l [], t [n, b, i], t [b, c], t [b, c], t [i + c, 4*c], t [c], t [c], t [c], t [4*c])"
    " -> (t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c])";

constexpr std::string_view lstmCell =
    "(t [b, i], t [b, c], t [b, c], t [i + c, 4*c], t [c], t [c], t [c], t [4*c])"
    " -> (t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c])";

constexpr std::string_view gruCell =
    "(t [b, i], t [b, c], t [i + c, 2*c], t [i + c, c], t [2*c], t [c]) -> (t [b, c], t [b, c], t [b, c], t [b, c])";

constexpr std::int64_t mostSteps = 512;  // longer sequences are not written out step by step

// The weights and attributes of a cell, which all steps share.
struct Lstm {
  Expr w, wci, wcf, wco, b;
  double forgetBias = 0, clip = 0;
  bool peephole = false, forgetFirst = false;  // gates are i, f, c, o instead of i, c, f, o
};

struct LstmStep {
  Expr i, cs, f, o, ci, co, h;
};

LstmStep step(NodeFormula& f, const Lstm& lstm, Expr x, Expr cs, Expr h) {
  Expr gates = f.op("matmul", {f.concat({x, h}, 1), lstm.w}) + lstm.b;
  auto four = f.parts("split", {gates}, {{"parts", f.n.t.integer(4)}, {"axis", f.n.t.integer(1)}});
  if (four.size() != 4) return {};
  Expr i = four[0], ci = four[lstm.forgetFirst ? 2 : 1], keep = four[lstm.forgetFirst ? 1 : 2], o = four[3];
  keep = keep + lstm.forgetBias;
  if (lstm.peephole) {
    i = i + cs * lstm.wci;
    keep = keep + cs * lstm.wcf;
  }
  LstmStep out;
  out.i = apply("sigmoid", i);
  out.f = apply("sigmoid", keep);
  out.ci = apply("tanh", ci);
  out.cs = out.ci * out.i + cs * out.f;
  if (lstm.clip > 0)
    out.cs = apply("maximum", apply("minimum", out.cs, f.like(lstm.clip, out.cs)), f.like(-lstm.clip, out.cs));
  out.o = apply("sigmoid", lstm.peephole ? o + out.cs * lstm.wco : o);
  out.co = apply("tanh", out.cs);
  out.h = out.o * out.co;
  return out;
}

Lstm lstmOf(NodeFormula& f, std::size_t first) {
  Lstm lstm{f.in(first), f.in(first + 1), f.in(first + 2), f.in(first + 3), f.in(first + 4), 0, 0, false, false};
  lstm.forgetFirst = f.n.node.op == "BlockLSTMV2";
  lstm.forgetBias = lstm.forgetFirst ? 0 : static_cast<double>(f.n.real("forget_bias", 1));
  lstm.clip = static_cast<double>(f.n.real("cell_clip", lstm.forgetFirst ? 0 : 3));
  lstm.peephole = f.n.flag("use_peephole");
  return lstm;
}

FormulaResults lstmCellFormula(NodeFormula& f) {
  LstmStep s = step(f, lstmOf(f, 3), f.in(0), f.in(1), f.in(2));
  return {s.i, s.cs, s.f, s.o, s.ci, s.co, s.h};
}

// Steps past the end of the sequence return zeros.
FormulaResults lstmBlockFormula(NodeFormula& f) {
  auto sizes = f.sizes(1);
  auto steps = f.n.number(0);
  if (!sizes || sizes->size() != 3 || !steps || (*sizes)[0] > mostSteps || (*sizes)[0] < 1) return {};
  Lstm lstm = lstmOf(f, 4);
  Expr cs = f.in(2), h = f.in(3), zeros;
  std::vector<std::vector<Expr>> all(7);
  for (std::int64_t t = 0; t < (*sizes)[0]; ++t) {
    if (t >= *steps) {
      if (!zeros.formula) zeros = h * 0.0;
      for (auto& one : all) one.push_back(zeros);
      continue;
    }
    LstmStep s = step(f, lstm, f.at(f.in(1), 0, t), cs, h);
    if (!s.h) return {};
    cs = s.cs;
    h = s.h;
    std::size_t k = 0;
    for (Expr part : {s.i, s.cs, s.f, s.o, s.ci, s.co, s.h}) all[k++].push_back(part);
  }
  FormulaResults results;
  for (const auto& one : all) results.push_back(f.stack(one, 0));
  return results;
}

FormulaResults gruCellFormula(NodeFormula& f) {
  Expr x = f.in(0), h = f.in(1);
  Expr gates = apply("sigmoid", f.op("matmul", {f.concat({x, h}, 1), f.in(2)}) + f.in(4));
  auto two = f.parts("split", {gates}, {{"parts", f.n.t.integer(2)}, {"axis", f.n.t.integer(1)}});
  if (two.size() != 2) return {};
  Expr r = two[0], u = two[1];
  Expr c = apply("tanh", f.op("matmul", {f.concat({x, h * r}, 1), f.in(3)}) + f.in(5));
  return {r, u, c, u * h + (1.0 - u) * c};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                 type        value  formula
    {"BlockLSTM",           lstmBlock,  {},    lstmBlockFormula},
    {"BlockLSTMV2",         lstmBlock,  {},    lstmBlockFormula},
    {"LSTMBlockCell",       lstmCell,   {},    lstmCellFormula},
    {"GRUBlockCell",        gruCell,    {},    gruCellFormula},
    {"CudnnRNN",            "(t [n, b, i], t h, t c, t p) -> (t [n, b, o], t h, t c, t r)"},
    {"CudnnRNNV3",          "(t [n, b, i], t h, t c, t p, l [b]) -> (t [n, b, o], t h, t c, t r, m e)"},
    {"CudnnRNNV2",          "(t [n, b, i], t h, t c, t p) -> (t [n, b, o], t h, t c, t r, m e)"},
    {"CudnnRNNBackpropV2",  "(t x, t h, t c, t p, t y, t a, t b, t d, t e, t f, t g, m k) -> (t x, t h, t c, t p)"},
    {"CudnnRNNParamsSize",  "(i [], i [], i []) -> l [1]"},
    {"CudnnRNNBackprop",    "(t x, t h, t c, t p, t y, t a, t b, t d, t e, t f, t g) -> (t x, t h, t c, t p)"},
    {"CudnnRNNBackpropV3",  "(t x, t h, t c, t p, l z, t y, t a, t b, t d, t e, t f, t g, m k) -> (t x, t h, t c, t "
                            "p)"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::recurrent
