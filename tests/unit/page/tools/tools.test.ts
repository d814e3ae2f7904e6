import { afterEach, describe, expect, it, vi } from 'vitest';
import { NO_OBSTACLES } from '../../../../src/core/obstacles/obstacles';
import { createCpuSimulation } from '../../../../src/cpu';
import { defaultChoices } from '../../../../src/page/model/choices';
import type { Choices } from '../../../../src/page/model/fields';
import { Signal } from '../../../../src/page/support/signal';
import { Tools } from '../../../../src/page/tools/tools';
import type { Ray, ScreenPosition } from '../../../../src/page/view/camera';
import type { Run } from '../../../../src/page/view/engine';
import type { Session } from '../../../../src/page/view/session';
import type { Viewpoint } from '../../../../src/page/view/viewpoint';
import { collectNotes } from '../../../helpers/notes';

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

const POINT: Ray = { origin: [2, 3], direction: [0, 0], depth: 0 };

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('tools', () => {
  /** Opens tools on a fake page, which counts their requests. The only particle is at (1, 1) of the window. */
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
      particlesChanged: new Signal(),
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
    expect(notes).toEqual(['This scene sets its obstacles anew in each step, so a wall would vanish.']);
    expect(requests.rooms).toBe(0);
  });

  it('push in the next step if the pointer was down for less than a step, and push only once', () => {
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

  it('erase when a step is done if the tap came between two stages of the step', async () => {
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
      // Now there is room for the wall.
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
      expect(built.pop()).toEqual(change.scene ? at(5, 3) : at(3, 3, 3.5, 3, 4, 3, 4.5, 3, 5, 3));
    }
  });

  it('request more room only once per press of the pointer', async () => {
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
