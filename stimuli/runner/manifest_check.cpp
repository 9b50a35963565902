// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/manifest_check.h"

#include <limits>
#include <set>

#include "stimuli/ptx/program.h"
#include "stimuli/runner/figures.h"
#include "stimuli/runner/manifest_reader.h"
#include "stimuli/runner/textures.h"

namespace tessera::kernels {
namespace {

constexpr std::int64_t kMostDegree = std::int64_t{1} << 20;

/// Checks a manifest at one of its scales.
class Check {
 public:
  Check(const Manifest& m, Scale scale, const Sizes& sizes) : m_(m), scale_(scale), sizes_(sizes) {}

  void run() {
    if (m_.stack_bytes) stack(*m_.stack_bytes);
    for (const ArraySpec& a : m_.arrays) array(a);
    for (const ArraySpec& v : m_.variables) array(v);
    for (const TextureSpec& t : m_.textures) texture(t);
    Sizes all = sizes_;
    all.emplace(kIteration, 0);
    add_counters(m_.steps, all);
    for (const ScalarSpec& s : m_.scalars) m_.element(s.value, s.type, all);
    steps(m_.steps, sizes_);
    check_figures(m_, sizes_);
  }

 private:
  void stack(const Formula& bytes) const {
    const std::int64_t value = m_.value(bytes, sizes_);
    constexpr auto kMost = static_cast<std::int64_t>(ptx::kMostLocalBytes);
    if (value >= 0 && value <= kMost) return;
    m_.fail(bytes.pointer, "expected 0 to " + std::to_string(kMost) + " bytes of stack, found " +
                               std::to_string(value) + " at scale " + scale_name(scale_));
  }

  void array(const ArraySpec& a) {
    count_ = -1;
    if (a.count) {
      count_ = m_.value(*a.count, sizes_);
      if (count_ < 1 || count_ > (std::int64_t{1} << 40)) {
        m_.fail(a.count->pointer, "expected between 1 and 2^40 elements, found " +
                                      std::to_string(count_) + " at scale " + scale_name(scale_));
      }
    }
    array_ = &a;
    std::visit([this](const auto& initial) { contents(initial); }, a.initial);
  }

  void contents(const Zero&) const {}
  void contents(const Uniform&) const {}
  void contents(const FromFile&) const {}
  void contents(const AsInModule&) const {}
  void contents(const Constant& c) const { m_.element(c.value, array_->type, sizes_); }

  void contents(const Iota& iota) const {
    m_.element(iota.start, array_->type, sizes_);
    const auto* start = std::get_if<Formula>(&iota.start);
    const auto* step = std::get_if<Formula>(&iota.step);
    if (is_float(array_->type) || count_ < 1) return;
    // Plain "iota" wraps to 0 at the end of the type's range.
    if (start->pointer.empty() && step->pointer.empty()) return;
    std::int64_t last = 0;
    if (__builtin_mul_overflow(m_.value(*step, sizes_), count_ - 1, &last) ||
        __builtin_add_overflow(m_.value(*start, sizes_), last, &last) ||
        !fits(array_->type, last)) {
      m_.fail(array_->pointer + "/init",
              std::string("the last element does not fit the type ") + element_name(array_->type));
    }
  }

  void contents(const RandomIntegers& r) const {
    value(r.low);
    value(r.high);
    if (m_.value(r.low, sizes_) > m_.value(r.high, sizes_)) {
      m_.fail(r.low.pointer, "expected low <= high");
    }
  }

  void contents(const Permutation&) const {
    if (count_ >= 1 && !fits(array_->type, count_ - 1)) {
      m_.fail(array_->pointer + "/init",
              std::to_string(count_ - 1) + " does not fit the type " + element_name(array_->type));
    }
  }

