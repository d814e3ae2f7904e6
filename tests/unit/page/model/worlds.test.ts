import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import {
  chooseScene,
  defaultChoices,
  isUsed,
  refusalOfField,
  simulationOptions,
} from '../../../../src/page/model/choices';
import { adopted, needsRenewal } from '../../../../src/page/model/continued-state';
import type { Choices } from '../../../../src/page/model/fields';
import { capOf } from '../../../../src/page/model/limits';
import { createScene, sceneNames, sceneOptions, wallOf } from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 200;
/** With COUNT particles, the 3D boxes of these scenes have no room for three of the largest cells. */
const TOO_SMALL: readonly string[] = ['mixed-pile', 'brazil-nut'];
const HARDWARE = { isSoftware: false, most: 100_000_000 };
const SOFTWARE = { isSoftware: true, most: 1_000_000 };

function run(choices: Choices, steps = 2, count = COUNT) {
  const simulation = createCpuSimulation(simulationOptions(choices, count));
  for (let step = 0; step < steps; step++) simulation.step(1 / 60);
  return simulation;
}

function runOrExplain(choices: Choices) {
  try {
    return run(choices);
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(DIMENSIONS)("a scene's own world in %dD", (dimensions) => {
  it.each(sceneNames())('is what the page starts, with the same bits (%s)', (scene) => {
    const choices = { ...defaultChoices(scene, dimensions), boxWidth: 1 };
    const expected = createCpuSimulation(sceneOptions(createScene(scene, { dimensions, count: COUNT })));
    const simulation = run(choices, 0);
    expect(simulation.world).toEqual(expected.world);
    expect(simulation.continuous).toBe(expected.continuous);
    expect(simulation.measure().hash).toBe(expected.measure().hash);
    expect(choices).toMatchObject({ crowds: expected.world.crowds, continuous: expected.continuous });
  });

  it.each(sceneNames())('runs with any switch changed, or says that its box is too small (%s)', (scene) => {
    const usual = defaultChoices(scene, dimensions);
    for (const name of [
      'periodicX',
      'periodicY',
      'periodicZ',
      'unbounded',
      'walls',
      'crowds',
      'continuous',
    ] as const) {
      if (!isUsed(name, usual) || refusalOfField(name, usual)) continue;
      const changed = { ...usual, [name]: !usual[name] };
      const simulation = runOrExplain(changed);
      if (typeof simulation === 'string') {
        expect(simulation).toMatch(/3 cells = \d+, since the axis is periodic\.$/);
        expect([dimensions, TOO_SMALL.includes(scene)], name).toEqual([3, true]);
        continue;
      }
      const { world, continuous, settings } = simulation;
      const axis = ['periodicX', 'periodicY', 'periodicZ'].indexOf(name);
      if (axis >= 0) expect((world.period[axis] as number) > 0, name).toBe(changed[name]);
      if (name === 'unbounded') expect(world.kind).toBe('unbounded');
      if (name === 'walls') expect(settings.walls).toBe(changed.walls);
      if (name === 'crowds') expect(world.crowds).toBe(changed.crowds);
      if (name === 'continuous') expect(continuous).toBe(changed.continuous);
      expect(simulation.measure().nonFinite, name).toBe(0);
    }
  });

  it('lets bullets through their wall if continuous motion is off', () => {
    const choices = defaultChoices('bullets', dimensions);
    const wall = wallOf(createScene('bullets', { dimensions, count: COUNT }));
    const passed = (continuous: boolean) => {
      const { positions } = run({ ...choices, continuous }, 1).read();
      return positions.filter((at, index) => index % dimensions === 0 && at > wall).length;
    };
    expect(passed(true)).toBe(0);
    expect(passed(false)).toBe(COUNT);
  });
});

describe('the size of cells', () => {
  it('is given in diameters of the smallest particle', () => {
    const sizeOf = (changes: Partial<Choices>) => {
      const choices = { ...defaultChoices(changes.scene), ...changes };
      return run(choices, 0).world.cellSize;
    };
    expect(sizeOf({ scene: 'pile' })).toBe(1);
    expect(sizeOf({ scene: 'pile', cellSize: 3 })).toBeCloseTo(3, 5);
    expect(sizeOf({ scene: 'pile', cellSize: 3, size: 0.5 })).toBeCloseTo(1.5, 5);
    expect(sizeOf({ scene: 'pile', cellSize: 3, unbounded: true })).toBe(4);
    // The smallest diameter is 1/4, so cells of 3/4 are requested, rounded up to a power of two.
    expect(sizeOf({ scene: 'pile', cellSize: 3, spread: 4 })).toBeCloseTo(1, 5);
    // This scene sets cells of 1 for diameters of 7/8.
    expect(defaultChoices('negative').cellSize).toBeCloseTo(8 / 7, 12);
    expect(sizeOf({ scene: 'negative' })).toBeCloseTo(1, 5);
    expect(sizeOf({ scene: 'negative', cellSize: 2 })).toBeCloseTo(1.75, 5);
  });

  it('changes candidates, occupied cells and the fullest cell, but no contact', () => {
    const measured = [1, 2, 4, 8].map((cellSize) =>
      run({ ...defaultChoices('uniform'), cellSize }, 0, 1000).measure(),
    );
    expect(new Set(measured.map(({ contacts }) => contacts)).size).toBe(1);
    expect(new Set(measured.map(({ hash }) => hash)).size).toBe(1);
    for (let index = 1; index < measured.length; index++) {
      const [before, after] = [measured[index - 1], measured[index]];
      expect(after?.candidates).toBeGreaterThan(2 * (before?.candidates ?? 0));
      expect(after?.occupiedCells).toBeLessThan(0.7 * (before?.occupiedCells ?? 0));
      expect(after?.greatestOccupancy).toBeGreaterThan(before?.greatestOccupancy ?? 0);
    }
  });

  it('limits the number of particles so that a step stays short', () => {
    const wide = { ...defaultChoices('pile', 3), cellSize: 8, count: 100_000 };
    expect(capOf(wide, SOFTWARE)).toEqual({
      most: 3000,
      reason:
        'With cells of 8 diameters, a particle can have 13,824 candidates. So at most 3,000 particles run here; smaller cells allow more.',
    });
    expect(capOf(wide, HARDWARE)?.most).toBe(180_000);
    expect(capOf({ ...wide, engine: 'cpu' }, HARDWARE)?.most).toBe(10_000);
    expect(capOf({ ...wide, cellSize: 1 }, HARDWARE)).toBeUndefined();
    expect(capOf({ ...wide, broadPhase: 'naive' }, SOFTWARE)?.reason).toMatch(/^Naive tests every pair/);
  });

  it('changes only with a new run that continues the state, like the option `crowds`', () => {
    const running = defaultChoices();
    expect(needsRenewal(running, { ...running, gravity: 3 })).toBe(false);
    for (const change of [{ cellSize: 2 }, { crowds: true }]) {
      const choices = { ...running, ...change, friction: 2 };
      expect(needsRenewal(running, choices)).toBe(true);
      expect(adopted(running, choices)).toEqual({ ...running, friction: 2 });
    }
  });

  it('comes from the scene that the visitor chooses next, like the kind of world', () => {
    const changed = { ...defaultChoices(), cellSize: 5, periodicX: true, unbounded: true, walls: false };
    expect(chooseScene(changed, 'channel')).toMatchObject({
      cellSize: 1,
      periodicX: true,
      periodicY: false,
      unbounded: false,
      walls: true,
    });
  });
});
