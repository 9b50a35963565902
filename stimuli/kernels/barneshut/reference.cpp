// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_barneshut {
namespace {

/// Positions are integers below 1024 and positions of cells are rounded to integers, so that
/// squared distances are exact in float and every vote of the kernel is known.
constexpr unsigned kBits = 10;
constexpr std::int64_t kLanes = 32;

/// An octree over bodies at distinct positions, in the kernel's array layout.
class Octree {
 public:
  explicit Octree(const Inputs& in)
      : bodies(static_cast<std::size_t>(in.size("bodies"))),
        position{in.values<float>("x").vector(), in.values<float>("y").vector(),
                 in.values<float>("z").vector()},
        mass(in.values<float>("mass").vector()),
        children(8 * bodies, -1),
        order(bodies),
        keys_(bodies) {
    std::vector<std::uint32_t> key_of(bodies);
    for (std::size_t b = 0; b < bodies; ++b) key_of[b] = interleaved(b);
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t b) { return key_of[static_cast<std::size_t>(b)]; };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
    for (std::size_t i = 0; i < bodies; ++i) {
      keys_[i] = key(order[i]);
      // Bodies at an occupied position move to the next free one; few do, and none at the end.
      if (i > 0) keys_[i] = std::max(keys_[i], keys_[i - 1] + 1);
      place(static_cast<std::size_t>(order[i]), keys_[i]);
    }
    build(0, bodies, 3 * (kBits - 1));
  }

  std::size_t bodies;
  std::array<std::vector<float>, 3> position;  ///< of bodies, then cells, by axis
  std::vector<float> mass;
  std::vector<std::int32_t> children;
  std::vector<std::int32_t> order;  ///< bodies along a curve that fills space

 private:
  /// The interleaved bits of a position's coordinates.
  std::uint32_t interleaved(std::size_t b) const {
    std::uint32_t key = 0;
    for (unsigned bit = kBits; bit-- > 0;) {
      for (const auto& axis : position) {
        key = key << 1 | (static_cast<std::uint32_t>(axis[b]) >> bit & 1);
      }
    }
    return key;
  }
  void place(std::size_t b, std::uint32_t key) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      std::uint32_t v = 0;
      for (unsigned bit = 0; bit < kBits; ++bit) v |= (key >> (3 * bit + 2 - axis) & 1) << bit;
      position[axis][b] = static_cast<float>(v);
    }
  }
  /// The cell of the bodies [begin, end) of the order; the octants' numbers are at bit `shift`.
  std::int32_t build(std::size_t begin, std::size_t end, unsigned shift) {
    if (cells_ == bodies) throw std::length_error("barneshut: more cells than bodies");
    const std::size_t cell = cells_++;
    const std::size_t node = bodies + cell;
    double total = 0;
    std::array<double, 3> moment{};
    for (std::size_t i = begin; i < end; ++i) {
      const auto b = static_cast<std::size_t>(order[i]);
      total += double{mass[b]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        moment[axis] += double{mass[b]} * double{position[axis][b]};
      }
    }
    mass[node] = static_cast<float>(total);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      position[axis][node] = static_cast<float>(std::round(moment[axis] / total));
    }
    for (std::uint32_t octant = 0; octant < 8; ++octant) {
      std::size_t last = begin;
      while (last < end && (keys_[last] >> shift & 7) == octant) ++last;
      if (last - begin == 1) children[8 * cell + octant] = order[begin];
      if (last - begin > 1) children[8 * cell + octant] = build(begin, last, shift - 3);
      begin = last;
    }
    return static_cast<std::int32_t>(node);
  }

  std::vector<std::uint32_t> keys_;  ///< in the order
  std::size_t cells_ = 0;
};

void host(HostSession& session) {
  const Octree tree(session.inputs());
  session.write("children", tree.children);
  session.write("mass", tree.mass);
  session.write("x", tree.position[0]);
  session.write("y", tree.position[1]);
  session.write("z", tree.position[2]);
  session.write("order", tree.order);
  session.launch_all();
}

/// The force on a body: sum and magnitudes of the terms by axis, and their number.
struct Pull {
  std::array<double, 3> sum{};
  std::array<double, 3> magnitude{};
  std::uint64_t terms = 0;
};

/// The recursive tree traversal of the bodies that share a traversal.
class Walk {
 public:
  Walk(const Octree& tree, double softening, const std::int32_t* group, std::vector<Pull>& pulls)
      : tree_(tree), softening_(softening), group_(group), pulls_(pulls) {}

  /// `far`: the minimum squared distance at which the node can act as one mass.
  void visit(std::int32_t node, double far) {
    const auto n = static_cast<std::size_t>(node);
    bool whole = true;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) whole = whole && square(lane, n) >= far;
    if (n >= tree_.bodies && !whole) {
      for (std::size_t c = 0; c < 8; ++c) {
        const std::int32_t child = tree_.children[8 * (n - tree_.bodies) + c];
        if (child >= 0) visit(child, far / 4);
      }
      return;
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      Pull& pull = pulls_[body(lane)];
      const double factor = double{tree_.mass[n]} / std::pow(square(lane, n) + softening_, 1.5);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double term = factor * distance(axis, lane, n);
        pull.sum[axis] += term;
        pull.magnitude[axis] += std::fabs(term);
      }
      ++pull.terms;
    }
  }

 private:
  std::size_t body(std::int64_t lane) const { return static_cast<std::size_t>(group_[lane]); }
  double distance(std::size_t axis, std::int64_t lane, std::size_t n) const {
    const std::vector<float>& at = tree_.position[axis];
    return double{at[n]} - double{at[body(lane)]};
  }
  double square(std::int64_t lane, std::size_t n) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += distance(axis, lane, n) * distance(axis, lane, n);
    }
    return sum;
  }

  const Octree& tree_;
  double softening_;
  const std::int32_t* group_;
  std::vector<Pull>& pulls_;
};

std::vector<Expectation> reference(const Inputs& in) {
  const Octree tree(in);
  std::vector<Pull> pulls(tree.bodies);
  for (std::size_t i = 0; i < tree.bodies; i += kLanes) {
    Walk walk(tree, in.scalar("softening"), &tree.order[i], pulls);
    // The root itself is never one mass.
    for (std::size_t c = 0; c < 8; ++c) {
      if (tree.children[c] >= 0) walk.visit(tree.children[c], in.scalar("root_distance") / 4);
    }
  }
  const auto velocity = in.values<float>("velocity");
  const auto step = static_cast<float>(in.scalar("step"));
  std::vector<Bounded> accelerations;
  std::vector<Bounded> velocities;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Pull& p : pulls) {
      // PTX's error bound of rsqrt.approx, for the third power; half a rounding of its argument
      // each time; four products; then the sum.
      const double term = 3 * 0x1p-22 + 3 * 0.5 * kFloatRounding + 4 * kFloatRounding;
      const double error =
          p.magnitude[axis] * term + float_error(p.terms, p.magnitude[axis] * (1 + term));
      accelerations.push_back(Bounded::within(p.sum[axis], error));
      velocities.push_back(Bounded(velocity[velocities.size()]) + step * accelerations.back());
    }
  }
  return {expected("acceleration", accelerations), expected("velocity", velocities)};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_barneshut
