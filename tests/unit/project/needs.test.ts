import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as constants from '../../../src/core/base/constants';
import { isPredeclared, KEYWORDS } from '../../../src/engine/grid/wgsl-names';
import { BODY_SOURCE, DIMENSION_SOURCES } from '../../../src/gpu/link';

const ROOT = new URL('../../../shaders/', import.meta.url);
const DECLARATION = /^(?:@.*? )?(?:fn|struct|alias|const|var(?:<[^>]*>)?) (\w+)/gm;

/**
 * Matches an attribute with its arguments, but only the name of `@workgroup_size`, because modules must list the names
 * in its arguments.
 */
const ATTRIBUTE = /@(?!workgroup_size)\w+(\(\w+\))?|@workgroup_size/g;

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.wgsl'))
  .sort();

function declaredIn(text: string): string[] {
  return [...text.matchAll(DECLARATION)].map(([, name]) => name as string);
}

/** Names that modules may use without listing them. */
const COMMON = new Set([
  ...declaredIn([DIMENSION_SOURCES[2], DIMENSION_SOURCES[3], BODY_SOURCE].map(({ text }) => text).join('\n')),
  ...Object.keys(constants),
  'TILE_SIZE',
]);

function usedNames(text: string): string[] {
  const code = text.replace(/\/\/.*|^\s*#.*/gm, '').replace(ATTRIBUTE, '');
  const locals = code.matchAll(/\b(?:let|var|const)(?:<[^>]*>)?\s+(\w+)|\b(\w+)\s*:/g);
  const own = new Set([...declaredIn(text), ...[...locals].map(([, name, typed]) => name ?? typed)]);
  const used = new Set(code.replace(/\.\s*\w+/g, '').match(/\b[A-Za-z_]\w*/g));
  return [...used].filter(
    (name) => !own.has(name) && !COMMON.has(name) && !KEYWORDS.has(name) && !isPredeclared(name),
  );
}

it.each(files)('%s lists the names that it uses but does not declare', (name) => {
  const text = readFileSync(new URL(name, ROOT), 'utf8');
  const listed = [...text.matchAll(/^\/\/ Needs: (.*)\.$/gm)].flatMap(([, names]) =>
    (names as string).split(', '),
  );
  expect(listed).toEqual(usedNames(text));
});
