/**
 * Keeps `npm ci` from downloading a browser, because a failed download would end `npm ci`. scripts/setup.ts finds or
 * installs a browser when tests need one.
 */
module.exports = { skipDownload: true };
