import { describe, expect, it } from 'vitest';
import { chromeArguments, findBrowser, firefoxFlags, firefoxPreferences } from '../../../src/node/browsers';
import type { Machine } from '../../../src/node/drivers';

function machineWith(files: readonly string[], changes: Partial<Machine> = {}): Machine {
  return {
    platform: 'linux',
    environment: { PATH: '/usr/bin:relative:/opt/bin' },
    home: '/me',
    isFile: (path) => files.includes(path),
    list: (folder) => [
      ...new Set(
        files
          .filter((file) => file.startsWith(`${folder}/`))
          .map((file) => file.slice(folder.length + 1).split('/')[0] as string),
      ),
    ],
    resolve: (path) => path,
    readScript: () => '',
    ...changes,
  };
}

describe('findBrowser', () => {
  it.each([
    ['chrome', '/opt/bin/google-chrome'],
    ['chromium', '/snap/bin/chromium'],
    ['edge', '/usr/bin/microsoft-edge'],
    ['firefox', '/usr/local/bin/firefox-esr'],
  ])('finds %s at %s', (name, path) => {
    expect(findBrowser(machineWith([path]), name)).toEqual({ command: path, isFirefox: name === 'firefox' });
  });

  it.each([
    ['chrome', 'darwin', '/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['firefox', 'darwin', '/Applications/Firefox.app/Contents/MacOS/firefox'],
    ['edge', 'win32', '/programs/Microsoft/Edge/Application/msedge.exe'],
  ])('finds %s on %s', (name, platform, path) => {
    const machine = machineWith([path], { platform, environment: { PROGRAMFILES: '/programs' } });
    expect(findBrowser(machine, name)?.command).toBe(path);
  });

  it("with the name chrome, also finds puppeteer's Chrome or the browser at CHROME_PATH", () => {
    const cached = '/me/.cache/puppeteer/chrome/linux-150.0/chrome-linux64/chrome';
    expect(findBrowser(machineWith([cached]), 'chrome')?.command).toBe(cached);
    const environment = { PATH: '', CHROME_PATH: '/here/chromium' };
    expect(findBrowser(machineWith(['/here/chromium'], { environment }), 'chrome')?.command).toBe(
      '/here/chromium',
    );
  });

  it('accepts the path of a browser, but no unknown name', () => {
    const machine = machineWith(['/my/firefox-nightly', '/my/brave']);
    expect(findBrowser(machine, '/my/firefox-nightly')?.isFirefox).toBe(true);
    expect(findBrowser(machine, '/my/brave')?.isFirefox).toBe(false);
    expect(findBrowser(machine, 'netscape')).toBeUndefined();
  });

  it('if no browser is named, takes the first Chrome, Chromium or Edge, or else Firefox', () => {
    const [firefox, edge, chromium] = ['/usr/bin/firefox', '/usr/bin/microsoft-edge', '/snap/bin/chromium'];
    expect(findBrowser(machineWith([firefox, edge, chromium]), '')?.command).toBe(chromium);
    expect(findBrowser(machineWith([firefox, edge]), '')).toEqual({ command: edge, isFirefox: false });
    expect(findBrowser(machineWith([firefox]), '')).toEqual({ command: firefox, isFirefox: true });
    const environment = { PATH: '', CHROME_PATH: '/here/chrome' };
    expect(findBrowser(machineWith([chromium, '/here/chrome'], { environment }), '')?.command).toBe(
      '/here/chrome',
    );
    expect(() => findBrowser(machineWith([]), '')).toThrow(
      /^No browser was found: there is no Chrome, Chromium, Edge or Firefox\. To get one, install Chrome/,
    );
  });

  it('if the named browser is missing, says what was searched for, and which browsers there are', () => {
    const machine = machineWith(['/usr/bin/chromium', '/usr/bin/firefox']);
    expect(() => findBrowser(machine, 'chrome')).toThrow(
      'chrome was not found: searched for google-chrome-stable, google-chrome, chrome in PATH, /usr/bin, /usr/local/bin, /snap/bin and in the caches of puppeteer and Playwright. Use chromium or firefox, or give the path of a browser.',
    );
    expect(() => findBrowser(machineWith([]), 'edge')).toThrow(/Install it, or give/);
    expect(() => findBrowser(machineWith([], { platform: 'darwin' }), 'firefox')).toThrow(
      'searched for /Applications/Firefox.app/Contents/MacOS/firefox, /me/Applications/',
    );
  });

  it("ignores Ubuntu's script that only says how to install Chromium", () => {
    const machine = machineWith(['/usr/bin/chromium-browser'], {
      readScript: () => '#!/bin/sh\necho "run: snap install chromium"',
    });
    expect(() => findBrowser(machine, 'chromium')).toThrow(/^chromium was not found/);
  });
});

describe('the flags of a browser', () => {
  it('name its profile and the page, and choose SwiftShader only if there is no GPU', () => {
    const flags = chromeArguments(machineWith([]), '/profile', 'http://page/');
    expect(flags).toEqual(expect.arrayContaining(['--headless=new', '--user-data-dir=/profile']));
    expect(flags.at(-1)).toBe('http://page/');
    expect(flags).toContain('--use-vulkan=swiftshader');
    const mac = machineWith([], { platform: 'darwin' });
    expect(chromeArguments(mac, '/profile', 'http://page/').join()).not.toContain('swiftshader');
    expect(firefoxFlags('/profile', 'http://page/')).toEqual([
      ...['-headless', '-no-remote', '-profile', '/profile'],
      'http://page/',
    ]);
  });

  it('are written as preferences for Firefox, and turn WebGPU on', () => {
    const lines = firefoxPreferences().trim().split('\n');
    expect(lines).toContain('user_pref("dom.webgpu.enabled", true);');
    for (const line of lines) expect(line).toMatch(/^user_pref\("[\w.-]+", (true|false|"ignore")\);$/);
  });
});
