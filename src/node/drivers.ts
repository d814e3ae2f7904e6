/**
 * Finds Chrome, a Vulkan driver and a Vulkan loader. Functions take the machine to search as an argument, so that tests
 * can use made-up machines.
 */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ArgumentError, CellstormError } from '../core/base/errors';

export interface Machine {
  readonly platform: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  isFile(path: string): boolean;
  /** Returns the names in a folder, or an empty list if there is no such folder. */
  list(folder: string): readonly string[];
  resolve(path: string): string;
  /** Returns the text of a small script; empty for anything else. */
  readScript(path: string): string;
}

/** A Chrome, Chromium or Edge on this machine. */
export interface Chrome {
  /** Path of the program that starts Chrome. */
  readonly command: string;
  /** The folder of the real binary and its drivers. */
  readonly folder: string;
  /** 'environment': named by CHROME_PATH or PUPPETEER_EXECUTABLE_PATH. */
  readonly source: 'environment' | 'installed' | 'puppeteer' | 'playwright';
}

/**
 * The driver in use: a software driver, a driver of the system, or the one that the environment names in
 * VK_DRIVER_FILES or VK_ICD_FILENAMES.
 */
export type DriverName = 'SwiftShader' | 'lavapipe' | 'system' | 'environment';

/** A driver that runs WebGPU. */
export interface Driver {
  /** 'system' is a driver of the system; 'environment' comes from VK_DRIVER_FILES or VK_ICD_FILENAMES. */
  readonly name: DriverName;
  /** The value for VK_DRIVER_FILES; undefined leaves it unchanged. */
  readonly manifest: string | undefined;
  /** A folder with a libvulkan.so.1, if the machine has no Vulkan loader of its own. */
  readonly loaderFolder: string | undefined;
}

/**
 * Which driver to use. The user's VK_DRIVER_FILES or VK_ICD_FILENAMES wins over 'auto' and 'system'.
 * - 'auto': the system's driver if there is a GPU, otherwise a software driver;
 * - 'system': the system's driver;
 * - 'software': SwiftShader if there is one, otherwise lavapipe;
 * - 'swiftshader' and 'lavapipe': only this driver.
 */
export type DriverPreference = 'auto' | 'system' | 'software' | 'swiftshader' | 'lavapipe';

export const DRIVER_PREFERENCES: readonly DriverPreference[] = [
  'auto',
  'system',
  'software',
  'swiftshader',
  'lavapipe',
];

/** Advice for a machine without Chrome, as a part of a sentence. */
export const CHROME_ADVICE =
  'install Chrome, Chromium or Edge (on Debian, as root: apt-get install chromium) or set CHROME_PATH to its binary';

/** Files longer than this are not read as launcher scripts; a real binary is far longer. */
const SCRIPT_BYTES = 64 * 1024;
const BY_VERSION = new Intl.Collator('en', { numeric: true });
const SWIFTSHADER_MANIFEST = 'vk_swiftshader_icd.json';
const LOADER = 'libvulkan.so.1';
const EDGE_NAMES = ['microsoft-edge-stable', 'microsoft-edge'];
const CHROME_NAMES = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'chrome',
  ...EDGE_NAMES,
];
const LINUX_FOLDERS = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/opt/microsoft/msedge',
];
const USUAL_FOLDERS = [
  '/usr/lib/chromium',
  '/usr/lib/chromium-browser',
  '/usr/lib64/chromium-browser',
  '/snap/chromium/current/usr/lib/chromium-browser',
];
const MAC_APPS = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];
const WINDOWS_APPS = [
  'Google/Chrome/Application/chrome.exe',
  'Chromium/Application/chrome.exe',
  'Microsoft/Edge/Application/msedge.exe',
];

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    environment: process.env,
    home: homedir(),
    isFile(path) {
      try {
        return statSync(path).isFile();
      } catch {
        return false;
      }
    },
    list(folder) {
      try {
        return readdirSync(folder).sort();
      } catch {
        return [];
      }
    },
    resolve(path) {
      try {
        return realpathSync(path);
      } catch {
        return path;
      }
    },
    readScript(path) {
      try {
        if (statSync(path).size > SCRIPT_BYTES) return '';
        const text = readFileSync(path, 'utf8');
        return text.startsWith('#!') ? text : '';
      } catch {
        return '';
      }
    },
  };
}

/**
 * Lists the Chromes of the machine, best first: the installed ones, then those that puppeteer and Playwright
 * downloaded. If CHROME_PATH or PUPPETEER_EXECUTABLE_PATH is set, lists only the Chrome at that path.
 */
