/** Purpose: `cellstorm info`: what this machine offers, how many particles fit, and what they cost. */
import { cpus, totalmem } from 'node:os';
import { BYTES_PER_CELL, bytesPerParticle } from '../engine/memory';
import { greatestCount } from '../gpu/device';
import { openDawn } from '../node/dawn';
import { type Flags, oneOf, parseFlags } from './arguments';
import { BACKEND_FLAG, BACKENDS, describeAdapter, describeCpu, openGpu } from './backend';
import { formatBytes, formatCount, formatTable } from './output';

export const INFO_FLAGS: Flags = {
  backend: BACKEND_FLAG,
  json: { help: 'print one JSON object' },
  help: { help: 'print this' },
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
      const { particles, limit, bytes } = greatestCount(limits, dimensions);
      return {
        dimensions,
        particles,
        bytesPerParticle: bytesPerParticle(dimensions),
        bytesPerCell: BYTES_PER_CELL,
        why: `${limit} is ${formatBytes(limits[limit as (typeof LIMITS)[number]])}, and the largest buffer takes ${bytes} bytes a particle; all buffers together take ${formatBytes(particles * bytesPerParticle(dimensions))}, which the device must have free`,
      };
    }),
  };
  host.gpu.destroy();
  return report;
}

function describeCpuMachine(): Report {
  const bytes = ([2, 3] as const).map((dimensions) => 4 * (2 * (2 * dimensions + 1) + 4));
  return {
    adapter: `${describeCpu()}, ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    features: [],
    limits: { memory: totalmem() },
    fits: ([2, 3] as const).map((dimensions, index) => ({
      dimensions,
      particles: Math.floor(totalmem() / 2 / (bytes[index] as number)),
      bytesPerParticle: bytes[index] as number,
      bytesPerCell: BYTES_PER_CELL,
      why: `half of the machine's ${formatBytes(totalmem())}`,
    })),
  };
}

function printReport(report: Report): void {
  const lines = [
    `adapter   ${report.adapter}`,
    `features  ${report.features.join(', ') || 'none'}`,
    'limits',
  ];
  lines.push(
    formatTable(
      Object.entries(report.limits).map(([name, value]) => [
        `  ${name}`,
        formatCount(value),
        value >= 1 << 20 ? formatBytes(value) : '',
      ]),
      [false, true, true],
    ),
    'greatest number of particles',
  );
  for (const fit of report.fits) {
    lines.push(
      `  ${fit.dimensions}D  ${formatCount(fit.particles)}  (${fit.bytesPerParticle} bytes a particle, ${fit.bytesPerCell} a cell)`,
      `      because ${fit.why}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
