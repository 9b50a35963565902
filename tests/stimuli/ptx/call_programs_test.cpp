// SPDX-License-Identifier: Apache-2.0
// CUDA programs with virtual functions, function pointers and recursion (data/calls/calls.cu), as
// compiled by nvcc and clang, against references without virtual functions and recursion.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::call_programs_test {

using namespace tessera::test;

namespace {

/// A module on a device with arrays.
class Program {
 public:
  explicit Program(const std::string& file)
      : module_(ptx::parse_file(TESSERA_SOURCE_DIR "/tests/stimuli/ptx/data/calls/" + file)) {
    for (const ptx::Variable& v : module_.variables) {
      symbols_[v.name] = allocations_.allocate(v.name, v.bytes()).begin;
    }
    for (const ptx::Variable& v : module_.variables) {
      const auto contents = ptx::initial_contents(module_, v, symbols_);
      std::memcpy(memory_.at(symbols_[v.name]), contents.data(), contents.size());
    }
  }

  template <class T>
  Address array(const std::vector<T>& values) {
    const std::string name = "array" + std::to_string(arrays_++);
    const Address a = allocations_.allocate(name, values.size() * sizeof(T)).begin;
    std::memcpy(memory_.at(a), values.data(), values.size() * sizeof(T));
    return a;
  }
  template <class T>
  std::vector<T> read(Address from, std::size_t count) {
    std::vector<T> out(count);
    std::memcpy(out.data(), memory_.at(from), count * sizeof(T));
    return out;
  }

  /// `name`: a part of the kernel's name that no other kernel has. `seed` 0: functional mode.
  void run(const std::string& name, unsigned grid, unsigned block, unsigned seed,
           const std::vector<KernelArgument>& arguments, std::uint32_t stack_bytes = 1024) {
    const std::vector<std::string> all = module_.entries();
    const auto kernel = std::find_if(all.begin(), all.end(), [&](const std::string& e) {
      return e.find(name) != std::string::npos;
    });
    REQUIRE(kernel != all.end());
    LaunchRequest request;
    request.kernel = *kernel;
    request.grid = {grid, 1, 1};
    request.block = {block, 1, 1};
    request.arguments = arguments;
    ptx::MemoryView view;
    view.allocations = &allocations_;
    view.symbols = &symbols_;
    view.stack_bytes = stack_bytes;
    if (seed == 0) view.flat = &memory_;
    const auto program = ptx::make_program(ptx::decode(module_, *kernel), request, view);
    if (seed == 0) {
      run_functionally(*program, 100'000'000);
    } else {
      CarriedRunner(*program, memory_, seed).run();
    }
  }

 private:
  ptx::Module module_;
  Allocations allocations_;
  FlatMemory memory_{std::uint64_t{1} << 30};
  std::map<std::string, Address> symbols_;
  unsigned arrays_ = 0;
};

/// Runs `check(file, seed)` for the files of both compilers in both modes of values.
void for_all(const std::function<void(const std::string& file, unsigned seed)>& check) {
  for (const char* file : {"nvcc_sm75.ptx", "clang14_sm70.ptx"}) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      INFO(file << (seed == 0 ? ", functional" : ", carried"));
      check(file, seed);
    }
  }
}

template <class T>
KernelArgument arg(T value) {
  return KernelArgument::of(value);
}

}  // namespace

