// @ts-check
/** A pile of 5,000 discs in Node on the GPU, or on a software driver: node examples/node-gpu/main.js */
import { createSimulation } from 'cellstorm';
import { openGpu } from 'cellstorm/node';

const COUNT = 5000;
const positions = new Float32Array(2 * COUNT);
for (let i = 0; i < COUNT; i++) {
  positions[2 * i] = 1 + 1.1 * (i % 100);
  positions[2 * i + 1] = 1 + 1.1 * Math.floor(i / 100);
}
const gpu = await openGpu({ particles: COUNT, dimensions: 2 });
const simulation = await createSimulation(gpu, {
  dimensions: 2,
  radius: 0.5,
  min: [0, 0],
  max: [112, 100],
  positions,
  gravity: [0, -9.8],
});
for (let step = 0; step < 120; step++) simulation.step(1 / 60);
const { contacts, deepestOverlap, hash } = await simulation.measure();

console.log(`${gpu.info?.description || gpu.info?.vendor || 'a GPU'}: ${contacts} contacts after 2 seconds`);
console.log(`deepest overlap ${deepestOverlap.toFixed(4)}, state hash ${hash}`);
gpu.destroy();
