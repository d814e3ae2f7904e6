/**
 * Host of shaders/solve/ccd: ends the paths of fast particles at their first hit. If no particle is fast, most
 * dispatches have no workgroups, or workgroups that return at once (see Kernel.encodeCounted).
 */

import claim from '../../../shaders/solve/ccd/claim.wgsl?raw';
import countersAtomic from '../../../shaders/solve/ccd/counters_atomic.wgsl?raw';
import countersRead from '../../../shaders/solve/ccd/counters_read.wgsl?raw';
import fastHits from '../../../shaders/solve/ccd/fast_hits.wgsl?raw';
import file from '../../../shaders/solve/ccd/file.wgsl?raw';
import firstHit from '../../../shaders/solve/ccd/first_hit.wgsl?raw';
import impact from '../../../shaders/solve/ccd/impact.wgsl?raw';
import land from '../../../shaders/solve/ccd/land.wgsl?raw';
import link from '../../../shaders/solve/ccd/link.wgsl?raw';
import links from '../../../shaders/solve/ccd/links.wgsl?raw';
import list from '../../../shaders/solve/ccd/list.wgsl?raw';
import noteLevel from '../../../shaders/solve/ccd/note_level.wgsl?raw';
import obstacleImpact from '../../../shaders/solve/ccd/obstacle_impact.wgsl?raw';
import obstacleNormal from '../../../shaders/solve/ccd/obstacle_normal.wgsl?raw';
import pathLinks from '../../../shaders/solve/ccd/path_links.wgsl?raw';
import paths from '../../../shaders/solve/ccd/paths.wgsl?raw';
import plan from '../../../shaders/solve/ccd/plan.wgsl?raw';
import slowHits from '../../../shaders/solve/ccd/slow_hits.wgsl?raw';
import strike from '../../../shaders/solve/ccd/strike.wgsl?raw';
import {
  FILE_DISPATCH,
  LOOPING_WORKGROUPS,
  PATH_DISPATCH,
  ROUND_DISPATCH,
  STILL_DISPATCH,
  WORKGROUP_SIZE,
} from '../../core/base/constants';
import {
  AROUND_FAST,
  AROUND_SLOW,
  CCD_ROUNDS,
  MOST_TANGENTS,
  OVERLAP_SHARE,
  PIECE_SHARE,
  SHORTEST_TANGENT,
  TO_WALL,
} from '../../core/ccd/law';
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

const LAW = {
  AROUND_FAST,
  AROUND_SLOW,
  MOST_TANGENTS,
  OVERLAP_SHARE,
  PIECE_SHARE,
  SHORTEST_TANGENT,
  TO_WALL,
};

/** Words of `dispatches`: three counts of workgroups for each of four dispatches. See PATH_DISPATCH. */
export const CCD_DISPATCHES = 12;

export interface CcdBuffers {
  /** Positions after the integration of the substep. */
  readonly position_in: GPUBuffer;
  readonly velocity_in: GPUBuffer;
  readonly id_in: GPUBuffer;
  /** Velocities at the ends of paths, in a buffer as long as `velocity_in`. */
  readonly struck: GPUBuffer;
  /** See CCD_PATHS in core/base/constants.ts. */
  readonly counters: GPUBuffer;
  /** CCD_DISPATCHES words with usage INDIRECT. */
  readonly dispatches: GPUBuffer;
  /**
   * One word per bucket, then one per list of paths, one per particle, and two per node of a list. The words of buckets
   * and lists must be zero before `encode`, and are zero after it.
   */
  readonly links: GPUBuffer;
  /** First hits at walls, slow particles and obstacles: per particle, a key (see core/ccd/law.ts) and the partner. */
  readonly first: GPUBuffer;
  /** Hits that even rounds read and odd rounds write, in the form of `first`. They include hits at fast particles. */
  readonly even: GPUBuffer;
  /** Hits that odd rounds read and even rounds write. */
  readonly odd: GPUBuffer;
  /**
   * Two words per particle: the path that bounces off it, if the particle is slow (claim.wgsl). Must be zero before
   * `encode`, and is zero after it.
   */
  readonly claims: GPUBuffer;
  /** Cell starts, then obstacles. Needed with obstacles. */
  readonly start?: GPUBuffer | undefined;
}

/** A file in shaders/solve/ccd; its kernels share their bindings. */
type Part = 'plan' | 'list' | 'file' | 'slow_hits' | 'link' | 'fast_hits' | 'claim' | 'strike' | 'land';

const STATE = { position_in: 'read array<PackedBody>', velocity_in: 'read array<Stored>' } as const;

