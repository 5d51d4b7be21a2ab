import type { findChromium as find } from './find-chromium.ts'

/** In place of the search for Chromium in an agent of one file, which has no Playwright and so no browser checks. */
export const findChromium: typeof find = (setting) =>
  setting === null || setting === 'off'
    ? { ok: true, path: null }
    : {
        ok: false,
        problem:
          'CHROMIUM must be off: this agent is one file, without browser checks. The image agent-browser and the npm package run them',
      }
