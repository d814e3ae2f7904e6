/**
 * Runs a kernel as a user would. For each particle, the kernel counts the neighbours and adds up the vectors from them
 * to the particle. Counts and sums must equal those over the oracle's pairs. Scenes are dyadic, so the order of
 * additions changes no sum.
 */
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { Readback } from '../gpu/readback';
import { minimumImageInDoubles } from '../reference/solve/contact';
import type { Scene } from '../scenes';
import { exactPairs } from './exact';
import { periodOf, withSceneGrid } from './grids';

/** Numbers per particle: three components of the sum (z is 0 in 2D), and the number of neighbours. */
const WORDS = 4;

function codeFor(dimensions: number): string {
  const apart = dimensions === 2 ? 'other.apart, 0.0' : 'other.apart';
  return `
    struct Own { sums: vec4f }

    fn begin(particle: Particle) -> Own {
      return Own();
    }

    fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
      (*own).sums += vec4f(${apart}, 1.0);
    }

    fn merge(own: ptr<function, Own>, other: Own) {
      (*own).sums += other.sums;
    }

    fn finish(own: Own, particle: Particle) {
      sums[id_of(particle.slot)] = own.sums;
    }
  `;
}

export async function checkKernel(gpu: Gpu, scene: Scene): Promise<{ pass: boolean; detail: string }> {
  const { count, dimensions } = scene;
  const expected = addUp(scene);
  const got = await askGpu(gpu, scene);
  const wrong = expected.findIndex((value, word) => value !== got[word]);
  if (wrong >= 0) {
    const component = wrong % WORDS;
    const what =
      component === WORDS - 1 ? 'number of neighbours' : `sum of differences along axis ${component}`;
    const detail = `the ${what} of particle ${Math.floor(wrong / WORDS)} is ${got[wrong]} instead of ${expected[wrong]}`;
    return { pass: false, detail };
  }
  const neighbours = expected.reduce((sum, value, word) => sum + (word % WORDS === WORDS - 1 ? value : 0), 0);
  return {
    pass: true,
    detail: `${neighbours} neighbours of ${count} particles, ${dimensions * count} sums equal`,
  };
}

async function askGpu(gpu: Gpu, scene: Scene): Promise<Float32Array> {
  const size = 4 * WORDS * scene.count;
  const output = await createBuffers(gpu, 'verify.kernel', { sums: size });
  const readback = new Readback(gpu, 'verify.kernel');
  try {
    const { sums } = output.buffers;
    return await withSceneGrid(gpu, scene, async (grid, build) => {
      const kernel = await grid.kernel({
        label: 'verify',
        code: codeFor(scene.dimensions),
        buffers: { sums: { type: 'array<vec4f>', access: 'write' } },
      });
      const encoder = build(scene.positions);
      kernel.encode(encoder, { buffers: { sums } });
      const reading = readback.record(encoder, [{ buffer: sums, size }]);
      gpu.device.queue.submit([encoder.finish()]);
      const [bytes] = await reading.finish();
      return new Float32Array(bytes as ArrayBuffer);
    });
  } finally {
    readback.destroy();
    output.destroy();
  }
}

function addUp(scene: Scene): Float64Array {
  const { dimensions, count, positions } = scene;
  const period = periodOf(scene);
  const sums = new Float64Array(WORDS * count);
  const add = (word: number, value: number) => {
    sums[word] = (sums[word] as number) + value;
  };
  const { pairs } = exactPairs(scene);
  for (let word = 0; word < pairs.length; word += 2) {
    const [one, other] = [pairs[word] as number, pairs[word + 1] as number];
    for (let axis = 0; axis < dimensions; axis++) {
      const direct =
        (positions[dimensions * one + axis] as number) - (positions[dimensions * other + axis] as number);
      const apart = minimumImageInDoubles(direct, period[axis] as number);
      add(WORDS * one + axis, apart);
      add(WORDS * other + axis, -apart);
    }
    add(WORDS * one + WORDS - 1, 1);
    add(WORDS * other + WORDS - 1, 1);
  }
  return sums;
}
