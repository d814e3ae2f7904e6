import { afterEach, describe, expect, it, vi } from 'vitest';
import { GpuError, LimitError } from '../../../../src/core/base/errors';
import type { Checkpoint } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import type { GpuKind } from '../../../../src/page/model/automatic';
import { chooseScene, defaultChoices } from '../../../../src/page/model/choices';
import { type Choices, type EngineKind, MOST_PARTICLES } from '../../../../src/page/model/fields';
import type { Opened, Selection } from '../../../../src/page/model/opened';
import { History } from '../../../../src/page/session/history';
import { Restarts, type Shown } from '../../../../src/page/session/restarts';
import { watchLoading } from '../../../../src/page/support/chunk-errors';
import type { Engine, Run } from '../../../../src/page/view/engine';
import { Session } from '../../../../src/page/view/session';
import { collectNotes } from '../../../helpers/notes';

interface FakeEngine extends Engine {
  lose(reason: string): void;
  onStart: (count: number) => Promise<void> | void;
  onPrepare: () => Promise<void> | void;
  onPrepareTool: () => void;
  isDestroyed: boolean;
}

function fakeEngine(kind: EngineKind): FakeEngine {
  let lose: (reason: string) => void = () => undefined;
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  const engine: FakeEngine = {
    kind,
    name: 'fake',
    isSoftware: false,
    canvas: {} as HTMLCanvasElement,
    lost,
    lose,
    isDestroyed: false,
    onStart: () => undefined,
    onPrepare: () => undefined,
    onPrepareTool: () => undefined,
    most: () => MOST_PARTICLES,
    holds: () => true,
    async start(options) {
      const simulation = createCpuSimulation(options);
      await engine.onStart(simulation.count);
      return {
        simulation,
        options,
        births: new Float32Array(simulation.capacity),
        prepare: async () => {
          await engine.onPrepare();
          return '';
        },
        prepareTool: async () => engine.onPrepareTool(),
        prepareOverlays: async () => '',
        prepareFluid: async () => '',
        restore: (checkpoint: Checkpoint) => simulation.restore(checkpoint),
        destroy: () => simulation.destroy(),
      } as unknown as Run;
    },
    destroy() {
      engine.isDestroyed = true;
    },
  };
  return engine;
}

function losing(engine: FakeEngine): void {
  engine.onPrepare = async () => {
    engine.lose('gone');
    await turn();
  };
}

class Page {
  readonly session = new Session({ ...defaultChoices(), count: 200, engine: 'gpu' });
  gpu: GpuKind = 'hardware';
  /** The state that the history holds. */
  latest: Checkpoint | undefined;
  readonly shown: Shown[] = [];
  onShow: (shown: Shown) => void = () => undefined;
  nothings = 0;
  private readonly notes = collectNotes();
  readonly notices = this.notes.notices;
  readonly engineNotes = this.notes.engineNotes;
  readonly gpuAvailable: boolean[] = [];
  readonly opened: FakeEngine[] = [];
  /** The first of these functions changes the next engine that is opened, and is then removed. */
  readonly plans: ((engine: FakeEngine) => void)[] = [];
  readonly restarts: Restarts;

  constructor() {
    const history = new History();
    vi.spyOn(history, 'latest', 'get').mockImplementation(() => this.latest);
    const openers = {
      look: async () => this.gpu,
      gpu: async () => this.open('gpu'),
      cpu: async () => this.open('cpu'),
    };
    this.restarts = new Restarts(this.session, history, openers, async () => undefined);
    this.restarts.shown.listen((shown) => {
      this.onShow(shown);
      this.shown.push(shown);
    });
    this.restarts.stopped.listen(() => this.nothings++);
    this.restarts.gpuMissing.listen(() => this.gpuAvailable.push(false));
  }

  get choices(): Selection {
    return this.session.choices;
  }

  set choices(choices: Selection) {
    this.session.choices = choices;
  }

  async run(change: Partial<Selection> = {}): Promise<void> {
    this.choices = { ...this.choices, ...change };
    this.restarts.request(this.choices);
    await this.restarts.settled();
  }

  get engine(): FakeEngine {
    return this.opened.at(-1) as FakeEngine;
  }

