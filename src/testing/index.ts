/**
 * A kit for tests of WebGPU code, public as `cellstorm/testing`. Tests run in Node, in headless Chrome or in Deno, and
 * can compare pictures. None of it needs a GPU.
 * @module cellstorm/testing
 */
export { ArgumentError, CellstormError, GpuError } from '../core/base/errors';
export type { ChromeFlagOptions } from '../node/chrome-flags';
export type { Chrome, Driver, DriverName, DriverPreference } from '../node/drivers';
export { expectArraysEqual, expectArraysWithin } from './arrays';
export {
  type BrowserLibrary,
  chromeFlags,
  findChrome,
  type LaunchChromeOptions,
  launchChrome,
} from './chrome';
export { type DenoOptions, type DenoProcess, type DenoSource, openDeno, runInDeno } from './deno';
export type { DeviceOptions, GpuTestBody, LeakOptions } from './gpu-session';
export {
  createGpuTest,
  type GpuTest,
  type GpuTestOptions,
  type RunnerOptions,
  type TestFunction,
} from './gpu-test';
export type { BufferExpectation, BufferPart, GpuTools, NumberArray } from './gpu-tools';
export { type Installed, type InstallOptions, installChromeAndDriver } from './install';
export {
  type CompareOptions,
  comparePictures,
  decodePng,
  encodePng,
  type Picture,
  type PictureBox,
  type PictureDifference,
  type PicturePoint,
  type ScreenshotElement,
  type ScreenshotPage,
  screenshotCanvas,
} from './pictures';
