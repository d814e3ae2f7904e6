import { describe, expect, test } from 'vitest';
import { flagsFor } from '../../../src/node/chrome-flags';
import { CHROME_ADVICE, type Machine } from '../../../src/node/drivers';
import { chromeFlags, launchOn } from '../../../src/testing/chrome';

const CHROMIUM = '/usr/bin/chromium';

interface Parts {
  readonly platform?: string;
  readonly environment?: Record<string, string>;
  readonly files?: readonly string[];
}

function machine({ platform = 'linux', environment = {}, files = [] }: Parts = {}): Machine {
  return {
    platform,
    environment: { PATH: '/usr/bin', ...environment },
    home: '/someone',
    resolve: (path) => path,
    isFile: (path) => files.includes(path),
    list: (folder) =>
      files
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1).split('/', 1)[0] ?? ''),
    readScript: () => '',
  };
}

/** Makes a fake library. `answer` is what its pages report about their adapter, or the error of its launch. */
function library(answer: string | Error, own?: string) {
  const log: unknown[] = [];
  const page = {
    goto: () => Promise.resolve(),
    evaluate: () => Promise.resolve(answer),
    close: () => Promise.resolve(),
  };
  return {
    log,
    executablePath: () => own ?? '/nowhere',
    async launch(options?: object) {
      log.push(options);
      if (answer instanceof Error) throw answer;
      return { newPage: async () => page, close: async () => void log.push('closed') };
    },
  };
}

describe('the flags', () => {
  const nvidia = ['/dev/nvidia0', '/etc/vulkan/icd.d/nvidia_icd.json'];

  test('draw on a canvas with a software GPU if there is no other GPU', () => {
    const flags = flagsFor(machine(), {});
    expect(flags).toEqual(
      expect.arrayContaining([
        '--no-sandbox',
        '--enable-unsafe-webgpu',
        '--enable-features=Vulkan',
        '--use-vulkan=swiftshader',
        '--use-angle=vulkan',
      ]),
    );
    expect(flagsFor(machine(), { gpu: 'software' })).toEqual(flags);
    expect(flagsFor(machine({ files: nvidia }), { gpu: 'software' })).toEqual(flags);
  });

  test('allow only computing if the option switches the canvas off', () => {
    const flags = flagsFor(machine(), { canvas: false });
    expect(flags).toContain('--use-webgpu-adapter=swiftshader');
    expect(flags.join()).not.toMatch(/=vulkan/i);
  });

  test('use the GPU of the system if there is one, or if the option names it', () => {
    const flags = flagsFor(machine({ files: nvidia }), {});
    expect(flags).toContain('--disable-vulkan-surface');
    expect(flags.join()).not.toMatch(/swiftshader/i);
    expect(flagsFor(machine(), { gpu: 'system' })).toEqual(flags);
    expect(flagsFor(machine({ platform: 'darwin' }), {}).join()).not.toMatch(/swiftshader|vulkan/i);
  });

  test('follow CELLSTORM_DRIVER, and do not mistake a software driver in VK_DRIVER_FILES for a GPU', () => {
    const software = flagsFor(machine(), {});
    const named = (environment: Record<string, string>) =>
      flagsFor(machine({ environment }), { gpu: 'auto' });
    expect(named({ CELLSTORM_DRIVER: 'system' })).toEqual(flagsFor(machine(), { gpu: 'system' }));
    expect(named({ CELLSTORM_DRIVER: 'swiftshader' })).toEqual(software);
    // openDawn stores its driver in VK_DRIVER_FILES.
    expect(named({ VK_DRIVER_FILES: '/usr/lib/chromium/vk_swiftshader_icd.json' })).toEqual(software);
    expect(named({ VK_DRIVER_FILES: '/etc/vulkan/icd.d/nvidia_icd.json' })).not.toEqual(software);
  });

  test('keep the sandbox on request, and reject an unknown GPU', () => {
    expect(flagsFor(machine(), { sandbox: true })).not.toContain('--no-sandbox');
    expect(() => flagsFor(machine(), { gpu: 'nvidia' as never })).toThrow(
      'gpu is "nvidia", but it must be one of auto, software, system.',
    );
  });

  test.each([
    [null, 'options is null, but it must be an object with some of canvas, gpu, sandbox.'],
    [{ headless: true }, 'options.headless is true, but it must be left out'],
    [{ flags: [] }, 'options.flags is [], but it must be left out'],
    [{ canvas: 'no' }, 'canvas is "no", but it must be true or false.'],
    [{ sandbox: 1 }, 'sandbox is 1, but it must be true or false.'],
  ])('reject the options %j', (options, message) => {
    expect(() => chromeFlags(options as never)).toThrow(message);
  });
});