  private open(kind: EngineKind): FakeEngine {
    const engine = fakeEngine(kind);
    this.opened.push(engine);
    this.plans.shift()?.(engine);
    return engine;
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Lets pending promises settle. */
const turn = () => new Promise((done) => setTimeout(done));

describe('the page on a device that is too small', () => {
  const limit = (most: number) => (engine: FakeEngine) => {
    engine.onStart = (count) => {
      if (count > most) throw new LimitError('maxBufferSize', 'Too many.', most + 3);
    };
  };

  it('starts with as many particles as fit, and says how many', async () => {
    const page = new Page();
    page.plans.push((engine) => {
      engine.onStart = () => {
        page.choices = { ...page.choices, brush: 7, friction: 0.75 };
        throw new LimitError('maxBufferSize', 'Too many.', 503);
      };
    });
    page.plans.push(...Array.from({ length: 9 }, () => limit(500)));
    // The limit in the error is too high as well, so smaller counts are tried.
    await page.run({ count: 3000 });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.session.run?.simulation.count).toBe(497);
    expect(page.choices).toMatchObject({ count: 497, brush: 7, friction: 0.75 });
    expect(page.session.run?.simulation.settings.friction).toBe(0.75);
    expect(page.notices.at(-1)).toMatch(
      /^This device cannot hold .* \(limit: maxBufferSize\), so it starts with 497\.$/,
    );
    expect(page.engineNotes).toEqual([]);
  });

  it('says if a tank holds fewer particles than requested', async () => {
    const page = new Page();
    await page.run({ ...chooseScene(page.choices, 'dam-break'), boxWidth: 8, count: 200_000 });
    expect(page.notices.at(-1)).toBe(
      'This tank takes 125,799 particles, not 200,000: its lattice has at most 4,096 cells along an axis. A narrower tank takes more.',
    );
    await page.run({ count: 300 });
    expect(page.notices).toHaveLength(1);
  });

  it('starts with fewer particles if the error about too large a lattice names no count', async () => {
    const page = new Page();
    const tooLarge = (engine: FakeEngine) => {
      engine.onStart = (count) => {
        if (count > 1000) throw new LimitError('maxBufferSize', 'Too many cells.');
      };
    };
    page.plans.push(...Array.from({ length: 9 }, () => tooLarge));
    await page.run({ ...chooseScene(page.choices, 'dam-break'), count: 3000 });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.choices.count).toBe(750);
    expect(page.notices.at(-1)).toMatch(/limit: maxBufferSize\), so it starts with 750\.$/);
  });

  it('keeps the present run if there is no room for more', async () => {
    const page = new Page();
    await page.run();
    const { run } = page.session;
    run?.simulation.step(1 / 60);
    page.choices = { ...page.choices, pointer: 'add' };
    for (const error of [
      new LimitError('maxBufferSize', 'Too many.', 150),
      new GpuError('memory', 'Full.'),
    ]) {
      const refuse = () => {
        throw error;
      };
      page.engine.onStart = refuse;
      page.plans.push((engine) => {
        engine.onStart = refuse;
      });
      await page.restarts.makeRoom();
      expect(page.session.run).toBe(run);
      expect(page.notices.at(-1)).toBe(error.message);
      page.plans.length = 0;
      page.opened.splice(1);
    }
    // A restart does not continue the state of the run that found no room.
    page.engine.onStart = () => undefined;
    await page.run({ pointer: 'look' });
    expect(page.session.run?.simulation.time).toBe(0);
    expect(page.shown.at(-1)?.hasPast).toBe(false);
  });

  it('starts with fewer particles if memory is full, and on the CPU if none fit', async () => {
    const page = new Page();
    const full = (most: number) => (engine: FakeEngine) => {
      engine.onStart = (count) => {
        if (count > most) throw new GpuError('memory', 'Out of memory.');
      };
    };
    page.plans.push(full(1000), full(1000), full(1000));
    await page.run({ count: 3000 });
    expect(page.session.run?.simulation.count).toBe(750);
    expect(page.notices.at(-1)).toMatch(/limit: memory\), so it starts with 750\.$/);
    const none = new Page();
    none.plans.push(full(0), full(0));
    await none.run();
    expect(none.session.engine?.kind).toBe('cpu');
    expect(none.engineNotes.at(-1)).toMatch(/^Out of memory\. The CPU engine/);
  });
});

