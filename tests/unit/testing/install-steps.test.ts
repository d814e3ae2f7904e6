import { describe, expect, test } from 'vitest';
import type { Chrome } from '../../../src/node/drivers';
import { ensureChrome, type Installer } from '../../../src/testing/install-steps';

describe('ensureChrome', () => {
  const chromium: Chrome = { command: '/usr/bin/chromium', folder: '/usr/lib/chromium', source: 'installed' };
  const cached: Chrome = { command: '/cache/chrome', folder: '/cache', source: 'puppeteer' };

  interface Machine {
    readonly apt?: Installer['apt'];
    readonly debian?: boolean;
    readonly present?: Chrome;
    readonly broken?: readonly Chrome[];
    readonly download?: Chrome | string;
    readonly install?: Chrome | string;
  }

  function ensureOn(machine: Machine) {
    const steps: string[] = [];
    const messages: string[] = [];
    let present = machine.present;
    const take = (name: string, outcome: Chrome | string = 'the network is closed') => {
      steps.push(name);
      if (typeof outcome === 'string') return outcome;
      present = outcome;
      return undefined;
    };
    const result = ensureChrome({
      apt: machine.apt ?? 'none',
      debian: machine.debian ?? true,
      findChrome: () => present,
      tryChrome: (chrome) => (machine.broken?.includes(chrome) ? 'a library is missing' : undefined),
      download: () => take('download', machine.download),
      install: () => take('install', machine.install),
      say: (line) => messages.push(line),
    });
    return { result, steps, messages };
  }

  test.each<[string, Machine, Chrome, string[]]>([
    ['uses a present browser', { present: chromium }, chromium, []],
    [
      'installs as root on Debian',
      { apt: 'root', install: chromium, download: cached },
      chromium,
      ['install'],
    ],
    ['downloads if installing fails', { apt: 'root', download: cached }, cached, ['install', 'download']],
    [
      'downloads first on systems other than Debian',
      { apt: 'root', debian: false, download: cached },
      cached,
      ['download'],
    ],
    ['downloads first for a user with sudo', { apt: 'sudo', download: cached }, cached, ['download']],
    [
      'installs with sudo if the download fails',
      { apt: 'sudo', install: chromium },
      chromium,
      ['download', 'install'],
    ],
    [
      'installs if the downloaded browser does not start',
      { apt: 'sudo', download: cached, broken: [cached], install: chromium },
      chromium,
      ['download', 'install'],
    ],
    [
      'replaces a browser that does not start',
      { present: cached, broken: [cached], apt: 'root', install: chromium },
      chromium,
      ['install'],
    ],
    ['downloads for a user without apt', { download: cached }, cached, ['download']],
  ])('%s', (_, machine, chrome, steps) => {
    expect(ensureOn(machine)).toMatchObject({ result: chrome, steps });
  });

  test('reports what it tried and what to do', () => {
    const { result, steps, messages } = ensureOn({ apt: 'root', install: 'no such package' });
    expect(steps).toEqual(['install', 'download']);
    expect(messages.join('\n')).toMatch(
      /this failed: no such package\.(?:.|\n)*this failed: the network is closed\./,
    );
    expect(result).toMatch(/^There is no Chrome that starts: .*apt-get install chromium.*CHROME_PATH.*\.$/);
  });

  test('does not replace a broken browser that the environment names', () => {
    const mine: Chrome = { ...chromium, source: 'environment' };
    const { result, steps, messages } = ensureOn({
      present: mine,
      broken: [mine],
      apt: 'root',
      install: chromium,
    });
    expect(steps).toEqual([]);
    expect(messages).toEqual(['/usr/bin/chromium does not start: a library is missing.']);
    expect(result).toMatch(/^CHROME_PATH or PUPPETEER_EXECUTABLE_PATH must be a Chrome that starts/);
  });
});
