import { describe, expect } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { GridParticles, type GridParticlesOptions } from '../../../src/engine/grid/grid-particles';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords } from '../../helpers/passes';

const COUNT = 300;
const EDGE = 8;

/** Moves each particle by `shift`. Adds to its velocity the minimum image of the new position relative to 0, plus 7. */
const DRIFT = `
struct Own { found: u32 }

fn begin(particle: Particle) -> Own {
  return Own();
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  (*own).found += 1u;
}

fn finish(own: Own, particle: Particle) {
  let id = id_of(particle.slot);
  let moved = wrap(particle.position + parameters.shift);
  let four = with_last(minimum_image(moved, Vector()), 7.0);
  positions[id] = store_vector(moved);
  velocities[id] = store_vector(upper_of(four) + Vector(four.w) + load_vector(velocities[id]));
  found[id] = own.found;
}
`;

describe.each(DIMENSIONS)('particles with a grid in %dD', (dimensions) => {
  gpuTest(
    'are written and read as packed vectors, and moved by a kernel that wraps positions',
    async (device, tools) => {
      const all = (value: number) => new Array<number>(dimensions).fill(value);
      // Multiples of 1/8, so that nothing rounds.
      const positions = scatterIn(createNoise(2), all(0), all(EDGE), COUNT).map((x) => Math.floor(8 * x) / 8);
      const velocities = positions.map((value) => value - 3);
      const periodic = [true, false, true].slice(0, dimensions);
      const particles = await GridParticles.create(tools.wrap(), {
        ...{ dimensions, min: all(0), max: all(EDGE), periodic, diameter: 1, positions, velocities },
        sortVelocities: true,
        more: { found: 'word', spare: 'vector' },
      });
      const { found, spare, ...state } = particles.buffers;
      const kernel = await particles.grid.kernel({
        label: 'drift',
        code: DRIFT,
        buffers: {
          positions: { type: 'array<Stored>', access: 'write' },
          velocities: { type: 'array<Stored>', access: 'write' },
          found: { type: 'array<u32>', access: 'write' },
        },
        parameters: { shift: 'vector' },
      });
      const ids = Uint32Array.from({ length: COUNT }, (_, id) => id);
      expect(await particles.read()).toEqual({ ids, positions, velocities });
      // The kernel's ring of uniforms has 1,024 entries of 256 bytes.
      expect(kernel.memoryBytes).toBe(2 ** 18);
      const vectors = 3 * 4 * (dimensions === 2 ? 2 : 4);
      expect(particles.memoryBytes - particles.grid.memoryBytes).toBe((vectors + 4) * COUNT);
      const encoder = device.createCommandEncoder();
      particles.encode(encoder);
      kernel.encode(encoder, { buffers: { ...state, found }, parameters: { shift: all(3 * EDGE + 5) } });
      device.queue.submit([encoder.finish()]);
      const got = await particles.read();
      const moved = positions.map((value, index) =>
        periodic[index % dimensions] ? (value + 5) % EDGE : value + 3 * EDGE + 5,
      );
      expect(got.positions).toEqual(moved);
      const differences = moved.map((value, index) =>
        periodic[index % dimensions] && value > EDGE / 2 ? value - EDGE : value,
      );
      // At half a period both directions are equally short.
      got.velocities.forEach((value, index) => {
        const difference = value - 7 - (velocities[index] as number);
        const expected = moved[index] === EDGE / 2 ? EDGE / 2 : (differences[index] as number);
        expect(
          moved[index] === EDGE / 2 && periodic[index % dimensions] ? Math.abs(difference) : difference,
        ).toBe(expected);
      });
      expect((await readWords(tools, found, COUNT)).some((count) => count > 0)).toBe(true);
      expect(await particles.readVectors([spare])).toEqual([new Float32Array(dimensions * COUNT)]);
      // A reused id starts with zeros in `more`.
      particles.writeWords('found', Uint32Array.of(7, 8), Uint32Array.of(3, COUNT - 1));
      particles.remove([COUNT - 1, 3]);
      expect([particles.count, particles.end]).toEqual([COUNT - 2, COUNT - 1]);
      expect([...particles.add({ positions: Float32Array.from(all(1)) })]).toEqual([3]);
      expect((await readWords(tools, found, COUNT))[3]).toBe(0);
      expect(() => particles.add({ positions: Float32Array.from(all(EDGE + 1)) })).toThrow(
        /^positions\[0\] \(particle 0\) is 9, but it must be in the box, from 0 to 8\.$/,
      );
      particles.destroy();
      await expect(particles.read()).rejects.toThrow(/destroyed/);
    },
    SHARED,
  );
});