describe('a lost device', () => {
  it('is replaced, at a second attempt if necessary; if both fail, the visitor can still choose the GPU', async () => {
    const none = () => {
      throw new GpuError('no-adapter', 'There is no adapter.');
    };
    const page = new Page();
    await page.run();
    page.plans.push(none);
    page.engine.lose('It fell over.');
    await Promise.resolve();
    await page.restarts.settled();
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.gpuAvailable).toEqual([]);
    page.plans.push(none, none);
    page.engine.lose('Again.');
    await Promise.resolve();
    await page.restarts.settled();
    expect(page.session.engine?.kind).toBe('cpu');
    expect(page.engineNotes.at(-1)).toMatch(/no other GPU is available now/);
    expect(page.gpuAvailable).toEqual([]);
    const bare = new Page();
    bare.plans.push(none);
    await bare.run();
    expect(bare.gpuAvailable).toEqual([false]);
  });

  it.each(['onStart', 'onPrepare'] as const)('is replaced once if it is lost during %s', async (when) => {
    const page = new Page();
    await page.run();
    const first = page.engine;
    first[when] = async () => {
      first.lose('the test took it');
      await turn();
    };
    await page.run({ count: 300 });
    await turn();
    await page.restarts.settled();
    expect(page.restarts.losses).toBe(1);
    expect(page.opened).toHaveLength(2);
    expect(page.session.engine).toBe(page.engine);
    expect(page.session.run?.simulation.count).toBe(300);
    expect(page.shown.map(({ engine }) => engine)).toEqual([first, page.engine]);
    expect(page.engineNotes).toEqual([
      'The GPU was lost (the test took it.) The scene starts over on a new device.',
    ]);
  });

  it('does not undo a choice whose start fails before the loss of the device is reported', async () => {
    const page = new Page();
    await page.run();
    const first = page.engine;
    first.onStart = () => {
      // Browsers throw the error at once and report the loss a few promises later.
      Promise.resolve()
        .then(() => undefined)
        .then(() => undefined)
        .then(() => undefined)
        .then(() => first.lose('gone'));
      throw new GpuError('lost', 'The GPU device is lost.');
    };
    await page.run({ count: 300 });
    await turn();
    await page.restarts.settled();
    expect(page.choices.count).toBe(300);
    expect(page.session.run?.simulation.count).toBe(300);
    expect(page.restarts.losses).toBe(1);
  });

  it('is replaced even before its first run is shown; after three losses, the CPU engine replaces it', async () => {
    const page = new Page();
    page.plans.push(losing, losing, losing);
    await page.run();
    expect(page.opened.map(({ kind }) => kind)).toEqual(['gpu', 'gpu', 'gpu', 'cpu']);
    expect(page.opened.map(({ isDestroyed }) => isDestroyed)).toEqual([true, true, true, false]);
    expect(page.engineNotes.at(-1)).toMatch(/^The GPU was lost\. The CPU engine/);
    expect(page.session.isForced).toBe(true);
  });

  it('is replaced, and the run continues from the last stored state', async () => {
    const page = new Page();
    await page.run();
    const { simulation } = page.session.run as Run;
    simulation.step(1 / 60);
    page.latest = await simulation.checkpoint();
    page.engine.lose('gone');
    await turn();
    await page.restarts.settled();
    expect(page.session.run?.simulation.time).toBeCloseTo(1 / 60);
    expect(page.shown.at(-1)).toMatchObject({ isOtherEngine: true, isOtherBox: false, hasPast: true });
    expect(page.engineNotes.at(-1)).toMatch(/goes on from 0\.02 s on a new device/);
  });
});

