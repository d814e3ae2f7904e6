/**
 * Host of shaders/solve/ccd/ccd.wgsl: fast particles put where their paths end, a kernel a step of it. Which take how many
 * threads the GPU decides: none where nobody is fast.
 */

import text from '../../../shaders/solve/ccd/ccd.wgsl?raw';
import flight from '../../../shaders/solve/ccd/impact.wgsl?raw';
import {
  FILE_DISPATCH,
  PATH_DISPATCH,
  ROUND_DISPATCH,
  STILL_DISPATCH,
  WORKGROUP_SIZE,
} from '../../core/base/constants';
import { FLIGHT_ROUNDS } from '../../core/ccd/law';
import { MAX_LEVELS } from '../../core/world/world';
import type { Bindings } from '../../gpu/bindings';
import type { Gpu } from '../../gpu/device';
import { Kernel, type KernelDescription } from '../../gpu/kernel';
import type { ShaderSource } from '../../gpu/link';
import type { SharedBinding } from '../../gpu/params';
import {
  CONTACT,
  CONTACT_LAW,
  obstacleConstants,
  obstacleStores,
  PARAMS,
  PARTICLE,
  type Variant,
  worldFlags,
  worldName,
} from '../modules';
import { blockModules } from '../search-modules';

export interface FlightBuffers {
  /** The ends of a substep's motion. */
  readonly position_in: GPUBuffer;
  readonly velocity_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  /** Overwritten: as long as velocities. */
  readonly struck: GPUBuffer;
  /** See FLIGHT_PATHS in core/base/constants.ts. */
  readonly flights: GPUBuffer;
  /** FLIGHT_DISPATCHES words, usage INDIRECT. */
  readonly dispatches: GPUBuffer;
  /** A word a bucket, a list of paths and a particle, two a node; those of buckets and lists zero before and after. */
  readonly links: GPUBuffer;
  /** Two words a particle each; claims are zero before and after. */
  readonly first: GPUBuffer;
  readonly even: GPUBuffer;
  readonly odd: GPUBuffer;
  readonly claims: GPUBuffer;
  /** Starts, with obstacles behind them; needed where there are any. */
  readonly start?: GPUBuffer | undefined;
}

/** What is compiled together, by the flag in the shader. */
type Part = 'PLAN' | 'LIST' | 'FILE' | 'STILL' | 'LINK' | 'MEET' | 'CLAIM' | 'STRIKE' | 'LAND';

const STATE = { position_in: 'read array<PackedBody>', velocity_in: 'read array<Stored>' } as const;

const BINDINGS: Readonly<Record<Part, Bindings>> = {
  PLAN: { flights: 'write array<u32>', dispatches: 'write array<u32>' },
  LIST: { ...STATE, flights: 'write array<atomic<u32>>' },
  FILE: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'write array<atomic<u32>>',
    flights: 'write array<atomic<u32>>',
  },
  STILL: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'read array<u32>',
    flights: 'read array<u32>',
    first: 'write array<vec2u>',
  },
  LINK: {
    ...STATE,
    links: 'write array<atomic<u32>>',
    flights: 'read array<u32>',
    first: 'write array<vec2u>',
    hits_out: 'write array<vec2u>',
  },
  MEET: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'read array<u32>',
    flights: 'write array<atomic<u32>>',
    first: 'read array<vec2u>',
    hits_in: 'read array<vec2u>',
    hits_out: 'write array<vec2u>',
  },
  CLAIM: {
    ...STATE,
    id_in: 'read array<u32>',
    flights: 'read array<u32>',
    hits: 'read array<vec2u>',
    claims: 'write array<atomic<u32>>',
  },
  STRIKE: {
    ...STATE,
    id_in: 'read array<u32>',
    flights: 'read array<u32>',
    hits: 'read array<vec2u>',
    claims: 'read array<u32>',
    velocity_out: 'write array<Stored>',
  },
  LAND: {
    position_in: 'write array<PackedBody>',
    velocity_in: 'write array<Stored>',
    id_in: 'read array<u32>',
    flights: 'write array<atomic<u32>>',
    hits: 'read array<vec2u>',
    claims: 'write array<atomic<u32>>',
    struck: 'read array<Stored>',
  },
};