gpuTest(
  'creating particles with a grid rejects invalid options, and leaves no buffers behind',
  async (_, tools) => {
    const options = { dimensions: 2, min: [0, 0], max: [8, 8], diameter: 1 } as const;
    const before = tools.liveBuffers();
    const positions = Float32Array.of(1, 1, 2, 2);
    const wrong: readonly [Record<string, unknown>, RegExp][] = [
      [{ positions: undefined }, /^positions is undefined, /],
      [
        { positions: Float32Array.of(1, 9) },
        /^positions\[1\] \(particle 0\) is 9, .* in the box, from 0 to 8\.$/,
      ],
      [{ velocities: positions.subarray(1) }, /^velocities\.length is 3, but it must be 4 /],
      [{ sortVelocities: 1 }, /^sortVelocities is 1, but it must be true or false\.$/],
      [{ more: { heat: 'f32' } }, /^more\.heat is "f32", but it must be 'vector', 'word' or 'position'\.$/],
      [
        { more: { positions: 'word' } },
        /^more\.positions is "word", .* another name: that buffer exists already\.$/,
      ],
      [{ label: '' }, /^label is "", but it must be a name\.$/],
      [{ diameter: 0 }, /^diameter is 0, /],
      [{ radius: 1 }, /^options\.radius is 1, /],
    ];
    for (const [changes, message] of wrong) {
      const given = { ...options, positions, ...changes } as GridParticlesOptions;
      const error = await GridParticles.create(tools.wrap(), given).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toMatch(message);
    }
    expect(tools.liveBuffers()).toEqual(before);
  },
  SHARED,
);

gpuTest(
  'writeWords rejects names, words and ids that it cannot use, and changes nothing',
  async (_, tools) => {
    const particles = await GridParticles.create(tools.wrap(), {
      dimensions: 2,
      min: [0, 0],
      max: [8, 8],
      diameter: 1,
      capacity: 4,
      positions: Float32Array.of(1, 1, 2, 2),
      more: { heat: 'word', target: 'position' },
    });
    const words = Uint32Array.of(7, 8);
    particles.writeWords('heat', words);
    const wrong: readonly [unknown, unknown, unknown, RegExp][] = [
      ['positions', words, undefined, /^name is "positions", but it must be one of heat\.$/],
      ['target', words, undefined, /^name is "target", /],
      ['cold', words, undefined, /^name is "cold", /],
      [undefined, words, undefined, /^name is undefined, /],
      [Symbol('heat'), words, undefined, /^name is Symbol\(heat\), /],
      [
        'heat',
        undefined,
        undefined,
        /^words is undefined, but it must be a Uint32Array, an Int32Array or a Float32Array\.$/,
      ],
      ['heat', [1, 2], undefined, /^words is \[1, 2\], /],
      ['heat', Uint8Array.of(1, 2), undefined, /^words is a Uint8Array of length 2, /],
      ['heat', Float64Array.of(1, 2), undefined, /^words is a Float64Array /],
      ['heat', words, [0, 1], /^ids is \[0, 1\], but it must be a Uint32Array\.$/],
      ['heat', words, null, /^ids is null, /],
      [
        'heat',
        words,
        Uint32Array.of(0),
        /^words is a Uint32Array of length 2, .* of length 1, one word per id\.$/,
      ],
      [
        'heat',
        words,
        Uint32Array.of(1, 1),
        /^ids\[1\] is 1, .* above the id before it and below 4, the capacity\.$/,
      ],
      ['heat', words, Uint32Array.of(1, 0), /^ids\[1\] is 0, /],
      ['heat', words, Uint32Array.of(0, 4), /^ids\[1\] is 4, /],
      ['heat', new Uint32Array(5), undefined, /^ids\[4\] is 4, /],
    ];
    for (const [name, given, ids, message] of wrong) {
      const attempt = () => particles.writeWords(name as 'heat', given as Uint32Array, ids as Uint32Array);
      expect(attempt).toThrow(ArgumentError);
      expect(attempt).toThrow(message);
    }
    expect([...(await readWords(tools, particles.buffers.heat, 4))]).toEqual([7, 8, 0, 0]);
    particles.writeWords('heat', Float32Array.of(1), Uint32Array.of(3));
    expect([...(await readWords(tools, particles.buffers.heat, 4))]).toEqual([7, 8, 0, 0x3f80_0000]);
    particles.destroy();
  },
  SHARED,
);

gpuTest(
  'particles refuse calls until the encoder into which a sort was recorded is finished, or a checkpoint is restored',
  async (device, tools) => {
    const options = { dimensions: 2, min: [0, 0], max: [8, 8], diameter: 1, capacity: 4 } as const;
    const positions = Float32Array.of(1, 1, 2, 2);
    const particles = await GridParticles.create(tools.wrap(), {
      ...options,
      positions,
      more: { heat: 'word' },
    });
    const checkpoint = await particles.checkpoint();
    const encoder = device.createCommandEncoder();
    particles.encode(encoder);
    const calls: Record<string, () => unknown> = {
      add: () => particles.add({ positions }),
      remove: () => particles.remove([0]),
      writeWords: () => particles.writeWords('heat', Uint32Array.of(1)),
      read: () => particles.read(),
      checkpoint: () => particles.checkpoint(),
      readFloats: () => particles.readFloats(particles.buffers.heat),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect((async () => call())(), name).rejects.toThrow(
        /^A step was recorded into the encoder without a label, which is not finished/,
      );
    }
    device.queue.submit([encoder.finish()]);
    expect((await particles.read()).ids.length).toBe(2);
    particles.encode(device.createCommandEncoder());
    expect(() => particles.add({ positions })).toThrow(/^A step was recorded/);
    particles.restore(checkpoint);
    expect(particles.add({ positions })).toEqual(Uint32Array.of(2, 3));
    particles.destroy();
  },
  SHARED,
);