const BINDINGS: Readonly<Record<Part, Bindings>> = {
  plan: { counters: 'write array<u32>', dispatches: 'write array<u32>' },
  list: { ...STATE, counters: 'write array<atomic<u32>>' },
  file: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'write array<atomic<u32>>',
    counters: 'write array<atomic<u32>>',
  },
  slow_hits: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'read array<u32>',
    counters: 'read array<u32>',
    first: 'write array<vec2u>',
  },
  link: {
    ...STATE,
    links: 'write array<atomic<u32>>',
    counters: 'read array<u32>',
    first: 'write array<vec2u>',
    hits_out: 'write array<vec2u>',
  },
  fast_hits: {
    ...STATE,
    id_in: 'read array<u32>',
    links: 'read array<u32>',
    counters: 'write array<atomic<u32>>',
    first: 'read array<vec2u>',
    hits_in: 'read array<vec2u>',
    hits_out: 'write array<vec2u>',
  },
  claim: {
    ...STATE,
    id_in: 'read array<u32>',
    counters: 'read array<u32>',
    hits: 'read array<vec2u>',
    claims: 'write array<atomic<u32>>',
  },
  strike: {
    ...STATE,
    id_in: 'read array<u32>',
    counters: 'read array<u32>',
    hits: 'read array<vec2u>',
    claims: 'read array<u32>',
    velocity_out: 'write array<Stored>',
  },
  land: {
    position_in: 'write array<PackedBody>',
    velocity_in: 'write array<Stored>',
    id_in: 'read array<u32>',
    counters: 'write array<atomic<u32>>',
    hits: 'read array<vec2u>',
    claims: 'write array<atomic<u32>>',
    struck: 'read array<Stored>',
  },
};

const TEXTS = {
  claim,
  counters_atomic: countersAtomic,
  counters_read: countersRead,
  fast_hits: fastHits,
  file,
  first_hit: firstHit,
  impact,
  land,
  link,
  links,
  list,
  note_level: noteLevel,
  obstacle_impact: obstacleImpact,
  obstacle_normal: obstacleNormal,
  path_links: pathLinks,
  paths,
  plan,
  slow_hits: slowHits,
  strike,
} as const;

type Module = keyof typeof TEXTS;

/** `modulesOf` adds further modules. */
const MODULES: Readonly<Record<Part, readonly Module[]>> = {
  plan: [],
  list: ['counters_atomic', 'note_level'],
  file: ['links', 'counters_atomic', 'note_level'],
  slow_hits: ['links', 'counters_read', 'paths', 'first_hit'],
  link: ['links', 'path_links', 'counters_read', 'paths'],
  fast_hits: ['links', 'path_links', 'counters_atomic', 'paths', 'first_hit'],
  claim: ['counters_read', 'paths'],
  strike: ['counters_read', 'paths'],
  land: ['counters_atomic', 'paths'],
};

const STEPS = {
  begin: 'plan',
  reset: 'plan',
  plan: 'plan',
  next: 'plan',
  list: 'list',
  farthest: 'list',
  file: 'file',
  sweep: 'file',
  still: 'slow_hits',
  link: 'link',
  unlink: 'link',
  meet: 'fast_hits',
  claim_first: 'claim',
  claim_lowest: 'claim',
  strike: 'strike',
  land: 'land',
} as const satisfies Readonly<Record<string, Part>>;

export type CcdStep = keyof typeof STEPS;

export const CCD_STEPS = Object.keys(STEPS) as CcdStep[];

/** Steps whose kernels are the same in every kind of world. */
export const CCD_PLANS = CCD_STEPS.filter((step) => STEPS[step] === 'plan');

export const STEPS_AT_OBSTACLES = ['still', 'strike'] as const satisfies readonly CcdStep[];

function moduleOf(name: Module): ShaderSource {
  return { name: `solve/ccd/${name}.wgsl`, text: TEXTS[name] };
}

function modulesOf(variant: Variant, part: Part): ShaderSource[] {
  if (part === 'plan') return [PARAMS, moduleOf('plan')];
  const { levels, obstacles } = variant;
  const modules = MODULES[part].filter((name) => levels || name !== 'note_level');
  return [
    ...blockModules(variant),
    ...(levels ? [PARTICLE, CONTACT] : []),
    CONTACT_LAW,
    moduleOf('impact'),
    ...obstacleStores(variant),
    ...(obstacles && levels ? [moduleOf('obstacle_impact')] : []),
    ...(obstacles && part === 'strike' ? [moduleOf('obstacle_normal')] : []),
    ...modules.map(moduleOf),
    moduleOf(part),
  ];
}

export interface CcdBinding {
  readonly groups: Readonly<Record<Exclude<Part, 'fast_hits'>, GPUBindGroup>>;
  /** The bind groups of even and of odd rounds. */
  readonly rounds: readonly [GPUBindGroup, GPUBindGroup];
  readonly dispatches: GPUBuffer;
}

export class CcdPass {
  private constructor(
    private readonly kernels: Readonly<Record<CcdStep, Kernel>>,
    private readonly hasLevels: boolean,
  ) {}

