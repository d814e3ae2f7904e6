import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../../../src/core/simulation/simulation';
import type { CpuSimulation } from '../../../../src/cpu';
import { createCpuSimulation } from '../../../../src/cpu';
import { canSpread, defaultChoices } from '../../../../src/page/model/choices';
import { startOf } from '../../../../src/page/model/opened';
import { drivable } from '../../../../src/page/view/engine';
import {
  applyDrive,
  createScene,
  movesObstacles,
  type Scene,
  sceneNames,
  sceneOptions,
  strengthOf,
} from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';

const DRIVEN = sceneNames({ driven: true });

const DT = 1 / 60;
/** Half of the default number, which is enough for few grains. */
const SUBSTEPS = 4;

interface Played {
  readonly scene: Scene;
  readonly simulation: CpuSimulation;
  /** Steps while `goesOn` returns true, for at most this many seconds. Returns the number of steps. */
  play(seconds: number, goesOn?: () => boolean): number;
  centres(): number[][];
}

function open(scene: Scene, isDriven = true): Played {
  const simulation = createCpuSimulation(sceneOptions(scene, { substeps: SUBSTEPS }));
  const strength = strengthOf(scene.settings);
  return {
    scene,
    simulation,
    play(seconds, goesOn = () => true) {
      let steps = 0;
      for (; steps < seconds / DT && goesOn(); steps++) {
        if (isDriven) applyDrive(simulation, scene.drive, strength);
        simulation.step(DT);
      }
      return steps;
    },
    centres: () => rowsOf(scene.dimensions, simulation.read().positions),
  };
}

