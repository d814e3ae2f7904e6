/**
 * Keeps `npm ci` from downloading a browser, because it would fail if the download failed. scripts/setup.ts
 * finds or installs a browser when tests need one.
 */
module.exports = { skipDownload: true };
