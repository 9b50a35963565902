// SPDX-License-Identifier: Apache-2.0
// The kernel as PTX.

#include <algorithm>
#include <cstdio>

#include "tests/stimuli/ptx/sync_program.h"

namespace tessera::test {

namespace {

using Node = SyncProgram::Node;
using List = SyncProgram::List;
using Do = SyncProgram::Do;
using Form = SyncProgram::Form;
using u32 = std::uint32_t;

constexpr const char* kNames[] = {
    "shfl.sync.up.b32",     "shfl.sync.down.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32",
    "vote.sync.ballot.b32", "vote.sync.any.pred", "vote.sync.all.pred", "vote.sync.uni.pred",
    "match.any.sync.b32",   "match.all.sync.b32", "redux.sync.add.u32", "redux.sync.min.u32",
    "redux.sync.max.u32",   "redux.sync.min.s32", "redux.sync.max.s32", "redux.sync.and.b32",
    "redux.sync.or.b32",    "redux.sync.xor.b32", "elect.sync",         "bar.warp.sync"};

std::string v(unsigned i) { return "%v" + std::to_string(i); }
std::string number(std::uint64_t n) { return std::to_string(n); }
std::string hex(u32 n) {
  char text[12];
  std::snprintf(text, sizeof text, "0x%08x", n);
  return text;
}

/// %p<to>: the lane is in the set.
std::string test_lane(u32 lanes, unsigned to) {
  return "mov.u32 %t0, " + hex(lanes) + ";\nshr.u32 %t0, %t0, %lane;\nand.b32 %t0, %t0, 1;\n" +
         "setp.ne.u32 %p" + number(to) + ", %t0, 0;\n";
}

bool has_predicate(const Node& n) {
  return n.form == Form::kElect ||
         (n.with_predicate && (n.form <= Form::kShflIdx || n.form == Form::kMatchAll));
}

/// The instruction of a sync, with its result in %t2. `lane_operand`: of a shfl.
std::string sync_text(const Node& n, const std::string& guard, const std::string& value,
                      const std::string& lane_operand, const std::string& mask) {
  std::string text;
  const std::string to = has_predicate(n) ? "%t2|%p2, " : "%t2, ";
  const std::string name = guard + kNames[static_cast<unsigned>(n.form)] + " ";
  switch (n.form) {
    case Form::kShflUp:
    case Form::kShflDown:
    case Form::kShflBfly:
    case Form::kShflIdx:
      text = name + to + value + ", " + lane_operand + ", " + number(n.clamp) + ", " + mask + ";\n";
      break;
    case Form::kBallot:
    case Form::kAny:
    case Form::kAll:
    case Form::kUni: {
      const std::string source = n.negated ? "!%p1, " : "%p1, ";
      text = "and.b32 %t0, " + value + ", 4;\nsetp.ne.u32 %p1, %t0, 0;\n" + name +
             (n.form == Form::kBallot ? "%t2, " : "%p2, ") + source + mask + ";\n";
      if (n.form != Form::kBallot) text += guard + "selp.u32 %t2, 1, 0, %p2;\n";
      break;
    }
    case Form::kMatchAny:
    case Form::kMatchAll:
      text = "and.b32 %t0, " + value + (n.form == Form::kMatchAny ? ", 3" : ", 1") + ";\n" + name +
             to + "%t0, " + mask + ";\n";
      break;
    case Form::kElect:
      text = name + to + mask + ";\n";
      break;
    case Form::kBarrier:
      text = name + mask + ";\n";
      break;
    default:
      text = name + "%t2, " + value + ", " + mask + ";\n";
      break;
  }
  if (has_predicate(n)) {
    text += guard + "selp.u32 %t0, 65537, 0, %p2;\n" + guard + "add.u32 %t2, %t2, %t0;\n";
  }
  return text;
}

class Writer {
 public:
  Writer(bool compiled, bool by_pointer, unsigned threads, unsigned shared_slots)
      : compiled_(compiled),
        by_pointer_(by_pointer),
        threads_(threads),
        shared_slots_(shared_slots) {}

  std::string write(const List& list) {
    add(list);
    return text_ + result("") + "ret;\n" + behind_;
  }

  std::string functions;
  unsigned deepest = 1;

 private:
  std::string label() { return "L" + number(labels_++); }

  void add(const List& list) {
    for (const Node& n : list) add(n);
  }