  void contents(const RowStarts& r) const {
    std::int64_t most = 0;  // elements of all rows
    if (const auto* fixed = std::get_if<Formula>(&r.degrees)) {
      const std::int64_t d = degree(*fixed);
      if (count_ >= 1 && count_ % 2 == 0) {
        m_.fail(array_->pointer, "row_starts needs an even number of rows");
      }
      most = d * (count_ - 1);
    } else if (const auto* range = std::get_if<RandomIntegers>(&r.degrees)) {
      if (degree(range->low) > degree(range->high)) {
        m_.fail(range->low.pointer, "expected min <= max");
      }
      most = degree(range->high) * (count_ - 1);
    } else {
      const auto& list = std::get<std::vector<std::int64_t>>(r.degrees);
      if (count_ >= 1 && static_cast<std::int64_t>(list.size()) != count_ - 1) {
        m_.fail(r.pointer, "expected " + std::to_string(count_ - 1) +
                               " degrees, one fewer than elements, found " +
                               std::to_string(list.size()));
      }
      for (const std::int64_t d : list) {
        if (__builtin_add_overflow(most, d, &most)) m_.fail(r.pointer, "the degrees overflow");
      }
    }
    if (count_ >= 1 && !fits(array_->type, most)) {
      m_.fail(r.pointer, "the row starts do not fit the array's type");
    }
  }

  std::int64_t degree(const Formula& f) const {
    const std::int64_t d = m_.value(f, sizes_);
    if (d < 0 || d > kMostDegree) m_.fail(f.pointer, "expected a degree between 0 and 2^20");
    return d;
  }

  void contents(const Columns& c) const {
    const std::int64_t of = m_.value(c.of, sizes_);
    if (of < 1 || !fits(array_->type, of - 1)) {
      m_.fail(c.of.pointer, std::string("expected a number of columns that the type ") +
                                element_name(array_->type) + " holds, found " + std::to_string(of));
    }
  }

  void contents(const List& list) const {
    if (count_ >= 0 && static_cast<std::int64_t>(list.values.size()) != count_) {
      m_.fail(list.pointer, "expected " + std::to_string(count_) + " values, as many as \"" +
                                array_->name + "\" has elements, found " +
                                std::to_string(list.values.size()));
    }
  }

  void value(const Formula& f) const { m_.element(f, array_->type, sizes_); }

  void texture(const TextureSpec& t) const {
    const ArraySpec& a = *m_.array(t.array);
    if (a.count) check_texture(m_, t, sizes_, m_.value(*a.count, sizes_));
  }

  static void add_counters(const std::vector<Step>& steps, Sizes& to) {
    const auto add = [&to](const auto& loop) {
      if (!loop.counter.empty()) to.emplace(loop.counter, 0);
      add_counters(loop.steps, to);
    };
    for (const Step& step : steps) {
      if (const auto* repeat = std::get_if<RepeatSpec>(&step.what)) add(*repeat);
      if (const auto* until = std::get_if<UntilSpec>(&step.what)) add(*until);
    }
  }

  void steps(const std::vector<Step>& all, const Sizes& sizes) const {
    for (const Step& s : all) {
      std::visit([&](const auto& what) { step(what, sizes); }, s.what);
    }
  }

  void step(const LaunchSpec& l, const Sizes& sizes) const {
    if (!l.repeat) return launch(l, sizes);
    for (const std::int64_t pass : passes(*l.repeat, sizes)) {
      launch(l, in_pass(sizes, {}, pass));
    }
  }

  void step(const RepeatSpec& r, const Sizes& sizes) const {
    for (const std::int64_t pass : passes(r.times, sizes)) {
      steps(r.steps, in_pass(sizes, r.counter, pass));
    }
  }

  void step(const UntilSpec& u, const Sizes& sizes) const {
    at_least(u.at_most, 1, sizes);
    const Sizes first = in_pass(sizes, u.counter, 0);
    element(u.element, first);
    m_.element(u.equals, m_.array(u.element.array)->type, first);
    steps(u.steps, first);
  }

