/** What a pointer picks, holds and pushes, and where it adds particles and walls. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NO_OBSTACLES, readObstacles } from '../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../src/cpu';
import { defaultChoices, roomFor, simulationOptions } from '../../../src/page/model/choices';
import type { Choices } from '../../../src/page/model/fields';
import { Signal } from '../../../src/page/support/signal';
import { held, pushed } from '../../../src/page/tools/brush';
import { changeObstacles, onFloor, sprinkle, wall } from '../../../src/page/tools/sprinkle';
import { Tools } from '../../../src/page/tools/tools';
import type { Ray, ScreenPosition } from '../../../src/page/view/camera';
import type { Run } from '../../../src/page/view/engine';
import { near, pick } from '../../../src/page/view/pick';
import type { Session } from '../../../src/page/view/session';
import type { Viewpoint } from '../../../src/page/view/viewpoint';
import { Random } from '../../../src/scenes';
import { collectNotes } from '../../helpers/notes';
import { DIMENSIONS } from '../../helpers/passes';

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

function particlesAt(dimensions: number, positions: Float32Array, radii?: Float32Array) {
  const ids = Uint32Array.from({ length: positions.length / dimensions }, (_, index) => 10 + index);
  return { ids, positions, velocities: new Float32Array(positions.length), radii };
}

const POINT: Ray = { origin: [2, 3], direction: [0, 0], depth: 0 };
const LINE: Ray = { origin: [2, 3, 10], direction: [0, 0, -1], depth: 10 };

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a pointer', () => {
  it('picks the particle with the nearest centre in the plane', () => {
    const particles = particlesAt(2, at(2.4, 3, 2.2, 3, 5, 5, Number.NaN, 3));
    const simulation = { dimensions: 2, radius: 0.5 } as const;
    expect(pick(simulation, particles, POINT, 1)).toMatchObject({ id: 11, index: 1 });
    // Outside all particles it picks the nearest within reach.
    expect(pick(simulation, particles, { ...POINT, origin: [5, 5.9] }, 0.5)).toMatchObject({ id: 12 });
    expect(pick(simulation, particles, { ...POINT, origin: [5, 6.1] }, 0.5)).toBeUndefined();
  });

  it('picks the first particle that the ray hits in space, and none behind the camera', () => {
    const particles = particlesAt(3, at(2, 3, 1, 2.4, 3, 5, 2, 3, 12));
    const simulation = { dimensions: 3, radius: 0.5 } as const;
    expect(pick(simulation, particles, LINE, 0)).toEqual({ id: 11, index: 1, depth: 5 });
    expect(pick({ ...simulation, radius: 0.25 }, particles, LINE, 0)).toEqual({ id: 10, index: 0, depth: 9 });
  });

  it("uses each particle's own radius, and a box's half extents", () => {
    const simulation = { dimensions: 2, radius: 4 } as const;
    const mixed = particlesAt(2, at(5, 3, 2, 4.5), at(4, 0.25));
    expect(pick(simulation, mixed, POINT, 0)).toMatchObject({ id: 10 });
    const halfExtents = at(0.1, 0.1, 1.5, 2);
    const boxes = { ...particlesAt(2, at(5, 3, 2, 5), at(0, 0)), halfExtents };
    expect(pick(simulation, boxes, POINT, 0)).toMatchObject({ id: 11 });
  });

  it('finds particles whose centre is within reach', () => {
    expect(near(2, at(2, 3, 2, 3.9, 2, 4, Number.NaN, 3), POINT, 1)).toEqual([0, 1]);
    expect(near(3, at(2, 3, 0, 2, 3.9, 9, 3, 3, 5, 2, 3, 11), LINE, 1)).toEqual([0, 1]);
  });

  it('gives the held particle the velocity to its target, up to a speed, and moves no other', () => {
    const particles = particlesAt(2, at(1, 1, 4, 4));
    const grip = { id: 11, place: [4, 6], speed: 100 };
    expect(Array.from(held(2, particles, grip, 0.5))).toEqual([0, 0, 0, 1]);
    expect(Array.from(held(2, particles, { ...grip, speed: 0.5 }, 0.5))).toEqual([0, 0, 0, 0.5]);
    expect(Array.from(held(2, particles, { ...grip, place: [4, 4] }, 0.5))).toEqual([0, 0, 0, 0]);
    expect(Array.from(held(2, particles, { ...grip, id: 3 }, 0.5))).toEqual([0, 0, 0, 0]);
  });

  it('pushes distant particles less, and a particle at its centre not at all', () => {
    const particles = particlesAt(2, at(2, 3, 2, 4, 2, 5, 2, 3.5));
    const stroke = { ...POINT, reach: 2, force: 8 };
    expect(Array.from(pushed(2, particles, stroke, 0.5))).toEqual([0, 0, 0, 2, 0, 0, 0, 3]);
  });
});

describe.each(DIMENSIONS)('new particles in %dD', (dimensions) => {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const kinds: Record<string, Partial<SimulationOptions>> = {
    equal: { radius: 0.5 },
    mixed: { radiusRange: { smallest: 0.25, largest: 1 } },
    boxes: { radiusRange: { smallest: 0.25, largest: 1 }, boxes: true },
  };
  it.each(Object.keys(kinds))('overlap no particle and no obstacle, and lie in the box (%s)', (kind) => {
    const options = { dimensions, min: corner(0), max: corner(16), capacity: 400, ...kinds[kind] };
    const plan = planSimulation({ ...options, obstacleCapacity: 1 } as SimulationOptions);
    const given = plan.radiusRange
      ? { positions: Float32Array.from(corner(2)), radii: at(1) }
      : Float32Array.from(corner(2));
    const simulation = createCpuSimulation({ ...options, obstacles: given } as SimulationOptions);
    const rules = { dimensions, radiusRange: plan.radiusRange, boxes: plan.boxes };
    const fixed = readObstacles('obstacles', given, 1, rules);
    const random = new Random(3);
    let added = 0;
    for (let round = 0; round < 40; round++) {
      const particles = simulation.read();
      const most = Math.min(7, 400 - simulation.count);
      const made = sprinkle(simulation, particles, fixed, { place: corner(2), reach: 4, most }, random);
      if (!made) continue;
      expect(made.positions.length / dimensions).toBeLessThanOrEqual(most);
      added += simulation.add(made).length;
    }
    expect(added).toBeGreaterThan(12);
    expect(simulation.count).toBe(added);
    expect(simulation.measure()).toMatchObject({ contacts: 0, obstacleContacts: 0, outside: 0 });
    const reach = Math.max(...simulation.read().positions);
    expect(reach).toBeGreaterThan(4);
    expect(reach).toBeLessThanOrEqual(6);
    // Without room, none are added.
    const nowhere = { place: corner(-9), reach: 1, most: 5 };
    expect(sprinkle(simulation, simulation.read(), fixed, nowhere, random)).toBeUndefined();
    const none = { place: corner(9), reach: 1, most: 0 };
    expect(sprinkle(simulation, simulation.read(), fixed, none, random)).toBeUndefined();
  });
});

describe('walls', () => {
  const plane = planSimulation({ dimensions: 2, radius: 0.5, min: [0, 0], max: [16, 16], capacity: 0 });
  const space = planSimulation({
    dimensions: 3,
    radius: 0.5,
    min: [0, 1, 0],
    max: [16, 17, 16],
    capacity: 0,
  });

  it('are rows of balls in the plane, a radius apart, and are not built twice', () => {
    const { balls, end } = wall(plane, NO_OBSTACLES, [2, 3], [5, 3], 9);
    expect(end).toEqual([5, 3]);
    expect(balls).toEqual([2, 2.5, 3, 3.5, 4, 4.5, 5].map((x) => [x, 3]));
    const fixed = { positions: Float32Array.from(balls.flat()) };
    expect(wall(plane, fixed, [2, 3], [5, 3], 9).balls).toEqual([]);
    expect(wall(plane, fixed, [5, 3], [6, 3], 9).balls).toEqual([
      [5.5, 3],
      [6, 3],
    ]);
    // Only balls in the box.
    expect(wall(plane, NO_OBSTACLES, [15.5, 3], [20, 3], 9).balls).toEqual([
      [15.5, 3],
      [16, 3],
    ]);
  });

  it('end when there is no more room, and can be continued from there', () => {
    const first = wall(plane, NO_OBSTACLES, [2, 3], [5, 3], 9, 3);
    expect(first.balls).toEqual([2, 2.5, 3].map((x) => [x, 3]));
    expect(first.end).toEqual([3, 3]);
    const fixed = { positions: Float32Array.from(first.balls.flat()) };
    const { balls, end } = wall(plane, fixed, first.end, [5, 3], 9);
    expect(balls).toEqual([3.5, 4, 4.5, 5].map((x) => [x, 3]));
    expect(end).toEqual([5, 3]);
  });

  it('are built quickly at any length and height', () => {
    const wide = planSimulation({
      dimensions: 3,
      radius: 0.5,
      min: [0, 0, 0],
      max: [400, 12, 400],
      capacity: 0,
    });
    const { balls } = wall(wide, NO_OBSTACLES, [-200, 0, 200], [600, 0, 200], 1e9);
    // 801 pillars, as high as the box.
    expect(balls.length).toBe(801 * 24);
  });

  it('are pillars on the floor in 3D', () => {
    const ray: Ray = { origin: [3, 5, 3], direction: [0, -1, 0], depth: 1 };
    expect(onFloor(ray, 1)).toEqual([3, 1, 3]);
    expect(onFloor({ ...ray, direction: [0, 1, 0] }, 1)).toBeUndefined();
    expect(onFloor({ ...ray, direction: [1, 0, 0] }, 1)).toBeUndefined();
    const foot = [3, 1, 3];
    expect(wall(space, NO_OBSTACLES, foot, foot, 1.5).balls).toEqual([
      [3, 1.5, 3],
      [3, 2, 3],
      [3, 2.5, 3],
    ]);
  });

  it('are added to the present obstacles, and removed from them', () => {
    const fixed = { positions: at(1, 1, 2, 2, 3, 3) };
    expect(changeObstacles(plane, fixed, { without: [1], balls: [[4, 4]] })).toEqual(at(1, 1, 3, 3, 4, 4));
    const mixed = { ...plane, radiusRange: { smallest: 0.25, largest: 0.5 }, boxes: true };
    const given = { positions: at(1, 1, 2, 2), radii: at(0, 2), halfExtents: at(1, 3, 0, 0) };
    const bodies = readObstacles('obstacles', given, 2, mixed);
    expect(changeObstacles(mixed, bodies, { balls: [[4, 4]] })).toEqual({
      positions: at(1, 1, 2, 2, 4, 4),
      radii: at(0, 2, 0.5),
      halfExtents: at(1, 3, 0, 0, 0, 0),
    });
    const { halfExtents: _none, ...balls } = given;
    const round = { ...mixed, boxes: false };
    const two = readObstacles('obstacles', { ...balls, radii: at(1, 2) }, 2, round);
    expect(changeObstacles(round, two, { without: [0] })).toEqual({ positions: at(2, 2), radii: at(2) });
  });
});

describe('tools', () => {
  /** Tools with counted requests. The only particle is at (1, 1) of the window. */
  function open(pointer: Choices['pointer'], movesObstacles = false) {
    const simulation = createCpuSimulation({
      dimensions: 2,
      radius: 0.5,
      min: [0, 0],
      max: [16, 16],
      positions: at(2, 3),
    });
    const requests = { pushes: 0, rooms: 0, walls: 0 };
    const { notices: notes } = collectNotes();
    const built: unknown[] = [];
    const run = {
      simulation,
      fixed: NO_OBSTACLES,
      restorations: 0,
      push: () => {
        requests.pushes++;
      },
      setObstacles: (obstacles: unknown) => {
        requests.walls++;
        built.push(obstacles);
      },
    } as unknown as Run;
    let choices: Choices = { ...defaultChoices(), pointer };
    let present = choices;
    const choose = (change: Partial<Choices>) => {
      choices = { ...choices, ...change };
    };
    const start = () => {
      present = choices;
    };
    const session = {
      run,
      get choices() {
        return choices;
      },
      get present() {
        return present;
      },
      movesObstacles,
      changed: new Signal(),
    } as unknown as Session;
    const viewpoint = {
      rayAt: ({ x, y }: ScreenPosition) => ({ ...POINT, origin: [1 + x, 2 + y] }),
    } as unknown as Viewpoint;
    const host = {
      cap: undefined,
      prepareTool: () => undefined,
      makeRoom: () => {
        requests.rooms++;
      },
    };
    return { tools: new Tools(session, viewpoint, host), run, requests, built, notes, choose, start };
  }

  it('draw no walls if the scene replaces obstacles in each step, and say so', () => {
    const { tools, requests, notes } = open('wall', true);
    tools.at({ x: 1, y: 1 });
    expect(notes).toEqual(['The obstacles of this scene move by themselves, so no walls stay among them.']);
    expect(requests.rooms).toBe(0);
  });

  it('push in the next step if the pointer was down for less than a step, and only once', () => {
    const { tools, run, requests } = open('push');
    tools.at({ x: 1, y: 1 });
    tools.at(undefined);
    tools.beforeStep(run, 0.01);
    tools.beforeStep(run, 0.01);
    expect(requests.pushes).toBe(1);
    tools.at({ x: 1, y: 1 });
    tools.beforeStep(run, 0.01);
    tools.beforeStep(run, 0.01);
    tools.at(undefined);
    tools.beforeStep(run, 0.01);
    expect(requests.pushes).toBe(3);
  });

  it('erase after a tap between two stages of a step, once the step is done', async () => {
    const { tools, run } = open('erase');
    let stages = 2;
    Object.defineProperty(run.simulation, 'isBusy', { get: () => stages-- > 0 });
    tools.at({ x: 1, y: 1 });
    tools.at(undefined);
    await new Promise((resolve) => setTimeout(resolve));
    expect([run.simulation.count, stages]).toEqual([0, -1]);
  });

  it('release the held particle and end the wall when another scene starts', async () => {
    for (const isChosenBefore of [false, true]) {
      const dragging = open('drag');
      if (isChosenBefore) dragging.choose({ scene: 'gas' });
      dragging.tools.at({ x: 1, y: 1 });
      await new Promise((resolve) => setTimeout(resolve));
      dragging.tools.update();
      expect(dragging.tools.isHolding).toBe(true);
      dragging.choose({ scene: 'gas' });
      dragging.tools.update();
      // The old scene is still shown, so its particle is still held.
      expect(dragging.tools.isHolding).toBe(true);
      dragging.start();
      dragging.tools.update();
      expect(dragging.tools.isHolding).toBe(false);
    }
    for (const change of [{ gravity: 1 }, { scene: 'gas' }]) {
      const { tools, run, requests, choose, start } = open('wall');
      tools.at({ x: 1, y: 1 });
      tools.at({ x: 6, y: 1 });
      tools.at(undefined);
      expect(requests.rooms).toBe(1);
      choose(change);
      start();
      // There is room now.
      Object.defineProperty(run.simulation, 'obstacleCapacity', { value: 9 });
      tools.update();
      expect(requests.walls, JSON.stringify(change)).toBe(change.scene ? 0 : 1);
    }
  });

  it('begin a new wall if another scene has started while the pointer is down', () => {
    for (const change of [{ gravity: 1 }, { scene: 'gas' }]) {
      const { tools, run, built, choose, start } = open('wall');
      Object.defineProperty(run.simulation, 'obstacleCapacity', { value: 99 });
      tools.at({ x: 1, y: 1 });
      tools.at({ x: 2, y: 1 });
      expect(built.pop()).toEqual(at(2, 3, 2.5, 3, 3, 3));
      choose(change);
      start();
      tools.at({ x: 4, y: 1 });
      // The wall continues from its old end only in the same scene.
      expect(built.pop()).toEqual(change.scene ? at(5, 3) : at(3, 3, 3.5, 3, 4, 3, 4.5, 3, 5, 3));
    }
  });

  it('request missing room once, until the pointer is pressed again', async () => {
    const { tools, requests } = open('add');
    const frame = async () => {
      tools.update();
      await new Promise((resolve) => setTimeout(resolve));
    };
    tools.at({ x: 1, y: 1 });
    await frame();
    await frame();
    await frame();
    expect(requests.rooms).toBe(1);
    tools.at(undefined);
    tools.at({ x: 1, y: 1 });
    await frame();
    expect(requests.rooms).toBe(2);
  });
});

