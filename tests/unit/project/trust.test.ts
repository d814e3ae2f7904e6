import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../trust', import.meta.url));

/** The parts that each command's results must have, and their sizes. */
const PARTS = {
  soak: { 'gpu-steps': { steps: 100_000 }, 'cpu-steps': { steps: 100_000 }, cycles: { cycles: 500 } },
  faults: {
    'lost-destroyed': {},
    'lost-unknown': {},
    memory: {},
    limits: {},
    scenes: { scenes: 10_000 },
    damage: { files: 20_000 },
  },
} as const;

describe.each(Object.entries(PARTS))('the results of npm run test:%s', (command, parts) => {
  const text = readFileSync(join(FOLDER, `${command}.json`), 'utf8');
  const results = JSON.parse(text).parts as Record<string, Record<string, unknown>>;

  test.each(Object.entries(parts))('have no failure in the part %s', (part, sizes) => {
    expect(results[part]).toMatchObject({ failed: 0, ...sizes });
    expect(results[part]?.passed).toBeGreaterThan(0);
    expect(results[part]?.command).toMatch(new RegExp(`^npm run test:${command} -- .*--only ${part}$`));
  });

  test('contain no paths of the machine', () => {
    expect(text).not.toMatch(/\/(?:home|root|tmp|work|Users)\//);
  });
});