describe('launchChrome', () => {
  const ready = machine({ files: [CHROMIUM] });

  test('passes the browser, flags and options to the library', async () => {
    const { log, ...puppeteer } = library('');
    await launchOn(ready, puppeteer, { flags: ['--mine'], launch: { protocolTimeout: 5 } });
    expect(log).toEqual([
      expect.objectContaining({
        executablePath: CHROMIUM,
        headless: true,
        args: [...flagsFor(ready, {}), '--mine'],
        timeout: 60_000,
        protocolTimeout: 5,
      }),
    ]);
  });

  test('hides the Vulkan drivers of the environment only if the option asks for a software GPU', async () => {
    const environment = { VK_DRIVER_FILES: '/nvidia.json', VK_ICD_FILENAMES: '/nvidia.json', LANG: 'C' };
    const files = [CHROMIUM];
    for (const [gpu, env] of [
      ['software', { PATH: '/usr/bin', LANG: 'C' }],
      ['auto', { PATH: '/usr/bin', ...environment }],
    ] as const) {
      const { log, ...puppeteer } = library('');
      await launchOn(machine({ environment, files }), puppeteer, { gpu });
      expect(log).toEqual([expect.objectContaining({ env })]);
    }
  });

  test('says in one sentence that there is no browser', async () => {
    await expect(launchOn(machine(), library(''), {})).rejects.toThrow(
      /^Chrome was not found: install Chrome, Chromium or Edge .*apt-get install chromium.* or set CHROME_PATH to its binary\.$/,
    );
  });

  test('takes the browser of the library if no other is found', async () => {
    const { log, ...playwright } = library('', '/cache/chrome');
    await launchOn(machine({ files: ['/cache/chrome'] }), playwright, {});
    expect(log).toEqual([expect.objectContaining({ executablePath: '/cache/chrome' })]);
  });

  test('names the library that a browser lacks', async () => {
    const text =
      'Failed to launch!\n/usr/bin/chromium: error while loading shared libraries: libnss3.so: cannot open\n\nTROUBLESHOOTING';
    await expect(launchOn(ready, library(new Error(text)), {})).rejects.toThrow(
      /^\/usr\/bin\/chromium does not start, because the library libnss3\.so is missing: install .*\.$/,
    );
  });

  test.each([
    ['no memory\nmore', 'no memory'],
    // The next two are puppeteer's texts, the last one is Playwright's.
    [
      'Failed to launch the browser process:  Code: 1\n\nstderr:\n\n\nTROUBLESHOOTING: …',
      'it ended with exit code 1',
    ],
    [
      'Failed to launch the browser process:  Code: 9\n\nstderr:\nbad option: --x\nbad option: --y\n\nTROUBLESHOOTING: …',
      'it ended with exit code 9, after the output "bad option: --x"',
    ],
    [
      'browserType.launch: Target page, context or browser has been closed\nBrowser logs:\n\n[pid=5][err] bad option: --x\nCall log:\n  - [pid=5] <process did exit: exitCode=9, signal=null>',
      'it ended with exit code 9, after the output "bad option: --x"',
    ],
  ])('says in one sentence why a browser does not start, and what to do', async (text, reason) => {
    const error = new Error(text);
    const launched = launchOn(ready, library(error), {});
    await expect(launched).rejects.toMatchObject({
      message: `${CHROMIUM} does not start: ${reason}; if it is no Chrome, Chromium or Edge, ${CHROME_ADVICE}.`,
      cause: error,
    });
  });

  test('says that pages have no adapter, and closes the browser', async () => {
    const { log, ...puppeteer } = library('adapter');
    await expect(launchOn(ready, puppeteer, {})).rejects.toThrow(
      "/usr/bin/chromium starts, but its pages have no WebGPU: there is no adapter; try gpu: 'software', or a newer browser.",
    );
    expect(log.at(-1)).toBe('closed');
    await expect(launchOn(ready, library('api'), {})).rejects.toThrow('it may be too old, so update it.');
    await launchOn(ready, library('adapter'), { checkAdapter: false });
  });

  test.each([
    [null, 'options is null, but it must be an object with some of canvas, '],
    [{ flags: '--mine' }, 'flags is "--mine", but it must be an array of strings'],
    [{ flags: ['--mine', 5] }, 'flags is ["--mine", 5], but it must be an array of strings'],
    [{ canvas: 'no' }, 'canvas is "no", but it must be true or false.'],
    [{ sandbox: 1 }, 'sandbox is 1, but it must be true or false.'],
    [{ checkAdapter: 0 }, 'checkAdapter is 0, but it must be true or false.'],
  ])('rejects the options %j', async (options, message) => {
    await expect(launchOn(ready, library(''), options as never)).rejects.toThrow(message);
  });

  test('rejects a value that is no library, a wrong path, and unknown options', async () => {
    const given = (value: unknown) => launchOn(ready, value as never, {});
    await expect(given(undefined)).rejects.toThrow(
      'library is undefined, but it must be puppeteer, or chromium',
    );
    await expect(given({ chromium: {} })).rejects.toThrow(/pass its `chromium`/);
    await expect(given({ ...library(''), name: () => 'firefox' })).rejects.toThrow('library is "firefox"');
    await expect(launchOn(ready, library(''), { path: '/nowhere' })).rejects.toThrow(
      'path is "/nowhere", but it must be the path of a Chrome, Chromium or Edge.',
    );
    await expect(launchOn(ready, library(''), { headless: false } as never)).rejects.toThrow(
      'options.headless',
    );
  });
});
