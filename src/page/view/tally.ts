/**
 * Counts each particle's neighbours on the GPU, for colours (shaders/page/tally.wgsl). 'contacts' counts overlapping
 * particles. 'density' counts particles within DENSITY_REACH diameters.
 */
import text from '../../../shaders/page/tally.wgsl?raw';
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { defineWorld } from '../../core/world/world';
import { CellSort, type SortBinding } from '../../engine/grid/cell-sort';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import { bodyFloats } from '../../gpu/layout';
import { SharedParameters } from '../../gpu/params';
import type { Gpu, SimulationOptions, World } from '../../index';
import {
  EACH_HEAVY,
  EACH_PARTICLE,
  finerBinding,
  heavyBinding,
  neighbourFlags,
  neighbourModules,
  splitsCrowds,
  type Variant,
  variantName,
} from '../../passes/modules';
import { type ParticleGroup, ParticlePass } from '../../passes/particle-pass';
import { DENSITY_REACH } from '../model/colour';
import type { GpuSimulationView } from '../model/simulation-view';

export type Counted = 'contacts' | 'density';

interface Parts {
  readonly [name: string]: unknown;
  readonly sort: CellSort;
  readonly parameters: SharedParameters;
  readonly pass: ParticlePass<Record<string, GPUBuffer | undefined>>;
  readonly owned: BufferSet<'ids' | 'positions' | 'tallies'>;
}

export function describeTally(variant: Variant, heavy = false): KernelDescription {
  return {
    label: `page.tally${variantName(variant)}${heavy ? '.heavy' : ''}`,
    dimensions: variant.dimensions,
    sources: [
      ...neighbourModules(variant, 'grid'),
      { name: 'page/tally.wgsl', text },
      ...(heavy ? EACH_HEAVY : [EACH_PARTICLE]),
    ],
    entryPoint: heavy ? 'each_heavy' : 'each_particle',
    bindings: {
      position_in: 'read array<PackedBody>',
      start: 'read array<u32>',
      cell_of_slot: 'read array<Cell>',
      id_in: 'read array<u32>',
      tallies: 'write array<u32>',
      ...finerBinding(variant),
      ...heavyBinding(variant, heavy),
    },
    flags: { ...neighbourFlags(variant, 'grid', heavy) },
  };
}

export class Tally {
  private readonly sorting: SortBinding;
  private readonly group: ParticleGroup;

  private constructor(
    private readonly simulation: GpuSimulationView,
    private readonly world: World,
    private readonly substep: Substep,
    private readonly parts: Parts,
    position: GPUBuffer,
  ) {
    const { sort, pass, owned } = parts;
    const { positions, ids, tallies } = owned.buffers;
    this.sorting = sort.bind({ position }, { position: positions, id: ids });
    this.group = pass.bind({
      position_in: positions,
      start: sort.start,
      cell_of_slot: sort.cellOfSlot,
      id_in: ids,
      tallies,
      finer: sort.finerList,
      crowd: sort.heavy,
    });
  }

  static async create(
    gpu: Gpu,
    simulation: GpuSimulationView,
    options: SimulationOptions,
    counted: Counted,
  ): Promise<Tally> {
    const { dimensions, capacity } = simulation;
    const { positions } = simulation.buffers;
    const world = counted === 'density' ? widerWorld(simulation, options) : simulation.world;
    const parts = await createParts<Parts>({
      sort: CellSort.create(gpu, world, capacity, { ids: false, velocities: false }),
      parameters: SharedParameters.create(gpu, dimensions, 'page.tally'),
      pass: createPass(gpu, world),
      owned: createBuffers(gpu, 'page.tally', {
        ids: 4 * capacity,
        positions: 4 * bodyFloats(world) * capacity,
        tallies: 4 * capacity,
      }),
    });
    const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
    return new Tally(simulation, world, substep, parts, positions);
  }

  /** One u32 per slot. */
  get counts(): GPUBuffer {
    return this.parts.owned.buffers.tallies;
  }

  encode(encoder: GPUCommandEncoder): void {
    const { sort, parameters, pass } = this.parts;
    const { count } = this.simulation;
    parameters.recordInto(() => {
      const shared = parameters.write(this.world, count, this.substep);
      const recorded = encoder.beginComputePass({ label: 'page.tally' });
      for (const stage of sort.stages(shared, this.sorting, count, false)) stage.encode(recorded);
      pass.encode(recorded, shared, this.group, count);
      recorded.end();
    });
  }

  destroy(): void {
    const { sort, parameters, owned } = this.parts;
    for (const part of [sort, parameters, owned]) part.destroy();
  }
}

/** Returns the simulation's world with cells that are at least as wide as the reach of 'density'. */
function widerWorld(
  { dimensions, capacity, radius, world }: GpuSimulationView,
  options: SimulationOptions,
): World {
  const { periodic, crowds } = options;
  const { min, max } = world;
  const bounds = world.kind === 'unbounded' ? ({ unbounded: true } as const) : { min, max, periodic };
  return defineWorld({ dimensions, crowds, ...bounds }, 2 * radius * DENSITY_REACH, capacity);
}

async function createPass(gpu: Gpu, world: World): Promise<Parts['pass']> {
  const [all, heavy] = await Promise.all([
    Kernel.create(gpu, describeTally(world)),
    splitsCrowds(world, 'grid') ? Kernel.create(gpu, describeTally(world, true)) : undefined,
  ]);
  return new ParticlePass(all, heavy);
}
