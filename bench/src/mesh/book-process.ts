// The assessor's memory in a process of its own: every check as it comes from Postgres, then a
// reading of each region, decoded as it comes from the stream.
import { partitions } from '@probe-mesh/contracts/mesh/partition'
import { createAssessmentState } from '@probe-mesh/control-plane/mesh/assess/assessment-state'
import type { AssessmentState } from '@probe-mesh/control-plane/mesh/assess/assessment-state'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { findStatesOfPartitions } from '@probe-mesh/control-plane/status/states-store'
import { decodeMessage } from '@probe-mesh/control-plane/readings/decode'
import { answerParent } from '../child.ts'
import { benchMessages, bytesOf } from '../path/bench-readings.ts'
import type { Workload } from '../path/bench-readings.ts'
import { withPostgres } from './databases.ts'

export type BookQuestion = { databaseUrl: string; workload: Workload }
/** Bytes of the heap and beside it: with nothing in the book, and with everything. */
export type BookAnswer = { checks: number; emptyBytes: number; fullBytes: number }

const rowsMax = 2_000

const measure = ({ databaseUrl, workload }: BookQuestion): Promise<BookAnswer> =>
  withPostgres(databaseUrl, async (sql) => {
    // Code and connection are there before anything is counted.
    await fill(createAssessmentState(Date.now), sql, workload, partitions.slice(0, 1))
    const emptyBytes = bytesInUse()
    const book = createAssessmentState(Date.now)
    await fill(book, sql, workload, partitions)
    const fullBytes = bytesInUse()
    return { checks: book.size(), emptyBytes, fullBytes }
  })

const fill = async (
  book: AssessmentState,
  sql: Sql,
  workload: Workload,
  some: readonly number[],
): Promise<void> => {
  for (const partition of some) {
    const states = await findStatesOfPartitions(sql, [partition])
    for (const check of states) book.load(check, { partition, epoch: 1 })
  }
  for (const message of benchMessages(workload)) {
    if (!some.includes(message.partition)) continue
    const { partition, batch } = message
    const storedAt = Date.now()
    const source = { partition, sequence: batch, data: bytesOf(message), storedAt }
    const { readings, poison } = decodeMessage(source)
    if (poison.length > 0) throw new Error(`poison: ${poison[0]?.reason}`)
    for (const reading of readings) book.observe(reading)
  }
  for (const write of book.flips()) book.settle(write)
  while (book.takeDirty(rowsMax).length > 0);
}

const bytesInUse = (): number => {
  if (globalThis.gc === undefined) throw new Error('this process needs --expose-gc')
  // What only a finalizer lets go of goes with the next round.
  for (let round = 0; round < 3; round++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

answerParent(measure)
