/**
 * Purpose: the scenes of other methods than collisions: their names, what they are, and what they bring. Loaded with the page;
 * what makes and runs them (liquid-scenes.ts, liquid-start.ts …) is loaded when one is chosen.
 */
import type { WorldKind } from '../../core/world/world';
import { ALL_SCENES } from '../../scenes';

export type Method = 'collisions' | 'liquid' | 'flock';

export interface MethodScene {
  readonly name: string;
  readonly description: string;
  readonly method: Exclude<Method, 'collisions'>;
  /** Downwards, length / s². */
  readonly gravity: number;
  readonly substeps: number;
}

/** Metres and seconds. */
const EARTH = 9.8125;
/** So that nobody goes farther than two cells in a substep: see heightOf in liquid-scenes.ts. */
export const LIQUID_SUBSTEPS = 3;

const LIQUID = { method: 'liquid', gravity: EARTH, substeps: LIQUID_SUBSTEPS } as const;

export const METHOD_SCENES: readonly MethodScene[] = [
  {
    name: 'dam-break',
    description:
      'A liquid: a column of water is let go, runs along the tank and breaks against the far wall.',
    ...LIQUID,
  },
  {
    name: 'two-drops',
    description: 'A liquid: two drops meet in the air and fall into a shallow pool.',
    ...LIQUID,
  },
  {
    name: 'wave-tank',
    description: 'A liquid: a paddle goes to and fro, and its waves break on a beach.',
    ...LIQUID,
  },
  {
    name: 'fountain',
    description:
      'A liquid: jets rise from a nozzle and fall into a pool that drains through its floor; particles come and go.',
    ...LIQUID,
  },
  {
    name: 'murmuration',
    description: 'A flock: birds fly as those near them do, and part before a hunter. The sky wraps around.',
    method: 'flock',
    gravity: 0,
    substeps: 1,
  },
];

export interface PageScene {
  readonly name: string;
  readonly description: string;
  readonly world?: WorldKind | undefined;
  readonly method: Method;
}

/** Of every scene that the page has. */
export const PAGE_SCENES: readonly PageScene[] = [
  ...ALL_SCENES.map((scene) => ({ ...scene, method: 'collisions' as const })),
  ...METHOD_SCENES,
];

export function findMethodScene(name: string): MethodScene | undefined {
  return METHOD_SCENES.find((scene) => scene.name === name);
}

/** What runs a scene; particles from a file always collide. */
export function methodOf({ scene, opened }: { readonly scene: string; readonly opened?: unknown }): Method {
  return opened ? 'collisions' : (findMethodScene(scene)?.method ?? 'collisions');
}
