import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  expectAllDrawn,
  expectTruePicture,
  hideGpu,
  openPlayground,
  SOME,
  stepTimes,
  TOLERANCE,
  textOf,
} from '../../playground';

const backendOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.backend);

/** Tolerance per channel on the 2D canvas, which rounds values to 32 colours. */
const ROUNDED = 3 * TOLERANCE;

describe('the CPU engine', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { count: SOME, before: hideGpu }));

  browserTest('runs if the browser has no WebGPU, and the page says so', async () => {
    const { page } = await open();
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await textOf(page, 'engine-note')).toMatch(/no WebGPU.*CPU engine/);
    expect(await page.$eval('#badge', (badge) => badge.getBoundingClientRect().width)).toBeGreaterThan(40);
    expect(await backendOf(page)).toBe('cpu');
  });

  for (const [scene, name] of [
    ['gas', 'cpu'],
    ['crates', 'cpu-boxes'],
  ] as const) {
    browserTest(
      `paints each particle of the 2D scene ${scene} at its position`,
      { tags: 'case' },
      async () => {
        const opened = await open();
        await arrange(opened.page, { scene, engine: 'cpu' });
        await stepTimes(opened.page, 3);
        await expectTruePicture(opened, name, ROUNDED);
      },
    );

    browserTest(`paints every particle of the 3D scene ${scene}`, { tags: 'case' }, async () => {
      const opened = await open();
      await arrange(opened.page, { scene, dimensions: 3, engine: 'cpu' });
      await stepTimes(opened.page, 2);
      await expectAllDrawn(opened, `${name}-space`, 25);
    });
  }
});

describe('the note about the engine', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('distinguishes a missing adapter from missing WebGPU', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        GPU.prototype.requestAdapter = async () => null;
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/no graphics adapter.*CPU engine/);
    expect(await backendOf(page)).toBe('cpu');
    expectNoProblems();
  });

  browserTest('names an insecure context', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
        Object.defineProperty(window, 'isSecureContext', { get: () => false });
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/https or localhost.*CPU engine/);
  });

  browserTest('names the reason if the GPU rejects a shader', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        GPUDevice.prototype.createComputePipelineAsync = async () => {
          throw new Error('refused for the test');
        };
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/refused for the test.*CPU engine/);
    expect(await backendOf(page)).toBe('cpu');
    await stepTimes(page, 1);
  });
});
