/** Returns the exclusive prefix sums, modulo 2³². Twin of all kernels of shaders/grid/scan.wgsl together. */
export function exclusiveScan(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length);
  let sum = 0;
  for (let index = 0; index < counts.length; index++) {
    starts[index] = sum;
    sum = (sum + (counts[index] as number)) >>> 0;
  }
  return starts;
}
