// Trials of the solver: random sequences of bindings, constraints and facts, some of which are rolled back. A second
// solver does only the steps that are kept; both must be in the same state after every step.
#include "typecheck/solver/trial.h"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "typecheck/infer/scheme.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// The variables and types that random steps choose from.
struct Terms {
  std::vector<Dim> sizes;
  std::vector<Shape> shapes;
  std::vector<TypeId> types;
  std::vector<StaticId> statics;
};

struct World {
  Solution solution;
  Provenance provenance;
  Solver solver{solution, provenance};
  Terms terms;

  World() {
    for (std::int64_t value : {0, 1, 2, 3, 12}) terms.sizes.push_back(solution.dims.constant(value));
    terms.shapes.push_back({});
    terms.types.push_back(freshType(solver));
    for (std::int64_t value : {0, 1, -1, 2}) terms.statics.push_back(number(value));
  }

  StaticId number(std::int64_t value) {
    StaticTerm term;
    term.kind = StaticKind::dim;
    term.dim = solution.dims.constant(value);
    return solution.types.add(std::move(term));
  }
};

class Writer {
 public:
  explicit Writer(const World& world) : w_(world) {}

  std::string state() {
    const Solver& solver = w_.solver;
    const DimStore::Mark dims = w_.solution.dims.mark();
    const TypeStore::Mark types = w_.solution.types.mark();
    out_ << "store " << dims.dims << " " << dims.atoms << " " << dims.names << " " << types.types << " "
         << types.statics;
    for (std::uint32_t i = 1; i < dims.dims; ++i) out_ << " " << w_.solution.dims.print(Dim{i});
    variables();
    out_ << "\nslots";
    for (std::size_t i = 0; i < solver.slots.size(); ++i) {
      const Solver::Slot& slot = solver.slots[i];
      out_ << "\n " << i << " " << slot.live << slot.queued;
      if (slot.live) put(slot.constraint);
    }
    list("live", solver.live);
    list("queue", solver.queue);
    const TrailedLists<std::uint32_t>* watches[] = {&solver.typeWatch, &solver.elemWatch, &solver.shapeWatch,
                                                    &solver.dimWatch, &solver.staticWatch};
    for (const auto* watch : watches)
      for (std::size_t i = 0; i < watch->size(); ++i) list("watch", (*watch)[i]);
    for (const DimFact& fact : solver.assumptions) out_ << "\nassumed", put(fact);
    for (const Conflict& c : solver.conflicts)
      out_ << "\nconflict " << static_cast<int>(c.kind) << " " << c.left << " " << c.right << " " << c.text;
    for (const FactProof& proof : solver.proofs) out_ << "\nproof", put(proof.fact);
    for (const Constraint& delay : solver.delays) out_ << "\ndelay", put(delay);
    out_ << "\nlevel " << solver.level << " settled " << solver.settledByNormalForm << " " << solver.gaveUp;
    return out_.str();
  }

 private:
  void variables() {
    const Solution& s = w_.solution;
    for (const TypeVarInfo& v : s.typeVars) out_ << "\ntype " << v.level << " " << (v.binding ? v.binding->index : 0);
    for (const ElemVarInfo& v : s.elemVars) {
      out_ << "\nelem " << v.level << " " << static_cast<int>(v.elemClass) << " " << v.origin.index;
      if (v.binding) out_ << " " << v.binding->isVar << static_cast<int>(v.binding->elem) << v.binding->var.index;
    }
    for (const ShapeVarInfo& v : s.shapeVars) {
      out_ << "\nshape " << v.name << " " << v.level << v.metLiteral << v.whole.index << v.unragged.index;
      if (v.binding) out_ << " is ", put(*v.binding);
      if (v.flat) out_ << " flat ", put(*v.flat);
    }
    for (const DimVarInfo& v : s.dimVars) {
      out_ << "\ndim " << v.level << v.isSize << static_cast<int>(v.kind) << v.rigid << v.closed << v.whole.index;
      if (v.binding) out_ << " is ", put(*v.binding);
      if (v.stretchesTo) out_ << " to ", put(*v.stretchesTo);
      out_ << " by " << v.boundBy.index << " " << v.boundVia.index << " " << v.boundWhy.index;
    }
    for (const StaticVarInfo& v : s.staticVars) out_ << "\nstatic " << v.level << (v.binding ? v.binding->index : 0);
  }

  template <class List>
  void list(const char* name, const List& values) {
    out_ << "\n" << name;
    for (std::uint32_t value : values) out_ << " " << value;
  }