describe('a device that is lost for good', () => {
  const failure = unloaded();
  const missing = () => {
    throw failure;
  };

  it('leaves a message if the CPU engine does not load; once the engine loads, the run continues', async () => {
    const page = new Page();
    await page.run({ ...chooseScene(page.choices, 'gas'), size: 0.5 });
    const { simulation } = page.session.run as Run;
    simulation.step(1 / 60);
    page.latest = await simulation.checkpoint();
    const chosen = page.choices;
    for (let loss = 0; loss < 3; loss++) {
      if (loss === 2) page.plans.push(missing);
      page.engine.lose('gone');
      await turn();
      await page.restarts.settled();
    }
    expect(page.opened.map(({ kind }) => kind)).toEqual(['gpu', 'gpu', 'gpu', 'cpu']);
    expect([page.session.run, page.restarts.isBusy, page.nothings]).toEqual([undefined, false, 1]);
    expect(page.engineNotes.at(-1)).toBe('The GPU was lost 3 times (gone.)');
    expect(page.notices.at(-1)).toMatch(/could not be loaded\..* Nothing runs now; Reset tries again\.$/);
    expect(page.choices).toEqual({ ...chosen, engine: 'cpu' });
    await page.run();
    expect(page.session.engine?.kind).toBe('cpu');
    expect(page.session.run?.simulation.time).toBeCloseTo(1 / 60);
    expect(page.engineNotes.at(-1)).toMatch(/^The GPU was lost 3 times \(gone\.\) The CPU engine runs/);
  });

  it('is opened again if the visitor chooses the GPU', async () => {
    const page = new Page();
    page.plans.push(losing, losing, losing);
    page.plans.push(missing);
    await page.run();
    expect(page.opened.map(({ kind }) => kind)).toEqual(['gpu', 'gpu', 'gpu', 'cpu']);
    expect([page.session.run, page.nothings]).toEqual([undefined, 1]);
    expect(page.engineNotes.at(-1)).toBe('The GPU was lost.');
    page.session.isForced = false;
    await page.run({ engine: 'gpu' });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.engineNotes.at(-1)).toBe('');
  });
});

describe('the present run', () => {
  it('keeps its own scene while another one starts', async () => {
    const page = new Page();
    expect(page.session.present).toBe(page.choices);
    await page.run();
    let during = '';
    page.engine.onPrepare = () => {
      during = page.session.present.scene;
    };
    await page.run(chooseScene(page.choices, 'gas'));
    expect(during).toBe('pile');
    expect(page.session.present.scene).toBe('gas');
  });

  it('is replaced by the newest choice; outdated starts are abandoned, except the first', async () => {
    const page = new Page();
    const counts = () => page.shown.map(({ run }) => run.simulation.count);
    const next = (count: number) => {
      page.choices = { ...page.choices, count };
      page.restarts.request(page.choices);
    };
    const prepared: number[] = [];
    page.plans.push((engine) => {
      engine.onStart = (count) => {
        if (count === 200) next(300);
        if (count === 400) next(500);
      };
      engine.onPrepare = () => {
        prepared.push(page.choices.count);
        if (page.choices.count === 500) next(600);
      };
    });
    await page.run();
    expect(counts()).toEqual([200, 300]);
    prepared.length = 0;
    // 400 is abandoned before it prepares anything, and 500 while it prepares.
    await page.run({ count: 400 });
    expect(counts()).toEqual([200, 300, 600]);
    expect(prepared).toEqual([500, 600]);
    expect(page.session.run?.simulation.count).toBe(600);
    expect(page.notices).toEqual([]);
    expect(page.engine.isDestroyed).toBe(false);
  });
});