  void add(const Node& n) {
    switch (n.what) {
      case Do::kCompute:
        compute(n);
        break;
      case Do::kIfLane:
        text_ += test_lane(n.lanes, 0);
        branch(n);
        break;
      case Do::kIfData:
        text_ +=
            "and.b32 %t0, " + v(n.b) + ", " + number(n.constant) + ";\nsetp.eq.u32 %p0, %t0, 0;\n";
        branch(n);
        break;
      case Do::kLoop:
      case Do::kLoopData:
      case Do::kLoopLane:
        loop(n);
        break;
      case Do::kSync:
        sync(n);
        break;
      case Do::kExit:
        text_ += test_lane(n.lanes, 3);
        if (n.predicated) {
          text_ += result("@%p3 ") + "@%p3 exit;\n";
        } else {
          const std::string stays = label();
          text_ += "@!%p3 bra " + stays + ";\n" + result("") + "exit;\n" + stays + ":\n";
        }
        break;
      case Do::kExchange:
        exchange(n);
        break;
    }
  }

  void compute(const Node& n) {
    static constexpr const char* kOps[] = {"add.u32 ", "sub.u32 ", "", "xor.b32 ", "min.u32 "};
    if (n.op == 2) {
      text_ += "mad.lo.u32 " + v(n.a) + ", " + v(n.b) + ", " + number(n.constant) + ", " + v(n.c) +
               ";\n";
    } else {
      text_ += kOps[n.op] + v(n.a) + ", " + v(n.b) + ", " + v(n.c) + ";\n";
    }
  }

  static std::string result(const std::string& guard) {
    std::string text = guard + "mad.lo.u32 %t0, %sum, 7, %v0;\n";
    for (unsigned i = 1; i < SyncProgram::kVariables; ++i) {
      text += guard + "xor.b32 %t0, %t0, " + v(i) + ";\n";
    }
    return text + guard + "st.global.u32 [%out], %t0;\n";
  }

  /// On %p0.
  void branch(const Node& n) {
    const std::string join = label();
    const std::string other = label();
    if (compiled_) {
      // The body stands behind the end and jumps back.
      text_ += "@%p0 bra " + other + ";\n";
      add(n.other);
      text_ += join + ":\n";
      std::string kept = std::move(text_);
      text_ = other + ":\n";
      add(n.body);
      behind_ += text_ + "bra.uni " + join + ";\n";
      text_ = std::move(kept);
      return;
    }
    text_ += "@!%p0 bra " + other + ";\n";
    add(n.body);
    text_ += "bra " + join + ";\n" + other + ":\n";
    add(n.other);
    text_ += join + ":\n";
  }

  /// %c: rounds so far, %n: rounds, %m: the lanes that stay for the next round.
  void loop(const Node& n) {
    const std::string depth = number(depth_++);
    deepest = std::max(deepest, depth_);
    const std::string count = "%c" + depth;
    const std::string trips = "%n" + depth;
    const std::string head = label();
    const std::string end = label();
    const std::string lanes_before = lanes_of_loop_;
    if (n.what == Do::kLoop) {
      text_ += "mov.u32 " + trips + ", " + number(n.constant) + ";\n";
    } else if (n.what == Do::kLoopData) {
      text_ += "and.b32 " + trips + ", " + v(n.b) + ", " + number(n.constant) + ";\n";
    } else {
      lanes_of_loop_ = "%m" + depth;
      text_ += "mov.u32 " + trips + ", 0;\n";
      for (const auto& c : n.classes) {
        text_ += test_lane(c.lanes, 0) + "selp.b32 " + trips + ", " + number(c.trips) + ", " +
                 trips + ", %p0;\n";
      }
    }
    const std::string leave = "setp.ge.u32 %p0, " + count + ", " + trips + ";\n";
    text_ += "mov.u32 " + count + ", 0;\n";
    if (compiled_) text_ += leave + "@%p0 bra " + end + ";\n";
    text_ += head + ":\n";
    if (!compiled_) text_ += leave + "@%p0 bra " + end + ";\n";
    if (n.what == Do::kLoopLane) {
      text_ += "mov.u32 " + lanes_of_loop_ + ", 0;\n";
      for (const auto& c : n.classes) {
        text_ += "setp.lt.u32 %p0, " + count + ", " + number(c.trips) + ";\nselp.b32 %t0, " +
                 hex(c.lanes) + ", 0, %p0;\nor.b32 " + lanes_of_loop_ + ", " + lanes_of_loop_ +
                 ", %t0;\n";
      }
    }
    add(n.body);
    text_ += "add.u32 " + count + ", " + count + ", 1;\n";
    if (compiled_) {
      text_ += "setp.lt.u32 %p0, " + count + ", " + trips + ";\n@%p0 bra " + head + ";\n";
    } else {
      text_ += "bra " + head + ";\n";
    }
    text_ += end + ":\n";
    lanes_of_loop_ = lanes_before;
    --depth_;
  }

