// @ts-check
/**
 * Vitest's global set-up. Creates a folder in which the processes of a test run share what oncePerRun makes. This file
 * is not TypeScript, because Node loads it in Vitest's main process, which has no hooks for TypeScript.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The run's folder, which all projects share.
 * @type {Promise<string> | undefined}
 */
let folder;

async function remove() {
  if (folder) await rm(await folder, { recursive: true, force: true });
  folder = undefined;
}

/**
 * Vitest calls this function for each project.
 * @param {import('vitest/node').TestProject} project
 */
export default async function setup(project) {
  const provide = async () => {
    folder ??= mkdtemp(join(tmpdir(), 'cellstorm-run-'));
    project.provide('runFolder', await folder);
  };
  await provide();
  project.onTestsRerun(async () => {
    // In watch mode, the sources have changed.
    await remove();
    await provide();
  });
  return remove;
}
