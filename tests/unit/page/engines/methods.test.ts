import { describe, expect, it } from 'vitest';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { CpuFluidSimulation } from '../../../../src/page/engines/methods/fluid-simulation';
import type { CpuLifeSimulation } from '../../../../src/page/engines/methods/life-simulation';
import { startFrom } from '../../../../src/page/engines/methods/start';
import {
  chooseScene,
  defaultChoices,
  isUsed,
  refusalOfField,
  roomFor,
} from '../../../../src/page/model/choices';
import { type Choices, FIELD_NAMES, fieldOf } from '../../../../src/page/model/fields';
import { capOf } from '../../../../src/page/model/limits';
import { settingChanges } from '../../../../src/page/model/opened';
import { methodOf } from '../../../../src/page/model/scenes';
import type { CpuSimulationView, State } from '../../../../src/page/model/simulation-view';
import { openParticles } from '../../../../src/page/panel/open-file';
import { readLink, writeLink } from '../../../../src/page/session/link';
import { goOnFrom, refuseColours } from '../../../../src/page/view/engine';
import { SCENES } from '../../../../src/scenes';
import { attractionTable } from '../../../../src/scenes/method-scene';
import { drain } from '../../../helpers/inputs/drain';

const METHOD_SCENES = SCENES.filter((scene) => scene.method !== 'collisions');

const NAMES = METHOD_SCENES.map(({ name }) => name);

const STEP = 1 / 60;

async function start(change: Partial<Choices>, count = 120): Promise<CpuSimulationView> {
  const choices = { ...chooseScene(defaultChoices(), change.scene ?? 'dam-break'), ...change };
  const { options, method } = await startFrom(choices, count);
  if (!method) throw new Error(`The scene ${choices.scene} belongs to no method.`);
  return method.onCpu({ ...options, ...roomFor(choices, options) });
}

const hashOf = async (body: CpuSimulationView) => (await body.measure()).hash;