  void step(const FillSpec& f, const Sizes& sizes) const { write(f.array, f.value, sizes); }
  void step(const SetSpec& s, const Sizes& sizes) const {
    write(s.element.array, s.value, sizes);
    element(s.element, with_iteration(sizes));
  }
  void write(const std::string& array, const Number& value, const Sizes& sizes) const {
    m_.element(value, m_.array(array)->type, with_iteration(sizes));
  }

  void launch(const LaunchSpec& l, const Sizes& of) const {
    const Sizes sizes = with_iteration(of);
    for (const Formula& f : l.grid) at_least(f, 1, sizes);
    for (const Formula& f : l.block) at_least(f, 1, sizes);
    at_least(l.dynamic_shared, 0, sizes);
    for (const ArgumentSpec& a : l.arguments) argument(a, sizes);
  }

  void argument(const ArgumentSpec& a, const Sizes& sizes) const {
    if (const auto* name = std::get_if<std::string>(&a.value)) {
      const ScalarSpec* named = m_.scalar(*name);
      if (named != nullptr) m_.element(named->value, named->type, sizes);
    } else if (const auto* scalar = std::get_if<ScalarSpec>(&a.value)) {
      m_.element(scalar->value, scalar->type, sizes);
    } else if (const auto* at = std::get_if<ElementRef>(&a.value)) {
      element(*at, sizes);
    } else if (const auto* structure = std::get_if<StructSpec>(&a.value)) {
      for (const ArgumentSpec& member : structure->members) argument(member, sizes);
    } else {
      for (const ArgumentSpec& c : std::get<Alternation>(a.value).choices) argument(c, sizes);
    }
  }

  void element(const ElementRef& e, const Sizes& sizes) const {
    const ArraySpec& a = *m_.array(e.array);
    if (a.count) {
      index_of(m_, e, sizes, static_cast<std::uint64_t>(m_.value(*a.count, sizes_)));
    } else {
      m_.value(e.index, sizes);
    }
  }

  std::set<std::int64_t> passes(const Formula& times, const Sizes& sizes) const {
    const std::int64_t n = at_least(times, 0, sizes);
    if (n == 0) return {};
    return {0, n - 1};
  }

  std::int64_t at_least(const Formula& f, std::int64_t least, const Sizes& sizes) const {
    const std::int64_t v = m_.value(f, sizes);
    if (v < least || v > std::numeric_limits<std::int32_t>::max()) {
      const auto pass = sizes.find(kIteration);
      const bool later = pass != sizes.end() && pass->second != 0;
      m_.fail(f.pointer,
              "expected an integer from " + std::to_string(least) + " to 2^31 - 1, found " +
                  std::to_string(v) +
                  (later ? " in iteration " + std::to_string(pass->second) : std::string()));
    }
    return v;
  }

  static Sizes with_iteration(Sizes sizes) {
    sizes.emplace(kIteration, 0);
    return sizes;
  }

  const Manifest& m_;
  Scale scale_;
  const Sizes& sizes_;
  const ArraySpec* array_ = nullptr;
  std::int64_t count_ = -1;  ///< elements of array_; -1: not known
};

}  // namespace

void check_formulas(const Manifest& manifest) {
  for (const auto& [scale, sizes] : manifest.sizes) Check(manifest, scale, sizes).run();
}

std::uint64_t index_of(const Manifest& manifest, const ElementRef& element, const Sizes& sizes,
                       std::uint64_t count) {
  const std::int64_t index = manifest.value(element.index, sizes);
  if (index < 0 || static_cast<std::uint64_t>(index) >= count) {
    manifest.fail(element.index.pointer, "expected an element of \"" + element.array + "\", 0 to " +
                                             std::to_string(count - 1) + ", found " +
                                             std::to_string(index));
  }
  return static_cast<std::uint64_t>(index);
}

Sizes in_pass(Sizes sizes, const std::string& counter, std::int64_t pass) {
  sizes[kIteration] = pass;
  if (!counter.empty()) sizes[counter] = pass;
  return sizes;
}

}  // namespace tessera::kernels