  void put(const Constraint& c) {
    out_ << " " << nameOf(c) << " " << c.reason.index;
    forEachOperand(c, [&](const auto& operand) { out_ << " ", put(operand); });
  }
  void put(const DimComparison& fact) {
    put(fact.left);
    out_ << static_cast<int>(fact.relation);
    put(fact.right);
  }
  void put(Dim d) { out_ << " #" << d.index; }
  void put(TypeId id) { out_ << " t" << id.index; }
  void put(StaticId id) { out_ << " s" << id.index; }
  void put(const ShapePart& part) {
    part.isVar ? out_ << " v" << part.var.index : out_ << " #" << part.dim.index;
    out_ << "@" << part.origin.index;
  }
  void put(const Shape& shape) {
    out_ << "[";
    for (const ShapePart& part : shape) put(part);
    out_ << "]";
  }

  const World& w_;
  std::ostringstream out_;
};

// Does one random step; equal solvers do the same step.
class Step {
 public:
  Step(World& world, std::uint64_t seed) : w_(world), random_(seed) {}

  void run() {
    Solver& solver = w_.solver;
    if (!solver.conflicts.empty() && below(2)) solver.conflicts.clear();
    switch (below(16)) {
      case 0:
        w_.terms.sizes.push_back(freshDimTerm(solver, "n"));
        break;
      case 1:
        w_.terms.shapes.push_back({ShapePart::of(freshShape(solver, "s"))});
        break;
      case 2:
        makeSize();
        break;
      case 3:
        makeShape();
        break;
      case 4:
        makeType();
        break;
      case 5:
        unifyDim(solver, ShapePart::of(size()), ShapePart::of(size()), reason());
        break;
      case 6:
        unifyShape(solver, shape(), shape(), reason());
        break;
      case 7:
        unify(solver, type(), type(), reason());
        break;
      case 8:
        addFact(solver, size(), static_cast<FactRelation>(below(6)), size(), reason());
        break;
      case 9:
        settleFacts(solver, [](const Constraint&) { return true; });
        break;
      case 10:
        equateBroadcastSizes(solver, [this](const Constraint&) { return below(2) == 0; });
        break;
      case 11:
        take();
        break;
      case 12:
        require();
        break;
      default:
        constrain();
        if (below(2)) solve(solver);
    }
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  template <class T>
  T oneOf(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  Dim size() { return oneOf(w_.terms.sizes); }
  Shape shape() { return oneOf(w_.terms.shapes); }
  TypeId type() { return oneOf(w_.terms.types); }
  StaticId number() { return oneOf(w_.terms.statics); }

  ReasonId reason() {
    Reason why;
    why.subject = "step";
    const ReasonId id = w_.provenance.add(std::move(why));
    w_.provenance.edit(id).axis = "0";
    return id;
  }

  void makeSize() {
    DimStore& dims = w_.solution.dims;
    const Dim a = size(), b = size();
    const std::size_t op = below(5);
    Dim made = op == 0   ? dims.add(a, b)
               : op == 1 ? dims.mul(a, b)
               : op == 2 ? dims.div(a, dims.constant(2))
               : op == 3 ? dims.max(a, b)
                         : dims.mod(a, dims.constant(3));
    if (!dims.isUndefined(made)) w_.terms.sizes.push_back(made);
  }

  void makeShape() {
    Shape made = shape();
    if (below(2) && made.size() < 5) made.insert(made.begin(), ShapePart::of(size()));
    if (below(2) && made.size() < 5) made.push_back(ShapePart::of(size()));
    w_.terms.shapes.push_back(std::move(made));
  }

  void makeType() {
    TypeTerm term;
    term.kind = below(4) ? TypeKind::tensor : TypeKind::tuple;
    if (term.kind == TypeKind::tuple) {
      term.parts = {type(), freshType(w_.solver)};
    } else {
      term.elem = below(2) ? ElemTerm::of(Elem::f32) : ElemTerm::of(freshElem(w_.solver, "", ElemClass::num));
      term.shape = shape();
    }
    w_.terms.types.push_back(w_.solution.types.add(std::move(term)));
  }

  StaticId numbers() {
    StaticTerm list;
    list.kind = StaticKind::list;
    for (std::size_t i = below(4); i > 0; --i) list.items.push_back(number());
    return w_.solution.types.add(std::move(list));
  }

  void constrain() {
    Solver& solver = w_.solver;
    const Shape result{ShapePart::of(freshShape(solver, "r"))};
    const Dim n = freshDimTerm(solver, "m");
    StaticTerm keep;
    keep.kind = StaticKind::boolean;
    const StaticId no = w_.solution.types.add(std::move(keep));
    const constraint::Any all[] = {
        constraint::Broadcast{result, shape(), shape()},
        constraint::Reshape{result, shape(), numbers()},
        constraint::Reduce{result, shape(), number(), no},
        constraint::Permute{result, shape(), numbers()},
        constraint::Swap{result, shape(), number(), number()},
        constraint::Tile{result, shape(), numbers()},
        constraint::SizeOf{n, shape()},
        constraint::RankOf{n, shape()},
        constraint::Collect{freshType(solver), type(), size()},
        constraint::AxisSplit{shape(), result, number()},
    };
    addConstraint(solver, reason(), all[below(std::size(all))]);
    w_.terms.shapes.push_back(result);
    w_.terms.sizes.push_back(n);
  }

  void take() {
    const std::size_t keep = below(3);
    std::size_t index = 0;
    takeConstraints(w_.solver, [&](const Constraint&) { return index++ % 3 == keep; });
  }

  void require() {
    DimFact fact;
    static_cast<DimComparison&>(fact) = {size(), FactRelation::ge, size()};
    if (below(3) == 0) requireWhole(w_.solver, shape(), reason());
    if (below(3) == 0) w_.solver.assumptions.push_back(fact);
    if (below(3) == 0) w_.solver.level = static_cast<std::uint32_t>(below(4));
    if (below(3) == 0) w_.solution.resolve(shape());
    if (below(3) == 0) freshRigid(w_.solver, "k", DimKind::runtime, {}, "`nonzero`");
  }

  World& w_;
  std::mt19937_64 random_;
};

void steps(World& world, std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) Step(world, random()).run();
}

class TrialTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(TrialTest, RollbackRestoresTheState) {
  std::mt19937_64 random(GetParam());
  World tried, kept;
  tried.solver.keepsProofs = kept.solver.keepsProofs = true;
  for (int round = 0; round < 12; ++round) {
    const std::uint64_t begun = random(), inner = random(), done = random();
    const std::size_t how = random() % 4;
    const Terms before = tried.terms;
    {
      Trial trial(tried.solver);
      steps(tried, begun, 6);
      if (how == 0) {  // a nested trial
        const Terms within = tried.terms;
        Trial nested(tried.solver);
        steps(tried, inner, 6);
        if (random() % 2)
          nested.commit();
        else
          tried.terms = within;
      }
      if (how == 1) {  // beyond the limit of work
        tried.solution.restartWork(random() % 200);
        EXPECT_THROW(while (true) steps(tried, random(), 1), TooMuchWork);
        tried.solution.restartWork();
      }
      if (how == 2) {
        trial.commit();
        steps(kept, begun, 6);
      }
    }
    if (how != 2) tried.terms = before;
    ASSERT_EQ(Writer(tried).state(), Writer(kept).state()) << "round " << round << " of seed " << GetParam();
    steps(tried, done, 3);
    steps(kept, done, 3);
    ASSERT_EQ(Writer(tried).state(), Writer(kept).state()) << "round " << round << " of seed " << GetParam();
  }
}

// Simulates work that ends inside a followed call.
TEST(TrialTest, RollbackRestoresTheCallThatReasonsAreWithin) {
  World world;
  {
    const Trial trial(world.solver);
    world.provenance.within = world.provenance.add(Reason{});
    EXPECT_NE(world.provenance[world.provenance.add(Reason{})].within.index, 0u);
  }
  EXPECT_EQ(world.provenance[world.provenance.add(Reason{})].within.index, 0u);
}

TEST(GeneraliseTest, LeavesTheAssumptionsWhereItIsPastTheLimitOfWork) {
  const Modules modules;
  const SourceMap sources;
  int pastLimit = 0;
  for (std::uint64_t limit = 0; limit < 200; ++limit) {
    Checked checked(modules, sources, {});
    Solver& solver = checked.solver;
    DimStore& dims = checked.solution.dims;
    const VariableMark since = markVariables(checked);
    const Dim n = freshDimTerm(solver, "n"), m = freshDimTerm(solver, "m");
    DimFact stated;
    static_cast<DimComparison&>(stated) = {n, FactRelation::ge, dims.constant(2)};
    solver.assumptions = {stated};
    addFact(solver, dims.mod(n, m), FactRelation::eq, dims.constant(0), {});
    addFact(solver, m, FactRelation::ge, dims.constant(1), {});
    addFact(solver, dims.div(n, m), FactRelation::ge, m, {});
    solve(solver);
    checked.solution.restartWork(limit);
    try {
      generalise(checked, since, {});
    } catch (const TooMuchWork&) {
      ++pastLimit;
    }
    ASSERT_EQ(solver.assumptions.size(), 1u) << "with a limit of " << limit;
  }
  EXPECT_GT(pastLimit, 0);
  EXPECT_LT(pastLimit, 200);
}

INSTANTIATE_TEST_SUITE_P(Random, TrialTest, testing::Range<std::uint64_t>(0, 150));

}  // namespace
}  // namespace axle
