// SPDX-License-Identifier: Apache-2.0
#include "tests/stimuli/ptx/random_program.h"

#include <algorithm>

namespace tessera::test {

namespace {

using Node = RandomProgram::Node;
using List = RandomProgram::List;
using Do = RandomProgram::Do;

constexpr unsigned kOperations = 12;
constexpr unsigned kFunctions = 3;

std::uint32_t compute(unsigned op, std::uint32_t b, std::uint32_t c, std::uint32_t constant) {
  switch (op) {
    case 0:
      return b + c;
    case 1:
      return b - c;
    case 2:
      return b * c;
    case 3:
      return b * constant + c;
    case 4:
      return b & c;
    case 5:
      return b | c;
    case 6:
      return b ^ c;
    case 7:
      return b << (c & 31);
    case 8:
      return b >> (c & 31);
    case 9:
      return b / (c | 1);
    case 10:
      return b % (c | 1);
    default:
      return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(c) ? b : c;
  }
}

std::string v(unsigned i) { return "%v" + std::to_string(i); }

std::string compute_text(const Node& n) {
  static constexpr const char* kSimple[] = {"add.u32", "sub.u32", "mul.lo.u32", "",
                                            "and.b32", "or.b32",  "xor.b32"};
  const std::string to = v(n.a) + ", " + v(n.b) + ", ";
  switch (n.op) {
    case 3:
      return "mad.lo.u32 " + to + std::to_string(n.constant) + ", " + v(n.c) + ";\n";
    case 7:
    case 8:
      return "and.b32 %t0, " + v(n.c) + ", 31;\n" + (n.op == 7 ? "shl.b32 " : "shr.u32 ") + to +
             "%t0;\n";
    case 9:
    case 10:
      return "or.b32 %t0, " + v(n.c) + ", 1;\n" + (n.op == 9 ? "div.u32 " : "rem.u32 ") + to +
             "%t0;\n";
    case 11:
      return "min.s32 " + to + v(n.c) + ";\n";
    default:
      return std::string(kSimple[n.op]) + " " + to + v(n.c) + ";\n";
  }
}

/// One function's text.
class Writer {
 public:
  Writer(Layout layout, Calls calls, std::string prefix)
      : layout_(layout), calls_(calls), prefix_(std::move(prefix)) {}

  std::string write(const List& list, const std::string& epilogue) {
    add(list);
    return text_ + epilogue + behind_;
  }

 private:
  std::string label() { return prefix_ + std::to_string(labels_++); }

  void test(const Node& n) {
    text_ += "and.b32 %t0, " + v(n.tested) + ", " + std::to_string(n.mask) +
             ";\nsetp.lt.u32 %p0, %t0, " + std::to_string(n.limit) + ";\n";
  }

  void add(const List& list) {
    for (const Node& n : list) add(n);
  }

  void add(const Node& n) {
    const std::string shift = std::to_string(n.constant);
    switch (n.what) {
      case Do::kCompute:
        text_ += compute_text(n);
        break;
      case Do::kIf:
        branch(n);
        break;
      case Do::kLoop:
        loop(n);
        break;
      case Do::kBreak:
        test(n);
        text_ += "@%p0 bra " + loops_.back().second + ";\n";
        break;
      case Do::kContinue:
        test(n);
        text_ += "@%p0 bra " + loops_.back().first + ";\n";
        break;
      case Do::kCall:
        call(n);
        break;
      case Do::kInput:
        text_ += "and.b32 %t0, " + v(n.b) + ", " + std::to_string(RandomProgram::kInputs - 1) +
                 ";\nmul.wide.u32 %rd0, %t0, 4;\nadd.u64 %rd0, %rd0, %in;\nld.global.u32 " +
                 v(n.a) + ", [%rd0];\n";
        break;
      case Do::kLoad:
      case Do::kStore:
        text_ += "and.b32 %t0, " + v(n.b) + ", " + std::to_string(RandomProgram::kLocals - 1) +
                 ";\nmul.wide.u32 %rd0, %t0, 4;\nmov.u64 %rd1, array;\nadd.u64 %rd0, %rd0, %rd1;\n";
        text_ += n.what == Do::kLoad ? "ld.local.u32 " + v(n.a) + ", [%rd0];\n"
                                     : "st.local.u32 [%rd0], " + v(n.a) + ";\n";
        break;
      case Do::kReturn: {
        test(n);
        const std::string stays = label();
        text_ +=
            "@!%p0 bra " + stays + ";\nst.param.b32 [r], " + v(n.a) + ";\nret;\n" + stays + ":\n";
        break;
      }
      case Do::kExit:
        test(n);
        text_ += "@%p0 exit;\n";
        break;
      case Do::kExchange:
        text_ +=
            "mul.lo.u32 %t0, %tid.x, 4;\nmov.u32 %t1, tile;\nadd.u32 %t0, %t0, %t1;\n"
            "st.shared.u32 [%t0], " +
            v(n.b) + ";\nbar.sync 0;\nadd.u32 %t0, %tid.x, " + shift +
            ";\nrem.u32 %t0, %t0, %ntid.x;\nmad.lo.u32 %t0, %t0, 4, %t1;\nld.shared.u32 " + v(n.a) +
            ", [%t0];\nbar.sync 0;\n";
        break;
    }
  }

