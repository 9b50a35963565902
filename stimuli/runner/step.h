// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a manifest's host program: launches, loops, writes.

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stimuli/runner/element.h"
#include "stimuli/runner/formula.h"

namespace tessera::kernels {

struct ScalarSpec {
  std::string name;  ///< empty for a scalar written in the list of arguments
  Element type = Element::kI32;
  Number value;
  std::string pointer;
};

struct ArgumentSpec;

/// The address of one element of an array.
struct ElementRef {
  std::string array;
  Formula index;
};
/// A structure by value, in C's layout: members at multiples of their alignment (scalars: their
/// size; structures: that of their largest member), padded to a multiple of its own alignment.
struct StructSpec {
  std::vector<ArgumentSpec> members;
  unsigned align = 1;  ///< minimum alignment (__align__)
};
/// The argument is choices[iteration % size]. All choices have the same size.
struct Alternation {
  std::vector<ArgumentSpec> choices;
};

struct ArgumentSpec {
  /// Name of an array or variable (its address is passed), of a scalar, or of a texture or surface
  /// (its handle is passed); or an argument written in place.
  std::variant<std::string, ScalarSpec, ElementRef, StructSpec, Alternation> value;
  std::string pointer;
};

/// A launch for which another one waits.
struct LaunchRef {
  std::string name;
  std::string pointer;
};

/// Formulas of steps and scalars can use `iteration`, which counts the passes of the innermost loop
/// (or a launch's repeats) from 0, and the named counters of enclosing loops.
struct LaunchSpec {
  std::string kernel;
  std::array<Formula, 3> grid{Formula{"1", {}}, Formula{"1", {}}, Formula{"1", {}}};
  std::array<Formula, 3> block{Formula{"1", {}}, Formula{"1", {}}, Formula{"1", {}}};
  Formula dynamic_shared;
  std::optional<Formula> repeat;
  std::vector<ArgumentSpec> arguments;
  std::string name;              ///< for `after` of other launches; empty: none
  std::string stream;            ///< empty: the default stream
  std::vector<LaunchRef> after;  ///< the last launch so far of each name
  std::string pointer;
};

struct Step;

/// Runs its steps a number of times.
struct RepeatSpec {
  Formula times;
  std::string counter;  ///< second name of `iteration`; empty: none
  std::vector<Step> steps;
};
/// Runs its steps, at least once, until an element has a value. Fails after `at_most` passes.
struct UntilSpec {
  ElementRef element;
  Number equals;
  Formula at_most;
  std::string counter;
  std::vector<Step> steps;
};
/// The host writes every element of an array.
struct FillSpec {
  std::string array;
  Number value;
};
/// The host writes one element.
struct SetSpec {
  ElementRef element;
  Number value;
};

struct Step {
  std::variant<LaunchSpec, RepeatSpec, UntilSpec, FillSpec, SetSpec> what;
  std::string pointer;
};

/// Calls `f` with every launch of the steps, in the order of the text.
template <class Steps, class F>
void for_each_launch(Steps& steps, const F& f) {
  for (auto& step : steps) {
    if (auto* launch = std::get_if<LaunchSpec>(&step.what)) f(*launch);
    if (auto* repeat = std::get_if<RepeatSpec>(&step.what)) for_each_launch(repeat->steps, f);
    if (auto* until = std::get_if<UntilSpec>(&step.what)) for_each_launch(until->steps, f);
  }
}

}  // namespace tessera::kernels
