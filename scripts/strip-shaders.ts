import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/**
 * Removes comments and spaces from built shaders, which are over 40% of their compressed size. Line numbers in compiler
 * messages then differ from the sources, but the messages also quote the line.
 */
export const stripShaders: Plugin = {
  name: 'strip-shaders',
  apply: 'build',
  enforce: 'pre',
  async load(id) {
    const [file = '', query] = id.split('?');
    if (query !== 'raw' || !file.endsWith('.wgsl')) return undefined;
    const text = await readFile(file, 'utf8');
    const code = text
      .replace(/\/\/.*$/gm, '')
      .replace(/^[ \t]+|[ \t]+$/gm, '')
      .replace(/ ?([-{}(),;:=+*<>/%|&[\]]) ?/g, '$1')
      .replace(/\n{2,}/g, '\n')
      // Directives stay on lines of their own.
      .replace(/^([^#\n].*)\n(?=})/gm, '$1');
    return `export default ${JSON.stringify(code)};`;
  },
};
