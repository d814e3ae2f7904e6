/**
 * `cellstorm simulate`: runs a scene or continues a state, then prints measures and the state hash. On a GPU, also
 * prints the last step's time per pass.
 */
import { access, constants, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ArgumentError, CellstormError, Phrase } from '../core/base/errors';
import type { StageTimes } from '../core/base/stage-times';
import type { ContinuousCounts } from '../core/ccd/law';
import { crowdingWarning } from '../core/simulation/crowding';
import { planSimulation } from '../core/simulation/plan';
import type { Checkpoint, Measures } from '../core/simulation/simulation';
import {
  capacityOfState,
  decodeCheckpoint,
  encodeCheckpoint,
  optionsOfState,
  type SceneState,
} from '../core/state/state-file';
import type { World } from '../core/world/world';
import { Simulation } from '../engine/simulation/simulation';
import { applyDrive, createScene, isDriven, sceneNames, sceneOptions, strengthOf } from '../scenes';
import {
  type Flags,
  type Given,
  HELP_FLAG,
  oneOf,
  parseFlags,
  realNumber,
  SEED_FLAG,
  UsageError,
  wholeNumber,
} from './arguments';
import { BACKEND_FLAG, BACKENDS, checkFits, openSimulation } from './backend';
import { renderImage } from './image';
import {
  formatBytes,
  formatCount,
  formatFigure,
  formatTable,
  formatWrapped,
  Progress,
  widthOf,
  wrapText,
} from './output';
import {
  cellOptions,
  nameShapeFlags,
  readShape,
  reshape,
  SCENE_SHAPE_FLAGS,
  SHAPE_FLAGS,
  type Shape,
} from './shape';

export const SIMULATE_FLAGS: Flags = {
  scene: { value: 'name', help: `scene to run (default pile): ${sceneNames().join(', ')}` },
  dimensions: { value: '2|3', help: '2D or 3D (default 2)' },
  count: { value: 'n', help: 'number of particles, 0 or more (default 10000)' },
  steps: { value: 'n', help: 'number of steps, 0 or more (default 600)' },
  seed: SEED_FLAG,
  dt: {
    value: 'seconds',
    help: 'length of a step: 0, or at least 1e-7 per substep, at most 1; number or fraction (default 1/60)',
  },
  gravity: { value: 'g', help: "downward gravity, length / s² (default the scene's)" },
  'no-walls': { help: 'let particles leave the box' },
  ...SHAPE_FLAGS,
  substeps: { value: '1..256', help: "substeps per step (default the scene's)" },
  relaxation: { value: '0.01..1', help: "share of an overlap that one pass removes (default the scene's)" },
  restitution: { value: '0..1', help: "share of the speed that a bounce keeps (default the scene's)" },
  friction: { value: '0..10', help: "coefficient of friction (default the scene's)" },
  'broad-phase': { value: 'grid|naive', help: 'how to find candidates (default grid)' },
  backend: BACKEND_FLAG,
  from: { value: 'state.bin', help: 'continue from a state that --out wrote, instead of starting a scene' },
  out: { value: 'state.bin', help: 'write the final state to this file' },
  image: { value: 'out.png', help: 'draw the final state to this file' },
  json: { help: 'print one JSON object' },
  help: HELP_FLAG,
};

/** Target time of a batch of steps. It is short, so that progress is shown often and the GPU queue stays short. */
const BATCH_MS = 100;

