// SPDX-License-Identifier: Apache-2.0
//
// What all benches have: a cycle count, seeded random numbers, and the end of a bench that fails.
// To be included in the bench's module. A bench draws no random number elsewhere, so that a seed
// (+seed=N, default 1) reproduces a run with any simulator. A class, because Verilator 5.006
// inlines the functions of a module at each call.
class Bench;
  static int unsigned cycle = 0;
  static longint unsigned state = 64'h9e37_79b9_7f4a_7c15;

  /// To be called once, before the first random number.
  static function void seed_random();
    longint unsigned seed;
    if ($value$plusargs("seed=%d", seed) == 0) seed = 1;
    state = (seed + 1) * 64'h9e37_79b9_7f4a_7c15;
    if (state == 0) state = 1;
  endfunction

  /// xorshift64.
  static function int unsigned word();
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state[47:16];
  endfunction

  /// From 0 to limit - 1.
  static function int unsigned below(input int unsigned limit);
    return word() % limit;
  endfunction

  static function bit chance(input int unsigned percent);
    return below(100) < percent;
  endfunction

  /// Ends the simulation with a nonzero exit status.
  static function void fail(input string what);
    $display("FAIL at cycle %0d: %s", cycle, what);
    $fatal(1);
  endfunction
endclass
