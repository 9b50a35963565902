// SPDX-License-Identifier: Apache-2.0
// Random index computations with loops, against the interpreter.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/ptx/program.h"
#include "tests/stimuli/ptx/analysis/address_check.h"
#include "tests/stimuli/ptx/analysis/small_kernel.h"

namespace tessera::random_index_test {

namespace {

/// Writes a kernel: integer operations on the indices, loops of up to two levels in the forms of
/// compilers, and stores at computed indices below 2^16.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string run() {
    values_ = {{"%r1", 64}, {"%r2", 64}, {"%r3", 64}, {"%r4", 8}, {"%r5", 64}, {"%r6", 512}};
    operations(4);
    store();
    const unsigned loops = pick(1, 2);
    for (unsigned l = 0; l < loops; ++l) {
      loop(0);
      operations(2);
      store();
    }
    return test::small_kernel(text_);
  }

 private:
  struct Value {
    std::string name;
    std::int64_t bound;  ///< of the magnitude
  };

  unsigned pick(unsigned least, unsigned most) { return least + random_() % (most - least + 1); }
  const Value& any() { return values_[random_() % values_.size()]; }
  std::string fresh() { return "%r" + std::to_string(10 + next_++); }
  std::string label() { return "L" + std::to_string(labels_++); }
  void line(const std::string& s) { text_ += s + ";\n"; }

  /// Adds a value, masked if it can become large.
  void add(const std::string& name, std::int64_t bound) {
    if (bound <= (1 << 20)) {
      values_.push_back({name, bound});
      return;
    }
    const std::string masked = fresh();
    line("and.b32 " + masked + ", " + name + ", 4095");
    values_.push_back({masked, 4096});
  }

  void operations(unsigned count) {
    for (unsigned i = 0; i < count; ++i) operation();
  }

  void operation() {
    const Value a = any();
    const Value b = any();
    const std::string r = fresh();
    const unsigned c = pick(1, 5);
    const std::string k = std::to_string(c);
    switch (pick(0, 14)) {
      case 0:
        line("add.s32 " + r + ", " + a.name + ", " + b.name);
        return add(r, a.bound + b.bound);
      case 1:
        line("sub.s32 " + r + ", " + a.name + ", " + b.name);
        return add(r, a.bound + b.bound);
      case 2:
        line("mad.lo.s32 " + r + ", " + a.name + ", " + k + ", " + b.name);
        return add(r, 5 * a.bound + b.bound);
      case 3:
        line("shl.b32 " + r + ", " + a.name + ", " + k);
        return add(r, a.bound << c);
      case 4:
        line("shr.s32 " + r + ", " + a.name + ", " + k);
        return add(r, a.bound);
      case 5:
        line("and.b32 " + r + ", " + a.name + ", " + std::to_string((1u << c) - 1));
        return add(r, 1 << c);
      case 6: {
        const std::string high = fresh();
        line("shl.b32 " + high + ", " + a.name + ", 5");
        // Five bits are disjoint from the other operand's, six or more can overlap them.
        line("and.b32 " + r + ", " + b.name + ", " + std::to_string((16u << c) - 1));
        const std::string joined = fresh();
        line("or.b32 " + joined + ", " + high + ", " + r);
        return add(joined, (a.bound << 5) + (16 << c));
      }
      case 7:
        line("div.s32 " + r + ", " + a.name + ", " + std::to_string(c + 1));
        return add(r, a.bound);
      case 8:
        line("rem.s32 " + r + ", " + a.name + ", " + std::to_string(c + 1));
        return add(r, c + 1);
      case 9:
        line(std::string(c % 2 == 0 ? "min" : "max") + ".s32 " + r + ", " + a.name + ", " + b.name);
        return add(r, std::max(a.bound, b.bound));
      case 10: {
        const std::string p = "%p" + std::to_string(predicate_++ % 40);
        constexpr const char* kCompare[] = {"lt", "le", "gt", "ge", "eq"};
        line("setp." + std::string(kCompare[c - 1]) + ".s32 " + p + ", " + a.name + ", " + b.name);
        line("selp.b32 " + r + ", " + a.name + ", " + std::to_string(c) + ", " + p);
        return add(r, std::max<std::int64_t>(a.bound, 5));
      }
      case 11:
        line("and.b32 " + r + ", " + a.name + ", " + std::to_string(-(1 << c)));
        return add(r, a.bound + (1 << c));
      case 12:
      case 13: {
        // One value, or another on a path; by a branch or by a predicate.
        const std::string p = "%p" + std::to_string(predicate_++ % 40);
        line("setp.lt.s32 " + p + ", " + any().name + ", " + any().name);
        line("mov.b32 " + r + ", " + a.name);
        if (c < 3) {
          line("@" + p + " mov.b32 " + r + ", " + b.name);
        } else {
          const std::string join = label();
          line("@" + p + " bra " + join);
          line("add.s32 " + r + ", " + b.name + ", " + k);
          text_ += join + ":\n";
        }
        return add(r, std::max(a.bound, b.bound) + 5);
      }
      default:
        line("not.b32 " + r + ", " + a.name);
        return add(r, a.bound + 1);
    }
  }