export async function simulate(argv: readonly string[]): Promise<number> {
  const given = parseFlags('simulate', SIMULATE_FLAGS, argv);
  const sceneName = oneOf(given, 'scene', sceneNames()) ?? 'pile';
  const dimensions = oneOf(given, 'dimensions', ['2', '3']) === '3' ? 3 : 2;
  const count = wholeNumber(given, 'count', 0, 1e9) ?? 10_000;
  const steps = wholeNumber(given, 'steps', 0, 1e9) ?? 600;
  const seed = wholeNumber(given, 'seed', 0, 2 ** 32 - 1);
  const dt = realNumber(given, 'dt') ?? 1 / 60;
  const backend = oneOf(given, 'backend', BACKENDS) ?? 'gpu';
  const gravity = realNumber(given, 'gravity');
  const shape = readShape(given, dimensions);
  const changes = {
    gravity: gravity === undefined ? undefined : [0, -gravity, 0].slice(0, dimensions),
    walls: given.has('no-walls') ? false : undefined,
    substeps: wholeNumber(given, 'substeps', 1, 256),
    relaxation: realNumber(given, 'relaxation'),
    restitution: realNumber(given, 'restitution'),
    friction: realNumber(given, 'friction'),
    broadPhase: oneOf(given, 'broad-phase', ['grid', 'naive']),
  };
  if (!(dt >= 0)) throw new UsageError(`--dt is ${dt}, but it must be 0 or more seconds.`);
  if (dt > 1) {
    throw new UsageError(`--dt is ${dt}, but it must be at most 1 s (milliseconds? then pass ${dt / 1000}).`);
  }
  const path = given.get('from');
  if (path !== undefined) refuseSceneFlags(given);
  refuseSharedPaths(given);
  for (const name of ['out', 'image']) await checkWritable(name, given.get(name));
  const from = await readState(path, dimensions);
  await checkFits(backend, from ? capacityOfState(from) : count, dimensions);
  const givenSettings = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  );
  const scene = from ? undefined : reshape(createScene(sceneName, { dimensions, count, seed }), shape);
  const options = scene
    ? sceneOptions(scene, givenSettings)
    : {
        ...nameStateFile(path, () => optionsOfState(from as Checkpoint)),
        ...givenSettings,
        ...cellOptions(shape, from as Checkpoint),
      };
  const plan = nameShapeFlags(given, () => planSimulation(options));
  const { simulation, adapter, gpu } = await openSimulation(backend, options, plan);
  if (from) {
    nameStateFile(path, () => simulation.restore(from));
    simulation.set(givenSettings);
  }
  const settle = async () => gpu?.device.queue.onSubmittedWorkDone();

  await settle();
  const began = performance.now();
  // profile() runs the last step, because it measures the time per pass.
  const timed = simulation instanceof Simulation && steps > 0 && dt > 0;
  const strength = strengthOf({ ...scene?.settings, ...givenSettings });
  const drive = () => applyDrive(simulation, scene?.drive, strength);
  await run(simulation, drive, dt, timed ? steps - 1 : steps, steps, settle);
  if (timed) drive();
  const times = timed ? await (simulation as Simulation).profile(dt) : undefined;
  const seconds = (performance.now() - began) / 1000;

  const measures = await simulation.measure();
  if (given.has('out') || given.has('image')) {
    const checkpoint = await simulation.checkpoint();
    const out = given.get('out');
    if (out !== undefined)
      await save(out, encodeCheckpoint({ ...checkpoint, scene: from ? from.scene : sceneName }));
    const image = given.get('image');
    if (image !== undefined) await save(image, renderImage(simulation.world, simulation.radius, checkpoint));
  }
  const report: Report = {
    adapter,
    scene: scene ? sceneName : describeState(path, from?.scene),
    dimensions,
    count: simulation.count,
    seed: scene?.seed ?? null,
    steps,
    dt,
    settings: simulation.settings,
    world: describeWorld(simulation.world),
    cells: simulation.world.cellCount,
    cellSize: simulation.world.cellSize,
    continuous: simulation.continuous,
    seconds,
    stepsPerSecond: steps / Math.max(seconds, 1e-9),
    memoryBytes: simulation.memoryBytes,
    diameter: 2 * simulation.radius,
    mixed: simulation.radiusRange !== undefined,
    crowds: simulation.world.crowds,
    measures,
    continuousCounts: simulation.continuous ? await simulation.continuousCounts() : null,
    warning:
      [crowdingWarning(measures, simulation), ...simulation.warnings, warnOfCrowds(shape, backend)]
        .map(adviseFlag)
        .filter((sentences) => sentences !== undefined)
        .join(' ') || null,
    times,
  };
  process.stdout.write(
    given.has('json') ? `${JSON.stringify(report, undefined, 2)}\n` : describe(report, given),
  );
  simulation.destroy();
  gpu?.destroy();
  return 0;
}

function warnOfCrowds({ crowds }: Shape, backend: string): string | undefined {
  return crowds && backend === 'cpu'
    ? '--crowds changes nothing with --backend cpu: only the GPU splits crowded cells among threads.'
    : undefined;
}

