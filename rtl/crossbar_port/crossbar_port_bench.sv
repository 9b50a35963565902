// SPDX-License-Identifier: Apache-2.0
//
// Bench of crossbar_port. A reference with one SystemVerilog queue for each input and output
// computes every output of every cycle; the directed cases have cycles computed by hand.
// The clock stops at random while busy is 0 and no input is valid.
module crossbar_port_bench;

  `include "bench_random.svh"

  localparam int unsigned Inputs = 4;
  localparam int unsigned Outputs = 5;  // not a power of two
  localparam int unsigned Width = 24;
  localparam int unsigned Depth = 3;
  localparam int unsigned RandomCycles = 40_000;

  // Phases of a cycle: the bench drives the inputs at `drive` and samples all pins at `sample`. The
  // clock rises with `sample` unless it is stopped.
  logic drive = 0;
  logic sample = 0;
  logic clock_on = 1;
  logic clk;
  logic rst_n = 0;
  logic [Inputs-1:0] in_valid = '0;
  logic [Inputs-1:0] in_ready;
  logic [Inputs-1:0][2:0] in_dest = '0;
  logic [Inputs-1:0][Width-1:0] in_data = '0;
  logic [Outputs-1:0] out_valid;
  logic [Outputs-1:0] out_ready = '0;
  logic [Outputs-1:0][1:0] out_source;
  logic [Outputs-1:0][Width-1:0] out_data;
  logic busy;

  assign clk = sample && clock_on;

  initial forever begin
    #1 drive = 1;
    #1 drive = 0;
    #1 sample = 1;
    #1 sample = 0;
  end

  crossbar_port #(.INPUTS(Inputs), .OUTPUTS(Outputs), .WIDTH(Width), .DEPTH(Depth)) dut (.*);

  // ---- Reference

  // By {input, output}. Verilator 5.006 has no arrays of queues that an index can exceed.
  bit [Width-1:0] queued[32][$];
  bit [Outputs-1:0] expected_valid = '0;
  int unsigned expected_source[Outputs];
  bit [Width-1:0] expected_data[Outputs];
  int unsigned next_input[Outputs];   // of an output's round
  int unsigned next_output[Inputs];   // of an input's round

  int unsigned entered = 0;
  int unsigned left = 0;
  int unsigned left_at[Outputs];      // flits of each output
  int unsigned input_stalls = 0;
  int unsigned output_stalls = 0;
  int unsigned stopped_cycles = 0;
  bit [Inputs-1:0] fired = '0;        // inputs that were accepted in the last cycle

  function automatic void reset_reference();
    for (int unsigned k = 0; k < 32; ++k) queued[5'(k)].delete();
    expected_valid = '0;
    for (int unsigned o = 0; o < Outputs; ++o) next_input[o] = 0;
    for (int unsigned i = 0; i < Inputs; ++i) next_output[i] = 0;
  endfunction

  function automatic int unsigned in_flight();
    int unsigned n = 0;
    for (int unsigned k = 0; k < 32; ++k) n += queued[5'(k)].size();
    for (int unsigned o = 0; o < Outputs; ++o) n += {31'b0, expected_valid[o]};
    return n;
  endfunction

  function automatic void check_outputs();
    if (busy != (in_flight() != 0)) Bench::fail($sformatf("busy is %0d with %0d flits", busy, in_flight()));
    for (int unsigned i = 0; i < Inputs; ++i) begin
      bit ready;
      ready = 0;
      if (in_dest[i] < 3'(Outputs)) ready = queued[{2'(i), in_dest[i]}].size() < Depth;
      if (in_ready[i] != ready) Bench::fail($sformatf("in_ready[%0d] is %0d for output %0d", i, in_ready[i], in_dest[i]));
    end
    for (int unsigned o = 0; o < Outputs; ++o) begin
      if (out_valid[o] != expected_valid[o]) begin
        Bench::fail($sformatf("out_valid[%0d] is %0d", o, out_valid[o]));
      end
      if (!out_valid[o]) continue;
      if (out_source[o] != 2'(expected_source[o])) begin
        Bench::fail($sformatf("output %0d: flit of input %0d instead of %0d", o, out_source[o],
                       expected_source[o]));
      end
      if (out_data[o] != expected_data[o]) begin
        Bench::fail($sformatf("output %0d: data %h instead of %h", o, out_data[o], expected_data[o]));
      end
    end
  endfunction

  function automatic void step_reference();
    int grant[Outputs];  // input, or -1
    int accept[Inputs];  // output, or -1
    bit [Outputs-1:0] free;
    free = ~expected_valid | out_ready;
    for (int unsigned o = 0; o < Outputs; ++o) begin
      grant[o] = -1;
      for (int unsigned k = 0; k < Inputs; ++k) begin
        int unsigned i;
        i = (next_input[o] + k) % Inputs;
        if (free[o] && queued[{2'(i), 3'(o)}].size() != 0 && grant[o] < 0) grant[o] = int'(i);
      end
    end
    for (int unsigned i = 0; i < Inputs; ++i) begin
      accept[i] = -1;
      for (int unsigned k = 0; k < Outputs; ++k) begin
        int unsigned o;
        o = (next_output[i] + k) % Outputs;
        if (grant[o] == int'(i) && accept[i] < 0) accept[i] = int'(o);
      end
    end
    for (int unsigned i = 0; i < Inputs; ++i) begin
      fired[i] = in_valid[i] && in_ready[i];
      if (in_valid[i] && !in_ready[i]) ++input_stalls;
    end
    for (int unsigned o = 0; o < Outputs; ++o) begin
      if (expected_valid[o] && out_ready[o]) begin
        ++left;
        ++left_at[o];
        expected_valid[o] = 0;
      end
      if (expected_valid[o]) ++output_stalls;
    end
    for (int unsigned i = 0; i < Inputs; ++i) begin
      if (accept[i] >= 0) begin
        int unsigned o;
        o = unsigned'(accept[i]);
        expected_valid[o] = 1;
        expected_source[o] = i;
        expected_data[o] = queued[{2'(i), 3'(o)}].pop_front();
        next_input[o] = (i + 1) % Inputs;
        next_output[i] = (o + 1) % Outputs;
      end
      if (fired[i]) begin
        ++entered;
        queued[{2'(i), in_dest[i]}].push_back(in_data[i]);
      end
    end
  endfunction

  // ---- Scenarios: each begins with a reset at t = 0

  typedef enum int unsigned {
    kLone,       // a flit that is accepted at edge t leaves at edge t + 2
    kTurns,      // the inputs of one output take turns
    kBlocked,    // a blocked output blocks no flit for another
    kSaturated,  // each input moves a flit a cycle when all queues are filled
    kRandom,
    kDrain,
    kEnd
  } scenario_t;

  scenario_t scenario = kLone;
  int unsigned t = 0;
  int unsigned left_before = 0;
  int unsigned load = 0;
  int unsigned drain = 0;
  int unsigned hot = 0;

  function automatic void drive_saturated();
    in_valid = '1;
    out_ready = '1;
    for (int unsigned i = 0; i < Inputs; ++i) begin
      for (int unsigned o = 0; o < Outputs; ++o) begin
        if (queued[{2'(i), 3'(o)}].size() < queued[{2'(i), in_dest[i]}].size()) in_dest[i] = 3'(o);
      end
      in_data[i] = 24'(Bench::word());
    end
  endfunction

  function automatic void drive_random();
    if (t % 500 == 1) begin
      load = Bench::below(101);
      drain = 20 + Bench::below(81);
      hot = Bench::below(2 * Outputs);  // most flits go to this output, if there is one
    end
    for (int unsigned i = 0; i < Inputs; ++i) begin
      if (in_valid[i] && !fired[i]) continue;
      in_valid[i] = Bench::chance(load);
      in_dest[i] = hot < Outputs && Bench::chance(70) ? 3'(hot) : 3'(Bench::below(Outputs));
      in_data[i] = 24'(Bench::word());
    end
    for (int unsigned o = 0; o < Outputs; ++o) out_ready[o] = Bench::chance(drain);
  endfunction

  always @(posedge drive) begin
    if (t == 0 && scenario != kDrain) begin
      rst_n = 0;
      in_valid = '0;
      out_ready = '1;
      fired = '0;
    end else begin
      rst_n = 1;
      case (scenario)
        kLone: begin
          in_valid = t == 1 ? 4'b0010 : '0;
          in_dest[1] = 3;
          in_data[1] = 24'hA5_0001;
        end
        kTurns: begin
          in_valid = '1;
          for (int unsigned i = 0; i < Inputs; ++i) begin
            in_dest[i] = 2;
            in_data[i] = 24'(i);
          end
        end
        kBlocked: begin
          in_valid = t <= Depth + 3 ? 4'b0001 : '0;
          in_dest[0] = t == Depth + 3 ? 4 : 0;
          in_data[0] = 24'(t);
          out_ready = t < 20 ? 5'b11110 : '1;
        end
        kSaturated: drive_saturated();
        kRandom: drive_random();
        default: begin
          in_valid &= ~fired;
          out_ready = '1;
        end
      endcase
    end
    clock_on = !rst_n || busy || in_valid != '0 || Bench::chance(50);
  end

  function automatic void check_directed();
    case (scenario)
      kLone: begin
        if (out_valid != (t == 3 ? 5'b01000 : '0)) Bench::fail($sformatf("lone flit: cycle %0d", t));
        if (t == 3 && (out_source[3] != 1 || out_data[3] != 24'hA5_0001)) Bench::fail("lone flit");
      end
      kTurns:
      if (t >= 3 && (!out_valid[2] || out_source[2] != 2'(t - 3))) begin
        Bench::fail($sformatf("turns: cycle %0d", t));
      end
      kBlocked: begin
        if (t >= 1 && t <= Depth + 3 && in_ready[0] != (t != Depth + 2)) begin
          Bench::fail($sformatf("blocked output: in_ready is %0d in cycle %0d", in_ready[0], t));
        end
        if (t < 20 && out_valid[4] != (t == Depth + 5)) begin
          Bench::fail($sformatf("blocked output: cycle %0d", t));
        end
      end
      kSaturated: begin
        if (t == 150) left_before = left;
        if (t == 250 && left - left_before != 100 * Inputs) begin
          Bench::fail($sformatf("%0d flits in 100 cycles of saturation", left - left_before));
        end
      end
      default: ;
    endcase
  endfunction

  function automatic int unsigned length(input scenario_t s);
    case (s)
      kSaturated: return 251;
      kRandom: return RandomCycles;
      default: return 50;
    endcase
  endfunction

  function automatic void finish();
    if (busy || in_flight() != 0 || in_valid != '0) Bench::fail("flits are left");
    if (entered != left) Bench::fail($sformatf("%0d flits entered, %0d left", entered, left));
    for (int unsigned o = 0; o < Outputs; ++o) begin
      if (left_at[o] < 1000) Bench::fail($sformatf("only %0d flits at output %0d", left_at[o], o));
    end
    if (input_stalls < 1000 || output_stalls < 1000 || stopped_cycles < 100) begin
      Bench::fail("the traffic does not stall");
    end
    $display("PASS crossbar_port: 4 directed cases, %0d random cycles, %0d flits, %0d input stalls, %0d output stalls, clock stopped in %0d cycles",
             RandomCycles, left, input_stalls, output_stalls, stopped_cycles);
    $finish;
  endfunction

  always @(posedge sample) begin
    if (!rst_n) begin
      reset_reference();
    end else begin
      check_outputs();
      check_directed();
      if (clock_on) begin
        step_reference();
      end else begin
        ++stopped_cycles;
        fired = '0;
      end
    end
    ++Bench::cycle;
    ++t;
    if (t == length(scenario)) begin
      t = 0;
      scenario = scenario_t'(scenario + 1);
      if (scenario == kRandom) begin
        entered = 0;
        left = 0;
      end
      if (scenario == kEnd) finish();
    end
  end

  initial begin
    Bench::seed_random();
    for (int unsigned o = 0; o < Outputs; ++o) left_at[o] = 0;
  end

endmodule
