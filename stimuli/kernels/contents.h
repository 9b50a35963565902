// SPDX-License-Identifier: Apache-2.0
#pragma once

// The initial contents of a workload's arrays: made from the seed, the same on every machine, and
// made again for the CPU reference instead of being kept.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "stimuli/kernels/manifest.h"

namespace tessera::kernels {

/// A manifest at one scale and seed. The manifest must outlive it.
class Inputs {
 public:
  Inputs(const Manifest& manifest, Scale scale, std::uint64_t seed);

  const Manifest& manifest() const { return manifest_; }
  const Sizes& sizes() const { return sizes_; }
  std::uint64_t seed() const { return seed_; }

  std::int64_t size(const std::string& name) const;
  std::uint64_t count(const ArraySpec& array) const;
  /// The value of a named scalar that does not depend on the iteration.
  double scalar(const std::string& name) const;

  /// Raw contents of an array before the first launch.
  std::vector<std::byte> bytes(const ArraySpec& array) const;
  /// The same, typed; T must be the array's type.
  template <class T>
  std::vector<T> values(const std::string& name) const {
    const std::vector<std::byte> raw = bytes(typed(name, element_of<T>()));
    std::vector<T> out(raw.size() / sizeof(T));
    std::memcpy(out.data(), raw.data(), raw.size());
    return out;
  }

 private:
  const ArraySpec& typed(const std::string& name, Element type) const;

  const Manifest& manifest_;
  const Sizes& sizes_;
  std::uint64_t seed_;
};

/// The bytes of a scalar, as the kernel's parameter has them.
std::vector<std::byte> scalar_bytes(const Manifest& manifest, const ScalarSpec& scalar,
                                    const Sizes& sizes);

/// Reads a whole file of raw elements. Throws InputError when it cannot be read or has another
/// size.
std::vector<std::byte> read_elements(const std::string& path, std::uint64_t bytes);

}  // namespace tessera::kernels
