import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { quarterMs, type UserReports } from '../unusual-reports.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findReportCounts, type ReportCount } from './report-counts-store.ts'
import { startCountWriter } from './count-writer.ts'
import { createLastHour, type LastHour } from './last-hour.ts'
import { createReporterHash } from './reporter-hash.ts'
import { createReporters } from './reporters.ts'
import { createUnwritten } from './unwritten.ts'
import { createUsual } from './past-counts.ts'
import {
  reportsPerEventMax,
  ReportsBroadcast,
  reportsBroadcastMs,
  type BroadcastReport,
} from '@probe-mesh/contracts/mesh/events'

type ReportBroadcast = {
  /** Sends to the other control planes: at once after a pause, else with the next batch. */
  send(report: BroadcastReport): void
  /** Sends the rest. */
  close(): Promise<void>
}

/** Exchanges counted reports with the other control planes. Ignores its own messages. */
const startReportBroadcast = async (capabilities: {
  events: Events
  /** New at each start. */
  id: string
  onReport: (report: BroadcastReport) => void
}): Promise<ReportBroadcast> => {
  const { events, id, onReport } = capabilities
  let waiting: BroadcastReport[] = []
  let timer: NodeJS.Timeout | null = null

  const publish = (): void => {
    if (waiting.length === 0) return
    const message: ReportsBroadcast = { teller: id, reports: waiting }
    waiting = []
    events.publish('reports', message)
  }
  const publishWaiting = (): void => {
    timer = waiting.length === 0 ? null : setTimeout(publishWaiting, reportsBroadcastMs)
    publish()
  }
  const subscription = await events.subscribe('reports', (payload) => {
    const message = ReportsBroadcast.safeParse(payload)
    if (!message.success || message.data.teller === id) return
    for (const report of message.data.reports) onReport(report)
  })
  return {
    send: (report) => {
      waiting.push(report)
      if (waiting.length >= reportsPerEventMax) publish()
      timer ??= setTimeout(publishWaiting, 0)
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
 * Spreads the reports of a quarter of an hour evenly over its minutes until now; the earliest minutes
 * get the remainder. The sum is exact, the position within the quarter is an estimate.
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
  counts: UserReports
  /** Writes pending counts; a timer calls this as well. @throws while Postgres is unavailable */
  write(): Promise<void>
  /** Writes and broadcasts the rest. */
  close(): Promise<void>
}

/**
 * Counts problem reports: one per address, service and 15 minutes. The address is kept in memory only,
 * as a salted hash. Memory holds the last hour of all control planes; each control plane adds its own
 * counts per quarter of an hour to Postgres.
 *
 * Best effort, by choice: a restart forgets the reporters, a killed process loses the counts of its last
 * two seconds, and an address that reaches two control planes before the broadcast arrives counts twice.
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

  // read before subscribing: a report in between is missed rather than counted twice
  await readLastHour(sql, lastHour, now())
  const writer = await startCountWriter({ ...capabilities, id, unwritten, usual })
  const broadcast = await startReportBroadcast({
    events,
    id,
    onReport: ({ slug, region, reporter }) => {
      const atMs = now()
      if (!catalog.bySlug.has(slug) || reporters.record([reporter], atMs) === 'repeated') return
      metrics.received.inc()
      lastHour.add({ slug, region, atMs, count: 1 })
    },
  })

  return {
    counts: {
      record: (report) => {
        const { slug, region } = report
        if (!catalog.bySlug.has(slug)) return false
        const atMs = now()
        const hashes = hashesOf(report, atMs)
        const outcome = reporters.record(hashes, atMs)
        metrics.reports.inc({ outcome })
        if (outcome !== 'counted') return false
        lastHour.add({ slug, region, atMs, count: 1 })
        if (!unwritten.add({ slug, region, atMs })) metrics.lost.inc()
        broadcast.send({ slug, region, reporter: hashes[0] })
        return true
      },
      minutesOf: (slug) => lastHour.of(slug, now()),
      usualOf: (slug) => usual.of(slug, now()),
    },
    write: writer.write,
    close: async () => {
      await broadcast.close()
      await writer.close()
    },
  }
}

const readLastHour = async (sql: Sql, lastHour: LastHour, nowMs: number): Promise<void> => {
  for (const count of await findReportCounts(sql, nowMs - hourMs - quarterMs)) {
    for (const minute of spreadQuarter(count, nowMs)) lastHour.add({ ...count, ...minute })
  }
}

/** Metrics of reports, over all services. */
const reportMetrics = (registry: Registry, current: { reporters(): number; unwritten(): number }) => {
  const registers = [registry]
  return {
    reports: new Counter({
      name: 'reports_total',
      help: 'Problem reports received, by outcome: counted, repeated (same address and service within 15 minutes), full (dropped because the limit of remembered addresses is reached)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    received: new Counter({
      name: 'reports_told_total',
      help: 'Problem reports received by broadcast from other control planes',
      registers,
    }),
    lost: new Counter({
      name: 'reports_unwritten_lost_total',
      help: 'Problem reports counted but not stored, because the queue for Postgres was full',
      registers,
    }),
    reporters: new Gauge({
      name: 'reports_remembered',
      help: 'Hashes of addresses that reported in the last 15 minutes',
      registers,
      collect() {
        this.set(current.reporters())
      },
    }),
    unwritten: new Gauge({
      name: 'reports_unwritten_counts',
      help: 'Report counts waiting to be written to Postgres',
      registers,
      collect() {
        this.set(current.unwritten())
      },
    }),
  }
}
