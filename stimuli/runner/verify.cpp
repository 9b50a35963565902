// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace tessera::kernels {
namespace {

constexpr std::size_t kMaxMessages = 8;
/// Elements read back at a time.
constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

/// Converts a read element to the type of an expectation.
Element64 element_at(Element type, const std::byte* at) {
  return is_float(type) ? Element64::about(load_float(type, at), 0)
                        : Element64::exactly(load_integer(type, at));
}

std::string describe(Element type, const Element64& got, const Element64& want) {
  std::ostringstream out;
  if (is_float(type)) {
    out.precision(9);
    out << got.value << ", expected " << want.value << " within " << want.allowed;
  } else if (type == Element::kU64) {
    out << static_cast<std::uint64_t>(got.integer) << ", expected "
        << static_cast<std::uint64_t>(want.integer);
  } else {
    out << got.integer << ", expected " << want.integer;
  }
  return out.str();
}

/// Compares the elements in order.
class Comparison {
 public:
  Comparison(const ArraySpec& array, const Expectation& expectation, Verification& into)
      : array_(array), expectation_(expectation), into_(into) {}

  template <class Place>
  void add(const Place& place, const Element64& got, const Element64& want) {
    double error = 0;
    bool wrong = false;
    if (is_float(array_.type)) {
      error = error_of(got.value, want.value);
      wrong = !(error <= want.allowed || error == 0);
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    } else {
      wrong = got.integer != want.integer;
      error = std::fabs(static_cast<double>(got.integer) - static_cast<double>(want.integer));
    }
    into_.worst_error = std::max(into_.worst_error, error);
    ++into_.compared;
    if (!wrong) return;
    ++into_.wrong;
    if (into_.messages.size() < kMaxMessages) {
      const bool both = is_float(array_.type) && std::isnan(got.value) && std::isnan(want.value);
      into_.messages.push_back(place() + " is " + describe(array_.type, got, want) +
                               (both ? " (accepted with \"nan\": \"equal\")" : ""));
    }
  }

  /// Compares multisets: both are sorted, NaN last. If any pairing of the elements is within the
  /// tolerance, the pairing in sorted order is, too.
  void add_sorted(std::vector<Element64> got, std::vector<Element64> want) {
    const auto less = [this](const Element64& a, const Element64& b) {
      if (!is_float(array_.type)) return a.integer < b.integer;
      if (std::isnan(a.value) || std::isnan(b.value)) {
        return std::isnan(b.value) && !std::isnan(a.value);
      }
      return a.value < b.value;
    };
    std::sort(got.begin(), got.end(), less);
    std::sort(want.begin(), want.end(), less);
    for (std::size_t i = 0; i < got.size(); ++i) {
      add([&] { return array_.name + " in ascending order: element " + std::to_string(i); }, got[i],
          want[i]);
    }
  }

 private:
  double error_of(double got, double want) const {
    if (got == want) return 0;
    if (expectation_.nan_equal && std::isnan(got) && std::isnan(want)) return 0;
    if (!std::isfinite(want)) return std::numeric_limits<double>::quiet_NaN();
    return std::fabs(got - want);
  }

  const ArraySpec& array_;
  const Expectation& expectation_;
  Verification& into_;
};

}  // namespace

void compare(Device& device, const ArraySpec& array, Address at, std::uint64_t count,
             const Expectation& expectation, Verification& into) {
  const unsigned step = element_bytes(array.type);
  Comparison comparison(array, expectation, into);
  std::vector<Element64> all_got;
  std::vector<Element64> all_wanted;
  std::vector<std::byte> chunk;
  for (std::uint64_t begin = 0; begin < count; begin += kChunk) {
    const std::uint64_t elements = std::min(kChunk, count - begin);
    chunk.resize(elements * step);
    device.read(chunk.data(), at + begin * step, chunk.size());
    for (std::uint64_t i = 0; i < elements; ++i) {
      const Element64 got = element_at(array.type, chunk.data() + i * step);
      const Element64 want = expectation.element(begin + i);
      if (expectation.any_order) {
        all_got.push_back(got);
        all_wanted.push_back(want);
      } else {
        comparison.add([&] { return array.name + "[" + std::to_string(begin + i) + "]"; }, got,
                       want);
      }
    }
  }
  comparison.add_sorted(std::move(all_got), std::move(all_wanted));
}

void conclude(Verification& verification) {
  verification.passed = verification.compared > 0 && verification.wrong == 0;
}

}  // namespace tessera::kernels
