import { findTestChromium } from './chromium.ts'

/**
 * Fetches Chromium before the tests that need it, whose waits are too short for that, and tells the
 * agents that tests start where it is.
 */
export const setup = async (): Promise<void> => {
  try {
    process.env['TEST_CHROMIUM'] = await findTestChromium()
  } catch {
    // those that need it will say so themselves, and the others go on
  }
}
