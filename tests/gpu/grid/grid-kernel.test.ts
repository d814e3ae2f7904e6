import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError, GpuError, LimitError } from '../../../src/core/base/errors';
import { type Dimensions, defineWorld, type WorldOptions } from '../../../src/core/world/world';
import type { GridKernelOptions } from '../../../src/engine/grid/grid-kernel';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { PUBLIC_NAMES } from '../../../src/engine/grid/kernel-code';
import { findNear } from '../../../src/reference/query/near';
import { loadVector, minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { repeat } from '../../../src/scenes/scene';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { askedCrowd, askedWorlds } from '../../helpers/inputs/queries';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';

const EDGE = 12;

const WORLDS: Readonly<Record<string, (dimensions: Dimensions) => WorldOptions>> = {
  bounded: (dimensions) => box(dimensions),
  periodic: (dimensions) => ({ ...box(dimensions), periodic: true }),
  'periodic along x': (dimensions) => ({
    ...box(dimensions),
    periodic: [true, false, false].slice(0, dimensions),
  }),
  unbounded: (dimensions) => ({ dimensions, unbounded: true }),
};

function box(dimensions: Dimensions): WorldOptions {
  const corner = cornersIn(dimensions);
  return { dimensions, min: corner(0), max: corner(EDGE) };
}

const COUNTING: GridKernelOptions = {
  label: 'counting',
  code: `
struct Own {
  near: u32,
  heaviest: u32,
}

fn begin(particle: Particle) -> Own {
  return Own(0u, 0u);
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  (*own).near += parameters.step;
  (*own).heaviest = max((*own).heaviest, masses[id_of(other.slot)]);
}

fn finish(own: Own, particle: Particle) {
  found[id_of(particle.slot)] = vec2u(own.near, own.heaviest);
}

fn skip(slot: u32) {
  found[id_of(slot)] = vec2u(99u, 99u);
}
`,
  buffers: {
    masses: { type: 'array<u32>', access: 'read' },
    found: { type: 'array<vec2u>', access: 'write' },
  },
  parameters: { shift: 'vector', step: 'u32' },
};

/** Counts neighbours, combines their ids in two ways, and counts how often the slots of neighbours do not ascend. */
const ORDERED: GridKernelOptions = {
  label: 'ordered',
  code: `
struct Own {
  found: u32,
  ids: u32,
  mixed: u32,
  descents: u32,
  last: u32,
}

fn begin(particle: Particle) -> Own {
  return Own();
}

fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) {
  if ((*own).found > 0u && other.slot <= (*own).last) {
    (*own).descents += 1u;
  }
  (*own).found += 1u;
  (*own).ids += id_of(other.slot);
  (*own).mixed ^= (id_of(other.slot) + 1u) * 0x9e3779b1u;
  (*own).last = other.slot;
}

fn finish(own: Own, particle: Particle) {
  seen[id_of(particle.slot)] = vec4u(own.found, own.ids, own.mixed, own.descents);
}
`,
  buffers: { seen: { type: 'array<vec4u>', access: 'write' } },
};

async function createGrid(tools: GpuTools, options: WorldOptions, capacity = 600): Promise<HashGrid> {
  return HashGrid.create(tools.wrap(), { ...options, capacity, diameter: 1 });
}

describe.each(DIMENSIONS)('a kernel in %dD', (dimensions) => {
  for (const [name, options] of Object.entries(WORLDS)) {
    gpuTest(
      `sees every neighbour once in a world that is ${name}`,
      async (device, tools) => {
        const world = defineWorld(options(dimensions), 1, 600);
        const noise = createNoise(4);
        const corner = cornersIn(dimensions);
        const positions = scatterIn(noise, corner(0), corner(EDGE), dimensions === 2 ? 400 : 600);
        if (world.kind === 'unbounded') positions.set(positions.map((value) => (value - 6) * 3 + 4096));
        const count = positions.length / dimensions;
        positions[7 * dimensions] = Number.NaN;
        const masses = Uint32Array.from({ length: count }, (_, id) => (id * 7919) % 1009);
        const grid = await createGrid(tools, options(dimensions));
        for (const radius of [undefined, 0.6]) {
          const kernel = await grid.kernel({ ...COUNTING, radius });
          const buffers = {
            masses: tools.upload('masses', masses),
            found: tools.allocate('found', 8 * count),
          };
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, {
            positions: uploadVectors(tools, dimensions, 'positions', positions),
            count,
          });
          kernel.encode(encoder, { buffers, parameters: { shift: corner(1), step: 3 } });
          device.queue.submit([encoder.finish()]);
          const expected = new Uint32Array(2 * count);
          for (let a = 0; a < count; a++) {
            for (let b = 0; b < count; b++) {
              let squared = 0;
              for (let axis = 0; axis < dimensions; axis++) {
                const apart =
                  (positions[a * dimensions + axis] as number) - (positions[b * dimensions + axis] as number);
                squared += minimumImageInDoubles(apart, world.period[axis] as number) ** 2;
              }
              if (a === b || !(squared < (radius ?? 1) ** 2)) continue;
              expected[2 * a] = (expected[2 * a] as number) + 3;
              expected[2 * a + 1] = Math.max(expected[2 * a + 1] as number, masses[b] as number);
            }
          }
          expected.fill(99, 14, 16);
          expectArraysEqual(await readWords(tools, buffers.found, 2 * count), expected, 'found');
          expect(expected.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(count);
          kernel.destroy();
        }
        grid.destroy();
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );
  }

  for (const [name, { options, radii }] of Object.entries(askedWorlds(dimensions))) {
    gpuTest(
      `visits every particle within a radius once, even beyond adjacent cells, in a world that is ${name}`,
      async (device, tools) => {
        const count = 300;
        const { world, positions } = askedCrowd(options, count, 3);
        const grid = await createGrid(tools, options, count);
        const buffer = uploadVectors(tools, dimensions, 'positions', positions);
        // Test only the smallest and the largest radius, because each needs a separate kernel.
        for (const radius of [radii[0], radii.at(-1)] as number[]) {
          const kernel = await grid.kernel({ ...ORDERED, radius });
          const seen = tools.allocate('seen', 16 * count);
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, { positions: buffer, count });
          kernel.encode(encoder, { buffers: { seen } });
          device.queue.submit([encoder.finish()]);
          const got = await readWords(tools, seen, 4 * count);
          const expected = new Uint32Array(4 * count);
          for (let id = 0; id < count; id++) {
            const centre = loadVector(dimensions, positions, id);
            const near = findNear(world, positions, centre, radius).filter((other) => other.id !== id);
            expected[4 * id] = near.length;
            expected[4 * id + 1] = near.reduce((sum, other) => sum + other.id, 0);
            expected[4 * id + 2] = near.reduce(
              (bits, other) => bits ^ Math.imul(other.id + 1, 0x9e3779b1),
              0,
            );
            // Slots are sure to ascend only in a bounded world: rows may wrap around, and hashed rows lie anywhere in a
            // table.
            expected[4 * id + 3] = world.kind === 'bounded' ? 0 : (got[4 * id + 3] as number);
          }
          expectArraysEqual(got, expected, `seen within ${radius}`);
          kernel.destroy();
        }
        grid.destroy();
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'keeps the parameters of each recording, and may be declared without parameters and buffers',
    async (device, tools) => {
      const grid = await createGrid(tools, box(dimensions));
      const kernel = await grid.kernel(COUNTING);
      const idle = await grid.kernel({
        code: 'struct Own { unused: u32 } fn begin(p: Particle) -> Own { return Own(); } fn visit(o: ptr<function, Own>, p: Particle, n: Neighbour) {} fn finish(o: Own, p: Particle) {}',
      });
      const position = repeat(3, dimensions);
      const positions = uploadVectors(
        tools,
        dimensions,
        'positions',
        Float32Array.of(...position, ...position),
      );
      const masses = tools.upload('masses', Uint32Array.of(1, 2));
      const outputs = [1, 2, 3].map((step) => ({ step, found: tools.allocate('found', 16) }));
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions, count: 2 });
      for (const { step, found } of outputs) {
        kernel.encode(encoder, { buffers: { masses, found }, parameters: { shift: position, step } });
      }
      idle.encode(encoder);
      device.queue.submit([encoder.finish()]);
      for (const { step, found } of outputs) {
        expect([...(await readWords(tools, found, 4))]).toEqual([step, 2, step, 1]);
      }
      grid.destroy();
      expect(() => kernel.encode(device.createCommandEncoder(), {})).toThrow(/destroyed/);
    },
    SHARED,
  );

  gpuTest(
    'keeps many changes of its parameters in encoders that are open at the same time',
    async (device, tools) => {
      const grid = await createGrid(tools, box(dimensions));
      const kernel = await grid.kernel(COUNTING);
      const near = await grid.near({ points: 2, capacity: 4 });
      const position = repeat(3, dimensions);
      const pair = Float32Array.of(...position, ...position);
      const positions = uploadVectors(tools, dimensions, 'positions', pair);
      const masses = tools.upload('masses', Uint32Array.of(1, 2));
      const shift = repeat(1, dimensions);
      const found = tools.allocate('found', 16);
      const counts = [0, 1].map((number) => tools.allocate(`count ${number}`, 16));
      const firsts = [0, 1].map((number) => tools.allocate(`first ${number}`, 16));
      const encoders = firsts.map((first, number) => {
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, { positions, count: 2 });
        for (let change = 0; change < 700; change++) {
          const buffers = { masses, found: change === 0 ? first : found };
          kernel.encode(encoder, { buffers, parameters: { shift, step: 700 * number + change + 1 } });
          const radius = 1 - (700 * number + change) * 2 ** -12;
          near.encode(encoder, { points: positions, count: 2 - number, radius });
          if (change > 0) continue;
          encoder.copyBufferToBuffer(near.count, 0, counts[number] as GPUBuffer, 0, 16);
        }
        return encoder;
      });
      device.queue.submit(encoders.map((encoder) => encoder.finish()));
      for (const number of [0, 1]) {
        const step = 700 * number + 1;
        expect([...(await readWords(tools, firsts[number] as GPUBuffer, 4))]).toEqual([step, 2, step, 1]);
        expect((await readWords(tools, counts[number] as GPUBuffer, 1))[0]).toBe(4 - 2 * number);
      }
      grid.destroy();
    },
    { ...SHARED, tags: 'full' },
  );
});

