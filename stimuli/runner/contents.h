// SPDX-License-Identifier: Apache-2.0
#pragma once

// The initial contents of a workload's arrays: generated from the seed, equal on every machine, and
// generated again for the CPU reference instead of stored.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/runner/manifest.h"

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
  /// Number of elements of an array. Throws InputError if the row starts that determine it are
  /// invalid.
  std::uint64_t count(const ArraySpec& array) const;
  /// The value of a named scalar that does not depend on the iteration.
  double scalar(const std::string& name) const;

  /// Receives `bytes` bytes of an array's contents at byte `offset`.
  using Sink =
      std::function<void(std::uint64_t offset, const std::byte* contents, std::uint64_t bytes)>;

  /// Generator of any part of an array's contents before the first launch. Empty if elements depend
  /// on earlier ones (permutations, row starts, columns) and for lists; these must be streamed.
  Contents contents(const ArraySpec& array) const;
  /// Generates the whole contents: count() elements in order, in pieces of at most kPieceBytes, so
  /// that an array of gigabytes needs no second copy.
  void stream(const ArraySpec& array, const Sink& sink) const;
  static constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
  /// Generates the whole contents into `out`.
  void fill(const ArraySpec& array, std::byte* out) const;
  /// The whole contents as typed values; T must be the array's type.
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
  /// Cached counts of arrays whose row starts determine them.
  mutable std::map<std::string, std::uint64_t> counts_;
};

/// Reads a whole file of raw elements. Throws InputError if it cannot be read or has another size.
std::vector<std::byte> read_elements(const std::string& path, std::uint64_t bytes);

}  // namespace tessera::kernels