TEST_CASE("rays hit shapes of several classes through their virtual functions") {
  constexpr int kShapes = 11;
  constexpr int kRays = 70;
  std::mt19937 random(7);
  const auto coordinate = [&] { return static_cast<float>(random() % 64) / 8 - 4; };
  std::vector<int> kinds(kShapes);
  std::vector<float> values(4 * kShapes);
  std::vector<float> rays(6 * kRays);
  for (int i = 0; i < kShapes; ++i) kinds[i] = static_cast<int>(random() % 4);
  for (float& v : values) v = coordinate();
  for (float& v : rays) v = coordinate();
  // The formulas by class, and each ray alone.
  const auto plane = [&](const float* s, const float* r) {
    const float along = s[0] * r[3] + s[1] * r[4] + s[2] * r[5];
    return along == 0 ? -1.0f : (s[3] - (s[0] * r[0] + s[1] * r[1] + s[2] * r[2])) / along;
  };
  const auto hit = [&](int i, const float* r) {
    const float* s = &values[4 * i];
    if (kinds[i] == 0) {
      const float x = r[0] - s[0], y = r[1] - s[1], z = r[2] - s[2];
      const float half = x * r[3] + y * r[4] + z * r[5];
      const float inside = half * half - (x * x + y * y + z * z - s[3] * s[3]);
      return inside < 0 ? -1.0f : -half - inside * 0.25f;
    }
    if (kinds[i] == 2) {
      float best = -1;
      for (int k = 0; k < 3; ++k) {
        if (r[3 + k] != 0) best = std::max(best, (s[k] - r[k] + s[3]) / r[3 + k]);
      }
      return best;
    }
    const float t = plane(s, r);
    return kinds[i] == 3 && t * t > 4 * s[3] ? -1.0f : t;
  };
  const auto weight = [&](int i) {
    return kinds[i] == 0 ? i + 1 : kinds[i] == 2 ? i ^ 0x55 : 3 * i;
  };
  std::vector<float> nearest(kRays, 1e30f);
  std::vector<int> which(kRays, -1);
  for (int t = 0; t < kRays; ++t) {
    for (int k = 0; k < kShapes; ++k) {
      const int i = (t + k) % kShapes;
      const float at = hit(i, &rays[6 * t]);
      if (at > 0 && at < nearest[t]) {
        nearest[t] = at;
        which[t] = weight(i);
      }
    }
  }
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address shapes = p.array(std::vector<char>(32 * kShapes));
    p.run("make_shapes", 1, 32, seed,
          {arg(p.array(kinds)), arg(p.array(values)), arg(shapes), arg(kShapes)});
    const Address distances = p.array(std::vector<float>(kRays));
    const Address found = p.array(std::vector<int>(kRays));
    p.run("trace", 2, kRays / 2, seed,
          {arg(shapes), arg(kShapes), arg(p.array(rays)), arg(distances), arg(found)});
    CHECK(p.read<float>(distances, kRays) == nearest);
    CHECK(p.read<int>(found, kRays) == which);
  });
}

TEST_CASE("a recursive walk over a tree finds what a loop with a stack finds") {
  struct Node {
    int key, left, right, value;
  };
  constexpr int kThreads = 96;
  std::mt19937 random(3);
  std::vector<Node> nodes;
  for (int n = 0; n < 60; ++n) {
    const Node fresh{static_cast<int>(random() % 1000), -1, -1, static_cast<int>(random() % 100)};
    int* link = nullptr;
    for (int at = nodes.empty() ? -1 : 0; at >= 0; at = *link) {
      link = fresh.key < nodes[at].key ? &nodes[at].left : &nodes[at].right;
    }
    if (link != nullptr) *link = n;
    nodes.push_back(fresh);
  }
  std::vector<int> bounds(2 * kThreads);
  for (int& b : bounds) b = static_cast<int>(random() % 1000);
  // Post-order with an explicit stack of visits.
  const auto walk = [&](int low, int high) {
    struct Visit {
      int node, depth, step, sum;
    };
    std::vector<Visit> stack{{0, 0, 0, 0}};
    int returned = 0;
    while (!stack.empty()) {
      Visit& v = stack.back();
      if (v.node < 0) {
        returned = 1;
        stack.pop_back();
        continue;
      }
      const Node& n = nodes[v.node];
      switch (v.step++) {
        case 0:
          v.sum = n.key >= low && n.key < high ? n.value * (v.depth + 1) : 0;
          if (n.key >= low) {
            stack.push_back({n.left, v.depth + 1, 0, 0});
          } else {
            ++v.step;
          }
          break;
        case 1:
          v.sum += 3 * returned;
          [[fallthrough]];
        case 2:
          v.step = 4;
          if (n.key < high) {
            v.step = 3;
            stack.push_back({n.right, v.depth + 1, 0, 0});
          }
          break;
        case 3:
          v.sum -= returned;
          [[fallthrough]];
        default:
          returned = v.sum ^ v.depth;
          stack.pop_back();
      }
    }
    return returned;
  };
  std::vector<int> expected;
  for (int t = 0; t < kThreads; ++t) expected.push_back(walk(bounds[2 * t], bounds[2 * t + 1]));
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address out = p.array(std::vector<int>(kThreads));
    p.run("walk_tree", 2, kThreads / 2, seed,
          {arg(p.array(nodes)), arg(p.array(bounds)), arg(out)});
    CHECK(p.read<int>(out, kThreads) == expected);
  });
}

