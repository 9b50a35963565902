// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_cfd {
namespace {

constexpr std::size_t kFaces = 4;
constexpr std::int32_t kWall = -1;
constexpr std::int32_t kFarField = -2;
constexpr std::int32_t kStages = 3;

/// A sheet of cells with numbers shuffled within groups, like in meshes: neighbours have close but
/// unordered numbers. The left and right boundaries are far field, the upper and lower ones are
/// walls. Indexed by face and number.
std::vector<std::int32_t> make_neighbours(const Inputs& in) {
  const std::int64_t width = in.size("width");
  const std::int64_t height = in.size("height");
  const std::int64_t cells = width * height;
  const auto number = [cells](std::int64_t cell) {
    constexpr std::int64_t kGroup = 256;
    const std::int64_t group = cell / kGroup * kGroup;
    if (group + kGroup > cells) return cell;
    return group + (cell * 89 + 17) % kGroup;  // 89 is odd: every number occurs once
  };
  std::vector<std::int32_t> out(kFaces * static_cast<std::size_t>(cells));
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::int64_t x = cell % width;
    const std::int64_t y = cell / width;
    const std::array<std::int64_t, kFaces> around = {
        x > 0 ? number(cell - 1) : kFarField, x + 1 < width ? number(cell + 1) : kFarField,
        y > 0 ? number(cell - width) : kWall, y + 1 < height ? number(cell + width) : kWall};
    for (std::size_t face = 0; face < kFaces; ++face) {
      out[face * static_cast<std::size_t>(cells) + static_cast<std::size_t>(number(cell))] =
          static_cast<std::int32_t>(around[face]);
    }
  }
  return out;
}

void host(HostSession& session) {
  session.write("neighbours", make_neighbours(session.inputs()));
  session.launch("cfd_initialise");
  for (std::int64_t i = 0; i < session.size("iterations"); ++i) {
    session.launch("cfd_step_factors");
    for (std::int32_t left = kStages; left > 0; --left) {
      session.launch("cfd_fluxes");
      session.set("stages_left", left);
      session.launch("cfd_time_step");
    }
  }
}

/// Density, three momenta, energy.
using State = std::array<Bounded, 5>;
using Vector = std::array<Bounded, 3>;

/// The kernel's literals.
const State kFar = {1.4f, 1.68f, 0.0f, 0.0f, 3.508f};
constexpr float kGamma = 1.4f;
constexpr float kViscosity = 0.2f;

Bounded dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Gas {
  explicit Gas(const State& s) : state(s), velocity{s[1] / s[0], s[2] / s[0], s[3] / s[0]} {
    const Bounded square = dot(velocity, velocity);
    pressure = (kGamma - 1.0f) * (s[4] - 0.5f * s[0] * square);
    speed = sqrt(square);
    sound = sqrt(kGamma * pressure / s[0]);
  }

  State state;
  Vector velocity;
  Bounded pressure;
  Bounded speed;
  Bounded sound;
};

/// Half of the flux through a face. Sums here and below have the kernel's order, so that the bounds
/// of their roundings are valid for the kernel.
State half_flux(const Gas& g, const Vector& normal) {
  const Bounded through = dot(g.velocity, normal);
  State out;
  for (std::size_t v = 0; v < 4; ++v) out[v] = 0.5f * through * g.state[v];
  out[4] = 0.5f * through * (g.state[4] + g.pressure);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[1 + axis] = out[1 + axis] + 0.5f * g.pressure * normal[axis];
  }
  return out;
}

void add(State& sum, const State& s) {
  for (std::size_t v = 0; v < 5; ++v) sum[v] = sum[v] + s[v];
}

std::vector<Bounded> by_variable(const std::vector<State>& states) {
  std::vector<Bounded> out;
  for (std::size_t v = 0; v < 5; ++v) {
    for (const State& s : states) out.push_back(s[v]);
  }
  return out;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto neighbours = make_neighbours(in);
  const auto normals = in.values<float>("normals");
  const auto areas = in.values<float>("areas");
  const std::size_t cells = areas.size();
  std::vector<State> states(cells, kFar);
  std::vector<State> fluxes(cells);
  std::vector<Bounded> factors(cells);
  const auto flux = [&](std::size_t cell, const std::vector<Gas>& gas) {
    State sum;
    const Gas& own = gas[cell];
    for (std::size_t face = 0; face < kFaces; ++face) {
      const std::int32_t other = neighbours[face * cells + cell];
      Vector normal;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        normal[axis] = normals[(axis * kFaces + face) * cells + cell];
      }
      if (other == kWall) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          sum[1 + axis] = sum[1 + axis] + own.pressure * normal[axis];
        }
        continue;
      }
      const Gas& beyond = other == kFarField ? gas.back() : gas[static_cast<std::size_t>(other)];
      if (other != kFarField) {
        const Bounded damping = 0.5f * kViscosity * sqrt(dot(normal, normal)) *
                                (own.speed + beyond.speed + own.sound + beyond.sound);
        for (std::size_t v = 0; v < 5; ++v) {
          sum[v] = sum[v] + damping * (beyond.state[v] - own.state[v]);
        }
      }
      add(sum, half_flux(own, normal));
      add(sum, half_flux(beyond, normal));
    }
    return sum;
  };
  for (std::int64_t i = 0; i < in.size("iterations"); ++i) {
    const std::vector<State> old = states;
    for (std::size_t c = 0; c < cells; ++c) {
      const Gas gas(states[c]);
      factors[c] = 0.5f / (sqrt(Bounded(areas[c])) * (gas.speed + gas.sound));
    }
    for (std::int32_t left = kStages; left > 0; --left) {
      std::vector<Gas> gas(states.begin(), states.end());
      gas.emplace_back(kFar);
      for (std::size_t c = 0; c < cells; ++c) {
        fluxes[c] = flux(c, gas);
        for (std::size_t v = 0; v < 5; ++v) {
          states[c][v] = old[c][v] + factors[c] / static_cast<float>(left) * fluxes[c][v];
        }
      }
    }
  }
  return {expected("variables", by_variable(states)), expected("fluxes", by_variable(fluxes)),
          expected("step_factors", factors)};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_cfd
