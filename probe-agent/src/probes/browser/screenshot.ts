import type { CDPSession } from 'playwright-core'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { viewport } from './open-tab.ts'

/** From good to small: JPEG quality, and the share of the page's size. */
const attempts = [
  { quality: 60, scale: 1 },
  { quality: 35, scale: 1 },
  { quality: 15, scale: 1 },
  { quality: 15, scale: 0.5 },
] as const

/**
 * What the page shows now, as JPEG in base64 of at most `limits.screenshotCharactersMax`.
 * @returns null where even the smallest is larger
 * @throws Error when Chromium takes none
 */
export const takeScreenshot = async (session: CDPSession): Promise<string | null> => {
  for (const { quality, scale } of attempts) {
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'jpeg',
      quality,
      ...(scale === 1 ? {} : { clip: { x: 0, y: 0, ...viewport, scale } }),
    })
    if (data.length <= limits.screenshotCharactersMax) return data
  }
  return null
}