describe('choices for a method', () => {
  it("take the scene's values and are restored from the address", () => {
    for (const { name, gravity, substeps } of METHOD_SCENES) {
      const choices = chooseScene({ ...defaultChoices(), gravity: 3 }, name);
      expect(choices).toMatchObject({ scene: name, gravity, substeps, boxWidth: 1 });
      expect(writeLink(choices)).toBe(`v=1&scene=${name}`);
      const other: Choices = {
        ...choices,
        transfer: 'apic',
        flipShare: 0.5,
        boxWidth: 2,
        seed: 7,
        dimensions: 3,
      };
      expect(readLink(writeLink(other))).toEqual(other);
    }
    expect(new Set(SCENES.map(({ name }) => name)).size).toBe(SCENES.length);
  });

  it('hide fields without effect, and say why others cannot be changed', () => {
    const hidden = (changes: Partial<Choices> & { opened?: object }, dimensions: 2 | 3 = 2) => {
      const choices = { ...defaultChoices(changes.scene, dimensions), ...changes };
      return new Set(FIELD_NAMES.filter((name) => !isUsed(name, choices)));
    };
    const positioned = ['iterations', 'viscosity', 'vorticity', 'tension', 'pressure', 'softness'];
    const ofLife = ['kinds', 'attraction', 'tableSeed', 'strength', 'halfLife', 'core'];
    const ofFluids = ['transfer', 'flipShare', 'fluidAs', 'velocityArrows', 'pressureMap', 'solidCells'];
    const worlds = ['periodicX', 'periodicY', 'periodicZ', 'unbounded', 'walls', 'crowds'];
    const motion = ['restitution', 'friction', 'continuous'];
    const ofCollisions = ['size', 'spread', ...worlds, ...motion, 'broadPhase', 'cellSize'];
    expect(hidden({ scene: 'pile' })).toEqual(
      new Set<string>(['periodicZ', ...ofFluids, ...positioned, ...ofLife]),
    );
    expect(hidden({ scene: 'pile' }, 3)).toEqual(new Set<string>([...ofFluids, ...positioned, ...ofLife]));
    expect(hidden({ scene: 'dam-break' })).toEqual(
      new Set<string>([...ofCollisions, ...positioned, ...ofLife]),
    );
    expect([...hidden({ scene: 'murmuration' })]).toEqual(expect.arrayContaining([...ofFluids, 'gravity']));
    // Particles from a file always collide.
    expect(methodOf({ scene: 'dam-break', opened: {} })).toBe('collisions');
    expect(hidden({ scene: 'dam-break', opened: {} })).toEqual(
      new Set<string>(['periodicZ', ...ofFluids, ...positioned, ...ofLife]),
    );
    const boxes = ['boxWidth', 'periodicX', 'periodicY', 'periodicZ', 'walls'];
    expect(hidden({ scene: 'far-apart' }, 3)).toEqual(
      new Set<string>([...boxes, ...ofFluids, ...positioned, ...ofLife]),
    );
    expect(hidden({ scene: 'periodic' })).toEqual(
      new Set<string>(['periodicZ', 'walls', ...ofFluids, ...positioned, ...ofLife]),
    );
    expect(hidden({ scene: 'splash' })).toEqual(new Set<string>([...ofCollisions, ...ofFluids, ...ofLife]));
    expect([...hidden({ scene: 'particle-life' })]).toEqual(
      expect.arrayContaining(['gravity', ...positioned]),
    );

    const refused = (changes: Partial<Choices>) => {
      const choices = { ...defaultChoices(changes.scene), ...changes };
      const entries = FIELD_NAMES.filter((name) => isUsed(name, choices)).map(
        (name) => [name, refusalOfField(name, choices)] as const,
      );
      return Object.fromEntries(entries.filter(([, why]) => why !== ''));
    };
    const ofGpu = 'The CPU engine draws fluids only as particles.';
    const inBox = { buckets: 'Only unbounded worlds have buckets that cells can share.' };
    expect(refused({ scene: 'pile' })).toEqual(inBox);
    expect(refused({ scene: 'pile', unbounded: true })).toEqual({});
    expect(refused({ scene: 'pile', engine: 'cpu' })).toEqual({
      ...inBox,
      crowds: 'The CPU engine does not need this.',
    });
    expect(refused({ scene: 'pile', spread: 4 })).toEqual({
      ...inBox,
      crowds: 'Always on if radii vary.',
    });
    expect(refused({ scene: 'mixed' })).toEqual({
      ...inBox,
      spread: 'This scene has radii of its own.',
      crowds: 'Always on if radii vary.',
    });
    expect(refused({ scene: 'particle-life', attraction: 'chase' })).toEqual({
      ...inBox,
      tableSeed: 'Only random tables have a number.',
    });
    expect(refused({ scene: 'particle-life', attraction: 'random' })).toEqual(inBox);
    expect(refused({ scene: 'far-apart' })).toEqual({ unbounded: 'This scene has no box.' });
    expect(refused({ scene: 'dam-break', transfer: 'apic', engine: 'cpu' })).toEqual({
      ...inBox,
      flipShare: 'Only FLIP can be mixed with PIC.',
      fluidAs: ofGpu,
      velocityArrows: ofGpu,
      pressureMap: ofGpu,
      solidCells: ofGpu,
    });
  });

  it('leave at most ten controls that are always visible, in every scene', () => {
    for (const { name } of SCENES) {
      for (const dimensions of [2, 3] as const) {
        const choices = defaultChoices(name, dimensions);
        const main = FIELD_NAMES.filter((field) => fieldOf(field).isMain && isUsed(field, choices));
        expect(main.length, name).toBeLessThanOrEqual(10);
        expect(main, name).toEqual(expect.arrayContaining(['scene', 'count', 'engine', 'colour', 'pointer']));
      }
    }
  });

  it("are capped by the method's own limit, whatever the broad phase", () => {
    const hardware = { isSoftware: true, most: 1_000_000 };
    const naive = { ...defaultChoices(), count: 1e6, broadPhase: 'naive' } as const;
    expect(capOf({ ...naive, scene: 'dam-break' }, hardware)).toEqual({
      most: 50_000,
      reason: 'For a fluid, the limit is 50,000 particles. The processor emulates the GPU here.',
    });
    expect(capOf({ ...naive, scene: 'murmuration', engine: 'cpu' }, hardware)?.reason).toMatch(
      /For a flock.*one thread/,
    );
  });
});

