import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exports } from '../../../package.json';
import { buildDocs } from '../../../scripts/docs';
import { listDocuments } from '../../../scripts/docs/contents';
import { findDeadLinks } from '../../../scripts/docs/links';
import { answerFrom } from '../../../scripts/serve-docs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const UNDOCUMENTED = 'does not have any documentation';
const FULL = { tags: 'full' };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cellstorm-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the documentation', () => {
  let built: Promise<string[]> | undefined;
  const build = () => {
    built ??= buildDocs(join(folder, 'docs'), true);
    return built;
  };
  const read = (path: string) => readFileSync(join(folder, 'docs', path), 'utf8');
  const pages = () =>
    readdirSync(join(folder, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    );

  test('has no dead link, and contains every type that it names', FULL, async () => {
    expect((await build()).filter((problem) => !problem.includes(UNDOCUMENTED))).toEqual([]);
  });

  test('documents every export and every member', FULL, async () => {
    expect((await build()).filter((problem) => problem.includes(UNDOCUMENTED))).toEqual([]);
  });

  test('has a page for each document and each entry of the package', FULL, async () => {
    await build();
    const documents = pages().filter((page) => page.startsWith('documents'));
    expect(documents).toHaveLength(listDocuments(ROOT).size);
    expect(documents.length).toBeGreaterThan(30);
    const entries = Object.keys(exports)
      .filter((name) => !name.endsWith('.json'))
      .map((name) => name.replace('.', 'cellstorm'));
    const modules = pages().flatMap((page) => /^modules\W(.*)\.html$/.exec(page)?.[1] ?? []);
    expect(modules.sort()).toEqual(entries.map((name) => name.replace('/', '_')).sort());
    for (const [index, name] of entries.sort().entries()) {
      expect(read(`modules/${modules[index]}.html`)).toContain(`<h1>Module ${name}</h1>`);
    }
    expect(read('index.html')).toContain('npm</span><span class="hl-');
  });

  test('finds guides and exports by name and by text', FULL, async () => {
    await build();
    const [, packed = ''] = /"(.*)"/.exec(read('assets/search.js')) ?? [];
    const { rows, index } = JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString()) as {
      rows: { name: string; url: string }[];
      index: { invertedIndex: [word: string, fields: object][] };
    };
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Worlds', 'createSimulation', 'createCpuGrid', 'Fluid']));
    expect(rows.filter(({ url }) => !existsSync(join(folder, 'docs', url.replace(/#.*/, ''))))).toEqual([]);
    // The guide of grains contains this word.
    expect(index.invertedIndex.map(([word]) => word)).toContain('hourglass');
  });

  test('needs no network, and links back to the main page', FULL, async () => {
    await build();
    for (const page of pages()) {
      expect(read(page), page).not.toMatch(/<(?:script|link|img)\b[^>]* (?:src|href)="(?:https?:)?\/\//);
      const above = '../'.repeat(page.split(/[\\/]/).length);
      expect(read(page), page).toContain(`href="${above}index.html"`);
    }
    const pictures = readdirSync(join(folder, 'docs/media'));
    expect(pictures).toContain('picture.webp');
    for (const picture of pictures) expect(picture).toMatch(/\.webp$/);
  });
});

describe('the search for dead links', () => {
  test('follows paths and anchors, in subfolders too', () => {
    const site = join(folder, 'site');
    mkdirSync(join(site, 'sub'), { recursive: true });
    const links = (...targets: string[]) => targets.map((target) => `<a href="${target}">x</a>`).join('');
    writeFileSync(
      join(site, 'index.html'),
      `<h1 id="top">${links('#top', '#nothing', 'sub/a%20b.html#here', 'sub/none.html', '../page.html', 'https://a.b')}`,
    );
    writeFileSync(
      join(site, 'sub/a b.html'),
      `<p id="here">${links('../index.html#top', '../index.html#here')}<img alt="" src="no.png"><a href="no.png">`,
    );
    expect(findDeadLinks(site, ['../page.html'])).toEqual([
      'index.html links to #nothing, which does not exist.',
      'index.html links to sub/none.html, which does not exist.',
      'sub/a b.html links to ../index.html#here, which does not exist.',
      'sub/a b.html links to no.png, which does not exist.',
    ]);
    expect(findDeadLinks(site, [])).toContain('index.html links to ../page.html, which does not exist.');
  });
});

describe('the development server', () => {
  test('serves the built documentation, or says how to build it', async () => {
    const site = join(folder, 'served');
    mkdirSync(site);
    writeFileSync(join(site, 'index.html'), '<h1>built</h1>');
    writeFileSync(join(folder, 'secret.txt'), 'outside');
    const server = createServer(answerFrom(site)).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    try {
      expect(await get('/index.html?query#anchor')).toEqual([200, 'text/html', '<h1>built</h1>']);
      const missing = [404, 'text/plain', expect.stringContaining('Run `npm run docs`')];
      expect(await get('/none.html')).toEqual(missing);
      expect(await get('/..%2fsecret.txt')).toEqual(missing);
      expect(await get('/%ff')).toEqual(missing);
    } finally {
      server.close();
    }
  });

  test('and the built pages link to the documentation at the same address', () => {
    expect(readFileSync(join(ROOT, 'index.html'), 'utf8')).toContain('href="./docs/index.html"');
  });
});
