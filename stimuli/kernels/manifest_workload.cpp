// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/manifest_workload.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/error.h"
#include "common/json_node.h"
#include "common/suggest.h"
#include "stimuli/kernels/verify.h"
#include "stimuli/ptx/program.h"

namespace tessera::kernels {
namespace {

/// What the manifest says an output must be.
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
  if (const auto* file = std::get_if<std::string>(&spec.values)) {
    const unsigned step = element_bytes(type);
    auto raw = read_elements(*file, count * step);
    out.element = [=, raw = std::move(raw)](std::uint64_t i) {
      const std::byte* at = raw.data() + i * step;
      return wanted(is_float(type) ? load_float(type, at) : 0, load_integer(type, at));
    };
    return out;
  }
  const auto& numbers = std::get<std::vector<double>>(spec.values);
  if (numbers.size() != count) {
    m.fail(spec.pointer, "expected " + std::to_string(count) + " values, as many as \"" +
                             output.array + "\" has elements, found " +
                             std::to_string(numbers.size()));
  }
  out.element = [=](std::uint64_t i) {
    return wanted(numbers[i], static_cast<std::int64_t>(numbers[i]));
  };
  return out;
}

}  // namespace

ManifestWorkload::ManifestWorkload(Manifest manifest, const Part& part)
    : manifest_(std::move(manifest)), part_(part), module_(ptx::parse_file(manifest_.ptx)) {
  for (const LaunchSpec& l : manifest_.launches) check_launch(l);
}

void ManifestWorkload::check_launch(const LaunchSpec& launch) const {
  const ptx::Function* kernel = module_.function(launch.kernel);
  if (kernel == nullptr || !kernel->is_entry) {
    manifest_.fail(launch.pointer + "/kernel", manifest_.ptx + " has no kernel \"" + launch.kernel +
                                                   "\"" +
                                                   did_you_mean(launch.kernel, module_.entries()) +
                                                   " (it has: " + joined(module_.entries()) + ")");
  }
  // Refused before the run: kernels that the manifest launches. Others may use what they like.
  ptx::decode(module_, launch.kernel);
  if (launch.arguments.size() != kernel->parameters.size()) {
    manifest_.fail(launch.pointer + "/arguments",
                   "the kernel \"" + launch.kernel + "\" has " +
                       std::to_string(kernel->parameters.size()) + " parameters, found " +
                       std::to_string(launch.arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ArgumentSpec& a = launch.arguments[i];
    std::uint64_t bytes = sizeof(Address);
    std::string what = "an array's address";
    const ScalarSpec* scalar = std::get_if<ScalarSpec>(&a.value);
    if (const auto* name = std::get_if<std::string>(&a.value)) scalar = manifest_.scalar(*name);
    if (scalar != nullptr) {
      bytes = element_bytes(scalar->type);
      what = std::string("a scalar of type ") + element_name(scalar->type);
    }
    const std::uint64_t wanted = kernel->parameters[i].bytes();
    if (bytes != wanted) {
      manifest_.fail(a.pointer, "parameter " + std::to_string(i) + " of \"" + launch.kernel +
                                    "\" has " + std::to_string(wanted) + " bytes, but " + what +
                                    " has " + std::to_string(bytes));
    }
  }
}

void ManifestWorkload::run(Device& device, Scale scale, std::uint64_t seed) {
  if (inputs_) throw std::logic_error("a workload runs once");
  inputs_.emplace(manifest_, scale, seed);
  HostSession session(device, module_, *inputs_);
  session.set_up();
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

std::optional<Verification> ManifestWorkload::verify(Device& device) {
  if (!inputs_) throw std::logic_error("a workload is verified after it has run");
  if (part_.reference == nullptr && manifest_.expected.empty()) return std::nullopt;
  Verification result;
  const std::vector<Expectation> all = expectations();
  for (const Expectation& e : all) {
    const ArraySpec* array = manifest_.array(e.array);
    if (array == nullptr) throw std::logic_error("the reference names no array: " + e.array);
    compare(device, *array, inputs_->count(*array), e, result);
  }
  if (part_.reference != nullptr) {
    // The reference must speak about every output that the manifest promises.
    for (const OutputSpec& o : manifest_.outputs) {
      bool found = false;
      for (const Expectation& e : all) found = found || e.array == o.array;
      if (!found) throw std::logic_error("the reference leaves out the output " + o.array);
    }
  }
  conclude(result);
  return result;
}

}  // namespace tessera::kernels
