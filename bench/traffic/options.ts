/** Reads the flags of `npm run bench:traffic`. Wrong flags throw a CellstormError. */
import { parseArgs } from 'node:util';
import { type Given, realNumber, severalOf, wholeNumber, wholeNumbers } from '../../src/cli/arguments';
import { CellstormError } from '../../src/core/base/errors';
import type { TrafficRequest } from './measure';

const SCENES = ['grid', 'uniform', 'pile', 'clustered'] as const;
/** A record of an access has 24 bits for the index, and a buffer may have several elements per particle. */
const MOST_PARTICLES = 4e6;
const MOST_L2 = 1024;
const MOST_STEPS = 10_000;

export interface TrafficOptions {
  readonly requests: readonly TrafficRequest[];
  readonly l2Bytes: number;
  readonly steps: number;
  /** Bytes per second. */
  readonly bandwidth: number;
  readonly sites: boolean;
  readonly json: string | undefined;
  readonly baseline: string | undefined;
}

export function readOptions(args: readonly string[]): TrafficOptions {
  const { sites, ...values } = parse(args);
  const given: Given = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  const counts = wholeNumbers(given, 'count', 1, MOST_PARTICLES) as number[];
  const scenes = severalOf(given, 'scene', SCENES) as (typeof SCENES)[number][];
  const dimensions = severalOf(given, 'dimensions', ['2', '3']) as ('2' | '3')[];
  const l2Bytes = 1e6 * (wholeNumber(given, 'l2', 1, MOST_L2) as number);
  const steps = wholeNumber(given, 'steps', 0, MOST_STEPS) as number;
  const bandwidth = realNumber(given, 'bandwidth') as number;
  if (bandwidth <= 0) {
    throw new CellstormError(`--bandwidth is ${values.bandwidth}, but it must be above 0 TB/s, such as 4.3.`);
  }
  const requests = counts.flatMap((count) =>
    dimensions.flatMap((dimension) =>
      scenes.map((name): TrafficRequest => {
        const [program, scene] = name === 'grid' ? (['grid', 'uniform'] as const) : (['step', name] as const);
        return { program, scene, count, dimensions: dimension === '2' ? 2 : 3, l2Bytes, steps };
      }),
    ),
  );
  const { json, baseline } = values;
  return { requests, l2Bytes, steps, bandwidth: 1e12 * bandwidth, sites, json, baseline };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        count: { type: 'string', default: '65536' },
        scene: { type: 'string', default: SCENES.join(',') },
        dimensions: { type: 'string', default: '2,3' },
        l2: { type: 'string', default: '50' },
        steps: { type: 'string', default: '8' },
        bandwidth: { type: 'string', default: '4.3' },
        sites: { type: 'boolean', default: false },
        json: { type: 'string' },
        baseline: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const flags = '--count, --scene, --dimensions, --l2, --steps, --bandwidth, --sites, --json, --baseline';
    throw new CellstormError(`${error.message.replace(/\.?$/, '.')} The flags are ${flags}.`, {
      cause: error,
    });
  }
}
