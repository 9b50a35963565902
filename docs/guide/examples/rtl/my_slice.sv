// SPDX-License-Identifier: Apache-2.0
//
// A register slice with a queue of DEPTH transfers on each channel of AXI4. All outputs come from
// registers.
module my_slice #(
    parameter int unsigned DATA_BITS = 256,
    parameter int unsigned ADDR_BITS = 48,
    parameter int unsigned ID_BITS = 4,
    parameter int unsigned DEPTH = 4  // a power of two
) (
    input logic clk,
    input logic rst_n,

    input  logic                   s_axi_awvalid,
    output logic                   s_axi_awready,
    input  logic [    ID_BITS-1:0] s_axi_awid,
    input  logic [  ADDR_BITS-1:0] s_axi_awaddr,
    input  logic [            7:0] s_axi_awlen,
    input  logic [            2:0] s_axi_awsize,
    input  logic [            1:0] s_axi_awburst,
    input  logic                   s_axi_wvalid,
    output logic                   s_axi_wready,
    input  logic [  DATA_BITS-1:0] s_axi_wdata,
    input  logic [DATA_BITS/8-1:0] s_axi_wstrb,
    input  logic                   s_axi_wlast,
    output logic                   s_axi_bvalid,
    input  logic                   s_axi_bready,
    output logic [    ID_BITS-1:0] s_axi_bid,
    output logic [            1:0] s_axi_bresp,
    input  logic                   s_axi_arvalid,
    output logic                   s_axi_arready,
    input  logic [    ID_BITS-1:0] s_axi_arid,
    input  logic [  ADDR_BITS-1:0] s_axi_araddr,
    input  logic [            7:0] s_axi_arlen,
    input  logic [            2:0] s_axi_arsize,
    input  logic [            1:0] s_axi_arburst,
    output logic                   s_axi_rvalid,
    input  logic                   s_axi_rready,
    output logic [    ID_BITS-1:0] s_axi_rid,
    output logic [  DATA_BITS-1:0] s_axi_rdata,
    output logic [            1:0] s_axi_rresp,
    output logic                   s_axi_rlast,

    output logic                   m_axi_awvalid,
    input  logic                   m_axi_awready,
    output logic [    ID_BITS-1:0] m_axi_awid,
    output logic [  ADDR_BITS-1:0] m_axi_awaddr,
    output logic [            7:0] m_axi_awlen,
    output logic [            2:0] m_axi_awsize,
    output logic [            1:0] m_axi_awburst,
    output logic                   m_axi_wvalid,
    input  logic                   m_axi_wready,
    output logic [  DATA_BITS-1:0] m_axi_wdata,
    output logic [DATA_BITS/8-1:0] m_axi_wstrb,
    output logic                   m_axi_wlast,
    input  logic                   m_axi_bvalid,
    output logic                   m_axi_bready,
    input  logic [    ID_BITS-1:0] m_axi_bid,
    input  logic [            1:0] m_axi_bresp,
    output logic                   m_axi_arvalid,
    input  logic                   m_axi_arready,
    output logic [    ID_BITS-1:0] m_axi_arid,
    output logic [  ADDR_BITS-1:0] m_axi_araddr,
    output logic [            7:0] m_axi_arlen,
    output logic [            2:0] m_axi_arsize,
    output logic [            1:0] m_axi_arburst,
    input  logic                   m_axi_rvalid,
    output logic                   m_axi_rready,
    input  logic [    ID_BITS-1:0] m_axi_rid,
    input  logic [  DATA_BITS-1:0] m_axi_rdata,
    input  logic [            1:0] m_axi_rresp,
    input  logic                   m_axi_rlast,

    output logic busy
);

  localparam int unsigned AddressBits = ID_BITS + ADDR_BITS + 13;
  logic [4:0] full;
  assign busy = |full;

  my_queue #(.WIDTH(AddressBits), .DEPTH(DEPTH)) aw (
      .clk, .rst_n, .used(full[0]),
      .in_valid(s_axi_awvalid), .in_ready(s_axi_awready),
      .in({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst}),
      .out_valid(m_axi_awvalid), .out_ready(m_axi_awready),
      .out({m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst})
  );
  my_queue #(.WIDTH(DATA_BITS + DATA_BITS / 8 + 1), .DEPTH(DEPTH)) w (
      .clk, .rst_n, .used(full[1]),
      .in_valid(s_axi_wvalid), .in_ready(s_axi_wready),
      .in({s_axi_wdata, s_axi_wstrb, s_axi_wlast}),
      .out_valid(m_axi_wvalid), .out_ready(m_axi_wready),
      .out({m_axi_wdata, m_axi_wstrb, m_axi_wlast})
  );
  my_queue #(.WIDTH(ID_BITS + 2), .DEPTH(DEPTH)) b (
      .clk, .rst_n, .used(full[2]),
      .in_valid(m_axi_bvalid), .in_ready(m_axi_bready), .in({m_axi_bid, m_axi_bresp}),
      .out_valid(s_axi_bvalid), .out_ready(s_axi_bready), .out({s_axi_bid, s_axi_bresp})
  );
  my_queue #(.WIDTH(AddressBits), .DEPTH(DEPTH)) ar (
      .clk, .rst_n, .used(full[3]),
      .in_valid(s_axi_arvalid), .in_ready(s_axi_arready),
      .in({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst}),
      .out_valid(m_axi_arvalid), .out_ready(m_axi_arready),
      .out({m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst})
  );
  my_queue #(.WIDTH(ID_BITS + DATA_BITS + 3), .DEPTH(DEPTH)) r (
      .clk, .rst_n, .used(full[4]),
      .in_valid(m_axi_rvalid), .in_ready(m_axi_rready),
      .in({m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast}),
      .out_valid(s_axi_rvalid), .out_ready(s_axi_rready),
      .out({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast})
  );
endmodule

// A queue whose ready and valid depend on registers only.
module my_queue #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 4,
    localparam int unsigned IndexBits = $clog2(DEPTH)
) (
    input  logic             clk,
    input  logic             rst_n,
    output logic             used,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out
);
  logic [WIDTH-1:0] entries[DEPTH];
  logic [IndexBits-1:0] head;
  logic [IndexBits-1:0] tail;
  logic [IndexBits:0] count;
  logic open;  // READY is low in reset

  assign in_ready = open && count != (IndexBits + 1)'(DEPTH);
  assign out_valid = count != 0;
  assign out = entries[head];
  assign used = count != 0 || !open;

  always_ff @(posedge clk) begin
    open <= rst_n;
    if (!rst_n) begin
      head <= 0;
      tail <= 0;
      count <= 0;
    end else begin
      if (in_valid && in_ready) begin
        entries[tail] <= in;
        tail <= tail + 1;
      end
      if (out_valid && out_ready) head <= head + 1;
      count <= count + (IndexBits + 1)'(in_valid && in_ready) - (IndexBits + 1)'(out_valid && out_ready);
    end
  end
endmodule