  std::string mask(const Node& n) {
    if (n.masks.empty()) return lanes_of_loop_;
    if (n.masks.size() == 1 && !n.mask_in_register) return hex(n.masks[0]);
    text_ += "mov.u32 %t3, " + hex(n.masks[0]) + ";\n";
    for (std::size_t i = 1; i < n.masks.size(); ++i) {
      text_ += test_lane(n.masks[i], 0) + "selp.b32 %t3, " + hex(n.masks[i]) + ", %t3, %p0;\n";
    }
    return "%t3";
  }

  std::string slot_address(int slot, const char* shared, const char* global) const {
    const auto s = static_cast<unsigned>(slot);
    return s < shared_slots_
               ? "[" + std::string(shared) + "+" + number(s * threads_ * 4) + "]"
               : "[" + std::string(global) + "+" + number((s - shared_slots_) * 2048) + "]";
  }
  const char* space(int slot) const {
    return static_cast<unsigned>(slot) < shared_slots_ ? "shared" : "global";
  }

  void sync(const Node& n) {
    const bool all = n.lanes == ~0u;
    const bool predicated = n.predicated && !n.called && !all;
    const std::string guard = predicated ? "@%p3 " : "";
    const std::string skip = label();
    if (!all && !predicated) text_ += test_lane(n.lanes, 0) + "@!%p0 bra " + skip + ";\n";
    const std::string lanes = mask(n);
    if (predicated) text_ += test_lane(n.lanes, 3);
    if (n.store_slot >= 0) {
      text_ += guard + "st." + space(n.store_slot) + ".u32 " +
               slot_address(n.store_slot, "%shared", "%global") + ", " + v(n.b) + ";\n";
    }
    text_ += "mad.lo.u32 %t1, %lane, " + number(n.source_step) + ", " + number(n.source_base) +
             ";\nand.b32 %t1, %t1, 31;\n";
    if (n.load_slot >= 0) {
      text_ +=
          "sub.u32 %t0, %t1, %lane;\nmul.wide.s32 %rd0, %t0, 4;\n"
          "add.u64 %rd0, %global, %rd0;\nmad.lo.u32 %t0, %t0, 4, %shared;\n" +
          guard + "ld." + space(n.load_slot) + ".u32 " + v(n.a) + ", " +
          slot_address(n.load_slot, "%t0", "%rd0") + ";\n";
    }
    if (n.called && by_pointer_) {
      call_by_pointer(n, lanes);
    } else if (n.called) {
      const std::string name = "f" + number(functions_++);
      functions += ".func (.param .b32 r) " + name +
                   "(.param .b32 a, .param .b32 b, .param .b32 m)\n{\n.reg .b32 %t<3>;\n"
                   ".reg .b32 %x<3>;\n.reg .pred %p<3>;\nld.param.u32 %x0, [a];\n"
                   "ld.param.u32 %x1, [b];\nld.param.u32 %x2, [m];\n" +
                   sync_text(n, "", "%x0", "%x1", "%x2") + "st.param.b32 [r], %t2;\nret;\n}\n";
      text_ +=
          "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\n.param .b32 r;\n"
          "st.param.b32 [x], " +
          v(n.b) + ";\nst.param.b32 [y], %t1;\nst.param.b32 [z], " + lanes + ";\ncall (r), " +
          name + ", (x, y, z);\nld.param.b32 %t2, [r];\n}\n";
    } else {
      const bool fixed = n.source_step == 0;  // as a number
      text_ += sync_text(n, guard, v(n.b), fixed ? number(n.source_base) : "%t1", lanes);
    }
    if (n.form != Form::kBarrier) text_ += guard + "mov.u32 " + v(n.a) + ", %t2;\n";
    text_ += guard + "mad.lo.u32 %sum, %sum, 31, " + v(n.a) + ";\n";
    if (!all && !predicated) text_ += skip + ":\n";
  }