  /// A store of a value as index.
  void store() {
    const std::string index = fresh();
    const std::string offset = "%rd" + std::to_string(10 + wide_++);
    const std::string address = "%rd" + std::to_string(10 + wide_++);
    const Value& a = any();
    line("and.b32 " + index + ", " + a.name + ", 16383");
    line("mul.wide.u32 " + offset + ", " + index + ", 4");
    line("add.s64 " + address + ", %rd1, " + offset);
    line("st.global.u32 [" + address + "], " + a.name);
  }

  /// A loop with up to three induction variables. `depth`: loops around it.
  void loop(unsigned depth) {
    const std::string head = label();
    const std::string after = label();
    const std::string count = fresh();
    const std::string counter = fresh();
    line("and.b32 " + count + ", " + any().name + ", 7");
    const bool tests_first = pick(0, 1) == 0;
    const std::string p = "%p" + std::to_string(predicate_++ % 40);
    std::vector<std::string> variables;
    std::vector<std::string> steps;
    for (unsigned v = pick(1, 3); v-- > 0;) {
      const std::string name = fresh();
      line("and.b32 " + name + ", " + any().name + ", 255");
      variables.push_back(name);
      const std::string step = fresh();
      line("and.b32 " + step + ", " + any().name + ", 15");
      steps.push_back(step);
    }
    line("mov.u32 " + counter + ", 0");
    const std::vector<Value> outside = values_;
    if (!tests_first) {
      line("setp.eq.s32 " + p + ", " + count + ", 0");
      line("@" + p + " bra " + after);
    }
    text_ += head + ":\n";
    if (tests_first) {
      line("setp.eq.s32 " + p + ", " + counter + ", " + count);
      line("@" + p + " bra " + after);
    }
    for (const std::string& v : variables) values_.push_back({v, 256 + 8 * 16});
    operations(pick(1, 3));
    store();
    if (depth == 0 && pick(0, 1) == 0) {
      loop(1);
      store();
    }
    for (std::size_t v = 0; v < variables.size(); ++v) {
      line("add.s32 " + variables[v] + ", " + variables[v] + ", " + steps[v]);
    }
    line("add.s32 " + counter + ", " + counter + ", 1");
    if (tests_first) {
      line("bra " + head);
    } else {
      line("setp.lt.s32 " + p + ", " + counter + ", " + count);
      line("@" + p + " bra " + head);
    }
    text_ += after + ":\n";
    // Values of the loop's body are not defined on the path around it.
    values_ = outside;
    for (const std::string& v : variables) values_.push_back({v, 256 + 8 * 16});
  }

  std::mt19937 random_;
  std::vector<Value> values_;
  std::string text_;
  unsigned next_ = 0;
  unsigned wide_ = 0;
  unsigned labels_ = 0;
  unsigned predicate_ = 0;
};

}  // namespace

TEST_CASE("expressions of random index computations predict the executed addresses") {
  std::uint64_t executed = 0;
  std::uint64_t compared = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const std::string text = Generator(seed).run();
    const ptx::Module module = ptx::parse(text, "random.ptx");
    Allocations allocations;
    const Address p = allocations.allocate("p", 1 << 16).begin;
    const Address q = allocations.allocate("q", 1 << 16).begin;
    FlatMemory memory;
    memory.cover(allocations.top());
    const std::map<std::string, Address> symbols;
    ptx::MemoryView view;
    view.allocations = &allocations;
    view.symbols = &symbols;
    view.flat = &memory;
    LaunchRequest request;
    request.kernel = "k";
    request.grid = {3};
    request.block = {40};
    request.arguments = {KernelArgument::of(p), KernelArgument::of(q),
                         KernelArgument::of(std::int32_t(seed % 61)),
                         KernelArgument::of(std::int32_t(seed % 17))};
    const auto program = ptx::make_program(ptx::decode(module, "k"), request, view);
    test::AddressCheck check(module, "k");
    check.run(*program, request, memory);
    REQUIRE(check.obstacle().empty());
    for (const test::AccessCheck& a : check.accesses()) {
      INFO("seed " << seed << "\n" << text << a.first_wrong);
      REQUIRE(a.wrong == 0);
      executed += a.executed;
      compared += a.compared;
    }
  }
  // The others depend on the path, or on long chains of operations.
  INFO(compared << " of " << executed);
  CHECK(compared * 2 > executed);
}

}  // namespace tessera::random_index_test