describe.each(NAMES)('the running scene %s', (scene) => {
  it('moves, reports its own figures, and continues from a checkpoint with the same bits', async () => {
    const body = await start({ scene });
    const first = body.read();
    for (let step = 0; step < 3; step++) body.step(STEP);
    const state = structuredClone(await body.checkpoint());
    expect(state.time).toBeCloseTo(3 * STEP, 12);
    expect([...(await body.read()).positions]).not.toEqual([...(await first).positions]);
    for (let step = 0; step < 3; step++) body.step(STEP);
    const measures = await body.measure();
    expect('figures' in measures && measures.figures.length).toBeGreaterThan(1);
    const [hash, moved] = [measures.hash, body.moved];
    const again = await start({ scene });
    again.restore(state);
    for (let step = 0; step < 3; step++) again.step(STEP);
    expect(await hashOf(again)).toBe(hash);
    expect(again.time).toBe(body.time);
    expect(again.moved).toEqual(moved);
  });

  it('gives its world and gravity to a table of particles that the visitor opens', async () => {
    const choices = chooseScene(defaultChoices(), scene);
    const { options } = await startFrom(choices, 120);
    const simulation = await start({ scene });
    // The page requests a device for these options, so their plan must have as many cells as the simulation.
    expect(planSimulation(options).world.cellCount).toBe(simulation.world.cellCount);
    const { method: _ofMethod, ...checkpoint } = await simulation.checkpoint();
    const present = { simulation, options, checkpoint };
    const table = new TextEncoder().encode('x,y\n0.5,1\n');
    const opened = drain(openParticles('some.csv', table, present, 1000));
    expect(opened.options).toMatchObject({ max: simulation.world.max });
    expect(opened.choices.gravity).toBe(choices.gravity);
  });

  it('accepts what the pointer does: changed velocities, and more particles if there is room', async () => {
    const body = await start({ scene, pointer: 'add' });
    const { count, dimensions, radius, world } = body;
    expect(body.capacity).toBeGreaterThanOrEqual(count + 2000);
    const state = await body.checkpoint();
    body.restore({ ...state, velocities: state.velocities.map((_, index) => (index % 2 === 0 ? 1.5 : 0)) });
    expect([...(await body.read()).velocities.subarray(0, 4)]).toEqual([1.5, 0, 1.5, 0]);
    const middle = world.max.map((high) => high / 2);
    expect([...body.add({ positions: Float32Array.from(middle) })]).toEqual([count]);
    expect(body.count).toBe(count + 1);
    expect([dimensions, radius > 0]).toEqual([2, true]);
    if (body.method === 'fluid') {
      body.remove([count]);
      expect(body.count).toBe(count);
    }
  });
});

describe('a running position-based fluid', () => {
  it('accepts changed settings, and keeps them when it returns to an earlier state', async () => {
    const body = await start({ scene: 'splash' });
    const from = chooseScene(defaultChoices(), 'splash');
    const state: State = await body.checkpoint();
    const to = { ...from, gravity: 2, substeps: 4, iterations: 7, vorticity: 0.5, softness: 3, friction: 1 };
    body.set(settingChanges(from, to));
    const { settings } = body;
    expect(settings).toMatchObject({ gravity: [0, -2], substeps: 4, iterations: 7, vorticity: 0.5 });
    expect(settings).toMatchObject({ softness: 3, viscosity: 0.02 });
    goOnFrom({ simulation: body, restore: (restored) => body.restore(restored) }, state);
    expect(body.settings).toEqual(settings);
    body.step(STEP);
    expect(body.time).toBeCloseTo(STEP, 12);
  });

  it('is drawn with its obstacles, and is denser with fewer iterations', async () => {
    const excess = async (iterations: number) => {
      const body = await start({ scene: 'splash', iterations }, 600);
      expect(body.obstacleCount).toBe(2);
      expect([...(body.moved?.radii ?? [])].map((radius) => radius > 0)).toEqual([true, false]);
      for (let step = 0; step < 20; step++) body.step(STEP);
      const measures = await body.measure();
      const [mean] = 'figures' in measures ? measures.figures : [];
      expect(mean?.title).toBe('Mean excess');
      return Number.parseFloat(mean?.value ?? '');
    };
    expect(await excess(1)).toBeGreaterThan(2 * (await excess(8)));
  });
});

describe('running particle life', () => {
  it('accepts a changed table and changed numbers, and keeps them when it returns to an earlier state', async () => {
    const body = await start({ scene: 'particle-life' });
    const from = chooseScene(defaultChoices(), 'particle-life');
    const state: State = await body.checkpoint();
    const to = { ...from, attraction: 'chase', strength: 20, core: 0.5, gravity: 3 } as const;
    body.set(settingChanges(from, to));
    const { settings } = body;
    expect(settings).toMatchObject({ attraction: 'chase', tableSeed: 1, strength: 20, core: 0.5 });
    const { life } = body as CpuLifeSimulation;
    expect(life.settings.attraction).toEqual(attractionTable('chase', 6, 1));
    goOnFrom({ simulation: body, restore: (restored) => body.restore(restored) }, state);
    expect(body.settings).toEqual(settings);
    body.set(settingChanges(to, { ...to, attraction: 'random', tableSeed: 9 }));
    expect(life.settings.attraction).toEqual(attractionTable('random', 6, 9));
  });

  it('has the chosen number of species, also among added particles, and can be coloured by species', async () => {
    const body = (await start({ scene: 'particle-life', kinds: 3, pointer: 'add' })) as CpuLifeSimulation;
    expect(body.kinds).toBe(3);
    expect(refuseColours(body, 'species')).toBe('');
    body.add({ positions: Float32Array.of(1, 1, 2, 2) });
    expect([...body.species.subarray(117, 122)]).toEqual([0, 1, 2, 0, 1]);
    const fluid = await start({ scene: 'splash' });
    expect(refuseColours(fluid, 'species')).toBe('Only particle life has species, so colours show speed.');
    expect(chooseScene(defaultChoices(), 'particle-life').colour).toBe('species');
    expect(chooseScene(defaultChoices('particle-life'), 'pile').colour).toBe('speed');
    expect(chooseScene({ ...defaultChoices(), colour: 'id' }, 'pile').colour).toBe('id');
  });

  it('drifts if attraction is one-sided, and hardly drifts if attraction is mutual', async () => {
    const drift = async (attraction: Choices['attraction']) => {
      const body = await start({ scene: 'particle-life', attraction }, 400);
      for (let step = 0; step < 30; step++) body.step(STEP);
      const measures = await body.measure();
      const [, figure] = 'figures' in measures ? measures.figures : [];
      expect(figure?.title).toBe('Drift');
      return Number.parseFloat(figure?.value ?? '');
    };
    expect(await drift('mutual')).toBeLessThan(1e-5);
    expect(await drift('chase')).toBeGreaterThan(1e-3);
  });
});

