/** To link user code, the linker renames what shaders declare, so it must find the same names in stripped shaders. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stripShaders } from '../../../scripts/strip-shaders';
import { DECLARATION } from '../../../src/gpu/link';

const ROOT = fileURLToPath(new URL('../../../shaders/', import.meta.url));
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.wgsl'))
  .map((name) => [name, `${ROOT}${name}`] as const);

function declaredIn(text: string): string[] {
  return text.split('\n').flatMap((line) => DECLARATION.exec(line)?.[1] ?? []);
}

async function strip(path: string): Promise<string> {
  const load = stripShaders.load as (id: string) => Promise<string>;
  return JSON.parse((await load(`${path}?raw`)).replace(/^export default (.*);$/s, '$1'));
}

it.each(files)('%s declares the same names in a build as in its file', async (_, path) => {
  const plain = readFileSync(path, 'utf8');
  const stripped = await strip(path);
  expect(stripped.length).toBeLessThanOrEqual(plain.length);
  expect(declaredIn(stripped)).toEqual(declaredIn(plain));
});

it.each([
  ['fn main() {', 'main'],
  ['@compute @workgroup_size(64) fn main() {', 'main'],
  ['@compute @workgroup_size(64)fn main(){', 'main'],
  ['var<workgroup> shared_sums: array<u32, 64>;', 'shared_sums'],
  ['var<workgroup>shared_sums:array<u32,64>;', 'shared_sums'],
  ['@group(0) @binding(1) var picture: texture_2d<f32>;', 'picture'],
  ['@group(0)@binding(1)var picture:texture_2d<f32>;', 'picture'],
  ['const MOST = 3u;', 'MOST'],
  ['var low=block.low;', undefined],
  ['let high=2u;', undefined],
  ['constant+=1u;', undefined],
])('DECLARATION finds, in "%s", the name %s', (line, name) => {
  expect(DECLARATION.exec(line)?.[1]).toBe(name);
});
