import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { quarterMs } from '../unusual-reports.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findReportCounts } from './report-counts-store.ts'
import { startCountWriter } from './count-writer.ts'
import { createLastHour } from './last-hour.ts'
import type { LastHour } from './last-hour.ts'
import type { ReportBook } from '../unusual-reports.ts'
import { createReporterHash } from './reporter-hash.ts'
import { createReporters } from './reporters.ts'
import { createUnwritten } from './unwritten.ts'
import { createUsual } from './past-counts.ts'
import type { ReportCount } from './report-counts-store.ts'
import {
  reportsPerEventMax,
  ReportsBroadcast,
  reportsBroadcastMs,
} from '@probe-mesh/contracts/mesh/events'
import type { BroadcastReport } from '@probe-mesh/contracts/mesh/events'
import { Counter, Gauge } from 'prom-client'

type ReportBroadcast = {
  /** Tells the other instances: at once after a quiet moment, else with what came meanwhile. */
  tell(report: BroadcastReport): void
  /** Tells what is left. */
  close(): Promise<void>
}

/** Tells the others what this instance counts, and hears what they do; its own is not heard. */
const startReportBroadcast = async (capabilities: {
  events: Events
  /** Of this instance's life. */
  id: string
  onTold: (report: BroadcastReport) => void
}): Promise<ReportBroadcast> => {
  const { events, id, onTold } = capabilities
  let waiting: BroadcastReport[] = []
  let timer: NodeJS.Timeout | null = null

  const publish = (): void => {
    if (waiting.length === 0) return
    const told: ReportsBroadcast = { teller: id, reports: waiting }
    waiting = []
    events.publish('reports', told)
  }
  const tellSome = (): void => {
    timer = waiting.length === 0 ? null : setTimeout(tellSome, reportsBroadcastMs)
    publish()
  }
  const subscription = await events.subscribe('reports', (payload) => {
    const told = ReportsBroadcast.safeParse(payload)
    if (!told.success || told.data.teller === id) return
    for (const report of told.data.reports) onTold(report)
  })
  return {
    tell: (report) => {
      waiting.push(report)
      if (waiting.length >= reportsPerEventMax) publish()
      timer ??= setTimeout(tellSome, 0)
    },
    close: async () => {
      if (timer !== null) clearTimeout(timer)
      publish()
      await subscription.close()
    },
  }
}

const minuteMs = 60_000
const minutesPerQuarter = 15

/**
 * A quarter's reports spread evenly over its minutes until now, what does not divide going to the
 * earliest: their sum is what was counted, and where they fell in the quarter is the best guess.
 */
export const spreadQuarter = (
  { quarterMs, reports }: ReportCount,
  nowMs: number,
): { atMs: number; count: number }[] => {
  const begun = Math.floor((nowMs - quarterMs) / minuteMs) + 1
  const minutes = Math.min(minutesPerQuarter, Math.max(1, begun))
  const [each, rest] = [Math.floor(reports / minutes), reports % minutes]
  return Array.from({ length: minutes }, (_, minute) => ({
    atMs: quarterMs + minute * minuteMs,
    count: each + (minute < rest ? 1 : 0),
  })).filter(({ count }) => count > 0)
}

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
  const writer = await startCountWriter({ ...capabilities, id, unwritten, usual })
  const teller = await startReportBroadcast({
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
    write: writer.write,
    close: async () => {
      await teller.close()
      await writer.close()
    },
  }
}

/** Where in its quarter a report fell is not stored: see `spreadQuarter`. */
const readLastHour = async (sql: Sql, lastHour: LastHour, nowMs: number): Promise<void> => {
  for (const count of await findReportCounts(sql, nowMs - hourMs - quarterMs)) {
    for (const minute of spreadQuarter(count, nowMs)) lastHour.add({ ...count, ...minute })
  }
}

/** What the reports say of themselves on `/metrics`: figures of all services together. */
export const reportMetrics = (
  registry: Registry,
  asked: { reporters(): number; unwritten(): number },
) => {
  const registers = [registry]
  return {
    reports: new Counter({
      name: 'reports_total',
      help: 'Reports that came here, by outcome: counted, repeated (the same address again), full (not counted, since no more addresses can be remembered)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    told: new Counter({
      name: 'reports_told_total',
      help: 'Reports that other instances counted and broadcast',
      registers,
    }),
    lost: new Counter({
      name: 'reports_unwritten_lost_total',
      help: 'Reports counted and not written, since too much waits for Postgres',
      registers,
    }),
    reporters: new Gauge({
      name: 'reports_remembered',
      help: 'Hashes of addresses that have reported in the last quarter of an hour',
      registers,
      collect() {
        this.set(asked.reporters())
      },
    }),
    unwritten: new Gauge({
      name: 'reports_unwritten_counts',
      help: 'Counts that wait to be written to Postgres',
      registers,
      collect() {
        this.set(asked.unwritten())
      },
    }),
  }
}