function neighbourShaders(): string {
  return ['base', 'world', 'levels', 'neighbours']
    .flatMap((folder) => {
      const url = new URL(`../../../shaders/${folder}/`, import.meta.url);
      return readdirSync(url).map((file) => readFileSync(new URL(file, url), 'utf8'));
    })
    .join('\n');
}

gpuTest(
  'a kernel may define every name of the linked modules that is not public',
  async (_, tools) => {
    const ours = neighbourShaders().matchAll(/^(?:fn|struct|alias|const|var(?:<.*?>)?) (\w+)/gm);
    const hooks = ['Own', 'begin', 'visit', 'finish', 'skip', 'merge'];
    const names = new Set([...ours].map(([, name]) => name as string));
    for (const name of [...PUBLIC_NAMES, ...hooks]) names.delete(name);
    expect(names.size).toBeGreaterThan(50);
    const merge = 'fn merge(own: ptr<function, Own>, other: Own) {}';
    const code = [COUNTING.code, merge, ...[...names].map((name) => `const ${name} = 1;`)].join('\n');
    const start = { type: 'array<f32>', access: 'read' } as const;
    const clashing = { ...COUNTING, code, buffers: { ...COUNTING.buffers, start } };
    const worlds = [...Object.values(WORLDS).map((world) => world(2)), box(3)];
    for (const options of worlds) {
      const placed = { ...options, capacity: 16 };
      for (const sized of [
        { ...placed, diameter: 1 },
        { ...placed, diameter: 1, crowds: true },
        { ...placed, radii: { smallest: 0.25, largest: 0.5 } },
      ]) {
        const grid = await HashGrid.create(tools.wrap(), sized);
        for (const over of ['particles', 'points'] as const) {
          (await grid.kernel({ ...clashing, over })).destroy();
        }
        grid.destroy();
      }
    }
  },
  { driverless: true },
);

