// @ts-check
/** All overlapping pairs of 100,000 discs, in Node on the CPU: node examples/node-pairs/main.js */
import { createCpuGrid } from 'cellstorm/cpu';

const COUNT = 100_000;
const SIDE = 320;
const positions = Float32Array.from({ length: 2 * COUNT }, () => SIDE * Math.random());

const grid = createCpuGrid({ dimensions: 2, min: [0, 0], max: [SIDE, SIDE], diameter: 1, capacity: COUNT });
let best = Infinity;
for (let run = 0; run < 5; run++) {
  const start = performance.now();
  grid.build(positions);
  grid.countPairs();
  best = Math.min(best, performance.now() - start);
}
const { count, pairs } = grid.findPairs();

console.log(`${count} pairs of ${COUNT} discs; the best of 5 runs took ${best.toFixed(1)} ms`);
console.log(`the first: ${pairs[0]} and ${pairs[1]}`);
console.log(`near the centre: ${grid.findNear([SIDE / 2, SIDE / 2], 1.5)}`);
