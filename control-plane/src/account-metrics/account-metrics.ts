import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createGzip } from 'node:zlib'
import type { Objective } from '@probe-mesh/contracts/objective/objective'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { readObjectives, type ObjectiveContext } from '../objectives/objective-states.ts'
import type { AccountContext } from '../accounts/operations/context.ts'
import { findChecksInMaintenance } from '../maintenance/maintenance-hold.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { withNewest } from '../status/live-states.ts'
import { checkFamilies, figuresOf, type CheckFigures } from './check-metrics.ts'
import { endOfText, metricText } from './metric-text.ts'
import { objectiveFamilies } from './objective-metrics.ts'
import { scrapedChecks } from './scraped-checks-store.ts'

/** How long the text of an account is kept, ms: several scrapers cost one read (S-3706). */
const metricsKeptMs = 5_000
/** Texts in the cache. The largest possible one has about 3 MB, compressed. */
const keptMax = 32

/** The metrics of an account in either format, compressed with gzip. */
export type AccountMetrics = (accountId: string) => Promise<Buffer>

export const createAccountMetrics = (context: ObjectiveContext): AccountMetrics => {
  const kept = createExpiringCache<Buffer>({ now: context.now, ageMsMax: metricsKeptMs, entriesMax: keptMax })
  return (accountId) => {
    const known = kept.peek(accountId)
    if (known !== undefined) return Promise.resolve(known)
    return kept.load(accountId, accountId, async () => {
      const { figures, objectives } = await readAccountFigures(context, accountId)
      const value = await compressed(textOf(figures, objectives))
      return { keep: value, value }
    })
  }
}

/** All that the metrics of an account say, as it is now. */
export const readAccountFigures = async (
  context: ObjectiveContext,
  accountId: string,
): Promise<{ figures: CheckFigures[]; objectives: Objective[] }> => ({
  figures: await readFigures(context, accountId),
  objectives: await readObjectives(context, accountId),
})

const readFigures = (
  { sql, freshen, now }: Pick<AccountContext, 'sql' | 'freshen' | 'now'>,
  accountId: string,
): Promise<CheckFigures[]> =>
  inAccount(sql, accountId, async (tx) => {
    const figures: CheckFigures[] = []
    const nowMs = now()
    const inMaintenance = await findChecksInMaintenance(tx, accountId, nowMs)
    for await (const checks of scrapedChecks(tx, accountId)) {
      for (const check of checks) figures.push(figuresOf(withNewest(check, freshen), nowMs, inMaintenance))
    }
    return figures
  })

function* textOf(figures: readonly CheckFigures[], objectives: readonly Objective[]): Generator<string> {
  yield* metricText(checkFamilies, figures)
  yield* metricText(objectiveFamilies, objectives)
  yield endOfText
}

/** One part is written while the one before is compressed, so that other requests run in between. */
const compressed = (parts: Iterable<string>): Promise<Buffer> =>
  buffer(Readable.from(parts, { highWaterMark: 1 }).pipe(createGzip({ level: constants.Z_BEST_SPEED })))
