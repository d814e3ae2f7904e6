import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../../src/core/base/errors';
import { defaultSettings } from '../../../../src/core/contact/settings';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { encodeCheckpoint } from '../../../../src/core/state/state-file';
import { createCpuSimulation } from '../../../../src/cpu';
import { chooseScene, defaultChoices, roomFor } from '../../../../src/page/model/choices';
import {
  describeOpened,
  type Opened,
  refuseOpened,
  settingChanges,
  startCount,
  startOf,
} from '../../../../src/page/model/opened';
import { checkFileSize, MOST_FILE_BYTES, openParticles } from '../../../../src/page/panel/open-file';
import { createScene, sceneNames } from '../../../../src/scenes';
import { drain } from '../../../helpers/inputs/drain';
import { fc, runs } from '../../../helpers/properties';

const HARDWARE = { isSoftware: false, most: 100_000_000 };

const SOFTWARE = { isSoftware: true, most: 1_000_000 };

const PLANE: SimulationOptions = {
  dimensions: 2,
  radius: 0.5,
  min: [0, 0],
  max: [20, 10],
  gravity: [3, -4],
  relaxation: 0.25,
  friction: 0.5,
  positions: Float32Array.of(1, 1, 5, 5, 9, 9),
  velocities: Float32Array.of(0, 0, 1, 0, 0, 1),
  obstacles: Float32Array.of(15, 5),
};

function presentOf(options: SimulationOptions) {
  const simulation = createCpuSimulation(options);
  return { simulation, options, checkpoint: simulation.checkpoint() };
}

function stateOf(options: SimulationOptions): Uint8Array {
  const simulation = createCpuSimulation(options);
  simulation.step(1 / 60);
  return encodeCheckpoint(simulation.checkpoint());
}

function open(name: string, bytes: Uint8Array, most = 1000): Opened {
  return drain(openParticles(name, bytes, presentOf(PLANE), most));
}

/** Wrong values for the fields of a header. */
const JUNK: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 32, 1e9, 1e300, -1e300, '', 'x', '<b>', 'naive'],
  ...[[], [1], [1, 2], [1, 2, 3], [[1]], ['1', '2'], [null, null], {}, { length: 1e9 }],
  ...[{ smallest: 1 }, { smallest: 0, largest: 1e300 }, { positions: 5 }, { positions: { length: 2 } }],
];

const SETTING_NAMES = ['gravity', 'restitution', 'substeps', 'relaxation', 'walls', 'broadPhase', 'bounce'];

const HEADER_NAMES = [
  ...[
    'version',
    'dimensions',
    'radius',
    'radiusRange',
    'boxes',
    'min',
    'max',
    'period',
    'unbounded',
    'continuous',
  ],
  ...[
    'time',
    'settings',
    'scene',
    'count',
    'obstacleCount',
    'obstacles',
    'ids',
    'radii',
    'halfExtents',
    '__proto__',
  ],
];

