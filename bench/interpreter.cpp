// SPDX-License-Identifier: Apache-2.0
#include "bench/interpreter.h"

#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cpu_time.h"
#include "stimuli/ptx/module.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/module_loader.h"

namespace tessera::bench {

namespace {

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> v(count);
  for (float& x : v) x = between(random);
  return v;
}

/// Arrays of a kernel on a functional device.
class Bench {
 public:
  explicit Bench(const std::string& kernel)
      : module_(ptx::parse_file(TESSERA_BENCH_KERNELS "/" + kernel + "/" + kernel + ".ptx")) {
    request_.source = kernels::ModuleLoader::make(device_)->source(module_);
    request_.kernel = kernel;
  }
  Address array(const std::string& name, const std::vector<float>& values) {
    const Address a = device_.allocate(name, values.size() * sizeof(float));
    device_.write(a, values.data(), values.size() * sizeof(float));
    return a;
  }
  LaunchRequest& request() { return request_; }

  /// Runs the kernel and the loop. The contents of `result` and `expected` must be equal
  /// afterwards.
  InterpreterSpeed compare(Address result, const std::function<void()>& loop,
                           const std::vector<float>& expected) {
    const double interpreted = seconds([this] { device_.launch(request_); });
    const double scalar = seconds(loop);
    std::vector<float> got(expected.size());
    device_.read(got.data(), result, got.size() * sizeof(float));
    for (std::size_t i = 0; i < got.size(); ++i) {
      // The kernels use fused multiply-add; the loops round twice.
      if (std::abs(got[i] - expected[i]) > 1e-3f) {
        throw std::runtime_error(request_.kernel + ": the interpreter and the loop differ");
      }
    }
    return {static_cast<double>(device_.instructions()) / interpreted, interpreted / scalar};
  }

 private:
  ptx::Module module_;
  kernels::FunctionalDevice device_;
  LaunchRequest request_;
};

}  // namespace

InterpreterSpeed interpret_mm() {
  constexpr int n = 256;
  const std::vector<float> a = random_numbers(n * n, 1);
  const std::vector<float> b = random_numbers(n * n, 2);
  std::vector<float> c(n * n);
  Bench bench("mm");
  const Address at = bench.array("c", c);
  LaunchRequest& r = bench.request();
  r.grid = {n / 16, n / 16, 1};
  r.block = {16, 16, 1};
  r.arguments = {KernelArgument::of(bench.array("a", a)), KernelArgument::of(bench.array("b", b)),
                 KernelArgument::of(at), KernelArgument::of(n), KernelArgument::of(n)};
  const auto loop = [&] {
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        float sum = 0;
        for (int i = 0; i < n; ++i) {
          sum += a[row * n + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
      }
    }
  };
  return bench.compare(at, loop, c);
}

InterpreterSpeed interpret_saxpy() {
  constexpr int n = 1 << 22;
  constexpr float alpha = 1.7f;
  const std::vector<float> x = random_numbers(n, 1);
  std::vector<float> y = random_numbers(n, 2);
  Bench bench("saxpy");
  const Address at = bench.array("y", y);
  LaunchRequest& r = bench.request();
  r.grid = {n / 256, 1, 1};
  r.block = {256, 1, 1};
  r.arguments = {KernelArgument::of(alpha), KernelArgument::of(bench.array("x", x)),
                 KernelArgument::of(at), KernelArgument::of(n)};
  const auto loop = [&] {
    for (int i = 0; i < n; ++i) y[i] = alpha * x[i] + y[i];
  };
  return bench.compare(at, loop, y);
}

}  // namespace tessera::bench