describe('a renewal', () => {
  it('continues the state in a run with the chosen cells, once for several choices', async () => {
    const page = new Page();
    await page.run();
    page.session.run?.simulation.step(1 / 60);
    page.choices = { ...page.choices, cellSize: 2 };
    const first = page.restarts.renew();
    page.choices = { ...page.choices, cellSize: 3 };
    await Promise.all([first, page.restarts.renew(), page.restarts.renew()]);
    const { world, time } = page.session.run?.simulation ?? {};
    expect(world?.cellSize).toBeCloseTo(3, 5);
    expect(time).toBeCloseTo(1 / 60);
    expect(page.shown.at(-1)).toMatchObject({ isOtherBox: false, hasPast: true });
    expect(page.session.present.cellSize).toBe(3);
    const starts = page.shown.length;
    await page.restarts.renew();
    expect(page.shown).toHaveLength(starts);
  });

  it('waits for a start in progress; the run of that start has the cells of its own choices', async () => {
    const page = new Page();
    let renewed: Promise<void> | undefined;
    page.plans.push((engine) => {
      engine.onPrepare = () => {
        engine.onPrepare = () => undefined;
        page.choices = { ...page.choices, cellSize: 2, friction: 0.75 };
        renewed = page.restarts.renew();
      };
    });
    await page.run();
    expect(page.session.present).toMatchObject({ cellSize: 1, friction: 0.75 });
    await renewed;
    expect(page.session.present).toMatchObject({ cellSize: 2, friction: 0.75 });
    expect(page.session.run?.simulation.world.cellSize).toBeCloseTo(2, 5);
  });

  it('keeps the run and its cells if the world is too small for the chosen cells', async () => {
    const page = new Page();
    await page.run({ periodicX: true });
    const { run } = page.session;
    page.choices = { ...page.choices, cellSize: 500 };
    await page.restarts.renew();
    expect(page.session.run).toBe(run);
    expect(page.choices.cellSize).toBe(1);
    expect(page.notices.at(-1)).toMatch(
      /^Cell size is 500, but it must be at most \d[\d.]+ here, because 3 cells must fit along a periodic axis of /,
    );
  });

  it('keeps the run and its radius if particles do not fit into the box', async () => {
    const page = new Page();
    const refuse = async (changes: Partial<Choices>) => {
      await page.run({ ...defaultChoices(changes.scene), count: 10 });
      const { run, choices } = page.session;
      await page.run(changes);
      expect(page.session.run).toBe(run);
      expect(page.choices).toEqual(choices);
      return page.notices.at(-1);
    };
    const needs =
      'here, because each body must fit into the box, and 3 cells along a periodic axis; more particles make the box larger.';
    const tooLarge = `Radius is 4, but it must be smaller ${needs}`;
    for (const scene of ['uniform', 'mixed', 'crates']) {
      expect(await refuse({ scene, size: 4, boxWidth: 0.25 })).toBe(tooLarge);
      expect(await refuse({ scene, size: 4, periodicX: true })).toBe(tooLarge);
    }
    expect(await refuse({ scene: 'terraces', size: 0.125, periodicX: true, boxWidth: 0.25 })).toBe(
      `Particles is 10, but it must be more ${needs}`,
    );
  });
});

describe('a start that fails', () => {
  it('keeps changes made meanwhile that fit the present run', async () => {
    const page = new Page();
    await page.run();
    const { run } = page.session;
    page.engine.onPrepare = () => {
      page.choices = { ...page.choices, brush: 7, friction: 0.75, seed: 5 };
      throw new TypeError('It broke.');
    };
    await page.run({ ...chooseScene(page.choices, 'gas'), colour: 'id' });
    expect(page.session.run).toBe(run);
    expect(page.choices).toEqual({
      ...defaultChoices(),
      engine: 'gpu',
      count: 200,
      brush: 7,
      friction: 0.75,
    });
    expect(run?.simulation.settings.friction).toBe(0.75);
    expect(page.notices.at(-1)).toMatch(/It broke\./);
    // With this many passes, the page does not allow naive for so many particles.
    page.engine.onPrepare = () => undefined;
    await page.run({ substeps: 256, restitution: 1, count: 9000 });
    page.engine.onPrepare = () => {
      page.choices = { ...page.choices, broadPhase: 'naive' };
      throw new TypeError('It broke.');
    };
    await page.run(chooseScene({ ...page.choices, count: 100 }, 'gas'));
    expect(page.choices.broadPhase).toBe('grid');
    expect(page.session.run?.simulation.settings.broadPhase).toBe('grid');
  });

  it('replaces the GPU by the CPU if the first picture cannot be drawn, whatever ran before', async () => {
    for (const hasRun of [false, true]) {
      const page = new Page();
      if (hasRun) await page.run();
      page.onShow = ({ engine }) => {
        if (engine.kind === 'gpu') throw new TypeError('No picture.');
      };
      await page.run(chooseScene(page.choices, 'gas'));
      expect(page.session.run).toBe(page.shown.at(-1)?.run);
      expect(page.session.engine?.kind).toBe('cpu');
      expect(page.engineNotes.at(-1)).toMatch(/No picture\. The CPU engine runs the scene instead\.$/);
      expect(page.choices.scene).toBe('gas');
    }
  });

  it('destroys the device that was opened for it', async () => {
    const page = new Page();
    const opened = {
      name: 'mine.bin',
      checkpoint: { ids: new Uint32Array(9), settings: {} },
      choices: {},
      get options(): never {
        throw unloaded();
      },
    };
    await page.run({ opened: opened as unknown as Opened });
    expect(page.opened.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false]);
    expect(page.choices.opened).toBeUndefined();
    expect(page.notices.at(-1)).toMatch(/more usual settings instead/);
  });

  it('is reported once, and not again after the next start', async () => {
    const page = new Page();
    page.plans.push((engine) => {
      engine.onStart = () => Promise.reject(unloaded());
    });
    page.choices = defaultChoices();
    await page.run();
    expect(page.session.run).toBeUndefined();
    expect(page.notices).toEqual([
      expect.stringMatching(
        /^A part .* not be loaded\..*reload the page\. Nothing runs now; Reset tries again\.$/,
      ),
    ]);
    await page.run();
    expect(page.session.run).toBeDefined();
    expect(page.notices).toHaveLength(1);
  });
});