function rowsOf(dimensions: number, packed: Float32Array): number[][] {
  const count = packed.length / dimensions;
  return Array.from({ length: count }, (_, row) => [
    ...packed.subarray(dimensions * row, dimensions * (row + 1)),
  ]);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function obstaclesOf({ dimensions, obstacles }: Scene): number[][] {
  return rowsOf(dimensions, obstacles as Float32Array);
}

/** Returns the number of grains that are not between the walls at their height. */
function leaked(balls: readonly number[][], middle: number, centres: readonly number[][]): number {
  const heights = balls.map(([, y = 0]) => y);
  const [bottom, top] = [Math.min(...heights), Math.max(...heights)];
  return centres.filter(([x = 0, y = 0]) => {
    const beside = balls.filter((ball) => Math.abs((ball[1] as number) - y) < 0.75);
    const wall = Math.max(0, ...beside.map((ball) => Math.abs((ball[0] as number) - middle)));
    return y <= bottom || y >= top || Math.abs(x - middle) >= wall;
  }).length;
}

describe.each(DIMENSIONS)('grains in %dD', (dimensions) => {
  it('all flow through the neck, in both directions, and none leaves the hourglass', () => {
    const scene = createScene('hourglass', { dimensions, count: 160, seed: 3 });
    const { play, centres, simulation } = open(scene);
    const [middle, half] = [(scene.max[0] as number) / 2, (scene.max[1] as number) / 2];
    const balls = obstaclesOf(scene);
    const isStanding = (up: number) => () => scene.drive?.(simulation.time).gravity?.[1] === up;
    const above = () => centres().filter(([, y = 0]) => y > half).length;
    expect([above(), leaked(balls, middle, centres())]).toEqual([160, 0]);
    expect(play(60, isStanding(-1))).toBeLessThan(60 / DT);
    expect([above(), leaked(balls, middle, centres())]).toEqual([0, 0]);
    play(60, () => !isStanding(1)());
    expect(leaked(balls, middle, centres())).toBe(0);
    play(60, isStanding(1));
    expect([above(), leaked(balls, middle, centres())]).toEqual([160, 0]);
  });

  it('climb in a turning drum, stay inside, and lie level in a drum at rest', () => {
    const scene = createScene('drum', { dimensions, count: 160, seed: 3 });
    const middle = (scene.max[0] as number) / 2;
    const aside = (centres: readonly number[][]) => mean(centres.map(([x = 0]) => x - middle));
    const asides: number[] = [];
    const turned = open(scene);
    for (let second = 0; second < 10; second++) {
      turned.play(1);
      const centres = turned.centres();
      // The centres of the grains stay within the ring of balls that forms the wall.
      const farthest = Math.max(...centres.map(([x = 0, y = 0]) => Math.hypot(x - middle, y - middle)));
      expect(farthest).toBeLessThan(middle - 1.25);
      asides.push(aside(centres));
    }
    const still = open(scene, false);
    still.play(3);
    // The lower part of the wall moves to the right and takes grains along.
    expect(mean(asides.slice(3))).toBeGreaterThan(0.15 * middle);
    expect(Math.abs(aside(still.centres()))).toBeLessThan(0.05 * middle);
  });

  describe('of two sizes', () => {
    /** Returns how far the mean height of the large grains is above that of the small ones. */
    const lift = (seed: number, isDriven: boolean, seconds: number) => {
      const scene = createScene('brazil-nut', { dimensions, count: dimensions === 2 ? 180 : 320, seed });
      const { play, centres, simulation } = open(scene, isDriven);
      play(seconds);
      simulation.set({ gravity: scene.settings.gravity });
      for (let step = 0; step < 60; step++) simulation.step(DT);
      const { ids } = simulation.read();
      const heightOf = (isLarge: boolean) =>
        mean(
          centres()
            .filter((_, slot) => (scene.radii?.[ids[slot] as number] as number) > 1 === isLarge)
            .map(([, y = 0]) => y),
        );
      return heightOf(true) - heightOf(false);
    };

    for (const { seed, tags } of [
      { seed: 1, tags: 'full' },
      { seed: 2, tags: [] },
      { seed: 3, tags: 'full' },
    ]) {
      it(`rise in a shaken box if they are large, from seed ${seed}`, { tags }, () => {
        expect(lift(seed, true, 30)).toBeGreaterThan(0.4);
      });
    }

    it('stay below in a box at rest if they are large', { tags: 'full' }, () => {
      expect(lift(1, false, 3)).toBeLessThan(0);
    });
  });
});

describe('a drive', () => {
  it('exists in exactly the driven scenes, and moves obstacles only in the drum', () => {
    const request = { dimensions: 2, count: 100 } as const;
    for (const name of sceneNames()) {
      const { drive } = createScene(name, request);
      expect([drive !== undefined, movesObstacles(drive)], name).toEqual([
        DRIVEN.includes(name),
        name === 'drum',
      ]);
    }
    for (const name of DRIVEN) {
      const { drive, settings } = createScene(name, { ...request, count: 0 });
      expect(drive?.(0).obstacles, name).toBeUndefined();
      expect(strengthOf(settings)).toBe(9.8125);
    }
  });

  it.each(DRIVEN)('of %s depends on time alone, so a restored state continues with the same bits', (name) => {
    const scene = createScene(name, { dimensions: 2, count: 100 });
    const first = open(scene);
    first.play(0.5);
    const checkpoint: Checkpoint = first.simulation.checkpoint();
    first.play(0.25);
    const again = open(scene);
    again.simulation.restore(checkpoint);
    if (scene.drive?.(0).gravity) again.simulation.set({ gravity: [3, 4] });
    if (movesObstacles(scene.drive)) again.simulation.setObstacles(scene.obstacles as Float32Array);
    again.play(0.25);
    expect(again.simulation.measure().hash).toBe(first.simulation.measure().hash);
  });

  it("is scaled by the page's gravity, and off while a file is open", () => {
    const choices = { ...defaultChoices('brazil-nut'), count: 100 };
    expect(choices.gravity).toBe(9.8125);
    const { options, drive } = startOf(choices, 100);
    const simulation = createCpuSimulation(options);
    const run = { simulation, setObstacles: () => undefined };
    applyDrive(drivable(run), drive, 2 * choices.gravity);
    expect(simulation.settings.gravity).toEqual([0, -19.625]);
    const checkpoint = simulation.checkpoint();
    const opened = { name: 'a.bin', checkpoint, options, choices: {} };
    expect(startOf({ ...choices, opened }, 100).drive).toBeUndefined();
  });

  it('gives obstacles radii if particles have variable radii', () => {
    const { options, drive } = startOf({ ...defaultChoices('drum'), spread: 2 }, 100);
    const simulation = createCpuSimulation(options);
    applyDrive(simulation, drive, 1);
    const { obstacles } = createScene('drum', { dimensions: 2, count: 100 });
    expect(2 * simulation.obstacleCount).toBe((obstacles as Float32Array).length);
    expect(canSpread('drum') && !canSpread('brazil-nut')).toBe(true);
  });
});

describe.each(DIMENSIONS)('scenes of grains in %dD', (dimensions) => {
  it.each(DRIVEN)(
    '%s has dyadic positions, begins without contacts, and accepts any number of particles',
    (name) => {
      for (const count of [0, 1, 2, 100, 1000]) {
        const scene = createScene(name, { dimensions, count, seed: 7 });
        const { positions, radii, min, max } = scene;
        expect(positions.length).toBe(dimensions * count);
        expect(positions.every((along) => Number.isInteger(1024 * along))).toBe(true);
        const fixed = (scene.drive?.(0.3).obstacles ?? scene.obstacles ?? []) as Float32Array;
        expect(fixed.every((along) => Number.isInteger(1024 * along))).toBe(true);
        const simulation = createCpuSimulation(sceneOptions(scene));
        expect(simulation.measure()).toMatchObject({ count, contacts: 0, obstacleContacts: 0, outside: 0 });
        const touching = positions.filter((along, index) => {
          const radius = radii?.[Math.floor(index / dimensions)] ?? scene.radius;
          const axis = index % dimensions;
          return along - radius < (min[axis] as number) || along + radius > (max[axis] as number);
        });
        expect(touching).toHaveLength(0);
        expect(createScene(name, { dimensions, count, seed: 7 }).positions).toEqual(positions);
        if (count > 2) {
          expect(createScene(name, { dimensions, count, seed: 8 }).positions).not.toEqual(positions);
        }
      }
    },
  );
});
