import { findWay, waysOf } from '@probe-mesh/probe-agent/probes/browser/sandbox'
import { findTestChromium } from './chromium.ts'

/**
 * Fetches Chromium before the tests that need it, whose waits are too short for that, and tells the
 * agents that tests start where it is.
 */
export const setup = async (): Promise<void> => {
  try {
    const path = await findTestChromium()
    process.env['TEST_CHROMIUM'] = path
    const { way, why } = await findWay(path, waysOf({ isRoot: process.getuid?.() === 0, mayGoWithout: true }))
    if (way?.isSandboxed === true) return
    process.stderr.write(`chromium for the tests: without its sandbox, since ${why}\n`)
    process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] = 'yes'
  } catch {
    // those that need it will say so themselves, and the others go on
  }
}
