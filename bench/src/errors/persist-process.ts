// In a process of its own: the persister over a stream that holds everything already, timed from its
// start until all is counted; or the floor under it, the client's inserts of the same rows.
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { errorPartitionOf } from '@probe-mesh/contracts/mesh/partition'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { occurrencesInsert } from '@probe-mesh/control-plane/error-tracking/persist/insert-occurrences'
import { startErrorPersister } from '@probe-mesh/control-plane/error-tracking/persist/persister'
import type { ErrorEvent } from '@probe-mesh/control-plane/error-tracking/events/error-event'
import { encodeErrorsMessage } from '@probe-mesh/control-plane/error-tracking/events/errors-message'
import { errorIssueIdOf } from '@probe-mesh/control-plane/error-tracking/events/issue-id'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { takeTestLeases as takeLeases } from '@probe-mesh/control-plane/stores/postgres/testing'
import { Registry } from 'prom-client'
import { answerParent, cpuSecondsSince } from '../child.ts'
import { withFolder } from '../folder.ts'
import { until } from '../mesh/until.ts'
import { storedEvents } from './stored-events.ts'

export type PersistQuestion = {
  kind: 'persist' | 'insert'
  databaseUrl: string
  clickhouseUrl: string
  projectIds: readonly string[]
  events: number
}

export type PersistAnswer = { seconds: number; cpuSeconds: number; batches: number }

/** As the persister takes them off the stream. */
const batchSize = 500
const scale = { ...tiersDefault.scale, errorEventsPerMonth: 1_000_000_000 }

const persist = ({ databaseUrl, clickhouseUrl, projectIds, events }: PersistQuestion) =>
  withFolder(async (folder): Promise<PersistAnswer> => {
    const bus = await openInProcessBus({ directory: folder })
    for (const event of storedEvents(projectIds, events)) {
      const data = encodeErrorsMessage({ kind: 'event', event })
      const partition = errorPartitionOf(event.projectId)
      await bus.errors.publish({ partition, messageId: event.eventId, data })
    }
    const sql = connectPostgres(databaseUrl, { role: 'probe_mesh_system' })
    const clickhouse = connectClickHouse(clickhouseUrl)
    const leases = await takeLeases(sql)
    let batches = 0
    const registry = new Registry()
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    const persister = startErrorPersister({
      sql,
      clickhouse,
      bus,
      tiers: { ...tiersDefault, scale },
      registry,
      log: createLog('warn'),
      now: Date.now,
      onStep: async (step) => {
        if (step === 'counted') batches += 1
      },
    })
    for (const lease of leases) persister.take(lease)
    await until('everything is counted', async () => (await countedIn(registry)) >= events, 20)
    const seconds = (performance.now() - startedAt) / 1_000
    const cpuSeconds = cpuSecondsSince(cpu)
    await persister.close()
    await bus.close()
    await Promise.all([sql.end(), clickhouse.close()])
    return { seconds, cpuSeconds, batches }
  })

const countedIn = async (registry: Registry): Promise<number> => {
  const metric = await registry.getSingleMetric('error_events_total')?.get()
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0)
}

type Insert = Awaited<ReturnType<typeof occurrencesInsert>>

const insert = async ({
  clickhouseUrl,
  projectIds,
  events,
}: PersistQuestion): Promise<PersistAnswer> => {
  const clickhouse = connectClickHouse(clickhouseUrl)
  const inserts: Insert[] = []
  let batch: ErrorEvent[] = []
  const flush = async (): Promise<void> => {
    if (batch.length > 0) inserts.push(await insertOf(batch))
    batch = []
  }
  for (const event of storedEvents(projectIds, events)) {
    batch.push(event)
    if (batch.length === batchSize) await flush()
  }
  await flush()
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  for (const one of inserts) await clickhouse.insert(one)
  const seconds = (performance.now() - startedAt) / 1_000
  const cpuSeconds = cpuSecondsSince(cpu)
  await clickhouse.close()
  return { seconds, cpuSeconds, batches: inserts.length }
}

/** What the persister would have the client insert: the same cells, format, settings and a token. */
const insertOf = (events: readonly ErrorEvent[]): Promise<Insert> => {
  const rows = events.map((event) => ({
    event,
    issueId: errorIssueIdOf(event.projectId, event.grouping),
    keepDays: 90,
  }))
  const batch = uuidv7(Date.now())
  return occurrencesInsert(rows, { batch, token: batch })
}

answerParent<PersistQuestion>((question) =>
  question.kind === 'persist' ? persist(question) : insert(question),
)
