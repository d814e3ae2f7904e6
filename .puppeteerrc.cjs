/**
 * Nothing is downloaded at install, because `npm ci` would fail where the download does: scripts/setup.ts
 * finds a browser or gets one, when the tests need it.
 */
module.exports = { skipDownload: true };
