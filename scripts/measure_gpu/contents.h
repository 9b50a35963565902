// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run of a workload as scripts/measure_gpu/plans.py writes it, and the initial contents of its
// arrays: those of stimuli/runner/contents.cpp, from the same random numbers. All formulas have
// been evaluated. Each line of a plan is an item, its words separated by spaces:
//
//   rounds N                              timed rounds before the last one
//   array NAME TYPE COUNT KIND [VALUES]   COUNT "-": as many as the row starts say
//   launch KERNEL GX GY GZ BX BY BZ SHARED ARGUMENTS
//   argument BYTES HEX [OFFSET ARRAY ELEMENT]...   an argument of the launch before; addresses in
//   it fill ARRAY HEX                        the host writes each element set ARRAY ELEMENT HEX the
//   host writes an element read ARRAY FILE                       raw elements after the last round

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/input_file.h"
#include "stimuli/runner/random.h"

namespace measure_gpu {

using Bytes = std::vector<unsigned char>;

struct Array {
  std::string name;
  std::string type;
  std::uint64_t count = 0;
  std::string kind;
  std::vector<std::string> values;

  unsigned element_bytes() const { return static_cast<unsigned>(std::stoul(type.substr(1))) / 8; }
  bool is_float() const { return type[0] == 'f'; }
  std::uint64_t bytes() const { return count * element_bytes(); }
};

struct Argument {
  Bytes bytes;
  struct Address {
    std::size_t offset = 0;
    std::string array;
    std::uint64_t element = 0;
  };
  std::vector<Address> addresses;
};

struct Step {
  std::string what;  // launch, fill, set
  std::string name;  // kernel or array
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  std::vector<Argument> arguments;
  std::uint64_t element = 0;
  Bytes value;
};

struct Plan {
  unsigned rounds = 0;
  std::vector<Array> arrays;
  std::vector<Step> steps;
  std::vector<std::pair<std::string, std::string>> reads;  // array, file

