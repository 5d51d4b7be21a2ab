// Ingest in a process of its own. Everything is on the stream already; the clock runs from the start to
// the last stored row.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { createFactsOfChecks } from '@probe-mesh/control-plane/src/mesh/ingest/check-facts'
import { startIngester } from '@probe-mesh/control-plane/src/mesh/ingest/ingester'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { decodeMessage } from '@probe-mesh/control-plane/readings/decode'
import { acquireTestLeases as takeLeases } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { cpuSecondsSince } from '../harness/usage.ts'
import { withFolder } from '../harness/scope.ts'
import { benchMessages, bytesOf, type Workload } from '../harness/bench-readings.ts'

export type IngestQuestion = Workload & { databaseUrl: string; clickhouseUrl: string }

export type IngestAnswer = {
  rows: number
  seconds: number
  cpuSeconds: number
  /** Rows of each batch, in order. */
  batches: { rows: number }[]
}

const measure = (question: IngestQuestion): Promise<IngestAnswer> =>
  withFolder(async (folder) => {
    const bus = await openInProcessBus({ directory: folder })
    const expected = await publish(bus, question)
    const sql = connectPostgres(question.databaseUrl)
    const clickhouse = connectClickHouse(question.clickhouseUrl)
    const batches: IngestAnswer['batches'] = []
    const stored = Promise.withResolvers<void>()
    let rowsStored = 0

    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    const ingester = startIngester({
      sql,
      clickhouse,
      bus,
      factsOfChecks: createFactsOfChecks({ sql, tiers: tiersDefault, now: Date.now }),
      registry: new Registry(),
      decode: decodeMessage,
      log: createLog('warn'),
      now: Date.now,
      onStored: (rows) => {
        batches.push({ rows: rows.length })
        rowsStored += rows.length
        if (rowsStored >= expected) stored.resolve()
      },
    })
    for (const lease of await takeLeases(sql)) ingester.take(lease)
    await stored.promise
    const seconds = (performance.now() - startedAt) / 1_000
    const cpuSeconds = cpuSecondsSince(cpu)

    await ingester.close()
    await bus.close()
    await Promise.all([sql.end(), clickhouse.close()])
    return { rows: rowsStored, seconds, cpuSeconds, batches }
  })

/** @returns how many readings it published */
const publish = async (bus: Bus, workload: Workload): Promise<number> => {
  let count = 0
  for (const message of benchMessages(workload)) {
    const { partition, region, batch, readings } = message
    const messageId = `${region}-bench:${partition}:${batch}`
    await bus.readings.publish({ partition, region, messageId, data: bytesOf(message) })
    count += readings.length
  }
  return count
}

answerParent(measure)