const PARTS = Object.keys(BINDINGS) as Part[];

/** Each kernel and the part that it is of. */
const STEPS = {
  begin: 'PLAN',
  reset: 'PLAN',
  plan: 'PLAN',
  next: 'PLAN',
  list: 'LIST',
  farthest: 'LIST',
  file: 'FILE',
  sweep: 'FILE',
  still: 'STILL',
  link: 'LINK',
  unlink: 'LINK',
  meet: 'MEET',
  claim_first: 'CLAIM',
  claim_lowest: 'CLAIM',
  strike: 'STRIKE',
  land: 'LAND',
} as const satisfies Readonly<Record<string, Part>>;

export type FlightStep = keyof typeof STEPS;

export const FLIGHT_STEPS = Object.keys(STEPS) as FlightStep[];

/** Those that are the same in every world, but for sizes. */
export const FLIGHT_PLANS = FLIGHT_STEPS.filter((step) => STEPS[step] === 'PLAN');

/** Parts that look for obstacles. */
const FACING: readonly Part[] = ['STILL', 'STRIKE'];

/** What parts have in common, by the flag in the shader. */
const SHARED: Readonly<Record<string, readonly Part[]>> = {
  /** They look into lists. */
  FILED: ['FILE', 'STILL', 'LINK', 'MEET'],
  /** They know the pieces of paths in lists. */
  LINKED: ['LINK', 'MEET'],
  /** They go over paths. */
  PATHS: ['STILL', 'LINK', 'MEET', 'CLAIM', 'STRIKE', 'LAND'],
  /** They choose the first of several hits. */
  CHOOSING: ['STILL', 'MEET'],
  /** They count while they go, or go by what was counted. */
  COUNTING: ['LIST', 'MEET', 'LAND'],
  /** They note on which levels anybody is. */
  NOTING: ['LIST', 'FILE'],
  READING: ['STILL', 'LINK', 'CLAIM', 'STRIKE'],
};

const FLIGHT: ShaderSource = { name: 'solve/ccd/impact.wgsl', text: flight };

/** The world with blocks of cells and the paths in them; the kernel declares `position_in` and `velocity_in`. */
function flightModules(variant: Variant): ShaderSource[] {
  const contacts = variant.levels ? [PARTICLE, CONTACT] : [];
  return [...blockModules(variant), ...contacts, CONTACT_LAW, FLIGHT, ...obstacleStores(variant)];
}

export interface FlightBinding {
  readonly groups: Readonly<Record<Exclude<Part, 'MEET'>, GPUBindGroup>>;
  /** From the even hits to the odd ones, and back. */
  readonly rounds: readonly [GPUBindGroup, GPUBindGroup];
  readonly dispatches: GPUBuffer;
}

export class Flight {
  private constructor(private readonly kernels: Readonly<Record<FlightStep, Kernel>>) {}

