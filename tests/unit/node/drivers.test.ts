import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkDriver,
  chooseDriver,
  findChrome,
  findLavapipe,
  findSoftwareDriver,
  isPreferred,
  listChromes,
  type Machine,
  readPreference,
} from '../../../src/node/drivers';

interface MachineParts {
  readonly platform?: string;
  readonly environment?: Record<string, string>;
  /** Maps each path to the content of a script, or '' for other files. */
  readonly files?: Record<string, string>;
  readonly links?: Record<string, string>;
}

function machine({ platform = 'linux', environment = {}, files = {}, links = {} }: MachineParts): Machine {
  const resolve = (path: string) => links[path] ?? path;
  const paths = [...Object.keys(files), ...Object.keys(links)];
  return {
    platform,
    environment: { PATH: '/usr/bin', ...environment },
    home: '/someone',
    resolve,
    isFile: (path) => resolve(path) in files,
    list: (folder) => [
      ...new Set(
        paths
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split('/', 1)[0] ?? ''),
      ),
    ],
    readScript: (path) => files[path] ?? '',
  };
}

const DEBIAN_SCRIPT = '#!/bin/sh\nAPPNAME=chromium\nGDB=/usr/bin/gdb\nLIBDIR=/usr/lib/$APPNAME\n';

const debian = {
  '/usr/bin/chromium': DEBIAN_SCRIPT,
  '/usr/lib/chromium/chromium': '',
  '/usr/lib/chromium/vk_swiftshader_icd.json': '',
  '/usr/lib/chromium/libvulkan.so.1': '',
};

const google = {
  '/opt/google/chrome/chrome': '',
  '/opt/google/chrome/google-chrome':
    '#!/bin/bash\nHERE="`dirname "$CHROME_WRAPPER"`"\nexec -a "$0" "$HERE/chrome"\n',
  '/opt/google/chrome/vk_swiftshader_icd.json': '',
};

const lavapipe = { '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json': '' };

const radeon = { '/usr/share/vulkan/icd.d/radeon_icd.x86_64.json': '' };

const loader = { '/usr/lib/x86_64-linux-gnu/libvulkan.so.1': '' };

const CACHE = '/someone/.cache/puppeteer/chrome';

