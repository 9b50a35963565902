// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/adaptive_search.h"

#include <algorithm>
#include <map>
#include <memory>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <set>
#include <utility>

namespace tessera::studies {
namespace {

constexpr unsigned kIdleGenerations = 50;
/// Objectives of designs without values: worse than those of every design with values.
constexpr double kWorst = 1e300;

/// Results of the designs so far. pagmo's objects are copied and share it.
class Designs {
 public:
  Designs(const SearchTarget& target, std::size_t budget) : target_(target), budget_(budget) {}

  const SearchTarget& target() const { return target_; }
  std::size_t known() const { return values_.size(); }
  bool done() const { return evaluated_ >= budget_ || values_.size() >= grid_size(target_.levels); }

  /// Objectives of each point; kWorst for one that cannot be evaluated or exceeds the budget.
  std::vector<ObjectiveValues> values_of(const std::vector<LevelPoint>& points) {
    std::vector<LevelPoint> fresh;
    std::set<LevelPoint> seen;
    for (const LevelPoint& p : points) {
      if (values_.count(p) != 0 || !seen.insert(p).second) continue;
      if (!target_.admissible(p)) {
        values_[p] = worst();
      } else if (evaluated_ + fresh.size() < budget_) {
        fresh.push_back(p);
      }
    }
    if (!fresh.empty()) {
      const auto results = target_.evaluate(fresh);
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        values_[fresh[i]] = results[i].value_or(worst());
      }
      evaluated_ += fresh.size();
    }
    std::vector<ObjectiveValues> out;
    for (const LevelPoint& p : points) {
      const auto known = values_.find(p);
      out.push_back(known == values_.end() ? worst() : known->second);
    }
    return out;
  }

 private:
  ObjectiveValues worst() const { return ObjectiveValues(target_.objectives, kWorst); }

  const SearchTarget& target_;
  std::size_t budget_;
  std::size_t evaluated_ = 0;
  std::map<LevelPoint, ObjectiveValues> values_;
};

/// The design at a position.
LevelPoint point_at(const double* x, const std::vector<std::size_t>& levels) {
  LevelPoint p;
  for (std::size_t d = 0; d < levels.size(); ++d) {
    p.push_back(std::min(static_cast<std::size_t>(x[d]), levels[d] - 1));
  }
  return p;
}

/// The design space as pagmo's problem. The decision variables are positions from 0 to the number
/// of levels, whose integer part is the level. They are not integers for pagmo, which would mutate
/// these without regard to their order: with positions, children are near their parents.
struct LevelProblem {
  std::shared_ptr<Designs> designs;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    return designs->values_of({point_at(x.data(), designs->target().levels)}).front();
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const std::vector<std::size_t>& levels = designs->target().levels;
    return {pagmo::vector_double(levels.size(), 0.0), {levels.begin(), levels.end()}};
  }
  pagmo::vector_double::size_type get_nobj() const { return designs->target().objectives; }
};

/// Evaluates a generation at once.
struct GenerationEvaluator {
  std::shared_ptr<Designs> designs;

  pagmo::vector_double operator()(const pagmo::problem& problem,
                                  const pagmo::vector_double& chromosomes) const {
    std::vector<LevelPoint> points;
    for (std::size_t i = 0; i < chromosomes.size(); i += problem.get_nx()) {
      points.push_back(point_at(&chromosomes[i], designs->target().levels));
    }
    pagmo::vector_double out;
    for (const ObjectiveValues& v : designs->values_of(points)) {
      out.insert(out.end(), v.begin(), v.end());
    }
    return out;
  }
};

}  // namespace

void adaptive_search(const SearchTarget& target, const SearchLimits& limits) {
  const auto designs = std::make_shared<Designs>(target, limits.budget);
  const std::size_t dimensions = target.levels.size();
  std::vector<pagmo::vector_double> positions;
  std::vector<LevelPoint> first;
  for (UnitPoint& u : latin_hypercube(limits.population, dimensions, limits.seed)) {
    for (std::size_t d = 0; d < dimensions; ++d) u[d] *= static_cast<double>(target.levels[d]);
    first.push_back(point_at(u.data(), target.levels));
    positions.push_back(std::move(u));
  }
  const auto seed = static_cast<unsigned>(limits.seed);
  pagmo::population population(pagmo::problem(LevelProblem{designs}), 0, seed);
  const std::vector<ObjectiveValues> values = designs->values_of(first);
  for (std::size_t i = 0; i < first.size(); ++i) population.push_back(positions[i], values[i]);
  // One variable of a design is mutated on average. The distribution indices (crossover 2, mutation
  // 5) are low, because a change of less than a level is none.
  pagmo::nsga2 nsga2(1, 0.9, 2, 1 / static_cast<double>(dimensions), 5, seed);
  nsga2.set_bfe(pagmo::bfe(GenerationEvaluator{designs}));
  for (unsigned idle = 0; !designs->done() && idle < kIdleGenerations;) {
    const std::size_t before = designs->known();
    // The algorithm keeps the state of its random numbers between generations.
    population = nsga2.evolve(population);
    idle = designs->known() > before ? 0 : idle + 1;
  }
}

}  // namespace tessera::studies