describe('a page without a GPU', () => {
  it('does not claim that the CPU engine runs if this engine could not be loaded', async () => {
    const page = new Page();
    page.choices = defaultChoices();
    page.plans.push(
      () => {
        throw new GpuError('unsupported', 'There is no WebGPU.');
      },
      () => {
        throw unloaded();
      },
    );
    await page.run();
    expect(page.session.run).toBeUndefined();
    expect(page.engineNotes.at(-1)).toBe('This browser has no WebGPU.');
    expect(page.notices.at(-1)).toMatch(/^A part of the page could not be loaded/);
  });
});

describe('Automatic', () => {
  const automatic = (gpu: GpuKind) => {
    const page = new Page();
    page.gpu = gpu;
    page.choices = { ...defaultChoices(), count: 200 };
    return page;
  };

  it.each([
    ['hardware', 'gpu', 'Automatic chose the GPU of this device.'],
    ['software', 'cpu', expect.stringMatching(/CPU engine: the processor emulates the GPU/)],
  ] as const)('with a %s GPU takes the engine %s, and says why', async (gpu, kind, why) => {
    const page = automatic(gpu);
    await page.run();
    expect(page.opened.map((engine) => engine.kind)).toEqual([kind]);
    expect(page.session.engine?.kind).toBe(kind);
    expect(page.session.why).toEqual(why);
    expect(page.choices.engine).toBe('auto');
    expect(page.session.isForced).toBe(false);
  });

  it('does not change an engine that the visitor chose', async () => {
    const page = automatic('software');
    await page.run({ engine: 'gpu' });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.session.why).toBe('');
  });

  it('takes the emulated GPU if the CPU engine cannot hold all particles, and the CPU engine for fewer', async () => {
    const page = automatic('software');
    await page.run({ count: 60_000 });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.session.why).toMatch(/emulated GPU/);
    expect(page.session.run?.simulation.count).toBe(60_000);
    await page.run({ count: 300 });
    expect(page.session.engine?.kind).toBe('cpu');
  });

  it('takes the CPU engine if the GPU fails, and stays with it', async () => {
    const page = automatic('none');
    page.plans.push(() => {
      throw new GpuError('unsupported', 'There is no WebGPU.');
    });
    await page.run();
    expect(page.session.engine?.kind).toBe('cpu');
    expect(page.engineNotes.at(-1)).toBe(
      'This browser has no WebGPU. The CPU engine runs the scene instead.',
    );
    expect(page.session.why).toBe('Automatic chose the CPU engine: no GPU can be used here.');
    await page.run({ count: 300 });
    expect(page.opened.map(({ kind }) => kind)).toEqual(['gpu', 'cpu']);
    expect(page.choices.engine).toBe('auto');
  });

  it('starts the scene that was measured, unless the visitor chose another one meanwhile', async () => {
    const opening = {
      choices: { scene: 'gas', dimensions: 3, count: 400 },
      why: 'It was measured.',
    } as const;
    const page = automatic('hardware');
    page.restarts.engineChoice.measure = async () => opening;
    await page.run();
    expect(page.choices).toMatchObject({ ...opening.choices, gravity: 0 });
    expect(page.session.run?.simulation).toMatchObject({ dimensions: 3, count: 400 });
    expect(page.session.why).toBe('Automatic chose the GPU of this device. It was measured.');
    expect(page.session.isUntouched).toBe(true);
    await page.run({ count: 500 });
    expect(page.session.isUntouched).toBe(false);
    expect(page.session.run?.simulation.count).toBe(500);
    expect(page.session.why).toBe('Automatic chose the GPU of this device.');
    const other = automatic('hardware');
    other.restarts.engineChoice.measure = async () => {
      other.choices = { ...other.choices, count: 250 };
      other.restarts.request(other.choices);
      return opening;
    };
    await other.run();
    expect(other.session.run?.simulation).toMatchObject({ dimensions: 2, count: 250 });
    const failing = automatic('hardware');
    failing.restarts.engineChoice.measure = () => Promise.reject(new Error('Too slow.'));
    await failing.run();
    expect(failing.session.run?.simulation.count).toBe(200);
    expect(failing.notices).toEqual([]);
  });
});

