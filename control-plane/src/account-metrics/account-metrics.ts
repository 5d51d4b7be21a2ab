import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createGzip } from 'node:zlib'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { AccountContext } from '../operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { checkFamilies, figuresOf } from './check-metrics.ts'
import type { CheckFigures } from './check-metrics.ts'
import { metricText } from './metric-text.ts'
import { scrapedChecks } from './scraped-checks-store.ts'

/** How long the text of an account is kept, ms: several scrapers cost one read (S-3706). */
export const metricsKeptMs = 5_000
/** Texts in the cache. The largest possible one has about 3 MB, compressed. */
const keptMax = 32

/** The metrics of an account in either format, compressed with gzip. */
export type AccountMetrics = (accountId: string) => Promise<Buffer>

export const createAccountMetrics = ({ sql, now }: Pick<AccountContext, 'sql' | 'now'>): AccountMetrics => {
  const kept = createExpiringCache<Buffer>({ now, ageMsMax: metricsKeptMs, entriesMax: keptMax })
  return (accountId) => {
    const known = kept.peek(accountId)
    if (known !== undefined) return Promise.resolve(known)
    return kept.load(accountId, accountId, async () => {
      const figures = await readFigures({ sql, now }, accountId)
      const value = await compressed(metricText(checkFamilies, figures))
      return { keep: value, value }
    })
  }
}

const readFigures = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  accountId: string,
): Promise<CheckFigures[]> =>
  inAccount(sql, accountId, async (tx) => {
    const figures: CheckFigures[] = []
    const nowMs = now()
    for await (const checks of scrapedChecks(tx, accountId)) {
      for (const check of checks) figures.push(figuresOf(check, nowMs))
    }
    return figures
  })

/** One part is written while the one before is compressed, so that other requests run in between. */
const compressed = (parts: Iterable<string>): Promise<Buffer> =>
  buffer(Readable.from(parts, { highWaterMark: 1 }).pipe(createGzip({ level: constants.Z_BEST_SPEED })))