describe('findChrome', () => {
  test('follows the launcher script of Debian to the binary', () => {
    expect(findChrome(machine({ files: debian }))).toEqual({
      command: '/usr/bin/chromium',
      folder: '/usr/lib/chromium',
      source: 'installed',
    });
  });

  test('follows the links of Google Chrome', () => {
    const links = { '/usr/bin/google-chrome': '/opt/google/chrome/google-chrome' };
    expect(findChrome(machine({ files: google, links }))).toMatchObject({
      command: '/usr/bin/google-chrome',
      folder: '/opt/google/chrome',
    });
  });

  test("takes puppeteer's newest browser if none is installed", () => {
    const files = {
      [`${CACHE}/linux-99.0.1/chrome-linux64/chrome`]: '',
      [`${CACHE}/linux-142.0.2/chrome-linux64/chrome`]: '',
    };
    expect(findChrome(machine({ files }))).toEqual({
      command: `${CACHE}/linux-142.0.2/chrome-linux64/chrome`,
      folder: `${CACHE}/linux-142.0.2/chrome-linux64`,
      source: 'puppeteer',
    });
    expect(listChromes(machine({ files: { ...files, ...debian } })).map(({ source }) => source)).toEqual([
      'installed',
      'puppeteer',
      'puppeteer',
    ]);
  });

  test('finds Edge on each system, after Chrome', () => {
    const linux = '/usr/bin/microsoft-edge';
    const links = { [linux]: '/opt/microsoft/msedge/microsoft-edge' };
    const files = { '/opt/microsoft/msedge/microsoft-edge': '' };
    expect(findChrome(machine({ files, links }))).toMatchObject({
      command: linux,
      folder: '/opt/microsoft/msedge',
    });
    expect(findChrome(machine({ files: { ...files, ...debian }, links }))?.command).toBe('/usr/bin/chromium');
    const mac = '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge';
    expect(findChrome(machine({ platform: 'darwin', files: { [mac]: '' } }))?.command).toBe(mac);
    const windows = 'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe';
    const environment = { 'PROGRAMFILES(X86)': 'C:/Program Files (x86)' };
    expect(findChrome(machine({ platform: 'win32', environment, files: { [windows]: '' } }))?.command).toBe(
      windows,
    );
  });

  test("takes Playwright's newest browser after puppeteer's", () => {
    const playwright = '/someone/.cache/ms-playwright';
    const files = {
      [`${playwright}/chromium-998/chrome-linux/chrome`]: '',
      [`${playwright}/chromium-1200/chrome-linux64/chrome`]: '',
      [`${playwright}/chromium_headless_shell-1300/chrome-linux/chrome`]: '',
    };
    expect(findChrome(machine({ files }))).toEqual({
      command: `${playwright}/chromium-1200/chrome-linux64/chrome`,
      folder: `${playwright}/chromium-1200/chrome-linux64`,
      source: 'playwright',
    });
    const both = { ...files, [`${CACHE}/linux-142.0.2/chrome-linux64/chrome`]: '' };
    expect(listChromes(machine({ files: both })).map(({ source }) => source)).toEqual([
      'puppeteer',
      'playwright',
      'playwright',
    ]);
    const environment = { PLAYWRIGHT_BROWSERS_PATH: '/mine' };
    const mine = { '/mine/chromium-1/chrome-linux/chrome': '' };
    expect(findChrome(machine({ files: mine, environment }))?.source).toBe('playwright');
  });

  test('uses the path in the environment, and rejects a path without a file', () => {
    const files = { ...debian, '/mine/chrome': '' };
    for (const name of ['CHROME_PATH', 'PUPPETEER_EXECUTABLE_PATH']) {
      const found = findChrome(machine({ files, environment: { [name]: '/mine/chrome' } }));
      expect(found).toMatchObject({ command: '/mine/chrome', source: 'environment' });
      expect(() => findChrome(machine({ files, environment: { [name]: '/nowhere' } }))).toThrow(
        `${name} is "/nowhere", but it must be the path of a Chrome or Chromium binary.`,
      );
    }
  });

  test('ignores a launcher that only recommends snap', () => {
    const files = {
      '/usr/bin/chromium-browser': '#!/bin/sh\necho "requires the chromium snap: snap install chromium"\n',
    };
    expect(findChrome(machine({ files }))).toBeUndefined();
  });

  test('finds the application on macOS and Windows', () => {
    const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
    expect(findChrome(machine({ platform: 'darwin', files: { [mac]: '' } }))?.command).toBe(mac);
    const windows = 'C:/Program Files/Google/Chrome/Application/chrome.exe';
    const environment = { PROGRAMFILES: 'C:/Program Files' };
    const found = findChrome(machine({ platform: 'win32', environment, files: { [windows]: '' } }));
    expect(found?.folder).toBe(dirname(windows));
  });

  test('finds no browser on a bare machine', () => {
    expect(findChrome(machine({}))).toBeUndefined();
  });
});

describe('the search for a software driver', () => {
  test('prefers SwiftShader, with its own Vulkan loader if the machine has no loader', () => {
    const manifest = '/usr/lib/chromium/vk_swiftshader_icd.json';
    expect(findSoftwareDriver(machine({ files: { ...debian, ...lavapipe } }))).toEqual({
      name: 'SwiftShader',
      manifest,
      loaderFolder: '/usr/lib/chromium',
    });
    expect(findSoftwareDriver(machine({ files: { ...debian, ...loader } }))?.loaderFolder).toBeUndefined();
  });

  test("falls back to Mesa's driver if Chrome has no SwiftShader", () => {
    const files = { '/usr/bin/chromium': '', ...lavapipe };
    expect(findSoftwareDriver(machine({ files }))?.name).toBe('lavapipe');
    expect(findLavapipe(machine({ files: radeon }))).toBeUndefined();
  });

  test('finds no driver on a bare machine, or on macOS, which needs none', () => {
    expect(findSoftwareDriver(machine({}))).toBeUndefined();
    expect(findSoftwareDriver(machine({ platform: 'darwin', files: debian }))).toBeUndefined();
  });
});