  static describe(variant: Variant, step: FlightStep, workgroupsPerDimension: number): KernelDescription {
    const part = STEPS[step];
    const faces = FACING.includes(part);
    // Whether there are finer entries makes no difference to any, and the world none to plans.
    const levels = variant.levels ? MAX_LEVELS : 0;
    const own: Variant =
      part === 'PLAN'
        ? { dimensions: variant.dimensions, kind: 'bounded', levels }
        : { ...variant, levels, obstacles: faces && variant.obstacles === true };
    const flags = [
      ...PARTS.map((name) => [name, name === part] as const),
      ...Object.entries(SHARED).map(([name, parts]) => [name, parts.includes(part)] as const),
    ];
    return {
      label: `solve.flight.${step}${worldName(own)}`,
      dimensions: variant.dimensions,
      sources: [...(part === 'PLAN' ? [PARAMS] : flightModules(own)), { name: 'solve/ccd/ccd.wgsl', text }],
      entryPoint: step,
      bindings: { ...BINDINGS[part], ...(own.obstacles ? { start: 'read array<u32>' } : {}) },
      flags: {
        ...Object.fromEntries(flags),
        ...worldFlags(own),
        OBSTACLES: own.obstacles === true,
      },
      constants: {
        ...obstacleConstants({ ...variant, obstacles: true }),
        MOST_WORKGROUPS: workgroupsPerDimension,
      },
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<Flight> {
    const kernels = await Promise.all(
      FLIGHT_STEPS.map(async (step) => {
        const description = Flight.describe(variant, step, gpu.workgroupsPerDimension);
        return [step, await Kernel.create(gpu, description, 'now')] as const;
      }),
    );
    return new Flight(Object.fromEntries(kernels) as Record<FlightStep, Kernel>);
  }

  bind(buffers: FlightBuffers): FlightBinding {
    const { kernels } = this;
    const { even, odd, struck, dispatches } = buffers;
    // The first round reads the even hits, which the link step wrote, and the last of an even number writes them.
    const named = { ...buffers, hits_out: even, hits: even, velocity_out: struck };
    const round = (hits_in: GPUBuffer, hits_out: GPUBuffer) =>
      kernels.meet.bind({ ...buffers, hits_in, hits_out });
    return {
      groups: {
        PLAN: kernels.plan.bind(named),
        LIST: kernels.list.bind(named),
        FILE: kernels.file.bind(named),
        STILL: kernels.still.bind(named),
        LINK: kernels.link.bind(named),
        CLAIM: kernels.claim_first.bind(named),
        STRIKE: kernels.strike.bind(named),
        LAND: kernels.land.bind(named),
      },
      rounds: [round(even, odd), round(odd, even)],
      dispatches,
    };
  }

  /** Before the first substep of a step. */
  encodeBegin(pass: GPUComputePassEncoder, shared: SharedBinding, { groups }: FlightBinding): void {
    this.kernels.begin.encode(pass, shared, groups.PLAN, 1);
  }

  /** Between integrating and the sort. */
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: FlightBinding, count: number): void {
    const { kernels } = this;
    const { groups, rounds, dispatches } = binding;
    const alone = (step: 'reset' | 'plan' | 'next') => kernels[step].encode(pass, shared, groups.PLAN, 1);
    const indirect = (step: Exclude<FlightStep, 'meet'>, word: number) => {
      const group = groups[STEPS[step] as Exclude<Part, 'MEET'>];
      kernels[step].encodeIndirect(pass, shared, group, { buffer: dispatches, offset: 4 * word });
    };
    alone('reset');
    kernels.list.encode(pass, shared, groups.LIST, Math.ceil(count / WORKGROUP_SIZE));
    alone('plan');
    indirect('file', FILE_DISPATCH);
    indirect('still', STILL_DISPATCH);
    indirect('link', PATH_DISPATCH);
    for (let round = 0; round < FLIGHT_ROUNDS; round++) {
      if (round > 0) alone('next');
      const group = rounds[round % 2] as GPUBindGroup;
      kernels.meet.encodeIndirect(pass, shared, group, { buffer: dispatches, offset: 4 * ROUND_DISPATCH });
    }
    indirect('claim_first', PATH_DISPATCH);
    indirect('claim_lowest', PATH_DISPATCH);
    indirect('strike', PATH_DISPATCH);
    indirect('unlink', PATH_DISPATCH);
    indirect('land', PATH_DISPATCH);
    indirect('sweep', FILE_DISPATCH);
  }

  /** How far, in its own diameters, anybody may move in a step. */
  encodeFarthest(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    { groups }: FlightBinding,
    count: number,
  ): void {
    this.kernels.reset.encode(pass, shared, groups.PLAN, 1);
    this.kernels.farthest.encode(pass, shared, groups.LIST, Math.ceil(count / WORKGROUP_SIZE));
  }
}
