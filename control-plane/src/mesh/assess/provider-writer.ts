import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { startLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { dnsProviderOf } from '../../outage/dns-provider.ts'
import { saveProviders } from '../../shared-causes/providers-store.ts'
import type { SeenProviders } from '../../shared-causes/providers-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessMetrics } from './metrics.ts'

const paceMs = 500
const rowsMax = 1_000
/** Unchanged providers are written again after this, since old rows do not count. */
const againMs = 21_600_000
/** The most sightings that wait for Postgres, and that are remembered. Beyond, the oldest is dropped. */
const waitingMax = 50_000
const writtenMax = 200_000

export type ProviderWriter = { note(readings: readonly Reading[]): void; close(): Promise<void> }

/**
 * Writes the providers that checks are seen behind: one row for each check and region, when they change and every
 * six hours. A lost row is written with the next sighting.
 */
export const startProviderWriter = (capabilities: {
  sql: Sql
  metrics: Pick<AssessMetrics, 'providers'>
  log: Pick<Logger, 'warn'>
  now: () => number
}): ProviderWriter => {
  const { sql, metrics, log, now } = capabilities
  const waiting = new Map<string, SeenProviders>()
  const written = new Map<string, SeenProviders>()

  const note = (readings: readonly Reading[]): void => {
    for (const reading of readings) {
      const key = `${reading.checkId} ${reading.region}`
      const known = waiting.get(key) ?? written.get(key)
      const seen = providersIn(reading, known, now())
      if (seen === null) continue
      waiting.delete(key)
      waiting.set(key, seen)
    }
    metrics.providers.inc({ outcome: 'dropped' }, trim(waiting, waitingMax))
  }

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, rowsMax)
      await saveProviders(
        sql,
        batch.map(([, each]) => each),
      )
      metrics.providers.inc({ outcome: 'stored' }, batch.length)
      for (const [key, each] of batch) {
        // a newer sighting still has to be written
        if (waiting.get(key) === each) waiting.delete(key)
        written.delete(key)
        written.set(key, each)
      }
      trim(written, writtenMax)
    }
  }
  const reportFailure = (error: unknown): void => {
    log.warn({ err: error }, 'providers of checks cannot be stored; retrying')
  }
  const loop = startLoop({ round: write, everyMs: paceMs, firstMs: paceMs, onError: reportFailure })
  return {
    note,
    close: async () => {
      await loop.close()
      await write().catch(reportFailure)
    },
  }
}

/**
 * What a reading shows that has to be written; null if nothing. A failure without a mark says nothing about the
 * CDN; the name servers that were asked about a failing name show the provider of DNS. Pure.
 */
export const providersIn = (
  { checkId, region, verdict, details, measuredAt }: Reading,
  known: SeenProviders | undefined,
  nowMs: number,
): SeenProviders | null => {
  // almost every reading
  if (known === undefined && !details) return null
  if (verdict === 'unmeasured' || (known !== undefined && measuredAt <= known.seenAtMs)) return null
  const mark = details?.type === 'http' ? details.cdn : null
  const cdn = mark ?? (verdict === 'up' ? '' : (known?.cdn ?? null))
  const servers = details?.names?.servers ?? []
  const provider = servers.length === 0 ? null : dnsProviderOf(servers.map(({ name }) => name))
  const seenDns = provider?.kind === 'one' ? provider.slug : null
  const dns = seenDns ?? known?.dns ?? null
  // without a row there is nothing to take back, and a failure that shows nothing keeps what is stored
  const isNothing = mark === null && seenDns === null && (known === undefined || verdict !== 'up')
  if (isNothing) return null
  const isSame = known !== undefined && known.cdn === cdn && known.dns === dns
  const isEmpty = (cdn ?? '') === '' && dns === null
  if (isSame && (isEmpty || measuredAt - known.seenAtMs < againMs)) return null
  return { checkId, region, cdn, dns, seenAtMs: Math.min(measuredAt, nowMs) }
}

/** @returns how many were removed, the oldest first */
const trim = (entries: Map<string, unknown>, max: number): number => {
  const over = Math.max(0, entries.size - max)
  for (const key of [...entries.keys()].slice(0, over)) entries.delete(key)
  return over
}