export function listChromes(machine: Machine): readonly Chrome[] {
  for (const name of ['CHROME_PATH', 'PUPPETEER_EXECUTABLE_PATH']) {
    const path = machine.environment[name];
    if (!path) continue;
    if (machine.isFile(path)) return [describeChrome(machine, path, 'environment')];
    throw new CellstormError(`${name} is "${path}", but it must be the path of a Chrome or Chromium binary.`);
  }
  const installed = installedPaths(machine)
    .filter((path) => machine.isFile(path) && !/\bsnap install\b/.test(machine.readScript(path)))
    .map((path) => describeChrome(machine, path, 'installed'));
  const seen = new Set<string>();
  return [...installed, ...cachedChromes(machine)].filter((chrome) => {
    const real = machine.resolve(chrome.command);
    return seen.has(real) ? false : seen.add(real);
  });
}

export function findChrome(machine: Machine): Chrome | undefined {
  return listChromes(machine)[0];
}

/** Finds the SwiftShader that comes with a Chrome. Returns undefined on macOS and Windows, which do not need one. */
function findSwiftShader(machine: Machine): Driver | undefined {
  if (machine.platform !== 'linux') return undefined;
  for (const { folder } of listChromes(machine)) {
    const manifest = join(folder, SWIFTSHADER_MANIFEST);
    if (!machine.isFile(manifest)) continue;
    const needed = machine.isFile(join(folder, LOADER)) && !hasLoader(machine);
    return { name: 'SwiftShader', manifest, loaderFolder: needed ? folder : undefined };
  }
  return undefined;
}

/** Finds Mesa's software driver. */
export function findLavapipe(machine: Machine): Driver | undefined {
  const manifest = findManifest(machine, /(^|\/)lvp_icd[^/]*\.json$/);
  if (manifest === undefined) return undefined;
  return { name: 'lavapipe', manifest, loaderFolder: findSwiftShader(machine)?.loaderFolder };
}

/** Finds a software driver. Prefers SwiftShader, because Dawn rejects old versions of lavapipe. */
export function findSoftwareDriver(machine: Machine): Driver | undefined {
  return findSwiftShader(machine) ?? findLavapipe(machine);
}

/**
 * Returns the system's driver if the machine has both a GPU and a driver for it. This does not prove that they work. On
 * macOS and Windows, always returns the system's driver.
 */
function findSystemDriver(machine: Machine): Driver | undefined {
  const system: Driver = { name: 'system', manifest: undefined, loaderFolder: undefined };
  if (machine.platform !== 'linux') return system;
  const nvidia = machine.list('/dev').some((name) => /^nvidia\d+$/.test(name));
  const rendering = machine.list('/dev/dri').some((name) => /^renderD\d+$/.test(name));
  const windows = machine.list('/dev').includes('dxg');
  if (!nvidia && !rendering && !windows) return undefined;
  const hardware = listManifests(machine).filter((path) => !/lvp_|swiftshader|mock/i.test(path));
  if (hardware.length > 0 && (!nvidia || hardware.some((path) => path.includes('nvidia')))) return system;
  // In containers, the NVIDIA runtime may put the driver's manifest in a folder that no loader searches.
  const folder = '/usr/local/nvidia/share/vulkan/icd.d';
  const manifest = machine.list(folder).find((name) => name.endsWith('.json'));
  if (nvidia && manifest !== undefined) return { ...system, manifest: join(folder, manifest) };
  return hardware.length > 0 ? system : undefined;
}

export function checkDriver(driver: unknown): asserts driver is DriverPreference | undefined {
  if (driver === undefined || DRIVER_PREFERENCES.some((known) => known === driver)) return;
  throw new ArgumentError('driver', driver, `one of ${DRIVER_PREFERENCES.join(', ')}`);
}

export function isPreferred(driver: DriverName, preference: DriverPreference): boolean {
  const software = driver === 'SwiftShader' || driver === 'lavapipe';
  if (preference === 'auto') return true;
  if (preference === 'software') return software;
  return preference === 'system' ? !software : preference === driver.toLowerCase();
}

export function readPreference(machine: Machine, fallback: DriverPreference): DriverPreference {
  const value = machine.environment.CELLSTORM_DRIVER;
  if (!value) return fallback;
  const preference = DRIVER_PREFERENCES.find((known) => known === value.toLowerCase());
  if (preference !== undefined) return preference;
  throw new CellstormError(
    `CELLSTORM_DRIVER is "${value}", but it must be one of ${DRIVER_PREFERENCES.join(', ')}.`,
  );
}

/**
 * Chooses the driver. If the machine has none of the requested kind, returns the loader's own choice for 'system', and
 * undefined for other preferences.
 */
export function chooseDriver(machine: Machine, preference: DriverPreference): Driver | undefined {
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = machine.environment;
  const given = Boolean(VK_DRIVER_FILES || VK_ICD_FILENAMES);
  switch (preference) {
    case 'auto': {
      const software = findSoftwareDriver(machine);
      const loaderFolder = software?.loaderFolder;
      if (given) return { name: 'environment', manifest: undefined, loaderFolder };
      return findSystemDriver(machine) ?? software;
    }
    case 'system': {
      const loadersChoice: Driver = { name: 'system', manifest: undefined, loaderFolder: undefined };
      return given ? { ...loadersChoice, name: 'environment' } : (findSystemDriver(machine) ?? loadersChoice);
    }
    case 'software':
      return findSoftwareDriver(machine);
    case 'swiftshader':
      return findSwiftShader(machine);
    case 'lavapipe':
      return findLavapipe(machine);
  }
}

