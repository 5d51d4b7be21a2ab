import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { quarterMs } from '../report-volume.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findReportCounts } from './report-counts-store.ts'
import { startReportKeeper } from './keeper.ts'
import { createLastHour } from './last-hour.ts'
import type { LastHour } from './last-hour.ts'
import { reportMetrics } from './metrics.ts'
import type { ReportBook } from '../report-book.ts'
import { createReporterHash } from './reporter-hash.ts'
import { createReporters } from './reporters.ts'
import { spreadQuarter } from './spread-quarter.ts'
import { startReportTeller } from './teller.ts'
import { createUnwritten } from './unwritten.ts'
import { createUsual } from './usual.ts'

const hourMs = 60 * 60_000

export type Reports = {
  book: ReportBook
  /** Writes what was counted; a timer calls this as well. @throws while Postgres is away */
  write(): Promise<void>
  /** Writes and tells what is left. */
  close(): Promise<void>
}

/**
 * Takes people's reports: one per address, service and 15 minutes, the address "keyed in memory by
 * a salted hash that is never written". The last hour is in memory, everybody's; quarters of an hour
 * are added up in Postgres, each instance its own.
 *
 * Best effort, by choice: a restart forgets who has reported, an instance that is killed forgets the
 * counts of its last two seconds, and an address that reaches two instances within the moment that
 * an event takes, or while the bus is away, counts at both.
 */
export const startReports = async (capabilities: {
  sql: Sql
  events: Events
  catalog: CatalogIndex
  /** `SECRETS_KEY`. */
  secretsKey: string
  registry: Registry
  log: Logger
  now: () => number
}): Promise<Reports> => {
  const { sql, events, catalog, now } = capabilities
  const id = uuidv7(now())
  const hashesOf = createReporterHash(capabilities.secretsKey)
  const reporters = createReporters()
  const lastHour = createLastHour()
  const unwritten = createUnwritten()
  const usual = createUsual()
  const metrics = reportMetrics(capabilities.registry, {
    reporters: () => reporters.size(now()),
    unwritten: unwritten.size,
  })

  // read before the others are heard: what comes in between is missed rather than counted twice
  await readLastHour(sql, lastHour, now())
  const keeper = await startReportKeeper({ ...capabilities, id, unwritten, usual })
  const teller = await startReportTeller({
    events,
    id,
    onTold: ({ slug, region, reporter }) => {
      const atMs = now()
      if (!catalog.bySlug.has(slug) || reporters.take([reporter], atMs) === 'repeated') return
      metrics.told.inc()
      lastHour.add({ slug, region, atMs, count: 1 })
    },
  })

  return {
    book: {
      take: (report) => {
        const { slug, region } = report
        if (!catalog.bySlug.has(slug)) return false
        const atMs = now()
        const hashes = hashesOf(report, atMs)
        const outcome = reporters.take(hashes, atMs)
        metrics.reports.inc({ outcome })
        if (outcome !== 'counted') return false
        lastHour.add({ slug, region, atMs, count: 1 })
        if (!unwritten.add({ slug, region, atMs })) metrics.lost.inc()
        teller.tell({ slug, region, reporter: hashes[0] })
        return true
      },
      minutesOf: (slug) => lastHour.of(slug, now()),
      usualOf: (slug) => usual.of(slug, now()),
    },
    write: keeper.write,
    close: async () => {
      await teller.close()
      await keeper.close()
    },
  }
}

/** Where in its quarter a report fell is not stored: see `spreadQuarter`. */
const readLastHour = async (sql: Sql, lastHour: LastHour, nowMs: number): Promise<void> => {
  for (const count of await findReportCounts(sql, nowMs - hourMs - quarterMs)) {
    for (const minute of spreadQuarter(count, nowMs)) lastHour.add({ ...count, ...minute })
  }
}