  const Array& array(const std::string& name) const {
    for (const Array& a : arrays) {
      if (a.name == name) return a;
    }
    throw std::runtime_error("no array " + name);
  }
};

inline Bytes from_hex(const std::string& text) {
  Bytes out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.push_back(static_cast<unsigned char>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

inline void store_integer(const Array& a, std::int64_t value, unsigned char* to) {
  if (a.type == "f32") {
    const auto v = static_cast<float>(value);
    std::memcpy(to, &v, sizeof v);
  } else if (a.type == "f64") {
    const auto v = static_cast<double>(value);
    std::memcpy(to, &v, sizeof v);
  } else {
    std::memcpy(to, &value, a.element_bytes());
  }
}
inline void store_float(const Array& a, double value, unsigned char* to) {
  if (a.type == "f32") {
    const auto v = static_cast<float>(value);
    std::memcpy(to, &v, sizeof v);
  } else {
    std::memcpy(to, &value, sizeof value);
  }
}
inline std::int64_t load_integer(const Array& a, const unsigned char* from) {
  std::uint64_t raw = 0;
  std::memcpy(&raw, from, a.element_bytes());
  const unsigned unused = 64 - 8 * a.element_bytes();
  if (a.type[0] == 'u') return static_cast<std::int64_t>(raw);
  return static_cast<std::int64_t>(raw << unused) >> unused;
}

/// The initial contents of one array.
class Contents {
 public:
  Contents(const Plan& plan, const Array& array, std::uint64_t seed)
      : plan_(plan), array_(array), seed_(seed), step_(array.element_bytes()) {}

  Bytes all() {
    Bytes out(array_.bytes());
    const std::string& kind = array_.kind;
    if (kind == "iota") {
      const std::int64_t start = integer(0);
      const std::int64_t step = integer(1);
      integers(out, [=](std::uint64_t i) { return start + static_cast<std::int64_t>(i) * step; });
    } else if (kind == "iota_real") {
      const double start = real(0);
      const double step = real(1);
      reals(out, [=](std::uint64_t i) { return start + static_cast<double>(i) * step; });
    } else if (kind == "constant") {
      integers(out, [v = integer(0)](std::uint64_t) { return v; });
    } else if (kind == "constant_real") {
      reals(out, [v = real(0)](std::uint64_t) { return v; });
    } else if (kind == "uniform") {
      Random random(seed_, array_.name);
      reals(out, [&, low = real(0), high = real(1)](std::uint64_t) {
        return random.uniform(low, high);
      });
    } else if (kind == "random") {
      Random random(seed_, array_.name);
      integers(out, [&, low = integer(0), high = integer(1)](std::uint64_t) {
        return random.integer(low, high);
      });
    } else if (kind == "permutation") {
      permutation(out);
    } else if (kind == "row_starts") {
      row_starts(out);
    } else if (kind == "columns") {
      columns(out);
    } else if (kind == "file") {
      const tessera::InputFile file(array_.values.at(0));
      if (file.bytes() != out.size() || file.read(0, out.data(), out.size()) != out.size()) {
        throw std::runtime_error(file.path() + ": expected " + std::to_string(out.size()) +
                                 " bytes");
      }
    } else if (kind != "zero") {
      throw std::runtime_error("unknown initialisation " + kind);
    }
    return out;
  }

 private:
  using Random = tessera::kernels::Random;

  std::int64_t integer(std::size_t i) const { return std::stoll(array_.values.at(i)); }
  double real(std::size_t i) const { return std::stod(array_.values.at(i)); }

  template <class F>
  void integers(Bytes& out, const F& of) const {
    for (std::uint64_t i = 0; i < array_.count; ++i) {
      store_integer(array_, of(i), out.data() + i * step_);
    }
  }
  template <class F>
  void reals(Bytes& out, const F& of) const {
    for (std::uint64_t i = 0; i < array_.count; ++i) {
      store_float(array_, of(i), out.data() + i * step_);
    }
  }

  static void shuffle(Random& random, std::vector<std::int64_t>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      const std::int64_t other = random.integer(0, static_cast<std::int64_t>(i) - 1);
      std::swap(values[i - 1], values[static_cast<std::size_t>(other)]);
    }
  }

  void permutation(Bytes& out) const {
    Random random(seed_, array_.name);
    std::vector<std::int64_t> order(array_.count);
    for (std::uint64_t i = 0; i < array_.count; ++i) order[i] = static_cast<std::int64_t>(i);
    shuffle(random, order);
    integers(out, [&](std::uint64_t i) { return order[i]; });
  }

  /// Values: "pairs DEGREE", or "range LOW HIGH".
  void row_starts(Bytes& out) const {
    Random random(seed_, array_.name);
    const bool pairs = array_.values.at(0) == "pairs";
    const std::int64_t low = integer(1);
    const std::int64_t high = pairs ? 0 : integer(2);
    std::int64_t start = 0;
    if (pairs) {
      for (std::uint64_t i = 1; i + 1 < array_.count; i += 2) {
        const std::int64_t longer = random.integer(-(low / 2), low / 2);
        store_integer(array_, start + low + longer, out.data() + i * step_);
        start += 2 * low;
        store_integer(array_, start, out.data() + (i + 1) * step_);
      }
      return;
    }
    for (std::uint64_t i = 1; i < array_.count; ++i) {
      start += random.integer(low, high);
      store_integer(array_, start, out.data() + i * step_);
    }
  }

  /// Values: ROWS OF SORTED.
  void columns(Bytes& out) const {
    const Array& rows = plan_.array(array_.values.at(0));
    const Bytes raw = Contents(plan_, rows, seed_).all();
    const std::int64_t of = integer(1);
    const bool sorted = integer(2) != 0;
    Random random(seed_, array_.name);
    const auto start = [&](std::uint64_t row) {
      return load_integer(rows, raw.data() + row * rows.element_bytes());
    };
    for (std::uint64_t row = 0; row + 1 < rows.count; ++row) {
      const std::int64_t degree = start(row + 1) - start(row);
      std::set<std::int64_t> distinct;  // Floyd's sampling
      for (std::int64_t last = of - degree; last < of; ++last) {
        if (!distinct.insert(random.integer(0, last)).second) distinct.insert(last);
      }
      std::vector<std::int64_t> chosen(distinct.begin(), distinct.end());
      if (!sorted) shuffle(random, chosen);
      for (std::int64_t k = 0; k < degree; ++k) {
        const auto at = static_cast<std::uint64_t>(start(row) + k);
        store_integer(array_, chosen[static_cast<std::size_t>(k)], out.data() + at * step_);
      }
    }
  }

  const Plan& plan_;
  const Array& array_;
  std::uint64_t seed_;
  unsigned step_;
};

/// Reads a plan. The count of columns without one is that of their row starts.
inline Plan read_plan(const std::string& path, std::uint64_t seed) {
  std::istringstream file(tessera::read_input_file(path));
  Plan plan;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string what;
    std::string text;
    words >> what;
    if (what == "rounds") {
      words >> plan.rounds;
    } else if (what == "array") {
      Array a;
      words >> a.name >> a.type >> text >> a.kind;
      for (std::string v; words >> v;) a.values.push_back(v);
      if (text == "-") {
        const Array& rows = plan.array(a.values.at(0));
        const Bytes raw = Contents(plan, rows, seed).all();
        text = std::to_string(load_integer(rows, raw.data() + raw.size() - rows.element_bytes()));
      }
      a.count = std::stoull(text);
      plan.arrays.push_back(a);
    } else if (what == "launch") {
      Step s;
      s.what = what;
      words >> s.name >> s.grid[0] >> s.grid[1] >> s.grid[2] >> s.block[0] >> s.block[1] >>
          s.block[2] >> s.shared;
      plan.steps.push_back(s);
    } else if (what == "argument") {
      Argument argument;
      std::size_t bytes = 0;
      words >> bytes >> text;
      argument.bytes = from_hex(text);
      argument.bytes.resize(bytes);
      for (Argument::Address a; words >> a.offset >> a.array >> a.element;) {
        argument.addresses.push_back(a);
      }
      plan.steps.back().arguments.push_back(argument);
    } else if (what == "fill" || what == "set") {
      Step s;
      s.what = what;
      words >> s.name;
      if (what == "set") words >> s.element;
      words >> text;
      s.value = from_hex(text);
      plan.steps.push_back(s);
    } else if (what == "read") {
      std::string to;
      words >> text >> to;
      plan.reads.emplace_back(text, to);
    } else if (!what.empty()) {
      throw std::runtime_error(path + ": unknown item " + what);
    }
  }
  return plan;
}

}  // namespace measure_gpu