  void branch(const Node& n) {
    test(n);
    const bool single = n.body.size() == 1 && n.other.empty() && n.body[0].what == Do::kCompute;
    if (layout_ == Layout::kCompiled && single) {
      // Every instruction of the body under the guard.
      std::string body = compute_text(n.body[0]);
      for (std::size_t at = 0; at < body.size(); at = body.find('\n', at) + 1) {
        body.insert(at, "@%p0 ");
      }
      text_ += body;
      return;
    }
    const std::string join = label();
    const std::string yes = label();
    if (layout_ == Layout::kCompiled) {
      // The body stands behind the end and jumps back.
      text_ += "@%p0 bra " + yes + ";\n";
      add(n.other);
      text_ += join + ":\n";
      std::string kept = std::move(text_);
      text_ = yes + ":\n";
      add(n.body);
      behind_ += text_ + "bra.uni " + join + ";\n";
      text_ = std::move(kept);
      return;
    }
    text_ += "@!%p0 bra " + yes + ";\n";
    add(n.body);
    text_ += "bra " + join + ";\n" + yes + ":\n";
    add(n.other);
    text_ += join + ":\n";
  }

  void loop(const Node& n) {
    const std::string head = label();
    const std::string next = label();
    const std::string end = label();
    const std::string counter = "%c" + std::to_string(loops_.size());
    loops_.emplace_back(next, end);
    text_ += "rem.u32 " + counter + ", " + v(n.a) + ", " + std::to_string(n.constant) + ";\n";
    const std::string none = "setp.eq.u32 %p0, " + counter + ", 0;\n";
    const std::string step = "sub.u32 " + counter + ", " + counter + ", 1;\n";
    if (layout_ == Layout::kCompiled) {
      text_ += none + "@%p0 bra " + end + ";\n" + head + ":\n";
      add(n.body);
      text_ += next + ":\n" + step + "setp.ne.u32 %p0, " + counter + ", 0;\n@%p0 bra " + head +
               ";\n" + end + ":\n";
    } else {
      text_ += head + ":\n" + none + "@%p0 bra " + end + ";\n";
      add(n.body);
      text_ += next + ":\n" + step + "bra " + head + ";\n" + end + ":\n";
    }
    loops_.pop_back();
  }

  void call(const Node& n) {
    if (calls_ == Calls::kRecursive) return recursive_call(n);
    text_ += "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], " + v(n.b) +
             ";\nst.param.b32 [y], " + v(n.c) + ";\ncall (z), f" + std::to_string(n.op) +
             ", (x, y);\nld.param.b32 " + v(n.a) + ", [z];\n}\n";
  }