TEST_CASE("functions that call each other keep the local arrays of their frames") {
  constexpr int kThreads = 50;
  std::vector<int> data(32);
  std::mt19937 random(5);
  for (int& d : data) d = static_cast<int>(random() % 200) - 100;
  // Values by table, from the smallest argument up.
  std::map<int, int> even;
  std::map<int, int> odd;
  for (int n = -4; n <= 9; ++n) {
    const auto at = [&](int i) { return data[static_cast<unsigned>(n + i) & 31] + n; };
    odd[n] = 7;
    if (n > 0) {
      const int below = even[n - 1] - even[n - 2];
      odd[n] = below + ((below & 1) != 0 ? n : data[n & 31]);
    }
    even[n] = at(0);
    if (n > 0) {
      const int below = odd[n - 1 - (at(1) & 1)];
      even[n] = below * 2 + at((below ^ n) & 3);
    }
  }
  std::vector<int> expected;
  for (int t = 0; t < kThreads; ++t) expected.push_back(even[t % 9]);
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address out = p.array(std::vector<int>(kThreads));
    p.run("mutual", 1, kThreads, seed, {arg(p.array(data)), arg(out)});
    CHECK(p.read<int>(out, kThreads) == expected);
  });
}

TEST_CASE("a merge sort with buffers in its frames sorts the part of each thread") {
  constexpr int kThreads = 40;
  std::vector<int> data(16 * kThreads);
  std::mt19937 random(9);
  for (int& d : data) d = static_cast<int>(random() % 50);
  std::vector<int> expected = data;
  for (int t = 0; t < kThreads; ++t) {
    std::sort(&expected[16 * t], &expected[16 * t] + 1 + t % 16);
  }
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address at = p.array(data);
    p.run("sort_each", 1, kThreads, seed, {arg(at)});
    CHECK(p.read<int>(at, data.size()) == expected);
  });
}

TEST_CASE("expression trees evaluate through virtual calls that call themselves") {
  constexpr int kThreads = 64;
  std::vector<int> expected;
  for (int t = 0; t < kThreads; ++t) {
    const auto leaf = [&](int i, int x) { return i * t - 3 + x; };
    const auto sum = [&](int x) { return leaf(t & 3, x) + leaf(1, x + 1); };
    const auto product = [&](int x) {
      const int v = sum(x ^ 1);
      return v == 0 ? 0 : v * (t % 3 == 0 ? leaf(2, x) : sum(x)) - x;
    };
    const int right = (t & 4) != 0 ? product(t + 1) : leaf(3, t + 1);
    expected.push_back(t % 5 == 0 ? leaf(0, t) : product(t) + right);
  }
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address out = p.array(std::vector<int>(kThreads));
    p.run("evaluate", 1, kThreads, seed, {arg(out)});
    CHECK(p.read<int>(out, kThreads) == expected);
  });
}

TEST_CASE("function pointers come from constant and shared memory and from a structure by value") {
  constexpr int kThreads = 64;
  std::vector<int> in(kThreads);
  std::mt19937 random(1);
  for (int& v : in) v = static_cast<int>(random() % 1000);
  const auto apply = [](int f, int a, int b) {
    return f == 0 ? a + b : f == 1 ? a - 2 * b : f == 2 ? a * 8 ^ b : a;
  };
  std::vector<int> expected;
  for (int t = 0; t < kThreads; ++t) {
    int v = apply(t & 3, in[t], t);
    const int which = in[t] & 15;
    if (t % 7 != 0) v += apply(3 - (in[t] & 3), in[t] + which % 5, which) + 1000 * t;
    expected.push_back(v);
  }
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address out = p.array(std::vector<int>(kThreads));
    p.run("pointers", 1, kThreads, seed, {arg(p.array(in)), arg(out)});
    CHECK(p.read<int>(out, kThreads) == expected);
  });
}

TEST_CASE("lanes recurse to different depths and meet again") {
  constexpr unsigned kThreads = 70;
  std::vector<unsigned> fibonacci{0, 1};
  while (fibonacci.size() < 11) fibonacci.push_back(fibonacci.end()[-1] + fibonacci.end()[-2]);
  std::vector<unsigned> expected;
  for (unsigned t = 0; t < kThreads; ++t) {
    const unsigned m = t % 3;
    const unsigned n = t % 4;
    const unsigned ackermann = m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
    expected.push_back(fibonacci[(t + 1) % kThreads % 11] * 64 + ackermann);
  }
  for_all([&](const std::string& file, unsigned seed) {
    Program p(file);
    const Address out = p.array(std::vector<unsigned>(kThreads));
    p.run("numbers", 1, kThreads, seed, {arg(out)});
    CHECK(p.read<unsigned>(out, kThreads) == expected);
  });
}

}  // namespace tessera::call_programs_test