/** Returns an error that the loader of the built page reported. */
function unloaded(): Error {
  const failure = new TypeError('Failed to fetch');
  vi.stubGlobal('window', new EventTarget());
  watchLoading();
  window.dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: failure }));
  // The other tests run without `window`, and so does the rest of this one.
  vi.stubGlobal('window', undefined);
  return failure;
}

describe('a part that could not be loaded', () => {
  it('is reported if a tool needs it, and the choices stay', async () => {
    const page = new Page();
    page.plans.push((engine) => {
      engine.onPrepareTool = () => {
        throw unloaded();
      };
    });
    await page.run({ ...chooseScene(page.choices, 'gas'), pointer: 'push' });
    expect(page.shown.map(({ refusal }) => refusal)).toEqual([
      expect.stringMatching(/^A part of the page could not be loaded/),
    ]);
    expect(page.choices).toMatchObject({ scene: 'gas', pointer: 'push' });
  });

  it('is reported, and the scene starts with more usual settings that do not need it', async () => {
    const failure = unloaded();
    const page = new Page();
    const broken = (engine: FakeEngine) => {
      engine.onStart = () => Promise.reject(failure);
    };
    page.plans.push(broken, broken);
    await page.run({ engine: 'cpu', size: 0.5 });
    expect(page.shown.at(-1)?.engine.kind).toBe('cpu');
    expect(page.choices).toEqual({ ...defaultChoices(), engine: 'cpu' });
    expect(page.notices.at(-1)).toMatch(/^A part of the page could not be loaded\..*more usual settings/);
  });

  it('is replaced by the GPU if it is the CPU engine; without a GPU, nothing runs', async () => {
    const failure = unloaded();
    const missing = () => {
      throw failure;
    };
    const page = new Page();
    page.plans.push(missing);
    await page.run({ ...chooseScene(page.choices, 'gas'), engine: 'cpu' });
    expect(page.session.engine?.kind).toBe('gpu');
    expect(page.choices).toMatchObject({ scene: 'gas', count: 200, engine: 'gpu' });
    expect(page.notices.at(-1)).toMatch(
      /^A part .* could not be loaded\..* The GPU runs the scene instead\.$/,
    );
    const bare = new Page();
    bare.plans.push(
      missing,
      () => {
        throw new GpuError('unsupported', 'There is no WebGPU.');
      },
      missing,
    );
    await bare.run({ engine: 'cpu' });
    expect(bare.opened).toHaveLength(3);
    expect([bare.session.run, bare.nothings]).toEqual([undefined, 1]);
    expect(bare.notices.at(-1)).toMatch(/could not be loaded\..* Nothing runs now; Reset tries again\.$/);
  });
});