  void call_by_pointer(const Node& n, const std::string& lanes) {
    const std::string even = "f" + number(functions_++);
    const std::string odd = even + "o";
    const std::string parameters = "(.param .b32 a, .param .b32 b, .param .b32 m, .param .b32 d)";
    for (const std::string& name : {even, odd}) {
      functions +=
          ".func (.param .b32 r) " + name + parameters +
          "\n{\n.reg .b32 %t<3>;\n.reg .b32 %x<4>;\n.reg .pred %p<3>;\nld.param.u32 %x0, [a];\n"
          "ld.param.u32 %x1, [b];\nld.param.u32 %x2, [m];\nld.param.u32 %x3, [d];\n"
          "setp.eq.u32 %p0, %x3, 0;\n@%p0 bra SYNC;\nsub.u32 %x3, %x3, 1;\n" +
          pass(name, "%x0", "%x1", "%x2", "%x3") + "bra DONE;\nSYNC:\n" +
          sync_text(n, "", "%x0", "%x1", "%x2") + "DONE:\nst.param.b32 [r], %t2;\nret;\n}\n";
    }
    const std::string prototype = label();
    text_ += "and.b32 %t0, %lane, 1;\nsetp.eq.u32 %p0, %t0, 0;\nmov.u64 %rd0, " + even +
             ";\nmov.u64 %rd1, " + odd + ";\nselp.b64 %rd0, %rd0, %rd1, %p0;\n" + prototype +
             " : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b32 _, "
             ".param .b32 _);\nrem.u32 %t0, %lane, 3;\n" +
             pass("%rd0", v(n.b), "%t1", lanes, "%t0", ", " + prototype);
  }

  /// %t2 = target(a, b, m, d).
  static std::string pass(const std::string& target, const std::string& a, const std::string& b,
                          const std::string& m, const std::string& d,
                          const std::string& prototype = {}) {
    return "{\n.param .b32 w;\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\n.param .b32 q;\n"
           "st.param.b32 [w], " +
           a + ";\nst.param.b32 [x], " + b + ";\nst.param.b32 [y], " + m + ";\nst.param.b32 [z], " +
           d + ";\ncall (q), " + target + ", (w, x, y, z)" + prototype +
           ";\nld.param.b32 %t2, [q];\n}\n";
  }

  void exchange(const Node& n) {
    const unsigned full = std::max(1u, threads_ / 32);
    text_ += "st.shared.u32 " + slot_address(n.store_slot, "%shared", "") + ", " + v(n.b) +
             ";\nbar.sync 0;\nshr.u32 %t0, %tid.x, 5;\nadd.u32 %t0, %t0, 1;\nrem.u32 %t0, %t0, " +
             number(full) +
             ";\nmad.lo.u32 %t0, %t0, 32, %lane;\nmov.u32 %t1, tile;\n"
             "mad.lo.u32 %t0, %t0, 4, %t1;\nld.shared.u32 " +
             v(n.a) + ", " + slot_address(n.store_slot, "%t0", "") + ";\nbar.sync 0;\n";
  }

  const bool compiled_;
  const bool by_pointer_;
  const unsigned threads_;
  const unsigned shared_slots_;
  std::string text_;
  std::string behind_;
  std::string lanes_of_loop_;
  unsigned labels_ = 0;
  unsigned functions_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::string SyncProgram::ptx(bool compiled, bool by_pointer) const {
  Writer writer(compiled, by_pointer, threads_, shared_slots_);
  const std::string body = writer.write(main_);
  const std::string depth = number(writer.deepest);
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + writer.functions +
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<4>;\n"
         ".reg .b32 %v<5>;\n.reg .b32 %t<4>;\n.reg .b32 %sum;\n.reg .b32 %lane;\n"
         ".reg .b32 %shared;\n.reg .b64 %rd<2>;\n.reg .b64 %out;\n.reg .b64 %global;\n"
         ".reg .b32 %c<" +
         depth + ">;\n.reg .b32 %n<" + depth + ">;\n.reg .b32 %m<" + depth +
         ">;\n.shared .align 4 .b8 tile[" + number(shared_slots_ * threads_ * 4) +
         "];\n"
         "ld.param.u64 %rd1, [in];\nld.param.u64 %out, [out];\nmov.u32 %lane, %laneid;\n"
         "mad.lo.u32 %v1, %ctaid.x, %ntid.x, %tid.x;\nmul.wide.u32 %rd0, %v1, 4;\n"
         "add.u64 %global, %out, %rd0;\nadd.u64 %global, %global, 8192;\nmul.wide.u32 %rd0, %v1, "
         "8;\nadd.u64 %out, %out, %rd0;\nmov.u32 %t0, tile;\nmad.lo.u32 %shared, %tid.x, 4, %t0;\n"
         "and.b32 %t0, %v1, 255;\nmul.wide.u32 %rd0, %t0, 4;\nadd.u64 %rd0, %rd1, %rd0;\n"
         "ld.global.u32 %v0, [%rd0];\nmul.lo.u32 %v2, %lane, 2654435761;\n"
         "mad.lo.u32 %t0, %v1, 7, 3;\nand.b32 %t0, %t0, 255;\nmul.wide.u32 %rd0, %t0, 4;\n"
         "add.u64 %rd0, %rd1, %rd0;\nld.global.u32 %v3, [%rd0];\nmov.u32 %v4, 5;\n"
         "mov.u32 %sum, 0;\n" +
         body + "}\n";
}

}  // namespace tessera::test
