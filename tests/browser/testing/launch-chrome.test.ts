import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { launchChrome } from '../../../src/testing/chrome';
import {
  comparePictures,
  decodePng,
  encodePng,
  type Picture,
  type ScreenshotPage,
  screenshotCanvas,
} from '../../../src/testing/pictures';
import { browserTest } from '../../helpers/browser';

const PAGE = `<!doctype html><style>canvas { display: block }</style><canvas width="40" height="30"></canvas>`;

/** Returns a program that clears the page's canvas to a colour. */
const draw = (colour: readonly number[]) => `(async () => {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const context = document.querySelector('canvas').getContext('webgpu');
  context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat() });
  const encoder = device.createCommandEncoder();
  const view = context.getCurrentTexture().createView();
  encoder.beginRenderPass({
    colorAttachments: [{ view, clearValue: ${JSON.stringify(colour)}, loadOp: 'clear', storeOp: 'store' }],
  }).end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  return adapter.info.architecture;
})()`;

const BLUE = [0.2, 0.4, 0.8, 1];
const SIZE = { width: 40, height: 30 };

function filled(colour: readonly number[]): Picture {
  const data = Uint8Array.from({ length: 4 * SIZE.width * SIZE.height }, (_, index) =>
    Math.round(255 * (colour[index % 4] as number)),
  );
  return { ...SIZE, data };
}

describe('launchChrome', () => {
  let server: Server | undefined;
  let url = '';
  beforeAll(async () => {
    server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(PAGE));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => server?.close());

  for (const [name, launch] of [
    ['puppeteer', () => launchChrome(puppeteer, { canvas: true, gpu: 'software' })],
    ['Playwright', () => launchChrome(chromium, { canvas: true, gpu: 'software' })],
  ] as const) {
    browserTest(
      `captures a canvas with ${name}`,
      { tags: name === 'puppeteer' ? [] : ['full'] },
      async () => {
        const browser = await launch();
        try {
          const page = await browser.newPage();
          await page.goto(url);
          const { evaluate }: Pick<ScreenshotPage, 'evaluate'> = page;
          expect(await evaluate.call(page, draw(BLUE))).toEqual(expect.any(String));
          const picture = await screenshotCanvas(page, 'canvas');
          expect(comparePictures(picture, filled(BLUE), { tolerance: 1 })).toMatchObject({ equal: true });
          expect(comparePictures(picture, filled([0.2, 0.4, 0.7, 1]), { tolerance: 1 })).toMatchObject({
            equal: false,
            share: 1,
            greatest: expect.closeTo(25, 0),
            box: { x: 0, y: 0, ...SIZE },
          });
          expect(decodePng(encodePng(picture))).toEqual(picture);
          await expect(screenshotCanvas(page, '#none')).rejects.toThrow('selector is "#none"');
          await evaluate.call(page, "document.querySelector('canvas').style.display = 'none'");
          await expect(screenshotCanvas(page, 'canvas')).rejects.toThrow('an element that is visible');
        } finally {
          await browser.close();
        }
      },
    );
  }

  browserTest('gives pages an adapter even without the flags for a canvas', { tags: 'full' }, async () => {
    const browser = await launchChrome(puppeteer, { canvas: false, gpu: 'software' });
    try {
      const page = await browser.newPage();
      await page.goto(url);
      const info = '(async () => (await navigator.gpu.requestAdapter()).info.architecture)()';
      expect(await page.evaluate(info)).toEqual(expect.any(String));
    } finally {
      await browser.close();
    }
  });

  browserTest('rejects a Chrome whose pages have no WebGPU, and says so', { tags: 'full' }, async () => {
    const options = { gpu: 'software', flags: ['--disable-features=WebGPU,WebGPUService'] } as const;
    const launched = launchChrome(puppeteer, { ...options, flags: [...options.flags, '--disable-gpu'] });
    await expect(launched).rejects.toThrow(/starts, but its pages have no WebGPU: /);
  });

  browserTest('rejects a program that is not Chrome, and says that it does not start', async () => {
    const path = process.execPath;
    for (const launch of [() => launchChrome(puppeteer, { path }), () => launchChrome(chromium, { path })]) {
      await expect(launch()).rejects.toThrow(
        `${path} does not start: it ended with exit code 9, after the output "`,
      );
    }
  });
});
