/** Decides how to install a browser if there is none. Acts only through `Installer`, so tests install nothing. */
import { CHROME_ADVICE, type Chrome } from '../node/drivers';

export interface Installer {
  /** How to use apt-get: as root, through sudo without a password, or not at all. */
  readonly apt: 'root' | 'sudo' | 'none';
  /** True only on Debian: Ubuntu's package chromium is a stub that installs a snap. */
  readonly debian: boolean;
  findChrome(): Chrome | undefined;
  /** Returns why this Chrome does not start; undefined if it starts. */
  tryChrome(chrome: Chrome): string | undefined;
  /** Downloads Chrome into the user's cache. Returns why that failed, or undefined. */
  download(): string | undefined;
  /** Installs packages with apt-get. Returns why that failed, or undefined. */
  install(packages: readonly string[]): string | undefined;
  say(line: string): unknown;
}

/** The package chromium installs no fonts, and a page without fonts shows no text. */
const CHROME_PACKAGES = ['chromium', 'fonts-liberation'] as const;
export const LAVAPIPE_PACKAGES = ['mesa-vulkan-drivers'] as const;

interface Step {
  readonly name: string;
  take(): string | undefined;
}

/**
 * Returns a Chrome that starts. Returns advice if there is none after all steps, or if an environment variable names a
 * Chrome that does not start.
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
    say(`no Chrome starts: ${step.name}.`);
    const failure = step.take();
    if (failure !== undefined) say(`this failed: ${failure}.`);
    const chrome = failure === undefined ? usable() : undefined;
    if (chrome !== undefined) return chrome;
  }
  return `There is no Chrome that starts: ${CHROME_ADVICE}.`;
}

/**
 * As root on Debian, apt-get comes first: this is usually a container, where a downloaded Chrome would lack libraries.
 * Elsewhere the download comes first: it changes only the user's cache.
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