describe('chooseDriver', () => {
  const both = { ...debian, ...lavapipe };
  const card = { '/dev/dri/renderD128': '' };
  const nvidia = { '/dev/nvidia0': '', '/dev/nvidiactl': '' };
  const nvidiaAside = '/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json';
  test.each<[string, MachineParts, Parameters<typeof chooseDriver>[1], string | undefined, string?]>([
    ['no GPU', { files: both }, 'auto', 'SwiftShader', '/usr/lib/chromium/vk_swiftshader_icd.json'],
    ['Mesa without a card', { files: { ...both, ...radeon } }, 'auto', 'SwiftShader'],
    ['a card and its driver', { files: { ...both, ...radeon, ...card } }, 'auto', 'system'],
    ['a card without a driver', { files: { ...both, ...card } }, 'auto', 'SwiftShader'],
    [
      'NVIDIA, driver in the usual folder',
      { files: { ...nvidia, '/etc/vulkan/icd.d/nvidia_icd.json': '' } },
      'auto',
      'system',
    ],
    [
      'NVIDIA, driver elsewhere',
      { files: { ...both, ...radeon, ...nvidia, [nvidiaAside]: '' } },
      'auto',
      'system',
      nvidiaAside,
    ],
    ['NVIDIA without a driver', { files: { ...both, ...nvidia } }, 'auto', 'SwiftShader'],
    ['VK_DRIVER_FILES', { files: both, environment: { VK_DRIVER_FILES: '/my.json' } }, 'auto', 'environment'],
    [
      'VK_DRIVER_FILES, software',
      { files: both, environment: { VK_DRIVER_FILES: '/my.json' } },
      'software',
      'SwiftShader',
    ],
    ['a card, software', { files: { ...both, ...radeon, ...card } }, 'software', 'SwiftShader'],
    ['the system, without a driver', { files: both }, 'system', 'system'],
    ['lavapipe', { files: both }, 'lavapipe', 'lavapipe', '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'],
    ['lavapipe, missing', { files: debian }, 'lavapipe', undefined],
    ['swiftshader, missing', { files: lavapipe }, 'swiftshader', undefined],
    ['nothing at all', {}, 'auto', undefined],
    ['macOS', { platform: 'darwin' }, 'auto', 'system'],
  ])('chooses the right driver: %s', (_, parts, preference, name, manifest) => {
    const driver = chooseDriver(machine(parts), preference);
    expect(driver?.name).toBe(name);
    if (manifest !== undefined) expect(driver?.manifest).toBe(manifest);
  });

  test('rejects an unknown CELLSTORM_DRIVER', () => {
    const reading = (value: string) =>
      readPreference(machine({ environment: { CELLSTORM_DRIVER: value } }), 'auto');
    expect(reading('')).toBe('auto');
    expect(reading('SwiftShader')).toBe('swiftshader');
    expect(() => reading('vulkan')).toThrow(
      /^CELLSTORM_DRIVER is "vulkan", but it must be one of auto, system,/,
    );
  });
  test('rejects an unknown option', () => {
    checkDriver(undefined);
    checkDriver('auto');
    expect(() => checkDriver('SwiftShader')).toThrow(
      'driver is "SwiftShader", but it must be one of auto, system, software, swiftshader, lavapipe.',
    );
  });

  test.each([
    ['auto', ['SwiftShader', 'lavapipe', 'system', 'environment']],
    ['software', ['SwiftShader', 'lavapipe']],
    ['system', ['system', 'environment']],
    ['swiftshader', ['SwiftShader']],
    ['lavapipe', ['lavapipe']],
  ] as const)('with the preference %s, accepts only the drivers %s', (preference, accepted) => {
    const drivers = ['SwiftShader', 'lavapipe', 'system', 'environment'] as const;
    expect(drivers.filter((driver) => isPreferred(driver, preference))).toEqual(accepted);
  });
});
