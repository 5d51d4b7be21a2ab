import { findTestChromium } from './chromium.ts'

/** Fetches Chromium before the tests that need it, whose waits are too short for that. */
export const setup = async (): Promise<void> => {
  await findTestChromium().catch(() => {
    // they will say so themselves, and the others need none
  })
}