describe('capacity', () => {
  const choices = { ...defaultChoices(), count: 100 };
  const options = simulationOptions(choices, 100);
  const held = { dimensions: 2, ids: Uint32Array.of(0, 150), obstacles: at(1, 1, 2, 2, 3, 3) } as const;

  it('holds the present particles and obstacles, and those that the pointer may add', () => {
    expect(roomFor(choices, options)).toEqual({ capacity: 100, obstacleCapacity: 0 });
    expect(roomFor({ pointer: 'add' }, options)).toEqual({ capacity: 2100, obstacleCapacity: 0 });
    expect(roomFor({ pointer: 'wall' }, options)).toEqual({ capacity: 100, obstacleCapacity: 4000 });
    expect(roomFor(choices, options, held)).toEqual({ capacity: 151, obstacleCapacity: 3 });
    expect(roomFor({ pointer: 'wall' }, options, held)).toEqual({ capacity: 151, obstacleCapacity: 4003 });
    // Never less than before, since earlier states may need it.
    const before = { capacity: 900, obstacleCapacity: 5000 };
    expect(roomFor({ pointer: 'wall' }, options, held, before)).toEqual(before);
    const many = simulationOptions({ ...choices, count: 10_000 }, 10_000);
    expect(roomFor({ pointer: 'add' }, many).capacity).toBe(15_000);
    // A lower limit leaves no room for more, but present particles stay.
    expect(roomFor({ pointer: 'add', most: 12_000 }, many).capacity).toBe(12_000);
    expect(roomFor({ pointer: 'add', most: 9000 }, many).capacity).toBe(10_000);
  });
});