function rewriteHeader(
  bytes: Uint8Array,
  change: (header: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Uint8Array {
  const end = 12 + new DataView(bytes.buffer).getUint32(8, true);
  const json = JSON.stringify(change(JSON.parse(new TextDecoder().decode(bytes.subarray(12, end)))));
  const changed = Buffer.concat([bytes.subarray(0, 12), Buffer.from(json), bytes.subarray(end)]);
  changed.writeUInt32LE(Buffer.byteLength(json), 8);
  return changed;
}

function hashOf({ options, checkpoint }: ReturnType<typeof startOf>): string {
  const simulation = createCpuSimulation(options);
  if (checkpoint) simulation.restore(checkpoint);
  simulation.step(1 / 60);
  return simulation.measure().hash;
}

describe('an opened state', () => {
  it('continues like the simulation that wrote it, in its world and with all its settings', () => {
    for (const dimensions of [2, 3] as const) {
      const vector = (...values: number[]) => values.slice(0, dimensions);
      const options: SimulationOptions = {
        ...PLANE,
        dimensions,
        min: vector(0, 0, 0),
        max: vector(20, 10, 20),
        gravity: vector(3, -4, 1),
        positions: Float32Array.from([...vector(1, 1, 1), ...vector(1.5, 1, 1)]),
        velocities: new Float32Array(2 * dimensions),
        obstacles: Float32Array.from(vector(2, 1, 1)),
      };
      const expected = createCpuSimulation(options);
      expected.step(1 / 60);
      const opened = open('some.bin', encodeCheckpoint(expected.checkpoint()));
      const chosen = { ...defaultChoices(), ...opened.choices, opened };
      expect(chosen).toMatchObject({ dimensions, gravity: 4, friction: 0.5 });
      expected.step(1 / 60);
      expect(hashOf(startOf(chosen, 2))).toBe(expected.measure().hash);
    }
  });

  it('keeps settings that controls do not show in full, until a control changes them', () => {
    const opened = open('some.bin', stateOf(PLANE));
    const chosen = { ...defaultChoices(), ...opened.choices, opened };
    const rougher = startOf({ ...chosen, friction: 2 }, 3);
    for (const settings of [rougher.options, rougher.checkpoint?.settings]) {
      expect(settings).toMatchObject({ gravity: [3, -4], relaxation: 0.25, friction: 2 });
    }
    expect(startOf({ ...chosen, gravity: 1 }, 3).options.gravity).toEqual([0, -1]);
    expect(settingChanges(chosen, { ...chosen, substeps: 3, seed: 9 })).toEqual({ substeps: 3 });
  });

  it('may have no particles, and accepts new ones', () => {
    const empty = { ...PLANE, capacity: 1, positions: undefined, velocities: undefined };
    const opened = open('empty.bin', stateOf(empty));
    const chosen = { ...defaultChoices(), ...opened.choices, opened };
    expect(startCount(chosen, HARDWARE)).toBe(0);
    const { options, checkpoint } = startOf(chosen, 0);
    const room = roomFor({ pointer: 'add' }, options, checkpoint);
    const simulation = createCpuSimulation({ ...options, ...room });
    if (checkpoint) simulation.restore(checkpoint);
    simulation.step(1 / 60);
    expect(simulation.count).toBe(0);
    expect(Array.from(simulation.add({ positions: Float32Array.of(1, 1) }))).toEqual([0]);
    expect(hashOf(startOf(chosen, 0))).toBe(hashOf({ options: empty }));
  });

  it('is described with its scene, and with a note if that scene would move gravity or obstacles', () => {
    const { checkpoint } = presentOf(PLANE);
    const described = (scene?: string) =>
      describeOpened(open('some.bin', encodeCheckpoint({ ...checkpoint, scene })));
    expect(described()).toBe('3 particles from some.bin.');
    expect(described('pile')).toBe('3 particles of the scene pile from some.bin.');
    for (const scene of sceneNames({ driven: true })) {
      expect(createScene(scene, { dimensions: 2, count: 20 }).drive).toBeDefined();
      expect(described(scene)).toBe(
        `3 particles of the scene ${scene} from some.bin, whose gravity and obstacles no longer move.`,
      );
    }
  });

  it('gives way to a scene that the visitor chooses', () => {
    const opened = open('some.bin', stateOf(PLANE));
    const chosen = { ...defaultChoices(), ...opened.choices, opened };
    expect(startCount(chosen, HARDWARE)).toBe(3);
    const left = { ...chooseScene(chosen, 'pile'), opened: undefined };
    expect(startCount(left, HARDWARE)).toBe(left.count);
    expect(startOf(left, 100).options.positions?.length).toBe(200);
  });

  it('may have an unbounded world', () => {
    const positions = Float32Array.of(-7e5, 1);
    const opened = open('c.bin', stateOf({ dimensions: 2, radius: 0.5, unbounded: true, positions }));
    const { options, checkpoint } = startOf({ ...defaultChoices(), ...opened.choices, opened }, 1);
    expect(options.unbounded).toBe(true);
    expect(checkpoint).toMatchObject({ unbounded: true, positions });
  });

  it('is rejected before any allocation if it is invalid or too large, with a message that names the file', () => {
    expect(() => open('a.bin', stateOf(PLANE), 2)).toThrow(
      /a\.bin is a state of 3 particles with ids up to 2, but it must be one with ids below 2/,
    );
    expect(() => open('b.bin', stateOf(PLANE).subarray(0, 300))).toThrow(/b\.bin is a state of 300 bytes/);
    const walled = stateOf({ ...PLANE, obstacles: Float32Array.of(15, 5, 16, 5, 17, 5, 18, 5) });
    expect(() => open('d.bin', walled, 3)).toThrow(
      /^d\.bin is a state with 4 obstacles, but it must be one with at most 3 obstacles, the limit here\.$/,
    );
    const { checkpoint } = presentOf({ ...PLANE, obstacles: undefined });
    const vast = encodeCheckpoint({ ...checkpoint, radius: 2 ** -11 });
    expect(() => open('e.bin', vast)).toThrow(/e\.bin is a state of a world of \d+ cells; at most/);
    expect(() => open('exact.bin', stateOf({ ...PLANE, exact: true }))).toThrow(
      'exact.bin is a state of an exact simulation, but it must be one in floats',
    );
    const broken = encodeCheckpoint({ ...checkpoint, ids: Uint32Array.of(2, 1, 0) });
    expect(() => open('f.bin', broken)).toThrow(/f\.bin is an invalid state: checkpoint\.ids/);
    expect(() => checkFileSize('g.bin', MOST_FILE_BYTES + 1)).toThrow(
      /g\.bin is \d+ bytes long, but .*1 GiB/,
    );
    checkFileSize('g.bin', MOST_FILE_BYTES);
  });

  it('may leave out settings, which then have their defaults', () => {
    const { checkpoint } = presentOf(PLANE);
    const opened = open(
      'some.bin',
      encodeCheckpoint({ ...checkpoint, settings: {} as typeof checkpoint.settings }),
    );
    expect(opened.choices).toMatchObject({ gravity: 0, friction: 0.2, substeps: 8 });
    expect(opened.checkpoint.settings).toEqual(defaultSettings(2));
  });

  it('is accepted or rejected with an error message, whatever damage its bytes have', () => {
    const mixed: SimulationOptions = {
      dimensions: 2,
      radiusRange: { smallest: 0.25, largest: 1 },
      boxes: true,
      min: [0, 0],
      max: [20, 10],
      positions: Float32Array.of(1, 1, 5, 5),
      radii: Float32Array.of(0.5, 0),
      halfExtents: Float32Array.of(0, 0, 0.3, 0.4),
    };
    const endless: SimulationOptions = {
      dimensions: 3,
      radius: 0.5,
      unbounded: true,
      positions: new Float32Array(6),
    };
    const states = [PLANE, mixed, endless].map((options) => encodeCheckpoint(presentOf(options).checkpoint));
    const junk = fc.constantFrom<unknown>(...JUNK);
    const damages = fc.oneof(
      fc.nat(400).map((length) => (bytes: Uint8Array) => bytes.slice(0, length)),
      fc
        .array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 })
        .map((changes) => (bytes: Uint8Array) => {
          const changed = bytes.slice();
          for (const [index, value] of changes) changed[index % changed.length] = value;
          return changed;
        }),
      fc.tuple(fc.constantFrom(...HEADER_NAMES), junk).map(
        ([name, value]) =>
          (bytes: Uint8Array) =>
            rewriteHeader(bytes, (header) => ({ ...header, [name]: value })),
      ),
      fc.tuple(fc.constantFrom(...SETTING_NAMES), junk).map(
        ([name, value]) =>
          (bytes: Uint8Array) =>
            rewriteHeader(bytes, (header) => ({
              ...header,
              settings: { ...(header.settings as object), [name]: value },
            })),
      ),
    );
    const present = presentOf(PLANE);
    fc.assert(
      fc.property(fc.constantFrom(...states), damages, (state, damage) => {
        let opened: Opened;
        try {
          opened = drain(openParticles('some.bin', damage(state), present, 1000));
        } catch (error) {
          if (!(error instanceof CellstormError)) throw error;
          expect(error.message).toMatch(/^some\.bin.*\.$|^some\.bin, line \d+/s);
          return;
        }
        expect(hashOf(startOf({ ...defaultChoices(), ...opened.choices, opened }, 0))).not.toBe('');
      }),
      runs(2000),
    );
  });

  it('is rejected if it has more particles than the engine or the broad phase can handle', () => {
    const positions = new Float32Array(2 * 3001).fill(5);
    const { checkpoint } = presentOf({ ...PLANE, positions, velocities: undefined });
    const opened = open('many.bin', encodeCheckpoint(checkpoint), 4000);
    const chosen = { ...defaultChoices(), ...opened.choices, opened };
    expect(refuseOpened(chosen, SOFTWARE)).toBeUndefined();
    expect(refuseOpened({ ...chosen, broadPhase: 'naive' }, SOFTWARE)).toMatch(
      /^many\.bin has 3,001 particles\. Naive tests every pair/,
    );
    expect(refuseOpened({ ...chosen, broadPhase: 'naive' }, HARDWARE)).toBeUndefined();
  });
});

describe('an opened table', () => {
  it('uses the world, settings and obstacles of the running simulation', () => {
    const opened = open('some.csv', new TextEncoder().encode('x,y\n2,3\n4,5\n'));
    expect(opened.checkpoint).toMatchObject({ time: 0, radius: 0.5, max: [20, 10] });
    expect(Array.from(opened.checkpoint.positions)).toEqual([2, 3, 4, 5]);
    expect(opened.options).toMatchObject({ gravity: [3, -4], relaxation: 0.25, obstacles: PLANE.obstacles });
    const chosen = { ...defaultChoices(), ...opened.choices, opened };
    expect(hashOf(startOf(chosen, 2))).toBe(
      hashOf({
        options: { ...PLANE, positions: Float32Array.of(2, 3, 4, 5), velocities: undefined },
      }),
    );
    expect(() => open('some.csv', new TextEncoder().encode('x,y\n2,3\n4,50\n'))).toThrow(
      /some\.csv, line 3, column y is "50"/,
    );
  });
});
