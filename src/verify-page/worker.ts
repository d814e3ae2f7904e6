/**
 * Runs the checks in a worker, because the reference blocks its thread for seconds. Vite bundles this worker into one
 * file. In the package, scripts/build.ts replaces that file by one that loads the package's modules.
 */
import { version } from '../../package.json';
import { GpuError } from '../core/base/errors';
import { nameAdapter } from '../gpu/adapter-name';
import { type Gpu, requestGpu } from '../gpu/device';
import { explainGpuError } from '../gpu/explain';
import { sceneNames } from '../scenes';
import type { VerifyAnswer } from '../verify/answers';
import { verifyExact } from '../verify/golden';
import { reportOf } from '../verify/report';
import { describeCaps, largestVerified, type VerifyCase, type VerifyOptions, verify } from '../verify/verify';

addEventListener('message', ({ data }: MessageEvent<VerifyOptions>) => run(data));
say({ kind: 'scenes', scenes: sceneNames() });

async function run(options: VerifyOptions): Promise<void> {
  const began = performance.now();
  const cases: VerifyCase[] = [];
  const complaints: string[] = [];
  let adapter = 'none';
  let gpu: Gpu | undefined;
  const end = (error?: string) =>
    say({
      kind: 'ended',
      report: reportOf({
        version,
        runtime: navigator.userAgent,
        adapter,
        options,
        cases,
        complaints,
        notes: error === undefined && !options.exact ? describeCaps(options) : [],
        seconds: (performance.now() - began) / 1000,
        ...(error !== undefined && { error }),
      }),
    });
  try {
    gpu = await requestGpu({
      ...largestVerified(options),
      gpu: navigator.gpu,
      powerPreference: 'high-performance',
    });
    adapter = nameAdapter(gpu.info);
    gpu.device.addEventListener('uncapturederror', ({ error }) => complaints.push(error.message));
    say({ kind: 'began', adapter });
    const onStart = (what: string, done: number, total: number) =>
      say({ kind: 'progress', what, done, total });
    const checks = [
      ...(options.exact ? [] : [verify({ gpu }, options, onStart)]),
      // The recorded simulations have their own scenes, so a choice of scenes leaves them out.
      ...(options.scenes ? [] : [verifyExact({ gpu }, options.dimensions ?? [2, 3])]),
    ];
    for (const group of checks) {
      for await (const found of group) {
        cases.push(found);
        say({ kind: 'case', found });
        // After a loss of the device, every further check would fail.
        gpu.checkAlive();
      }
    }
    end();
  } catch (error) {
    end(error instanceof GpuError ? explainGpuError(error) : (error as Error).message);
  } finally {
    gpu?.destroy();
  }
}

function say(answer: VerifyAnswer): void {
  postMessage(answer);
}
