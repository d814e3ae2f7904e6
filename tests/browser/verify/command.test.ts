/** Runs the built command with a real browser, and with programs that only pretend to be a browser. */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { chrome } from '../../../scripts/browser';
import { browserTest } from '../../helpers/browser';
import { builtModules, builtPages } from '../../helpers/built/packed';
import { type CommandOutcome, temporaryFolder, withoutProgress } from '../../helpers/command-line';

const folder = temporaryFolder();
const dist = join(folder, 'dist');
/** The command's folder for profiles, which it must leave empty. */
const profiles = join(folder, 'profiles');
const FEW = ['--scene', 'lattice', '--dimensions', '2', '--count', '64'];

const CASE = { scene: 'lattice', dimensions: 2, count: 64, check: 'list', pass: true, detail: '3 pairs' };
const REPORT = {
  ...{ version: '0', runtime: 'none', adapter: 'made up', options: {}, cases: [CASE], complaints: [] },
  ...{ notes: [], seconds: 1, hash: '0123456789abcdef', pass: true },
};
const WRONG = { ...CASE, pass: false, detail: 'pair 0 is 1 and 2 instead of 1 and 3' };

function run(...argv: string[]): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(dist, 'cli.js'), 'verify', ...argv], {
      env: { ...process.env, TMPDIR: profiles, CELLSTORM_DRIVER: 'software' },
    });
    const outcome = { out: '', error: '' };
    child.stdout.on('data', (text) => {
      outcome.out += text;
    });
    child.stderr.on('data', (text) => {
      outcome.error += text;
    });
    child.on('close', (code) => resolve({ code, out: outcome.out, error: withoutProgress(outcome.error) }));
  });
}

let made = 0;

