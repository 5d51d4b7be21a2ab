import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assignmentOf } from '../../checks/assignment-of.ts'
import { findCheckOfAnyAccount } from '../../records/check/many-checks-store.ts'
import { decodeMessage } from '../../readings/decode.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { openQuarantineBoard, type QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { readingAt } from '../../status/testing.ts'
import { acquireTestLeases, insertTestCheck } from '../../stores/postgres/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { startAssessor } from './assessor.ts'
import { createConfirmer } from './confirmer.ts'
import { assessMetrics } from './metrics.ts'

/** All control planes were away, and one comes back to what the mesh measured meanwhile. */

const sql = useTestSql()
const regions = ['iad', 'fra', 'nrt']
const second = 1_000
let bus: Bus
let checkId: string
let board: QuarantineBoard
let nowMs: number
let leftMs: number
let close: () => Promise<void>

const start = async () => {
  const now = (): number => nowMs
  const log = pino({ level: 'silent' })
  const assessmentState = createAssessmentState(now)
  const metrics = assessMetrics(new Registry(), assessmentState)
  const assignmentFor = async (id: string, region: string) => {
    const check = await findCheckOfAnyAccount(sql, id)
    return check === null ? null : assignmentOf(check, region)
  }
  const confirmer = createConfirmer({ bus, metrics, log, assignmentFor })
  const parts = { sql, bus, assessmentState, confirmer, board, metrics, log, now, decode: decodeMessage }
  const assessor = startAssessor({ ...parts, speed: 20 })
  for (const lease of await acquireTestLeases(sql)) assessor.take(lease)
  await vi.waitFor(() => expect(assessmentState.has(checkId)).toBe(true))
  close = async () => {
    await assessor.close()
    await confirmer.close()
  }
  return assessmentState
}
let batch = 0
const publish = async (readings: readonly Reading[]): Promise<void> => {
  const partition = partitionOf(checkId)
  for (const reading of readings) {
    batch += 1
    const { region } = reading
    const message = { version: 1, agent: 'a', region, partition, batch, readings: [reading] }
    const data = new TextEncoder().encode(JSON.stringify(message))
    await bus.readings.publish({ partition, region, messageId: `a:${batch}`, data })
  }
}
const everywhere = (verdict: Reading['verdict'], atMs: number): Reading[] =>
  regions.map((region) => ({ ...readingAt(region, verdict, atMs), checkId }))
/** Readings of every region at the interval of the check; `down` within a span. */
const measured = (
  fromMs: number,
  toMs: number,
  failing: { fromMs: number; toMs: number } | null,
): Reading[] => {
  const readings: Reading[] = []
  for (let atMs = fromMs; atMs < toMs; atMs += 10 * second) {
    const fails = failing !== null && atMs >= failing.fromMs && atMs < failing.toMs
    readings.push(...everywhere(fails ? 'down' : 'up', atMs))
  }
  return readings
}
/** Status and seconds since the control planes left. */
const flips = async (): Promise<[string, number][]> => {
  const rows = await sql<{ to_status: string; at: Date }[]>`
    select to_status, at from flips where check_id = ${checkId} order by version`
  return rows.map(({ to_status, at }) => [to_status, (at.getTime() - leftMs) / second])
}
const statuses = async (): Promise<string[]> => (await flips()).map(([to]) => to)
const becomes = (expected: string[]) => vi.waitFor(async () => expect(await statuses()).toEqual(expected))
/** They come back, and the mesh has measured until then. */
const comeBack = async (afterSeconds: number, failing: { fromMs: number; toMs: number } | null) => {
  await publish(measured(leftMs + 10 * second, leftMs + afterSeconds * second, failing))
  nowMs = leftMs + afterSeconds * second
  return start()
}

beforeEach(async () => {
  // readings further ahead of the real clock than a minute are set aside
  nowMs = Date.now() - 600 * second
  leftMs = nowMs
  bus = await openInProcessBus({ directory: testFolder('absence-') })
  board = await openQuarantineBoard({ events: bus.events, liveRegions: 3, now: () => nowMs })
  checkId = await insertTestCheck(sql, { regions, allRegions: true })
  await sql`update checks set interval_seconds = 10 where id = ${checkId}`
  await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await close()
})
afterEach(async () => {
  await close()
  await board.close()
  await bus.close()
})

test.each([12, 45, 300])('for %d s, no check is stale for readings that wait', async (seconds) => {
  const assessmentState = await comeBack(seconds, null)
  const newestMs = leftMs + (Math.ceil(seconds / 10) - 1) * 10 * second
  await vi.waitFor(() =>
    expect(assessmentState.get(checkId)?.state.regions['nrt']?.measuredAt).toBe(newestMs),
  )
  nowMs += 10 * second
  await publish(everywhere('up', nowMs))
  await vi.waitFor(() => expect(assessmentState.get(checkId)?.state.regions['nrt']?.measuredAt).toBe(nowMs))
  expect(await statuses()).toEqual(['operational'])
})

test('an outage that began and ended meanwhile is recorded with its times', async () => {
  await comeBack(300, { fromMs: leftMs + 100 * second, toMs: leftMs + 150 * second })
  // the whole backlog is one write
  await vi.waitFor(async () => expect(await statuses()).toContain('down'))
  const recorded = await flips()
  const [down, operational] = recorded.filter(([to]) => to !== 'degraded').slice(1)
  expect([down?.[0], operational?.[0]]).toEqual(['down', 'operational'])
  expect(down?.[1]).toBe(100)
  expect(operational?.[1]).toBeLessThanOrEqual(170)
  expect(recorded.filter(([to]) => to === 'stale')).toEqual([])
})

test('an outage that lasts is recorded at once, without the passing of time', async () => {
  await comeBack(300, { fromMs: leftMs + 200 * second, toMs: Number.POSITIVE_INFINITY })
  await vi.waitFor(async () => expect(await statuses()).toContain('down'))
  expect((await flips()).find(([to]) => to === 'down')?.[1]).toBe(200)
})

test('requests no repetition of a failure of long ago', async () => {
  const asked: RunRequest[] = []
  await bus.runs.serve('fra', async (request) => {
    asked.push(request)
    return { agent: 'a', error: 'only asked' }
  })
  await comeBack(300, { fromMs: leftMs + 100 * second, toMs: leftMs + 150 * second })
  // the whole backlog is one write
  await vi.waitFor(async () => expect(await statuses()).toContain('down'))
  expect(asked).toEqual([])
})

test('a check whose agents are gone too is stale, from when its last reading aged', async () => {
  await publish(measured(leftMs + 10 * second, leftMs + 100 * second, null))
  nowMs = leftMs + 300 * second
  await start()
  nowMs += 11 * second
  await becomes(['operational', 'stale'])
  expect((await flips()).at(-1)?.[1]).toBe(90 + staleAfterMs(10) / second)
})
