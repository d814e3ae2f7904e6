/** Yardsticks for gpu-grid: the dense grid of bench/native, written for CUDA, with the same cells as gpu-grid. */
import { defineWorld } from '../../../src/core/world/world';
import {
  AbsentError,
  type Found,
  type NativeEngine,
  type NativeRunner,
  type OwnDevice,
} from '../../harness/engine';
import { LEAST_SHARE } from '../../harness/gpu-clock';
import type { BenchScene } from '../../harness/scenes';
import { workOfGrid } from '../gpu/cell-work';
import { chooseCells, refuseEmptiness } from '../gpu/grids';
import { NativeProgram, type Started } from './program';

/** The rows of cells that a query searches: only those ahead of the body in the order of cells, or all around it. */
type Rows = 'ahead' | 'around';

const ABSENT =
  'Left out without its program: build it with npm run bench:native, then give its path with --native.';

export function createCudaGrids(program?: string): readonly NativeEngine[] {
  const devices = new Map<number, OwnDevice>();
  const create = (name: string, rows: Rows, about: string): NativeEngine => ({
    name,
    backend: 'gpu',
    native: true,
    about,
    absent: program === undefined ? ABSENT : undefined,
    refuse: (scene) => (scene.radii ? 'It supports only one radius.' : refuseEmptiness(scene)),
    open: (scene, copyBytes) => {
      if (program === undefined) throw new AbsentError(ABSENT);
      return openGrid(program, scene, rows, copyBytes, devices);
    },
  });
  return [
    create(
      'cuda-grid',
      'ahead',
      'The yardstick for gpu-grid: sorts into the same cells with CUDA, and searches only the rows ahead of each body.',
    ),
    create(
      'cuda-grid-around',
      'around',
      'Like cuda-grid, but searches all rows around each body, as neighbour kernels do.',
    ),
  ];
}

/** `devices` caches the measured device per size of copies. */
async function openGrid(
  path: string,
  scene: BenchScene,
  rows: Rows,
  copyBytes: number,
  devices: Map<number, OwnDevice>,
): Promise<NativeRunner> {
  const started = await NativeProgram.start(path);
  const { program } = started;
  try {
    const device = devices.get(copyBytes) ?? (await measureDevice(started, copyBytes));
    devices.set(copyBytes, device);
    const { dimensions, count, radius, min, max } = scene;
    const { cellSize } = chooseCells(scene);
    const world = defineWorld({ dimensions, min, max, cellSize }, 2 * radius, count);
    const words = [
      dimensions,
      count,
      world.diameter,
      world.inverseCellSize,
      ...world.min,
      ...world.cells,
      rows,
    ];
    const [memoryBytes = 0] = await program.ask(`open ${words.join(' ')}`, 1);
    return {
      device,
      memoryBytes,
      place: async (positions) => void (await program.ask('place', 0, [positions])),
      roll: async (frames) => void (await program.ask(`roll ${frames.length}`, 0, frames)),
      find: async (): Promise<Found> => {
        const [pairs = 0, checksum = 0] = await program.ask('find', 2);
        return { pairs, checksum };
      },
      time: async (parts, batch) => {
        const [milliseconds = 0] = await program.ask(`time ${batch} ${parts.join(' ')}`, 1);
        return milliseconds / batch;
      },
      countWork: (positions) => {
        // `around` visits a pair from both of its bodies, `ahead` from one.
        const around = workOfGrid(world, positions);
        const candidates = rows === 'ahead' ? around.tests / 2 : around.tests;
        return { ...around, candidates, tests: candidates };
      },
      destroy: () => program.destroy(),
    };
  } catch (error) {
    await program.destroy();
    throw error;
  }
}

async function measureDevice({ program, greeting }: Started, wanted: number): Promise<OwnDevice> {
  const { device: name, clock, clockStep } = greeting;
  const [copyBytes = 0, milliseconds = 0, share = 0] = await program.ask(`copy ${wanted}`, 3);
  if (share < LEAST_SHARE) {
    throw new Error(
      `The ${clock} of ${name} measured ${Math.round(100 * share)}% of the wall time of copies, but must measure at least ${Math.round(100 * LEAST_SHARE)}% to be trusted.`,
    );
  }
  return { name, clock, clockStep, copyBytes, copyBytesPerMs: (2 * copyBytes) / milliseconds };
}
