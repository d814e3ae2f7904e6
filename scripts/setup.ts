/**
 * `npm run setup` prepares a machine for the tests; `npm test` runs it first. Installs Chrome and software Vulkan
 * drivers if they are missing. If Chrome is still missing, or all drivers are, prints what to do.
 */
import { allowsNoGpu } from '../src/testing/environment';
import { installChromeAndDriver } from '../src/testing/install';

try {
  await installChromeAndDriver({ say: (line) => process.stdout.write(`setup: ${line}\n`) });
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : String(error)}\n`);
  if (!allowsNoGpu()) process.exit(1);
}
