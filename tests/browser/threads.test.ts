/** Tests that a page built from the package by a bundler runs threads if it has SharedArrayBuffer. */

import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { launchChrome } from '../../src/testing/chrome';
import { browserTest } from '../helpers/browser';
import { builtModules } from '../helpers/built/packed';

const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Steps a simulation in one thread and in two, and builds grids in one and in three. */
const PROGRAM = `
  import { createCpuGrid, createCpuSimulation } from './dist/cpu.js';
  globalThis.play = async () => {
    const positions = Float32Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 9973 / 9973 * 70);
    const box = { dimensions: 2, min: [0, 0], max: [70, 70] };
    const simulations = [1, 2].map((threads) => createCpuSimulation({ ...box, radius: 0.4, positions, threads }));
    const grids = [1, 3].map((threads) => createCpuGrid({ ...box, diameter: 0.8, capacity: 5000, threads }));
    const isWaiting = () => simulations[1].threads < 2 || grids[1].threads < 3;
    while (isWaiting() && grids[1].warnings.length === 0) await new Promise((done) => setTimeout(done, 10));
    for (const simulation of simulations) for (let step = 0; step < 3; step++) simulation.step(1 / 60);
    for (const grid of grids) grid.build(positions);
    return {
      threads: [simulations[1].threads, grids[1].threads],
      warnings: grids[1].warnings,
      hashes: simulations.map((simulation) => simulation.measure().hash),
      pairs: grids.map((grid) => grid.findPairs().pairs.join()),
    };
  };`;

interface Played {
  readonly threads: readonly number[];
  readonly warnings: readonly string[];
  readonly hashes: readonly string[];
  readonly pairs: readonly string[];
}

describe('a page with threads', () => {
  let folder = '';
  let headers: Readonly<Record<string, string>> = {};
  const server = createServer(async ({ url = '/' }, response) => {
    const file = url === '/' ? '/index.html' : url;
    const type = file.endsWith('.html') ? 'text/html' : 'text/javascript';
    const text = await readFile(join(folder, 'built', file)).catch(() => undefined);
    response.writeHead(text ? 200 : 404, { 'Content-Type': type, ...headers }).end(text);
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cellstorm-threads-'));
    await cp(await builtModules(), join(folder, 'dist'), { recursive: true });
    await writeFile(join(folder, 'index.html'), '<script type="module" src="./page.js"></script>');
    await writeFile(join(folder, 'page.js'), PROGRAM);
    await build({ root: folder, configFile: false, logLevel: 'error', build: { outDir: 'built' } });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const play = async (sent: typeof headers): Promise<Played> => {
    headers = sent;
    const browser = await launchChrome(puppeteer, { gpu: 'software', checkAdapter: false });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return (await page.evaluate('globalThis.play()')) as Played;
    } finally {
      await browser.close();
    }
  };

  browserTest('gets the same bits as with one thread', { tags: 'full' }, async () => {
    const { threads, warnings, hashes, pairs } = await play(ISOLATED);
    expect({ threads, warnings }).toEqual({ threads: [2, 3], warnings: [] });
    expect(hashes[1]).toBe(hashes[0]);
    expect(pairs[1]).toBe(pairs[0]);
    expect(pairs[0]?.length).toBeGreaterThan(100);
  });

  browserTest('uses one thread without the headers, and says why', { tags: 'full' }, async () => {
    const { threads, warnings, hashes, pairs } = await play({});
    expect(threads).toEqual([1, 1]);
    expect(warnings).toEqual([expect.stringContaining('SharedArrayBuffer is missing')]);
    expect(hashes[1]).toBe(hashes[0]);
    expect(pairs[1]).toBe(pairs[0]);
  });
});
