import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseTarget, targetProblem } from '@probe-mesh/contracts/target/target'
import { kilobyte, text, type CheckTypeSettings } from '../check-type.ts'

export const BrowserSettings = z.strictObject({
  url: field(z.string().min(1).max(limits.urlCharactersMax), 'URL of the page.', 'https://shop.example.com/'),
  titleContains: field(text.nullable().default(null), 'Case-sensitive text in the title. null: any.', 'Shop'),
  textContains: field(text.nullable().default(null), 'Case-sensitive text in the page. null: any.', null),
  failOnConsoleErrors: field(z.boolean().default(false), 'Whether errors on the page fail the check.', false),
  lcpMsMax: field(
    z.int().min(1).max(limits.browserAttemptMsMax).nullable().default(null),
    'Slowest largest contentful paint that counts as up, ms. null: any.',
    null,
  ),
})
export type BrowserSettings = z.infer<typeof BrowserSettings>
components.add(BrowserSettings, { id: 'BrowserSettings' })

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
