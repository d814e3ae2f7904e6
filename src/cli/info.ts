/** `cellstorm info`: prints this machine's limits and how many particles fit. */
import { cpus, totalmem } from 'node:os';
import { defaultCellCount } from '../core/simulation/default-box';
import { BYTES_PER_CELL, bytesPerParticle, estimateMemory } from '../engine/simulation/memory';
import { greatestCount } from '../gpu/device';
import { openDawn } from '../node/dawn';
import { type Flags, HELP_FLAG, oneOf, parseFlags } from './arguments';
import {
  BACKEND_FLAG,
  BACKENDS,
  CPU_BYTES_PER_PARTICLE,
  describeAdapter,
  describeCpu,
  greatestOnCpu,
  openGpu,
} from './backend';
import { formatBytes, formatCount, formatTable, formatWrapped, widthOf } from './output';

export const INFO_FLAGS: Flags = {
  backend: BACKEND_FLAG,
  json: { help: 'print one JSON object' },
  help: HELP_FLAG,
};

const LIMITS = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupsPerDimension',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
] as const;

export async function info(argv: readonly string[]): Promise<number> {
  const given = parseFlags('info', INFO_FLAGS, argv);
  const backend = oneOf(given, 'backend', BACKENDS) ?? 'gpu';
  const report = backend === 'cpu' ? describeCpuMachine() : await describeGpuMachine();
  if (given.has('json')) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  else printReport(report);
  return 0;
}

interface Report {
  readonly adapter: string;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
  readonly fits: readonly {
    readonly dimensions: 2 | 3;
    readonly particles: number;
    readonly bytesPerParticle: number;
    readonly bytesPerCell: number;
    readonly why: string;
  }[];
}

async function describeGpuMachine(): Promise<Report> {
  const dawn = await openDawn();
  const adapter = await dawn.gpu.requestAdapter();
  const host = await openGpu(1, 1, 2);
  const limits = adapter?.limits ?? host.gpu.device.limits;
  const report: Report = {
    adapter: describeAdapter(host),
    features: [...(adapter?.features ?? [])].sort(),
    limits: Object.fromEntries(LIMITS.map((name) => [name, limits[name]])),
    fits: ([2, 3] as const).map((dimensions) => {
      const { particles, limit, buffer } = greatestCount(limits, dimensions);
      const cells = defaultCellCount(dimensions, particles);
      const total = formatBytes(estimateMemory(dimensions, particles, cells));
      return {
        dimensions,
        particles,
        bytesPerParticle: bytesPerParticle(dimensions),
        bytesPerCell: BYTES_PER_CELL,
        why: `${limit} is ${formatCount(limits[limit as (typeof LIMITS)[number]])}, which the buffer of ${buffer} reaches first (in the default box, with ${(cells / particles).toFixed(2)} cells per particle); all buffers together need ${total} of free device memory`,
      };
    }),
  };
  host.gpu.destroy();
  return report;
}

function describeCpuMachine(): Report {
  return {
    adapter: `${describeCpu()}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    features: [],
    limits: { memory: totalmem() },
    fits: ([2, 3] as const).map((dimensions) => ({
      dimensions,
      particles: greatestOnCpu(dimensions),
      bytesPerParticle: CPU_BYTES_PER_PARTICLE[dimensions],
      bytesPerCell: 0,
      why: `this machine has ${formatBytes(totalmem())}`,
    })),
  };
}

function printReport(report: Report): void {
  const width = widthOf(process.stdout);
  const machine = [
    ['adapter', report.adapter],
    ['features', report.features.join(', ') || 'none'],
  ];
  const lines = [formatWrapped(machine, width), 'limits'];
  lines.push(
    formatTable(
      Object.entries(report.limits).map(([name, value]) => [
        `  ${name}`,
        formatCount(value),
        value >= 1 << 20 ? formatBytes(value) : '',
      ]),
      [false, true, true],
    ),
    'most particles that fit',
  );
  for (const fit of report.fits) {
    lines.push(
      `  ${fit.dimensions}D  ${formatCount(fit.particles)}  (${fit.bytesPerParticle} bytes per particle, ${fit.bytesPerCell} per cell)`,
      formatWrapped([['    ', `because ${fit.why}`]], width),
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
