// @ts-check
/** `node --import ./scripts/register.mjs FILE` runs FILE with the hooks of loader.mjs. */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';

const { version } = JSON.parse(
  readFileSync(new URL('../node_modules/vite/package.json', import.meta.url), 'utf8'),
);
register('./loader.mjs', import.meta.url, { data: { compiler: `vite ${version}` } });
process.setSourceMapsEnabled(true);