/** Writes a program that pretends to be a browser. `code` may call `post` with an answer or a text. */
function pretend(code: string): string {
  const path = join(folder, `browser-${++made}`);
  writeFileSync(
    path,
    `#!${process.execPath}
const address = process.argv.at(-1);
const post = async (answer) => {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  await fetch(new URL('report', address), { method: 'POST', body });
};
(async () => { ${code} })();
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Writes a program that posts these answers, then waits to be ended. */
function answering(...answers: readonly unknown[]): string {
  return pretend(
    `for (const one of ${JSON.stringify(answers)}) await post(one); setInterval(() => undefined, 1000);`,
  );
}

const ended = (report: object) => ({ kind: 'ended', report: { ...REPORT, ...report } });

describe('cellstorm verify --browser', () => {
  beforeAll(async () => {
    mkdirSync(profiles);
    for (const built of [await builtModules(), await builtPages()]) cpSync(built, dist, { recursive: true });
  });

  browserTest('passes in a real browser, and prints only JSON on stdout', { tags: 'full' }, async () => {
    const { code, out } = await run('--browser', chrome?.command ?? '', '--json', ...FEW);
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ pass: true, complaints: [], options: { scenes: ['lattice'] } });
    expect(report.runtime).toContain('Chrome');
    expect(report.cases.length).toBeGreaterThan(10);
    expect(report.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(readdirSync(profiles)).toEqual([]);
  });

  browserTest('gives the recorded hashes of 3D in a real browser', { tags: 'full' }, async () => {
    const { code, out } = await run(
      '--browser',
      chrome?.command ?? '',
      '--exact',
      '--dimensions',
      '3',
      '--json',
    );
    const { cases, complaints } = JSON.parse(out);
    expect(cases.filter(({ pass }: { pass: boolean }) => !pass)).toEqual([]);
    expect({ code, complaints, count: cases.length }).toEqual({ code: 0, complaints: [], count: 8 });
  });

  test('prints a table, and exits with 1 on a mismatch', async () => {
    const answers = [
      { kind: 'scenes', scenes: [] },
      { kind: 'began', adapter: 'made up' },
      { kind: 'progress', what: 'lattice', done: 0, total: 1 },
      { kind: 'case', found: CASE },
      { kind: 'case', found: WRONG },
      ended({ cases: [CASE, WRONG], pass: false }),
    ];
    const { code, out, error } = await run('--browser', answering(...answers));
    expect(out.split('\n')).toEqual([
      'made up',
      '',
      expect.stringMatching(/^ +scene +particles +check +found$/),
      expect.stringMatching(/^ok +lattice +2D +64 +list +3 pairs$/),
      expect.stringMatching(/^FAIL +lattice +2D +64 +list +pair 0 is 1 and 2 instead of 1 and 3$/),
      '',
      '1 of 2 checks passed. Hash of all states: 0123456789abcdef. Took 1.0 s.',
      '',
    ]);
    expect({ code, error }).toEqual({ code: 1, error: '' });
  });

  test('takes the first browser found if none is named, and prints its path', async () => {
    const path = answering(ended({}));
    vi.stubEnv('CHROME_PATH', path);
    const { code, out, error } = await run('--browser', '--json');
    vi.unstubAllEnvs();
    expect({ code, error }).toEqual({ code: 0, error: `The first browser found is ${path}.\n` });
    expect(JSON.parse(out)).toMatchObject({ pass: true });
  });

  test('passes its options to the page in the address, and serves no other files', async () => {
    const seen = join(folder, 'seen.json');
    const path = pretend(`
      const statusOf = async (path) => (await fetch(new URL(path, address))).status;
      const page = await fetch(address);
      const seen = {
        query: new URL(address).search,
        page: [page.status, page.headers.get('content-type')],
        others: [await statusOf('nothing.js'), await statusOf('/verify.html'), await statusOf('..%2fcli.js')],
      };
      require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(seen));
      await post(${JSON.stringify(ended({}))});`);
    const { code } = await run('--browser', path, ...FEW, '--steps', '3', '--seed', '7');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({
      query: '?report&scene=lattice&dimensions=2&count=64&seed=7&steps=3',
      page: [200, 'text/html'],
      others: [404, 404, 404],
    });
    await run('--browser', path, '--exact', '--dimensions', '2');
    expect(JSON.parse(readFileSync(seen, 'utf8')).query).toBe('?report&exact&dimensions=2');
  });

  test('ends a browser that reports nothing, and all its processes', { tags: 'full' }, async () => {
    const beats = join(folder, 'beats');
    const child = `setInterval(() => require('node:fs').appendFileSync(${JSON.stringify(beats)}, '.'), 50)`;
    const path = pretend(
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}]);
       setInterval(() => undefined, 1000);`,
    );
    const { code, out, error } = await run('--browser', path, '--limit', '2', '--json');
    expect(error).toBe(
      `cellstorm: ${path} reported nothing for 2 s: it did not open the page. --limit allows a longer silence.\n`,
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(readdirSync(profiles)).toEqual([]);
    const before = existsSync(beats) ? readFileSync(beats).length : 0;
    expect(before).toBeGreaterThan(0);
    await new Promise((done) => setTimeout(done, 500));
    expect(readFileSync(beats)).toHaveLength(before);
  });

  test('names the last check of a browser that falls silent', async () => {
    const path = answering({ kind: 'progress', what: 'pile 2D, 257 particles: list', done: 3, total: 52 });
    const { code, error } = await run('--browser', path, '--limit', '1');
    expect(error).toContain(
      'reported nothing for 1 s: its last check is pile 2D, 257 particles: list. --limit',
    );
    expect(code).toBe(1);
  });

  test.for([
    ['cannot be started', () => join(dist, 'cli.js'), / could not be started \(EACCES\)/],
    [
      'ends at once',
      () => pretend("console.error('no display'); process.exit(3);"),
      / ended with code 3; its last output: no display \(before that, it did not open the page\)\.$/,
    ],
    [
      'reports nonsense',
      () => answering('hello'),
      / reported something that is no answer of the page verify\.html\.$/,
    ],
    [
      'reports half an answer',
      () => answering({ kind: 'case' }),
      / reported something that is no answer of the page verify\.html\.$/,
    ],
    [
      'has no WebGPU',
      () =>
        answering(ended({ adapter: 'none', cases: [], pass: false, error: 'This browser has no WebGPU.' })),
      / could not check anything: This browser has no WebGPU\. To get WebGPU without a GPU, install Chrome/,
    ],
  ] as const)('says that a browser %s', async ([, make, message]) => {
    const path = make();
    if (path.endsWith('cli.js')) chmodSync(path, 0o644);
    const { code, out, error } = await run('--browser', path, '--json');
    expect(error.trim()).toMatch(message);
    expect(error.startsWith(`cellstorm: ${path}`)).toBe(true);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(readdirSync(profiles)).toEqual([]);
  });
});
