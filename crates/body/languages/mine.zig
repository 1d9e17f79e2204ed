// The body of docs/body.md in Zig: zig build-lib -dynamic -lc -O ReleaseFast -I include mine.zig

const c = @cImport(@cInclude("flowgauge.h"));

fn unit(_: ?*anyopaque, _: ?*anyopaque, number: u64, ops: u64, proof: [*c]c.flowgauge_proof) callconv(.c) c_int {
    for (0..ops) |op| {
        var value = number *% ops +% op +% 1;
        for (0..1000) |_| value = value *% 6364136223846793005 +% 1;
        proof.*.checksum +%= value;
    }
    proof.*.count = ops;
    return 0;
}

export const flowgauge_body = c.flowgauge_body_v1{ .version = 1, .flags = c.FLOWGAUGE_FIBERS, .unit = unit };
