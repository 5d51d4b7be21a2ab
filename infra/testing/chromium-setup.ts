import { findWay, waysOf } from '@probe-mesh/check-types/browser/probe/sandbox'
import { findTestChromium } from './chromium.ts'

/**
 * Downloads Chromium before the tests that need it, whose timeouts are too short for that, and sets its path
 * for the agents of tests.
 */
export const setup = async (): Promise<void> => {
  try {
    const path = await findTestChromium()
    process.env['TEST_CHROMIUM'] = path
    const { way, why } = await findWay(path, waysOf({ isRoot: process.getuid?.() === 0, mayGoWithout: true }))
    if (way?.isSandboxed === true) return
    process.stderr.write(`chromium for the tests: without its sandbox, because ${why}\n`)
    process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] = 'yes'
  } catch {
    // the tests that need it report that themselves; the others run
  }
}