  static describe(variant: Variant, step: CcdStep): KernelDescription {
    const part = STEPS[step];
    const meetsObstacles = (STEPS_AT_OBSTACLES as readonly CcdStep[]).includes(step);
    // No step reads finer entries, so the number of levels does not matter.
    const levels = variant.levels ? MAX_LEVELS : 0;
    const own: Variant =
      part === 'plan'
        ? { dimensions: variant.dimensions, kind: 'bounded', levels }
        : { ...variant, levels, obstacles: meetsObstacles && variant.obstacles === true };
    return {
      label: `solve.ccd.${step}${worldName(own)}`,
      dimensions: variant.dimensions,
      sources: modulesOf(own, part),
      entryPoint: step,
      bindings: { ...BINDINGS[part], ...(own.obstacles ? { start: 'read array<u32>' } : {}) },
      flags: { ...worldFlags(own), ALL_LEVELS: true, OBSTACLES: own.obstacles === true },
      constants: {
        ...obstacleConstants({ ...variant, obstacles: true }),
        ...LAW,
      },
    };
  }

  static async create(gpu: Gpu, variant: Variant): Promise<CcdPass> {
    const kernels = await Promise.all(
      CCD_STEPS.map(async (step) => {
        const description = CcdPass.describe(variant, step);
        return [step, await Kernel.create(gpu, description, 'now')] as const;
      }),
    );
    return new CcdPass(Object.fromEntries(kernels) as Record<CcdStep, Kernel>, (variant.levels ?? 0) > 0);
  }

  bind(buffers: CcdBuffers): CcdBinding {
    const { kernels } = this;
    const { even, odd, struck, dispatches } = buffers;
    // `link` writes the even hits, and the number of rounds is even, so the last round writes them again.
    const named = { ...buffers, hits_out: even, hits: even, velocity_out: struck };
    const round = (hits_in: GPUBuffer, hits_out: GPUBuffer) =>
      kernels.meet.bind({ ...buffers, hits_in, hits_out });
    return {
      groups: {
        plan: kernels.plan.bind(named),
        list: kernels.list.bind(named),
        file: kernels.file.bind(named),
        slow_hits: kernels.still.bind(named),
        link: kernels.link.bind(named),
        claim: kernels.claim_first.bind(named),
        strike: kernels.strike.bind(named),
        land: kernels.land.bind(named),
      },
      rounds: [round(even, odd), round(odd, even)],
      dispatches,
    };
  }

  /** Record it before the first substep of a time step. */
  encodeBegin(pass: GPUComputePassEncoder, shared: SharedBinding, { groups }: CcdBinding): void {
    this.kernels.begin.encode(pass, shared, groups.plan, 1);
  }

  /** Record it between the integration and the sort. */
  encode(pass: GPUComputePassEncoder, shared: SharedBinding, binding: CcdBinding, count: number): void {
    const { kernels } = this;
    const { groups, rounds, dispatches } = binding;
    const single = (step: 'reset' | 'plan' | 'next') => kernels[step].encode(pass, shared, groups.plan, 1);
    const mostOfThreads = Math.min(Math.ceil(count / WORKGROUP_SIZE), LOOPING_WORKGROUPS);
    const mostOfSearches = this.hasLevels ? Math.min(count, LOOPING_WORKGROUPS) : mostOfThreads;
    const workgroups = (word: number, most: number) => ({ buffer: dispatches, offset: 4 * word, most });
    const counted = (step: Exclude<CcdStep, 'meet'>, word: number, most = mostOfThreads) => {
      const group = groups[STEPS[step] as Exclude<Part, 'fast_hits'>];
      kernels[step].encodeCounted(pass, shared, group, workgroups(word, most));
    };
    single('reset');
    kernels.list.encode(pass, shared, groups.list, Math.ceil(count / WORKGROUP_SIZE));
    single('plan');
    counted('file', FILE_DISPATCH);
    counted('still', STILL_DISPATCH, mostOfSearches);
    counted('link', PATH_DISPATCH);
    for (let round = 0; round < CCD_ROUNDS; round++) {
      if (round > 0) single('next');
      const group = rounds[round % 2] as GPUBindGroup;
      kernels.meet.encodeCounted(pass, shared, group, workgroups(ROUND_DISPATCH, mostOfSearches));
    }
    counted('claim_first', PATH_DISPATCH);
    counted('claim_lowest', PATH_DISPATCH);
    counted('strike', PATH_DISPATCH);
    counted('unlink', PATH_DISPATCH);
    counted('land', PATH_DISPATCH);
    counted('sweep', FILE_DISPATCH);
  }

  /** Finds the greatest distance that a particle may move in a time step, in diameters of that particle. */
  encodeFarthest(
    pass: GPUComputePassEncoder,
    shared: SharedBinding,
    { groups }: CcdBinding,
    count: number,
  ): void {
    this.kernels.reset.encode(pass, shared, groups.plan, 1);
    this.kernels.farthest.encode(pass, shared, groups.list, Math.ceil(count / WORKGROUP_SIZE));
  }
}
