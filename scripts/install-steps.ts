/**
 * Purpose: decides how a browser and drivers come onto a machine that has none; no step is taken here.
 * Guarantee: asks only through `Installer`, so that the decisions are tested without installing anything.
 */
import { CHROME_ADVICE, type Chrome } from '../src/node/drivers';

export interface Installer {
  /** The system's package manager may be used: as root, through sudo without a password, or not at all. */
  readonly apt: 'root' | 'sudo' | 'none';
  /** Debian's chromium is a browser; that of Ubuntu is a stub that wants snap. */
  readonly debian: boolean;
  /** The first Chrome on the machine. */
  findChrome(): Chrome | undefined;
  /** Why it does not start; undefined if it does. */
  tryChrome(chrome: Chrome): string | undefined;
  /** Puppeteer's download into the user's cache; why it failed, or undefined. */
  download(): string | undefined;
  /** apt-get install; why it failed, or undefined. */
  install(packages: readonly string[]): string | undefined;
  say(line: string): unknown;
}

/** Fonts: Debian's chromium only recommends them, and without any a page shows no text. */
export const CHROME_PACKAGES = ['chromium', 'fonts-liberation'] as const;
export const LAVAPIPE_PACKAGES = ['mesa-vulkan-drivers'] as const;

interface Step {
  readonly name: string;
  take(): string | undefined;
}

/**
 * A Chrome that starts: the one that is there; else, in turn, what `orderSteps` says. Where all of it fails,
 * the one sentence that says what to do.
 */
export function ensureChrome(installer: Installer): Chrome | string {
  const { say } = installer;
  const usable = (): Chrome | undefined => {
    const chrome = installer.findChrome();
    const problem = chrome && installer.tryChrome(chrome);
    if (problem !== undefined) say(`${chrome?.command} does not start: ${problem}.`);
    return problem === undefined ? chrome : undefined;
  };
  const found = usable();
  if (found !== undefined) return found;
  if (installer.findChrome()?.source === 'environment') {
    return 'CHROME_PATH or PUPPETEER_EXECUTABLE_PATH must be a Chrome that starts, or not be set.';
  }
  for (const step of orderSteps(installer)) {
    say(`there is no Chrome that starts: ${step.name}.`);
    const failure = step.take();
    if (failure !== undefined) say(`that failed: ${failure}.`);
    const chrome = failure === undefined ? usable() : undefined;
    if (chrome !== undefined) return chrome;
  }
  return `The tests need a browser: ${CHROME_ADVICE}.`;
}

/**
 * Root on Debian is a container or a CI: the package brings the libraries that a downloaded Chrome lacks on
 * a bare system. Anyone else gets the download first, which changes nothing outside the user's cache.
 */
function orderSteps(installer: Installer): readonly Step[] {
  const download: Step = { name: 'downloading one with puppeteer', take: () => installer.download() };
  const install: Step = {
    name: `installing ${CHROME_PACKAGES[0]} with apt-get`,
    take: () => installer.install(CHROME_PACKAGES),
  };
  if (installer.apt === 'none') return [download];
  return installer.apt === 'root' && installer.debian ? [install, download] : [download, install];
}
