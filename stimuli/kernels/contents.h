// SPDX-License-Identifier: Apache-2.0
#pragma once

// The initial contents of a workload's arrays: made from the seed, the same on every machine, and
// made again for the CPU reference instead of being kept.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/kernels/manifest.h"

namespace tessera::kernels {

/// An array's values; copies share them (references capture them in closures).
template <class T>
class Values {
 public:
  explicit Values(std::vector<T> values)
      : values_(std::make_shared<const std::vector<T>>(std::move(values))) {}

  const T& operator[](std::size_t i) const { return (*values_)[i]; }
  std::size_t size() const { return values_->size(); }
  auto begin() const { return values_->begin(); }
  auto end() const { return values_->end(); }
  const std::vector<T>& vector() const { return *values_; }

 private:
  std::shared_ptr<const std::vector<T>> values_;
};

/// A manifest at one scale and seed. The manifest must outlive it.
class Inputs {
 public:
  Inputs(const Manifest& manifest, Scale scale, std::uint64_t seed);

  const Manifest& manifest() const { return manifest_; }
  const Sizes& sizes() const { return sizes_; }
  std::uint64_t seed() const { return seed_; }

  std::int64_t size(const std::string& name) const;
  /// Elements of an array. Throws InputError when the row starts that decide it are none.
  std::uint64_t count(const ArraySpec& array) const;
  /// The value of a named scalar that does not depend on the iteration.
  double scalar(const std::string& name) const;

  /// Takes `bytes` bytes of an array's contents, `offset` bytes from its begin.
  using Sink =
      std::function<void(std::uint64_t offset, const std::byte* contents, std::uint64_t bytes)>;

  /// Makes any part of an array's contents before the first launch. Empty where elements depend on
  /// those before them (permutations, row starts, columns) and for lists: these are streamed.
  Contents contents(const ArraySpec& array) const;
  /// The same, whole: count() elements from first to last in pieces of at most kPieceBytes, so that
  /// an array of gigabytes is never held twice.
  void stream(const ArraySpec& array, const Sink& sink) const;
  static constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
  /// The same, all of it into `out`.
  void fill(const ArraySpec& array, std::byte* out) const;
  /// The same, typed; T must be the array's type.
  template <class T>
  Values<T> values(const std::string& name) const {
    const ArraySpec& array = typed(name, element_of<T>());
    std::vector<T> out(count(array));
    fill(array, reinterpret_cast<std::byte*>(out.data()));
    return Values<T>(std::move(out));
  }

 private:
  const ArraySpec& typed(const std::string& name, Element type) const;
  /// The contents of an array of row starts, checked.
  std::vector<std::int64_t> row_starts(const Columns& columns) const;

  friend class Filler;

  const Manifest& manifest_;
  const Sizes& sizes_;
  std::uint64_t seed_;
  /// Elements of arrays whose row starts decide, once known.
  mutable std::map<std::string, std::uint64_t> counts_;
};

/// Reads a whole file of raw elements. Throws InputError when it cannot be read or has another
/// size.
std::vector<std::byte> read_elements(const std::string& path, std::uint64_t bytes);

}  // namespace tessera::kernels