describe('a wrong kernel', () => {
  gpuTest(
    'is rejected with the line of its own code',
    async (_, tools) => {
      const grid = await createGrid(tools, box(2));
      const code = COUNTING.code.replace('parameters.step', 'parameters.stop');
      const attempt = grid.kernel({ ...COUNTING, code });
      await expect(attempt).rejects.toThrow(GpuError);
      await expect(attempt).rejects.toThrow(/counting:12:\d+: .*stop/);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'is rejected with an error message, before it is compiled or recorded',
    async (device, tools) => {
      const grid = await createGrid(tools, box(2));
      const many = Object.fromEntries(
        Array.from({ length: 5 }, (_, index) => [
          `buffer${index}`,
          { type: 'array<f32>', access: 'read' as const },
        ]),
      );
      const wrong: readonly [Record<string, unknown>, RegExp][] = [
        [
          { code: 'fn begin() {}' },
          /^code is WGSL without "struct Own", but it must be code that defines it\.$/,
        ],
        [{ code: 7 }, /^code is 7, but it must be a string of WGSL\.$/],
        [{ radius: 2 ** 61 }, /^radius is .*, but it must be at least 2\^-40 and at most 2\^60\.$/],
        [{ radius: 0 }, /^radius is 0, /],
        [{ radius: 2 ** -41 }, /^radius is 4\.5.*e-13, /],
        [{ buffers: { '2nd': { type: 'array<f32>', access: 'read' } } }, /^buffers is "2nd", /],
        [
          { buffers: { loop: { type: 'array<f32>', access: 'read' } } },
          /^buffers is "loop", .*keyword or reserved/,
        ],
        [
          { buffers: { a: { type: 'array<f32> //', access: 'read' } } },
          /^buffers\.a\.type is "array<f32> \/\/", /,
        ],
        [{ parameters: { fn: 'u32' } }, /^parameters is "fn", .*no keyword or reserved word of WGSL\.$/],
        [{ buffers: { a: { type: 'array<f32>', access: 'both' } } }, /^buffers\.a\.access is "both", /],
        [
          { parameters: { a: 'mat4x4f' } },
          /^parameters\.a is "mat4x4f", .*one of f32, u32, vector, extent\.$/,
        ],
        [{ parameters: { a: Object.create(null) } }, /^parameters\.a is an object, .*one of f32, /],
        [{ reach: 1 }, /^options\.reach is 1, /],
        [
          { code: `${COUNTING.code}\nfn wrap() {}` },
          /^counting:24:\d+: code is WGSL that defines "wrap", .*because the grid offers this one to kernels\.$/,
        ],
        [
          { code: `${COUNTING.code}\nfn min(a: u32, b: u32) -> u32 { return a; }` },
          / defines "min", .*because WGSL has this one/,
        ],
        [
          { code: COUNTING.code.replace(' -> Own', '') },
          /^counting:7:4: .*whose `fn begin` has another signature, .*`fn begin\(particle: Particle\) -> Own`\.$/,
        ],
        [{ code: `${COUNTING.code}\nvar<private> Vector: u32;` }, /defines "Vector", /],
        [{ code: COUNTING.code.replace('fn finish', '/* fn finish /* */ */') }, /WGSL without "fn finish"/],
        [
          { buffers: { id_of: { type: 'array<f32>', access: 'read' } } },
          /^buffers is "id_of", .*another name, because the grid offers this one to kernels\.$/,
        ],
        [
          { buffers: { visit: { type: 'array<f32>', access: 'read' } } },
          /because the code defines this one\.$/,
        ],
        [{ buffers: many }, /has 5 buffers, .*leave room for 4\.$/],
      ];
      for (const [changes, message] of wrong) {
        const attempt = grid.kernel({ ...COUNTING, ...changes } as GridKernelOptions);
        await expect(attempt).rejects.toThrow(message);
        const error = await attempt.catch((caught: unknown) => caught);
        expect(error instanceof ArgumentError || error instanceof LimitError).toBe(true);
      }
      const kernel = await grid.kernel(COUNTING);
      const encoder = device.createCommandEncoder();
      expect(() => kernel.encode(encoder, {})).toThrow(/has not been encoded yet/);
      const positions = uploadVectors(tools, 2, 'positions', Float32Array.of(1, 1));
      grid.encode(encoder, { positions, count: 1 });
      const masses = tools.upload('masses', Uint32Array.of(1));
      const found = tools.allocate('found', 16);
      const parameters = { shift: [1, 1], step: 1 };
      const calls: readonly [object, RegExp][] = [
        [{ buffers: { masses }, parameters }, /^buffers\.found is undefined, /],
        [
          { buffers: { masses, found: masses }, parameters },
          /^buffers\.found is the same buffer as masses, but it must be a buffer that is bound only once, /,
        ],
        ...(['positions', 'start', 'ids', 'cellOfSlot'] as const).map((name): [object, RegExp] => [
          { buffers: { masses, found: grid[name] }, parameters },
          new RegExp(`^buffers\\.found is the grid's own buffer \`${name}\`, `),
        ]),
        [
          { buffers: { masses, found: tools.allocate('found', 48, GPUBufferUsage.COPY_DST) }, parameters },
          /^buffers\.found is the buffer "found" of 48 bytes and usage COPY_DST, but it must be a GPUBuffer with usage STORAGE\.$/,
        ],
        [{ buffers: { masses, found, more: found }, parameters }, /^buffers\.more is the buffer "found" of /],
        [{ buffers: { masses, found }, parameters: { shift: [1, 1] } }, /^parameters\.step is undefined, /],
        [
          { buffers: { masses, found }, parameters: { ...parameters, step: -1 } },
          /^parameters\.step is -1, .*an unsigned 32-bit integer\.$/,
        ],
        [
          { buffers: { masses, found }, parameters: { ...parameters, shift: [1] } },
          /^parameters\.shift is \[1\], .*2 finite numbers\.$/,
        ],
      ];
      for (const [input, message] of calls) {
        expect(() => kernel.encode(encoder, input)).toThrow(ArgumentError);
        expect(() => kernel.encode(encoder, input)).toThrow(message);
      }
      kernel.encode(encoder, { buffers: { masses, found }, parameters });
      device.queue.submit([encoder.finish()]);
      expect([...(await readWords(tools, found, 2))]).toEqual([0, 0]);
      grid.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'a kernel may not redefine a built-in name that the linked modules use, except for a parameter or local variable',
  async (device, tools) => {
    const words = [
      ...new Set(
        neighbourShaders()
          .replace(/\/\/.*/g, '')
          .match(/\b[A-Za-z]\w*/g),
      ),
    ];
    const complain = async (codes: readonly string[]) => {
      device.pushErrorScope('validation');
      const modules = codes.map((code) => device.createShaderModule({ code }));
      await device.popErrorScope();
      const all = await Promise.all(modules.map((module) => module.getCompilationInfo()));
      return all.map(({ messages }) => messages.map(({ message }) => message).join());
    };
    const asNames = await complain(words.map((word) => `struct Asked { ${word}: u32 }`));
    const asValues = await complain(words.map((word) => `const ASKED = ${word};`));
    const known = words.filter(
      (_word, index) => asNames[index] === '' && !/unresolved/.test(asValues[index] as string),
    );
    expect(known).toEqual(
      expect.arrayContaining(['dot', 'min', 'select', 'vec2f', 'u32', 'function', 'bitcast']),
    );
    const grid = await createGrid(tools, box(2));
    for (const name of known) {
      const attempt = grid.kernel({ ...COUNTING, code: `${COUNTING.code}fn ${name}() {}` });
      await expect(attempt, name).rejects.toThrow(`defines "${name}", but`);
    }
    // A kernel may define a built-in name plus a character, and may give parameters and variables built-in names.
    const lookalikes = known.map((name) => `fn ${name}_(dot: u32) -> u32 { let min = dot; return min; }`);
    const kernel = await grid.kernel({ ...COUNTING, code: `${COUNTING.code}${lookalikes.join('\n')}` });
    kernel.destroy();
    grid.destroy();
  },
  { driverless: true },
);

gpuTest(
  'the error message names a line of the kernel or what its code lacks, if a token is missing or added at the end',
  async (_, tools) => {
    const grid = await createGrid(tools, box(2));
    const { code } = COUNTING;
    const tokens = [...code.matchAll(/\w+|->|\S/g)];
    const codes = [
      ...tokens.map(({ 0: token, index }) => code.slice(0, index) + code.slice(index + token.length)),
      ...['fn', 'var', 'const', '@', '@must_use', '{', '}', ')', '/*', '<', '1'].map((end) => code + end),
    ];
    const messages = await Promise.all(
      codes.map((wrong) =>
        grid.kernel({ ...COUNTING, code: wrong }).then(
          (kernel) => kernel.destroy(),
          (error: Error) => error.message,
        ),
      ),
    );
    const told = messages.filter((message) => message !== undefined);
    // The kernel compiles without a few of its tokens, such as the comma after the last member of a struct.
    expect(told.length).toBeGreaterThan(0.9 * codes.length);
    for (const message of told)
      expect(message).toMatch(/^(code is |(The shader of .*\n {2})?counting:\d+:\d+: )/);
    grid.destroy();
  },
  { driverless: true },
);

gpuTest(
  'a kernel whose Own is too large to be merged is rejected with the limit',
  async (_, tools) => {
    const grid = await HashGrid.create(tools.wrap(), { ...box(2), crowds: true, capacity: 16, diameter: 1 });
    const code = (words: number) => `
struct Own { words: array<u32, ${words}> }
fn begin(particle: Particle) -> Own { return Own(); }
fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { (*own).words[0] += 1u; }
fn finish(own: Own, particle: Particle) { found[particle.slot] = own.words[0]; }
fn merge(own: ptr<function, Own>, other: Own) { (*own).words[0] += other.words[0]; }`;
    const options = { label: 'large', buffers: { found: { type: 'array<u32>', access: 'write' } } } as const;
    const attempt = grid.kernel({ ...options, code: code(65) });
    await expect(attempt).rejects.toThrow(LimitError);
    await expect(attempt).rejects.toThrow(
      "The kernel large has an Own that is too large for its `merge`: it may have at most 256 bytes, as 64 of them must fit this device's maxComputeWorkgroupStorageSize of 16384.",
    );
    (await grid.kernel({ ...options, code: code(64) })).destroy();
    grid.destroy();
  },
  { driverless: true },
);

gpuTest(
  'a kernel may contain comments, `#`, unusual spaces, and an alias for Own',
  async (device, tools) => {
    for (const options of [box(2), { dimensions: 2, unbounded: true } as const]) {
      const grid = await createGrid(tools, options);
      const kernel = await grid.kernel({
        label: 'sparse',
        code: `
          // See issue #3: fn skip in a comment defines nothing, nor does fn around.
          // #if nobody
          alias Own = f32; /* struct Span { */
          fn  begin(particle: Particle) -> Own { let start = 1.0; return start; }
          fn visit(own: ptr<function, Own>, particle: Particle, other: Neighbour) { *own += 1.0; }
          fn
          finish(own: Own, particle: Particle) { sums[id_of(particle.slot)] = dots(own); }
          fn dots(dot: f32) -> f32 { let min = dot; return min; }`,
        buffers: { sums: { type: 'array<f32>', access: 'write' } },
      });
      const sums = tools.upload('sums', Float32Array.of(9, 9, 9));
      const positions = uploadVectors(tools, 2, 'positions', Float32Array.of(1, 1, 1.5, 1, Number.NaN, 1));
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions, count: 3 });
      kernel.encode(encoder, { buffers: { sums } });
      device.queue.submit([encoder.finish()]);
      const words = await readWords(tools, sums, 3);
      expect([...new Float32Array(words.buffer, words.byteOffset, 3)]).toEqual([2, 2, 9]);
      grid.destroy();
    }
  },
  SHARED,
);

gpuTest(
  'a kernel creates one bind group for each set of buffers',
  async (device, tools) => {
    const grid = await createGrid(tools, box(2));
    const kernel = await grid.kernel(COUNTING);
    const masses = tools.upload('masses', Uint32Array.of(1));
    const turns = [1, 2, 3].map(() => tools.allocate('found', 16));
    const positions = uploadVectors(tools, 2, 'positions', Float32Array.of(1, 1));
    const encoder = device.createCommandEncoder();
    grid.encode(encoder, { positions, count: 1 });
    const bind = device.createBindGroup;
    let bound = 0;
    device.createBindGroup = (descriptor) => {
      bound++;
      return bind.call(device, descriptor);
    };
    try {
      for (let round = 0; round < 9; round++) {
        const found = turns[round % 3] as GPUBuffer;
        kernel.encode(encoder, { buffers: { masses, found }, parameters: { shift: [0, 0], step: 1 } });
      }
    } finally {
      device.createBindGroup = bind;
    }
    expect(bound).toBe(3);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'a grid destroys its kernels and searches, even those that are still being created, and forgets destroyed ones',
  async (_, tools) => {
    const before = tools.liveBuffers();
    const grid = await createGrid(tools, box(2));
    const { dependants } = grid;
    const makers = [
      () => grid.kernel(COUNTING),
      () => grid.pairs({ capacity: 4 }),
      () => grid.near({ points: 4, capacity: 4 }),
    ];
    for (const make of makers) {
      const made = await make();
      expect(dependants.size).toBe(1);
      made.destroy();
      expect(dependants.size).toBe(0);
    }
    const attempts = makers.map((make) => make().catch((error: unknown) => error));
    grid.destroy();
    for (const error of await Promise.all(attempts)) expect(error).toBeInstanceOf(DestroyedError);
    expect(tools.liveBuffers()).toEqual(before);
  },
  SHARED,
);
