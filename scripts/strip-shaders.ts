import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/** Matches a function at module scope, whose closing brace begins a line. */
const FUNCTION = /^(?:@.*[ \n])?fn [\s\S]*?^}/gm;
const LOCAL = /\b(?:let|var|const)\s+([a-z]\w+)/g;
const PARAMETER = /\b([a-z]\w+)\s*:/g;
/** Matches an attribute, or a name that is neither a member nor called as a function. */
const ATTRIBUTE_OR_NAME = /@\w+\([^)]*\)|(?<![.\w])[A-Za-z_]\w*(?!\w*\s*\()/g;
/** Matches the end of a line inside a function, unless a directive follows. */
const LINE_END = /([;{,])[ \t]*\n[ \t]*(?![ \t\n#])/g;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Renames the parameters and variables of each function to single letters, as far as there are unused letters, and
 * joins its lines.
 */
function shortenFunctions(text: string): string {
  return text.replace(FUNCTION, (code) => {
    const header = code.slice(0, code.indexOf('{'));
    const locals = [...header.matchAll(PARAMETER), ...code.matchAll(LOCAL)].map(([, name = '']) => name);
    const taken = new Set(code.match(/\b[A-Za-z]\b/g));
    const free = [...LETTERS].filter((letter) => !taken.has(letter));
    const short = new Map([...new Set(locals)].map((name, index) => [name, free[index] ?? name]));
    return code.replace(ATTRIBUTE_OR_NAME, (name) => short.get(name) ?? name).replace(LINE_END, '$1');
  });
}

/**
 * Minifies shaders. This halves their compressed size, but compiler messages then quote lines that are not in the
 * sources.
 */
export const stripShaders: Plugin = {
  name: 'strip-shaders',
  apply: 'build',
  enforce: 'pre',
  async load(id) {
    const [file = '', query] = id.split('?');
    if (query !== 'raw' || !file.endsWith('.wgsl')) return undefined;
    const text = await readFile(file, 'utf8');
    const code = shortenFunctions(text.replace(/\/\/.*$/gm, ''))
      .replace(/^[ \t]+|[ \t]+$/gm, '')
      .replace(/ ?([-{}(),;:=+*<>/%|&[\]]) ?/g, '$1')
      .replace(/\n{2,}/g, '\n')
      // Directives stay on lines of their own.
      .replace(/^([^#\n].*)\n(?=[)}])/gm, '$1')
      .replace(/,(?=[)}])/g, '')
      .replace(/\b(\d+\.)0\b/g, '$1');
    return `export default ${JSON.stringify(code)};`;
  },
};