  /// If the depth and the thread's number of calls allow it.
  void recursive_call(const Node& n) {
    const std::string skip = label();
    const std::string list = label();
    text_ += "setp.eq.u32 %p0, %depth, 0;\n@%p0 bra " + skip +
             ";\nmov.u32 %t0, calls;\nmad.lo.u32 %t0, %tid.x, 4, %t0;\nld.shared.u32 %t1, [%t0];\n"
             "setp.ge.u32 %p0, %t1, " +
             std::to_string(RandomProgram::kMostCalls) + ";\n@%p0 bra " + skip +
             ";\nadd.u32 %t1, %t1, 1;\nst.shared.u32 [%t0], %t1;\nsub.u32 %t1, %depth, 1;\n";
    std::string target = "f" + std::to_string(n.op);
    if (n.indirect) {
      text_ += "rem.u32 %t0, " + v(n.tested) + ", " + std::to_string(kFunctions) +
               ";\nmul.wide.u32 %rd0, %t0, 8;\nmov.u64 %rd1, table;\nadd.u64 %rd0, %rd0, %rd1;\n"
               "ld.global.u64 %rd0, [%rd0];\n" +
               list +
               " : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param "
               ".b32 _);\n";
      target = "%rd0";
    }
    text_ +=
        "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 d;\n.param .b32 z;\nst.param.b32 [x], " +
        v(n.b) + ";\nst.param.b32 [y], " + v(n.c) + ";\nst.param.b32 [d], %t1;\ncall (z), " +
        target + ", (x, y, d)" + (n.indirect ? ", " + list : "") + ";\nld.param.b32 " + v(n.a) +
        ", [z];\n}\n" + skip + ":\n";
  }

  const Layout layout_;
  const Calls calls_;
  const std::string prefix_;
  std::string text_;
  std::string behind_;
  unsigned labels_ = 0;
  std::vector<std::pair<std::string, std::string>> loops_;  ///< labels: continue, break
};

const char* const kRegisters =
    ".reg .b32 %depth;\n"
    ".reg .pred %p<1>;\n.reg .b32 %v<6>;\n.reg .b32 %t<2>;\n.reg .b32 %c<4>;\n.reg .b64 %rd<2>;\n"
    ".reg .b64 %in;\n.local .align 4 .b8 array[32];\n";

/// The scalar machine.
enum class Flow { kNext, kBreak, kContinue, kReturn, kExit };

struct Frame {
  std::uint32_t depth = RandomProgram::kDepth;
  std::uint32_t* calls = nullptr;  ///< of the thread
  std::array<std::uint32_t, RandomProgram::kVariables> v{};
  std::array<std::uint32_t, RandomProgram::kLocals> local{};
  std::uint32_t result = 0;
};

class Machine {
 public:
  Machine(const std::vector<List>& functions, Calls calls, const std::vector<std::uint32_t>& input)
      : functions_(functions), calls_(calls), input_(input) {}

