// The floor under ingest, in a process of its own: the client's inserts and nothing else.
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { readingsInsert, type ReadingRow } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { answerParent } from './child.ts'
import { cpuSecondsSince } from './usage.ts'
import { benchMessages, type Workload } from './bench-readings.ts'

export type RawInsertQuestion = Workload & {
  clickhouseUrl: string
  /** Rows of each insert, as ingest had them. */
  batches: readonly number[]
}

export type RawInsertAnswer = { rows: number; seconds: number; cpuSeconds: number }

const measure = async (question: RawInsertQuestion): Promise<RawInsertAnswer> => {
  const clickhouse = connectClickHouse(question.clickhouseUrl)
  const rows = rowsOf(question)
  const inserts: ReturnType<typeof readingsInsert>[] = []
  let at = 0
  for (const size of question.batches) {
    inserts.push(readingsInsert(rows.slice(at, at + size), uuidv7(Date.now())))
    at += size
  }
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  for (const insert of inserts) await clickhouse.insert(insert)
  const seconds = (performance.now() - startedAt) / 1_000
  const cpuSeconds = cpuSecondsSince(cpu)
  await clickhouse.close()
  return { rows: at, seconds, cpuSeconds }
}

const rowsOf = (workload: Workload): ReadingRow[] => {
  const { rawDays, hourDays } = tiersDefault.scale
  const receivedAtMs = Date.now()
  return benchMessages(workload).flatMap(({ region, readings }) =>
    readings.map((reading) => ({
      reading,
      agent: `${region}-bench`,
      receivedAtMs,
      rawDays,
      hourDays,
    })),
  )
}

answerParent(measure)