function describeChrome(machine: Machine, command: string, source: Chrome['source']): Chrome {
  const real = machine.resolve(command);
  return { command, source, folder: findBinaryFolder(machine, real) };
}

/**
 * Returns the folder with Chrome's SwiftShader, or the launcher's own folder if no SwiftShader is found. Launcher
 * scripts often contain the path of this folder: Debian's script sets LIBDIR, others run a binary by its absolute path.
 * For other launchers, such as snap's, this function tries the usual folders.
 */
function findBinaryFolder(machine: Machine, path: string): string {
  const script = machine.readScript(path);
  const name = /^APPNAME=["']?([\w-]+)/m.exec(script)?.[1] ?? 'chromium';
  const named = [...script.matchAll(/\/(?:usr|opt|snap)\/[\w./$@{}-]*/g)].flatMap(([found]) => {
    const plain = found.replace(/\$\{?APPNAME\}?/g, name);
    return [plain, dirname(plain)];
  });
  const hasDriver = (folder: string) => machine.isFile(join(folder, SWIFTSHADER_MANIFEST));
  return [dirname(path), ...named, ...USUAL_FOLDERS].find(hasDriver) ?? dirname(path);
}

function installedPaths(machine: Machine): string[] {
  const { environment, home, platform } = machine;
  if (platform === 'darwin') {
    return ['/Applications', join(home, 'Applications')].flatMap((folder) =>
      MAC_APPS.map((app) => join(folder, app)),
    );
  }
  if (platform === 'win32') {
    return [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA]
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => WINDOWS_APPS.map((app) => join(folder, app)));
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const unique = [...new Set([...folders, ...LINUX_FOLDERS])];
  return CHROME_NAMES.flatMap((name) => unique.map((folder) => join(folder, name)));
}

/** The path of the binary in the folder of a downloaded Chrome, per system. */
const BINARIES = [
  'chrome',
  'chrome.exe',
  'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  'Chromium.app/Contents/MacOS/Chromium',
];

/** Lists the Chromes that puppeteer and Playwright downloaded, the newest of each first. */
function cachedChromes(machine: Machine): Chrome[] {
  const { PUPPETEER_CACHE_DIR, PLAYWRIGHT_BROWSERS_PATH, LOCALAPPDATA } = machine.environment;
  const playwrightCaches: Readonly<Record<string, string>> = {
    darwin: join(machine.home, 'Library/Caches'),
    win32: LOCALAPPDATA ?? join(machine.home, 'AppData/Local'),
  };
  const playwrightCache = playwrightCaches[machine.platform] ?? join(machine.home, '.cache');
  const puppeteer = join(PUPPETEER_CACHE_DIR ?? join(machine.home, '.cache/puppeteer'), 'chrome');
  const playwright = PLAYWRIGHT_BROWSERS_PATH ?? join(playwrightCache, 'ms-playwright');
  const builds = (cache: string, accepted: RegExp): string[] =>
    machine
      .list(cache)
      .filter((build) => accepted.test(build))
      .sort((a, b) => BY_VERSION.compare(b, a))
      .flatMap((build) => machine.list(join(cache, build)).map((folder) => join(cache, build, folder)))
      .flatMap((folder) => BINARIES.map((name) => join(folder, name)).filter(machine.isFile));
  return [
    ...builds(puppeteer, /./).map((path) => describeChrome(machine, path, 'puppeteer')),
    ...builds(playwright, /^chromium-\d+$/).map((path) => describeChrome(machine, path, 'playwright')),
  ];
}

function hasLoader(machine: Machine): boolean {
  const triplets = machine.list('/usr/lib').filter((name) => name.includes('-linux-'));
  const folders = [
    ...(machine.environment.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder !== ''),
    ...triplets.map((triplet) => join('/usr/lib', triplet)),
    ...['/usr/lib', '/usr/lib64', '/usr/local/lib', '/lib64', '/lib'],
  ];
  return folders.some((folder) => machine.isFile(join(folder, LOADER)));
}

export function findManifest(machine: Machine, name: RegExp): string | undefined {
  return listManifests(machine).find((path) => name.test(path));
}

/** Lists the driver manifests that the Vulkan loader reads by default. */
function listManifests(machine: Machine): string[] {
  const { XDG_DATA_HOME, XDG_DATA_DIRS } = machine.environment;
  const roots = [
    '/usr/local/etc',
    '/usr/local/share',
    '/etc',
    '/usr/share',
    XDG_DATA_HOME || join(machine.home, '.local/share'),
    ...(XDG_DATA_DIRS ?? '').split(':').filter((root) => root !== ''),
  ];
  return [...new Set(roots)].flatMap((root) => {
    const folder = join(root, 'vulkan/icd.d');
    return machine
      .list(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  });
}