  Flow run(const List& list, Frame& f) const {
    for (const Node& n : list) {
      const Flow flow = run(n, f);
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }

  Flow run(const Node& n, Frame& f) const {
    const bool holds = (f.v[n.tested] & n.mask) < n.limit;
    switch (n.what) {
      case Do::kCompute:
        f.v[n.a] = compute(n.op, f.v[n.b], f.v[n.c], n.constant);
        return Flow::kNext;
      case Do::kIf:
        return run(holds ? n.body : n.other, f);
      case Do::kLoop:
        for (std::uint32_t left = f.v[n.a] % n.constant; left > 0; --left) {
          const Flow flow = run(n.body, f);
          if (flow == Flow::kBreak) break;
          if (flow == Flow::kReturn || flow == Flow::kExit) return flow;
        }
        return Flow::kNext;
      case Do::kBreak:
        return holds ? Flow::kBreak : Flow::kNext;
      case Do::kContinue:
        return holds ? Flow::kContinue : Flow::kNext;
      case Do::kCall:
        return call(n, f);
      case Do::kInput:
        f.v[n.a] = input_[f.v[n.b] % RandomProgram::kInputs];
        return Flow::kNext;
      case Do::kLoad:
        f.v[n.a] = f.local[f.v[n.b] % RandomProgram::kLocals];
        return Flow::kNext;
      case Do::kStore:
        f.local[f.v[n.b] % RandomProgram::kLocals] = f.v[n.a];
        return Flow::kNext;
      case Do::kReturn:
        if (holds) f.result = f.v[n.a];
        return holds ? Flow::kReturn : Flow::kNext;
      case Do::kExit:
        return holds ? Flow::kExit : Flow::kNext;
      case Do::kExchange:
        break;  // across threads: evaluate()
    }
    return Flow::kNext;
  }

 private:
  Flow call(const Node& n, Frame& f) const {
    Frame mine;
    const unsigned function = n.indirect ? f.v[n.tested] % kFunctions : n.op;
    if (calls_ == Calls::kRecursive) {
      if (f.depth == 0 || *f.calls >= RandomProgram::kMostCalls) return Flow::kNext;
      ++*f.calls;
      mine.depth = f.depth - 1;
      mine.calls = f.calls;
    }
    mine.v[0] = f.v[n.b];
    mine.v[1] = f.v[n.c];
    const Flow flow = run(functions_[function], mine);
    if (flow == Flow::kExit) return flow;
    f.v[n.a] = flow == Flow::kReturn ? mine.result : mine.v[0];
    return Flow::kNext;
  }

  const std::vector<List>& functions_;
  const Calls calls_;
  const std::vector<std::uint32_t>& input_;
};

/// Both sides begin with these: registers and local arrays are not defined otherwise.
std::string clear() {
  std::string text = "mov.u64 %rd1, array;\n";
  for (unsigned i = 0; i < RandomProgram::kLocals; ++i) {
    text += "st.local.u32 [%rd1+" + std::to_string(4 * i) + "], 0;\n";
  }
  for (unsigned i = 0; i < RandomProgram::kVariables; ++i) text += "mov.u32 " + v(i) + ", 0;\n";
  return text;
}

}  // namespace

RandomProgram::RandomProgram(unsigned seed, Calls calls) : random_(seed), calls_(calls) {
  functions_.resize(kFunctions);
  for (unsigned i = 0; i < kFunctions; ++i) functions_[i] = random_list(2, false, true, i + 1);
  for (unsigned part = 0; part < 3; ++part) {
    for (Node& n : random_list(3, false, false, 0)) main_.push_back(std::move(n));
    Node n;
    n.what = Do::kExchange;
    n.a = random_() % kVariables;
    n.b = random_() % kVariables;
    n.constant = random_() % 64;
    main_.push_back(n);
  }
}

RandomProgram::List RandomProgram::random_list(unsigned depth, bool in_loop, bool in_function,
                                               unsigned first_function) {
  List list;
  for (unsigned n = 1 + random_() % 4; n > 0; --n) {
    list.push_back(random_node(depth, in_loop, in_function, first_function));
  }
  return list;
}

RandomProgram::Node RandomProgram::random_node(unsigned depth, bool in_loop, bool in_function,
                                               unsigned first_function) {
  Node n;
  n.a = random_() % kVariables;
  n.b = random_() % kVariables;
  n.c = random_() % kVariables;
  n.op = random_() % kOperations;
  n.constant = random_() % 1000 + 2;
  n.tested = random_() % kVariables;
  n.mask = (2u << random_() % 4) - 1;
  n.limit = random_() % (n.mask + 1);
  const unsigned kind = random_() % 20;
  if (depth > 0 && kind < 5) {
    n.what = Do::kIf;
    n.body = random_list(depth - 1, in_loop, in_function, first_function);
    if (random_() % 2 == 0) {
      n.other = random_list(depth - 1, in_loop, in_function, first_function);
    }
  } else if (depth > 0 && kind < 8) {
    n.what = Do::kLoop;
    n.constant = 2 + random_() % 5;
    n.body = random_list(depth - 1, true, in_function, first_function);
  } else if (in_loop && kind < 10) {
    n.what = kind == 8 ? Do::kBreak : Do::kContinue;
  } else if (calls_ == Calls::kRecursive && (kind == 10 || kind == 13 || kind > 16)) {
    n.what = Do::kCall;
    n.op = random_() % kFunctions;
    n.indirect = random_() % 2 == 0;
  } else if (kind < 11 && first_function < kFunctions) {
    n.what = Do::kCall;
    n.op = first_function + random_() % (kFunctions - first_function);
  } else if (kind == 11 && in_function) {
    n.what = Do::kReturn;
  } else if (kind == 12) {
    // Few threads: a multiple of 16.
    n.what = Do::kExit;
    n.mask = 15;
    n.limit = 1;
  } else if (kind == 13) {
    n.what = Do::kLoad;
  } else if (kind == 14) {
    n.what = Do::kStore;
  } else if (kind == 15 && !in_function) {
    n.what = Do::kInput;
  }
  return n;
}

std::string RandomProgram::ptx(Layout layout) const {
  std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
  std::string depth;
  std::string load_depth;
  if (calls_ == Calls::kRecursive) {
    text += ".shared .align 4 .b8 calls[4096];\n.global .align 8 .u64 table[3] = {f0, f1, f2};\n";
    depth = ", .param .b32 d";
    load_depth = "ld.param.u32 %depth, [d];\n";
    for (unsigned i = 0; i < kFunctions; ++i) {
      text += ".func (.param .b32 r) f" + std::to_string(i) + "(.param .b32 a, .param .b32 b" +
              depth + ");\n";
    }
  }
  for (unsigned i = kFunctions; i-- > 0;) {
    const std::string name = "f" + std::to_string(i);
    text += ".func (.param .b32 r) " + name + "(.param .b32 a, .param .b32 b" + depth + ")\n{\n" +
            kRegisters + clear() + "ld.param.u32 %v0, [a];\nld.param.u32 %v1, [b];\n" + load_depth +
            Writer(layout, calls_, "F" + std::to_string(i) + "_")
                .write(functions_[i], "st.param.b32 [r], %v0;\nret;\n") +
            "}\n";
  }
  text += ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n" + std::string(kRegisters) +
          ".reg .b64 %out;\n.shared .align 4 .b8 tile[4096];\n" + clear() + "mov.u32 %depth, " +
          std::to_string(kDepth) + ";\n" +
          "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
          "mad.lo.u32 %v1, %ctaid.x, %ntid.x, %tid.x;\nmul.wide.u32 %rd0, %v1, 8;\n"
          "add.u64 %out, %out, %rd0;\nand.b32 %t0, %v1, 255;\nmul.wide.u32 %rd0, %t0, 4;\n"
          "add.u64 %rd0, %rd0, %in;\nld.global.u32 %v0, [%rd0];\n";
  if (calls_ == Calls::kRecursive) {
    text += "mov.u32 %t0, calls;\nmad.lo.u32 %t0, %tid.x, 4, %t0;\nst.shared.u32 [%t0], 0;\n";
  }
  text += Writer(layout, calls_, "L_")
              .write(main_, "xor.b32 %v0, %v0, %v5;\nst.global.u32 [%out], %v0;\nret;\n");
  return text + "}\n";
}

std::vector<std::uint32_t> RandomProgram::evaluate(const std::vector<std::uint32_t>& input,
                                                   unsigned cta, unsigned threads) const {
  const Machine machine(functions_, calls_, input);
  std::vector<Frame> frames(threads);
  std::vector<std::uint32_t> calls(threads);
  std::vector<bool> alive(threads, true);
  for (unsigned t = 0; t < threads; ++t) {
    frames[t].calls = &calls[t];
    frames[t].v[1] = cta * threads + t;
    frames[t].v[0] = input[frames[t].v[1] % kInputs];
  }
  std::vector<std::uint32_t> tile(threads);
  for (const Node& n : main_) {
    for (unsigned t = 0; t < threads; ++t) {
      if (!alive[t]) continue;
      if (n.what == Do::kExchange)
        tile[t] = frames[t].v[n.b];
      else
        alive[t] = machine.run(n, frames[t]) != Flow::kExit;
    }
    if (n.what != Do::kExchange) continue;
    for (unsigned t = 0; t < threads; ++t) {
      if (alive[t]) frames[t].v[n.a] = tile[(t + n.constant) % threads];
    }
  }
  std::vector<std::uint32_t> out(threads, kUnwritten);
  for (unsigned t = 0; t < threads; ++t) {
    if (alive[t]) out[t] = frames[t].v[0] ^ frames[t].v[5];
  }
  return out;
}

}  // namespace tessera::test
