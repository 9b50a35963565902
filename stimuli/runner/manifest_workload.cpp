// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/manifest_workload.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "stimuli/ptx/link.h"
#include "stimuli/runner/symbols.h"
#include "stimuli/runner/verify.h"

namespace tessera::kernels {
namespace {

/// The expectation of an output from the manifest.
Expectation given(const Manifest& m, const OutputSpec& output, const ExpectedSpec& spec,
                  std::uint64_t count) {
  const Element type = m.array(output.array)->type;
  const double absolute = output.absolute.value_or(0);
  const double relative = output.relative.value_or(0);
  const auto wanted = [=](double real, std::int64_t integer) {
    if (!is_float(type)) return Element64::exactly(integer);
    return Element64::about(real, absolute + relative * std::fabs(real));
  };
  Expectation out;
  out.array = output.array;
  out.any_order = output.any_order;
  out.nan_equal = output.nan_equal;
  if (const auto* file = std::get_if<std::string>(&spec.values)) {
    const unsigned step = element_bytes(type);
    auto raw = read_elements(*file, count * step);
    out.element = [=, raw = std::move(raw)](std::uint64_t i) {
      const std::byte* at = raw.data() + i * step;
      return wanted(is_float(type) ? load_float(type, at) : 0, load_integer(type, at));
    };
    return out;
  }
  const auto& values = std::get<std::vector<Literal>>(spec.values);
  if (values.size() != count) {
    m.fail(spec.pointer, "expected " + std::to_string(count) + " values, as many as \"" +
                             output.array + "\" has elements, found " +
                             std::to_string(values.size()));
  }
  out.element = [=](std::uint64_t i) { return wanted(values[i].real, values[i].integer); };
  return out;
}

ptx::Module linked(const Manifest& m) {
  std::vector<ptx::Module> modules;
  for (const std::string& file : m.ptx) modules.push_back(ptx::parse_file(file));
  return ptx::link(std::move(modules));
}

}  // namespace

ManifestWorkload::ManifestWorkload(Manifest manifest, const Part& part)
    : manifest_(std::move(manifest)), part_(part), module_(linked(manifest_)) {
  std::vector<std::string> names;
  for (const LaunchSpec* launch : manifest_.launches()) names.push_back(launch->kernel);
  resolve_symbols(manifest_, module_);
  std::size_t i = 0;
  for (const LaunchSpec* launch : manifest_.launches()) symbols_[names[i++]] = launch->kernel;
}

void ManifestWorkload::run(Device& device, Scale scale, std::uint64_t seed) {
  if (inputs_) throw std::logic_error("a workload runs once");
  inputs_.emplace(manifest_, scale, seed);
  HostSession session(device, module_, *inputs_);
  session.set_up();
  addresses_ = session.addresses();
  if (part_.host != nullptr) {
    part_.host(session);
  } else {
    session.launch_all();
  }
}

std::vector<Expectation> ManifestWorkload::expectations() const {
  if (part_.reference != nullptr) return part_.reference(*inputs_);
  std::vector<Expectation> out;
  for (const OutputSpec& o : manifest_.outputs) {
    const auto spec = manifest_.expected.find(o.array);
    if (spec == manifest_.expected.end()) continue;
    out.push_back(given(manifest_, o, spec->second, inputs_->count(*manifest_.array(o.array))));
  }
  return out;
}

void ManifestWorkload::read_files(Device& device) {
  files_.clear();
  for (const OutputSpec& o : manifest_.outputs) {
    if (o.file.empty()) continue;
    const ArraySpec& array = *manifest_.array(o.array);
    OutputFile file{o.file, {}};
    file.bytes.resize(inputs_->count(array) * element_bytes(array.type));
    device.read(file.bytes.data(), addresses_.at(o.array), file.bytes.size());
    files_.push_back(std::move(file));
  }
}

std::optional<Verification> ManifestWorkload::verify(Device& device) {
  if (!inputs_) throw std::logic_error("a workload is verified after it has run");
  read_files(device);
  summaries_ = summarise_arrays(device, *inputs_, addresses_);
  if (part_.reference == nullptr && manifest_.expected.empty()) return std::nullopt;
  Verification result;
  const std::vector<Expectation> all = expectations();
  for (const Expectation& e : all) {
    const ArraySpec* array = manifest_.array(e.array);
    if (array == nullptr) throw std::logic_error("the reference names no array: " + e.array);
    compare(device, *array, addresses_.at(e.array), inputs_->count(*array), e, result);
  }
  if (part_.reference != nullptr) {
    // The reference must contain an expectation for every output of the manifest.
    for (const OutputSpec& o : manifest_.outputs) {
      bool found = false;
      for (const Expectation& e : all) found = found || e.array == o.array;
      if (!found) throw std::logic_error("the reference leaves out the output " + o.array);
    }
  }
  conclude(result);
  return result;
}

std::vector<WorkloadFigure> ManifestWorkload::figures(
    const std::vector<LaunchTime>* launches) const {
  if (!inputs_) return {};
  return figures_of(manifest_, inputs_->sizes(), summaries_, symbols_, launches);
}

}  // namespace tessera::kernels
