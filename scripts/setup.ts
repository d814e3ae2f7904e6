/**
 * `npm run setup` prepares a machine for the tests; `npm test` runs it first. Installs Chrome and software Vulkan
 * drivers if they are missing. If Chrome or every driver is still missing, prints what to do. With --compiler, also
 * installs a C compiler, which `npm run bench:isa` and its test need.
 */
import { allowsNoGpu } from '../src/testing/environment';
import { installChromeAndDriver, installCompiler } from '../src/testing/install';

const say = (line: string) => process.stdout.write(`setup: ${line}\n`);
if (process.argv.includes('--compiler')) installCompiler(say);
try {
  await installChromeAndDriver({ say });
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : String(error)}\n`);
  if (!allowsNoGpu()) process.exit(1);
}