/** Rewords the library's advice to name the flag instead of the option or setting. */
export function adviseFlag(warning: string | undefined): string | undefined {
  return warning
    ?.replace('Create the simulation with `crowds: true`', 'Add --crowds')
    .replace('Set `substeps` to', 'Add --substeps');
}

interface Report {
  readonly adapter: string;
  readonly scene: string;
  readonly dimensions: 2 | 3;
  readonly count: number;
  /** null if the particles came from a state. */
  readonly seed: number | null;
  readonly steps: number;
  readonly dt: number;
  readonly settings: object;
  readonly world: string;
  /** Number of cells; in an unbounded world, the number of buckets. */
  readonly cells: number;
  /** If radii vary, the edge of a cell of the lowest level. */
  readonly cellSize: number;
  readonly continuous: boolean;
  readonly seconds: number;
  readonly stepsPerSecond: number;
  readonly memoryBytes: number;
  /** With variable radii, the largest diameter allowed. */
  readonly diameter: number;
  readonly mixed: boolean;
  /** Variable radii turn `crowds` on. */
  readonly crowds: boolean;
  readonly measures: Measures;
  /** Null unless `continuous`. */
  readonly continuousCounts: ContinuousCounts | null;
  readonly warning: string | null;
  readonly times: StageTimes | undefined;
}

/** Calls `use`. If `use` throws an ArgumentError, throws a UsageError that also names the state file. */
function nameStateFile<Result>(path: string | undefined, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new UsageError(`--from is ${path}, in which ${error.message}`);
  }
}

/**
 * Describes the state from which the run continues. A state of a driven scene has gravity and obstacles as they were
 * at one moment, so they no longer move.
 */
function describeState(path: string | undefined, scene: string | undefined): string {
  const ofScene = scene === undefined ? '' : `, a state of the scene ${scene}`;
  const withoutDrive = isDriven(scene ?? '') ? ', whose gravity and obstacles no longer move' : '';
  return `continued from ${path}${ofScene}${withoutDrive}`;
}

function refuseSceneFlags(given: Given): void {
  const names = ['scene', 'count', 'seed', ...SCENE_SHAPE_FLAGS]
    .filter((name) => given.has(name))
    .map((name) => `--${name}`);
  if (names.length > 0) {
    throw new UsageError(
      `--from continues with the particles and the world of its state, so it cannot be given with ${names.join(', ')}.`,
    );
  }
}

/** Refuses an --image that would overwrite the file of --from or --out. But --out may overwrite the file of --from. */
function refuseSharedPaths(given: Given): void {
  const image = given.get('image');
  if (image === undefined) return;
  for (const name of ['from', 'out']) {
    const path = given.get(name);
    if (path !== undefined && resolve(path) === resolve(image)) {
      throw new UsageError(`--image is ${image}, but that is the file of --${name}; choose another file.`);
    }
  }
}

async function run(
  simulation: { step(dt: number): void },
  drive: () => void,
  dt: number,
  steps: number,
  total: number,
  settle: () => Promise<unknown>,
): Promise<void> {
  const progress = new Progress('steps', total);
  let batch = 1;
  for (let done = 0; done < steps; ) {
    const began = performance.now();
    const end = Math.min(steps, done + batch);
    while (done < end) {
      drive();
      simulation.step(dt);
      done++;
    }
    await settle();
    const took = performance.now() - began;
    batch = Math.max(1, Math.min(64, Math.round((batch * BATCH_MS) / Math.max(took, 1))));
    progress.show(done);
  }
  progress.end();
}

export function describeWorld({ kind, period }: Pick<World, 'kind' | 'period'>): string {
  const axes = ['x', 'y', 'z'].filter((_, axis) => period[axis]);
  if (kind !== 'periodic') return kind === 'bounded' ? 'box' : kind;
  return `periodic along ${axes.join(' and ')}`;
}

async function checkWritable(name: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const existing = await stat(path).catch(() => undefined);
  if (existing) {
    const writable =
      existing.isFile() &&
      (await access(path, constants.W_OK).then(
        () => true,
        () => false,
      ));
    if (!writable)
      throw new UsageError(`--${name} is ${path}, but it must be a file that can be written to.`);
  }
  const folder = dirname(resolve(path));
  await access(folder, constants.W_OK).catch(() => {
    throw new UsageError(
      `--${name} is ${path}, but its folder ${folder} does not exist or cannot be written to.`,
    );
  });
}

