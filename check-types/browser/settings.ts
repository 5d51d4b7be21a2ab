import { z } from 'zod'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseTarget, targetProblem } from '@probe-mesh/contracts/target/target'
import { kilobyte, text, type CheckTypeSettings } from '../check-type.ts'

export const BrowserSettings = z.strictObject({
  url: z.string().min(1).max(limits.urlCharactersMax),
  /** Literal text in the title and in the visible page. Case-sensitive. */
  titleContains: text.nullable().default(null),
  textContains: text.nullable().default(null),
  /** Whether an error on the console or an exception fails the check. */
  failOnConsoleErrors: z.boolean().default(false),
  /** The slowest largest contentful paint that counts as up; null only measures it. */
  lcpMsMax: z.int().min(1).max(limits.browserAttemptMsMax).nullable().default(null),
})
export type BrowserSettings = z.infer<typeof BrowserSettings>

/** How many requests to its host a page counts as: what else it loads is unknown. */
export const requestsOfPage = 10

export const browser = {
  type: 'browser',
  Settings: BrowserSettings,
  hasTimeout: false,
  mayRunPrivately: false,
  looksUpName: false,
  startsTls: () => false,
  // includes a screenshot
  readingBytesMax: limits.screenshotCharactersMax + 8 * kilobyte,
  intervalSecondsMin: limits.longRunIntervalSecondsMin,
  targetOf: ({ url }) => url,
  hostOf: ({ url }) => URL.parse(url)?.hostname ?? null,
  requestsOf: ({ url }, options) => {
    const parsed = parseTarget(url, options)
    return parsed.ok
      ? Array.from({ length: requestsOfPage }, () => ({ path: 'url', host: parsed.target.host }))
      : []
  },
  unsafeField: ({ url }, options) => {
    const problem = targetProblem(url, options)
    return problem === null ? null : { path: 'url', ...problem }
  },
} as const satisfies CheckTypeSettings<'browser', typeof BrowserSettings>