describe('a running fluid', () => {
  it('accepts changed settings, and accepts them again after going back to an earlier state', async () => {
    const body = await start({ scene: 'dam-break' });
    const from = chooseScene(defaultChoices(), 'dam-break');
    const state: State = await body.checkpoint();
    body.set(settingChanges(from, { ...from, gravity: 2, substeps: 4, flipShare: 0.5, friction: 1 }));
    const { settings } = body;
    expect(settings).toMatchObject({ gravity: [0, -2], substeps: 4, flipShare: 0.5 });
    body.restore(state);
    expect(body.settings.substeps).toBe(3);
    body.set(settings);
    expect(body.settings).toEqual(settings);
    // APIC has no FLIP share that could be changed.
    const apic = await start({ scene: 'dam-break', transfer: 'apic' });
    apic.set(settingChanges(from, { ...from, flipShare: 0.5, gravity: 1 }));
    expect(apic.settings).toMatchObject({ gravity: [0, -1], flipShare: 0 });
  });

  it('reports its volume from the start', async () => {
    const body = await start({ scene: 'dam-break' });
    const volume = async () => {
      const measures = await body.measure();
      return 'figures' in measures ? measures.figures[0]?.value : undefined;
    };
    expect(await volume()).toMatch(/^\d+(\.\d+)?%$/);
    body.step(STEP);
    expect(await volume()).toMatch(/^\d+(\.\d+)?%$/);
  });

  it('starts at slightly different positions with another seed', async () => {
    const positionsOf = async (seed: number) => [
      ...(await (await start({ scene: 'dam-break', seed })).read()).positions,
    ];
    const [first, other] = [await positionsOf(1), await positionsOf(2)];
    const { radius } = await start({ scene: 'dam-break' });
    expect(await positionsOf(1)).toEqual(first);
    expect(other).not.toEqual(first);
    first.forEach((value, index) => {
      expect(Math.abs(value - (other[index] ?? 0))).toBeLessThan(radius);
    });
  });

  it('adds and removes particles in a fountain, and knows when each was added', async () => {
    const body = (await start({ scene: 'fountain' })) as CpuFluidSimulation;
    const { count, capacity } = body;
    expect(capacity).toBe(Math.round(1.5 * count));
    const { emitters, drains } = body.fluid.settings;
    const steps = async (settings: Parameters<typeof body.fluid.set>[0]) => {
      body.fluid.set(settings);
      for (let step = 0; step < 12; step++) body.step(STEP);
      return (await body.measure()).count;
    };
    const fed = await steps({ drains: [] });
    expect(fed).toBeGreaterThan(count);
    expect(await steps({ drains, emitters: [] })).toBeLessThan(fed);
    body.fluid.set({ emitters });
    expect((await body.measure()).figures.map(({ title }) => title)).toContain('No room for');
    expect(refuseColours(body, 'age')).toBe('');
    const births = Array.from((await body.read()).ids, (id) => body.births[id] as number);
    expect(births.filter((birth) => birth === 0).length).toBeGreaterThan(count / 2);
    expect(births.filter((birth) => birth > 0 && birth <= 12 * STEP + 1e-6).length).toBeGreaterThan(2);
    const state = body.checkpoint();
    const before = body.births.slice();
    body.fluid.set({ drains });
    for (let step = 0; step < 12; step++) body.step(STEP);
    expect(body.births).not.toEqual(before);
    body.restore(state);
    expect(Array.from((await body.read()).ids, (id) => body.births[id])).toEqual(births);
  });
});
