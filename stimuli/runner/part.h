// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C++ part of a suite workload: its CPU reference, and its host program if it has logic.

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/runner/contents.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// The expectation of one element. Integers must be equal; a floating-point element passes if
/// |got - value| <= allowed, so that NaN never passes.
struct Element64 {
  double value = 0;
  double allowed = 0;
  std::int64_t integer = 0;

  static Element64 exactly(std::int64_t v) { return {0, 0, v}; }
  static Element64 about(double v, double allowed_error) { return {v, allowed_error, 0}; }
};

/// The expected contents of an output array after the run.
struct Expectation {
  std::string array;
  std::function<Element64(std::uint64_t index)> element;
  /// The elements can be in any order.
  bool any_order = false;
  /// NaN passes if NaN is expected.
  bool nan_equal = false;
};

/// Elements that must be within `error` of `values`.
inline std::function<Element64(std::uint64_t index)> within(std::vector<double> values,
                                                            double error) {
  return [values = std::move(values), error](std::uint64_t i) {
    return Element64::about(values[i], error);
  };
}

/// Relative error of one rounding to float.
inline constexpr double kFloatRounding = 0x1p-24;

/// Error bound of a float result after `roundings` rounding steps, each on a partial result of at
/// most `magnitude` (for a sum: the sum of the terms' magnitudes): the standard bound gamma_n = n u
/// / (1 - n u), with u the rounding unit.
inline double float_error(std::uint64_t roundings, double magnitude) {
  const double nu = static_cast<double>(roundings) * kFloatRounding;
  return nu / (1 - nu) * magnitude + 0x1p-149 * static_cast<double>(roundings);
}

/// A float sum with a fixed order, computed in double with a bound of its error (running error
/// analysis: every product and every partial sum is rounded once). Much tighter than float_error()
/// if terms cancel. Only for kernels that add in the order of add().
class FloatSum {
 public:
  /// Adds a product. `term_error`: error bound of the term before its rounding.
  void add(double term, double term_error = 0) {
    value_ += term;
    rounded_ += std::fabs(term) + std::fabs(value_);
    inherited_ += term_error;
    ++terms_;
  }
  double value() const { return value_; }
  /// The factor covers the difference between the partial sums in float and in double, which is at
  /// most the error itself.
  double error() const {
    const double nu = static_cast<double>(terms_) * kFloatRounding;
    return (kFloatRounding * rounded_ + inherited_) / (1 - nu) +
           0x1p-149 * static_cast<double>(terms_);
  }
  Element64 expectation() const { return Element64::about(value(), error()); }

 private:
  double value_ = 0;
  double rounded_ = 0;
  double inherited_ = 0;
  std::uint64_t terms_ = 0;
};

/// A host program's interface to its running workload, with names instead of addresses.
class HostSession {
 public:
  HostSession(Device& device, const ptx::Module& module, const Inputs& inputs)
      : device_(device),
        module_(module),
        inputs_(inputs),
        loader_(ModuleLoader::make(device)),
        source_(loader_->source(module)) {}

  const Inputs& inputs() const { return inputs_; }
  std::int64_t size(const std::string& name) const { return inputs_.size(name); }

  /// Allocates and fills every array in the manifest's order, writes the module's variables, and
  /// creates textures and surfaces.
  void set_up();
  /// Overrides the manifest's value of a scalar for later launches.
  template <class T>
  void set(const std::string& scalar, T value) {
    overrides_[scalar] = KernelArgument::of(value);
  }
  /// Runs the manifest's launches in order, with their loops, `times` times. Throws RunError for a
  /// loop that exceeds its limit.
  void launch_all(std::int64_t times = 1);
  /// Runs the manifest's first launch of the kernel once.
  void launch(const std::string& kernel);

  template <class T>
  std::vector<T> read(const std::string& array) {
    std::vector<T> out(count(array, element_of<T>()));
    device_.read(out.data(), address(array), out.size() * sizeof(T));
    return out;
  }
  /// Writes an array; `values` must have the array's number of elements.
  template <class T>
  void write(const std::string& array, const std::vector<T>& values) {
    check_count(array, element_of<T>(), values.size());
    device_.write(address(array), values.data(), values.size() * sizeof(T));
  }

  Address address(const std::string& array) const { return addresses_.at(array); }
  /// Addresses of all arrays and variables.
  const std::map<std::string, Address>& addresses() const { return addresses_; }

 private:
  std::uint64_t count(const std::string& array, Element type) const;
  void check_count(const std::string& array, Element type, std::uint64_t elements) const;

  /// Writes the initial contents in pieces.
  void initialise(const ArraySpec& array);
  void run(const std::vector<Step>& steps, const Sizes& sizes);
  void run(const LaunchSpec& launch, const Sizes& sizes);
  void run(const RepeatSpec& loop, const Sizes& sizes);
  void run(const UntilSpec& loop, const Sizes& sizes);
  void run(const FillSpec& fill, const Sizes& sizes);
  void run(const SetSpec& set, const Sizes& sizes);
  /// Runs one launch; `sizes` contains its iteration.
  void start(const LaunchSpec& launch, const Sizes& sizes);

  std::vector<std::byte> bytes_of(const ArgumentSpec& argument, const Sizes& sizes) const;
  std::vector<std::byte> bytes_of(const std::string& name, const Sizes& sizes) const;
  std::vector<std::byte> bytes_of(const StructSpec& structure, const Sizes& sizes) const;
  Address address_of(const ElementRef& element, const Sizes& sizes) const;

  Device& device_;
  const ptx::Module& module_;
  const Inputs& inputs_;
  std::shared_ptr<ModuleLoader> loader_;
  std::shared_ptr<KernelSource> source_;
  std::map<std::string, Address> addresses_;
  std::map<std::string, std::uint64_t> handles_;  ///< of textures and surfaces
  std::map<std::string, KernelArgument> overrides_;
  std::map<std::string, LaunchId> launches_;  ///< the last one of each name
};

/// If `host` is null, the manifest's launches run in order. If `reference` is null, there is no
/// CPU reference.
struct Part {
  void (*host)(HostSession& session) = nullptr;
  std::vector<Expectation> (*reference)(const Inputs& inputs) = nullptr;
};

/// A workload of the suite, or a microbenchmark.
struct SuiteEntry {
  std::string folder;  ///< in that of the kernels
  bool is_micro = false;
  Part part;
};

/// All of them by name. Generated from the lists in CMakeLists.txt: the part of the workload
/// `fdtd2d` is returned by `workload_fdtd2d::part()` in its folder's reference.cpp ('-' in a name
/// and '/' in a folder are '_' in the namespace). A variant without a reference.cpp uses the part
/// of the workload whose PTX its manifest launches.
const std::map<std::string, SuiteEntry>& suite_entries();

}  // namespace tessera::kernels
