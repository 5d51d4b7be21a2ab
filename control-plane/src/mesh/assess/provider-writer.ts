import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import { dnsProviderOf } from '../../public-answers/dns-provider.ts'
import { saveProviders, type SeenProviders } from '../../alerts/shared-causes/providers-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessMetrics } from './metrics.ts'
import { startSightingWriter } from './sighting-writer.ts'

/** Unchanged providers are written again after this, since old rows do not count. */
const againMs = 21_600_000
export type ProviderWriter = { note(readings: readonly Reading[]): void; close(): Promise<void> }

/**
 * Writes the providers that checks are seen behind: one row for each check and region, when they change and every
 * six hours. A lost row is written with the next sighting.
 */
export const startProviderWriter = (capabilities: {
  sql: Sql
  metrics: Pick<AssessMetrics, 'providers'>
  log: Pick<Logger, 'warn' | 'info'>
  now: () => number
}): ProviderWriter => {
  const { sql, metrics, log, now } = capabilities
  const writer = startSightingWriter({
    save: (batch: readonly SeenProviders[]) => saveProviders(sql, batch),
    remember: (seen) => seen,
    count: (outcome, sightings) => metrics.providers.inc({ outcome }, sightings),
    what: 'providers of checks',
    log,
  })
  return {
    note: (readings) => {
      for (const reading of readings) {
        const key = `${reading.checkId} ${reading.region}`
        const seen = providersIn(reading, writer.waiting(key) ?? writer.written(key), now())
        if (seen !== null) writer.put(key, seen)
      }
      writer.trim()
    },
    close: writer.close,
  }
}

/**
 * What a reading shows that has to be written; null if nothing. A failure without a mark says nothing about the
 * CDN; the name servers that were asked about a failing name show the provider of DNS.
 */
const providersIn = (
  reading: Reading,
  known: SeenProviders | undefined,
  nowMs: number,
): SeenProviders | null => {
  const { checkId, region, verdict, details, measuredAt } = reading
  // almost every reading
  if (known === undefined && !details) return null
  if (verdict === 'unmeasured' || measuredAt <= (known?.seenAtMs ?? Number.NEGATIVE_INFINITY)) return null
  const shown = shownIn(reading)
  // without a row there is nothing to take back, and a failure that shows nothing keeps what is stored
  if (!isShown(shown) && (known === undefined || verdict !== 'up')) return null
  const stored = known ?? { cdn: null, dns: null }
  const cdn = shown.cdn ?? (verdict === 'up' ? '' : stored.cdn)
  const seen = { checkId, region, cdn, dns: shown.dns ?? stored.dns, seenAtMs: measuredAt }
  if (known !== undefined && !isNews(seen, known)) return null
  return { ...seen, seenAtMs: Math.min(measuredAt, nowMs) }
}

type Shown = Pick<SeenProviders, 'cdn' | 'dns'>

const shownIn = ({ details }: Reading): Shown => {
  const servers = details?.names?.servers ?? []
  const provider = servers.length === 0 ? null : dnsProviderOf(servers.map(({ name }) => name))
  return {
    cdn: details?.type === 'http' ? details.cdn : null,
    dns: provider?.kind === 'one' ? provider.slug : null,
  }
}

const isShown = ({ cdn, dns }: Shown): boolean => cdn !== null || dns !== null

/** Whether it differs from what is stored, or is stored so long ago that it would stop to count. */
const isNews = (seen: SeenProviders, known: SeenProviders): boolean => {
  if (seen.cdn !== known.cdn || seen.dns !== known.dns) return true
  const isEmpty = (seen.cdn ?? '') === '' && seen.dns === null
  return !isEmpty && seen.seenAtMs - known.seenAtMs >= againMs
}