async function save(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes).catch((error: NodeJS.ErrnoException) => {
    throw new CellstormError(`${path} could not be written (${error.code}).`);
  });
}

async function readState(path: string | undefined, dimensions: number): Promise<SceneState | undefined> {
  if (path === undefined) return undefined;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--from is ${path}, which cannot be read (${error.code}).`);
  });
  const checkpoint = decodeCheckpoint(bytes, '--from', new Phrase(`${path} (${bytes.length} bytes)`));
  if (checkpoint.dimensions !== dimensions) {
    throw new UsageError(
      `--from is a state in ${checkpoint.dimensions}D, but --dimensions is ${dimensions}; pass --dimensions ${checkpoint.dimensions}.`,
    );
  }
  return checkpoint;
}

function describe(report: Report, given: Given): string {
  const { measures, times, diameter, continuousCounts } = report;
  const share = (overlap: number) =>
    `${formatFigure(overlap)} (${((100 * overlap) / diameter).toFixed(2)}% of ${report.mixed ? 'the largest' : 'a'} diameter)`;
  const rows = [
    ['adapter', report.adapter],
    [
      'scene',
      `${report.scene}, ${report.dimensions}D, ${formatCount(report.count)} particles${report.seed === null ? '' : `, seed ${report.seed}`}`,
    ],
    [
      'run',
      `${formatCount(report.steps)} steps of ${report.dt.toFixed(6)} s in ${report.seconds.toFixed(2)} s, ${report.stepsPerSecond.toFixed(1)} steps/s`,
    ],
    [
      'world',
      `${report.world}; ${formatCount(report.cells)} ${report.world === 'unbounded' ? 'buckets, cells' : 'cells'} ${formatFigure(report.cellSize)} wide`,
    ],
    ['memory', formatBytes(report.memoryBytes)],
    ['candidates', formatCount(measures.candidates)],
    ['contacts', formatCount(measures.contacts)],
    ['borderline', formatCount(measures.borderline)],
    ['occupied cells', formatCount(measures.occupiedCells)],
    ['fullest cell', formatCount(measures.greatestOccupancy)],
    ['crowded', formatCount(measures.crowded)],
    ['outside', formatCount(measures.outside)],
    ['not finite', formatCount(measures.nonFinite)],
    ['kinetic energy', formatFigure(measures.kineticEnergy)],
    ['momentum', measures.momentum.map(formatFigure).join(', ')],
    ['deepest overlap', share(measures.deepestOverlap)],
    ['mean overlap', share(measures.meanOverlap)],
    ['state hash', measures.hash],
  ];
  if (continuousCounts) {
    const { swept, paths, hits, held, substepped } = continuousCounts;
    rows.push([
      'last step',
      `${formatCount(swept)} fast particles; ${formatCount(paths)} paths followed, ${formatCount(hits)} ended at a hit, ${formatCount(held)} held back; ${formatCount(substepped)} would be fast without substeps`,
    ]);
  }
  const written = ['out', 'image'].flatMap((name) => given.get(name) ?? []);
  if (written.length > 0) rows.push(['written', written.join(', ')]);
  const width = widthOf(process.stdout);
  let text = `${formatWrapped(rows, width)}\n`;
  if (report.warning !== null) text += `${wrapText(report.warning, width)}\n`;
  if (times) text += describeTimes(times, width);
  return text;
}

export function describeTimes({ source, stages, total, discarded }: StageTimes, width: number): string {
  const rows = Object.entries(stages).map(([name, milliseconds]) => [
    `  ${name}`,
    milliseconds.toFixed(3),
    `${((100 * milliseconds) / Math.max(total, 1e-9)).toFixed(0)}%`,
  ]);
  const table = formatTable([...rows, ['  all', total.toFixed(3), '']], [false, true, true]);
  const text = `time per pass of the last step, ms (${source})\n${table}\n`;
  if (!discarded) return text;
  const passes = `${formatCount(discarded)} ${discarded === 1 ? 'pass' : 'passes'}`;
  return `${text}${wrapText(`The device's clock ran backwards in ${passes}, whose time is missing above.`, width)}\n`;
}
