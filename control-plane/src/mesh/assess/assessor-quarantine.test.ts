import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { quarantineBroadcastMs } from '@probe-mesh/contracts/mesh/events'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { ensureCatalogAccount } from '../../catalog/catalog-checks-store.ts'
import { findNewestQuarantines } from '../../status/quarantine/quarantines-store.ts'
import { insertTestCheck, acquireTestLeases } from '../../stores/postgres/testing.ts'
import { openQuarantineBoard, type QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { cleanMs } from '../../status/quarantine/quarantine.ts'
import { decodeMessage } from '../../readings/decode.ts'
import { unansweredAt as readingAt } from '../../status/testing.ts'
import { quarantinedReason } from '../../status/withdraw.ts'
import { startAssessor } from './assessor.ts'
import { createAssessmentState, type AssessmentState } from './assessment-state.ts'
import { createConfirmer } from './confirmer.ts'
import { assessMetrics } from './metrics.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const minute = 60_000
/** The machine may be slow. */
const patience = { interval: 50 }

const sql = useTestSql()
let folder: string
let bus: Bus
let board: QuarantineBoard
let nowMs: number
let checkIds: string[]
/** The memory of the control plane that was started last. */
let judged: AssessmentState
let running: (() => Promise<void>)[]
let notices: { region: string }[]

beforeEach(async () => {
  await sql`delete from region_quarantines`
  await sql`delete from accounts`
  folder = testFolder('assess-')
  bus = await openInProcessBus({ directory: folder })
  // the clock of the test is ahead, and readings from the future are ignored
  nowMs = Date.now() - 60 * minute
  running = []
  notices = []
  checkIds = []
  await sql.begin((tx) => ensureCatalogAccount(tx, nowMs))
  for (let n = 0; n < 12; n++) {
    const id = await insertTestCheck(sql, { regions, allRegions: true })
    await sql`
      update checks set url = ${`https://host-${n}.com/`}, account_id = ${catalogAccountId}
      where id = ${id}`
    checkIds.push(id)
  }
})
afterEach(async () => {
  for (const close of running) await close()
  await bus.close()
})

const log = pino(
  { level: 'error' },
  {
    write: (line) => {
      const said = JSON.parse(line)
      if (said.msg.startsWith('region quarantined')) notices.push(said)
    },
  },
)

const start = async (): Promise<() => Promise<void>> => {
  const now = () => nowMs
  board = await openQuarantineBoard({ events: bus.events, liveRegions: 4, now })
  const opened = board
  const assessmentState = createAssessmentState(now)
  judged = assessmentState
  const metrics = assessMetrics(new Registry(), assessmentState)
  const confirmer = createConfirmer({ bus, metrics, log, assignmentFor: async () => null })
  const capabilities = { sql, bus, assessmentState, board, confirmer, metrics, log, now }
  const assessor = startAssessor({ ...capabilities, decode: decodeMessage, speed: 20 })
  for (const lease of await acquireTestLeases(sql)) assessor.take(lease)
  const close = async (): Promise<void> => {
    running = running.filter((other) => other !== close)
    await assessor.close()
    await confirmer.close()
    await opened.close()
  }
  running.push(close)
  return close
}

let batch = 0
/** A reading of each of these checks from each of these regions, now. */
const publish = async (ids: readonly string[], from: readonly string[], verdict: Verdict) => {
  for (const region of from) {
    for (const checkId of ids) {
      batch += 1
      const partition = partitionOf(checkId)
      const readings = [{ ...readingAt(region, verdict, nowMs), checkId }]
      const message = { version: 1, agent: 'a', region, partition, batch, readings }
      const data = new TextEncoder().encode(JSON.stringify(message))
      await bus.readings.publish({ partition, region, messageId: `a:${batch}`, data })
    }
  }
}
const flipsOf = async (checkId: string): Promise<string[]> => {
  const rows = await sql<{ to_status: string }[]>`
    select to_status from flips where check_id = ${checkId} order by version`
  return rows.map((row) => row.to_status)
}
const become = (ids: readonly string[], expected: string[]) =>
  vi.waitFor(async () => {
    expect(await Promise.all(ids.map(flipsOf))).toEqual(ids.map(() => expected))
  }, patience)
/** Waits for the final status, whatever it was before the region lost its votes. */
const endAs = (ids: readonly string[], expected: string) =>
  vi.waitFor(async () => {
    for (const id of ids) expect((await flipsOf(id)).at(-1)).toBe(expected)
  }, patience)
const fraOf = (checkId: string) => judged.get(checkId)?.state.regions['fra']
/** Waits until every check has marked its region as unmeasured since the last readings. */
const unmeasuredInFra = (ids: readonly string[]) =>
  vi.waitFor(async () => {
    for (const id of ids) {
      expect(fraOf(id)).toMatchObject({
        unmeasuredAt: nowMs,
        unmeasuredReason: quarantinedReason,
      })
    }
  }, patience)

test('a region that fails for many hosts at once loses its votes, and returns after two clean minutes', async () => {
  const others = regions.filter((region) => region !== 'fra')
  // the minimum of hosts, so that the decision depends on the last one
  const [failing, well] = [checkIds.slice(0, 4), checkIds.slice(4)]
  let close = await start()
  await publish(checkIds, regions, 'up')
  await become(checkIds, ['operational'])

  nowMs += minute
  await publish(failing, ['fra'], 'down')
  await publish(well, ['fra'], 'up')
  nowMs += 1_000
  await publish(checkIds, others, 'up')
  nowMs += minute
  await publish(failing, ['fra'], 'down')
  await vi.waitFor(() => expect(board.isQuarantined('fra')).toBe(true), patience)

  // other regions close what only it had opened
  nowMs += 1_000
  await publish(checkIds, others, 'up')
  await endAs(failing, 'operational')
  await vi.waitFor(async () => {
    const [row, ...more] = await findNewestQuarantines(sql, 10)
    expect(row).toMatchObject({ region: 'fra', hosts: 12, failing: 4, endedAtMs: null })
    expect(more).toEqual([])
  }, patience)
  expect(notices).toMatchObject([{ region: 'fra', hosts: 12, failing: 4 }])

  // its readings do not count during the quarantine
  nowMs += minute
  await publish(checkIds, ['fra'], 'down')
  await publish(checkIds, others, 'up')
  await unmeasuredInFra(checkIds)

  // nor after a restart
  await close()
  close = await start()
  nowMs += minute
  await publish(checkIds, ['fra'], 'down')
  await publish(checkIds, others, 'up')
  await unmeasuredInFra(checkIds)
  expect(await findNewestQuarantines(sql, 10)).toHaveLength(1)

  // it measures correctly again, with readings as time passes
  const wellFromMs = nowMs
  await vi.waitFor(
    async () => {
      if (board.isQuarantined('fra')) {
        nowMs += 15_000
        await publish(checkIds, regions, 'up')
      }
      expect(board.isQuarantined('fra')).toBe(false)
    },
    { interval: 150 },
  )
  expect(nowMs - wellFromMs).toBeGreaterThanOrEqual(cleanMs)
  await become(well, ['operational'])
  await endAs(failing, 'operational')
  await vi.waitFor(
    async () => {
      nowMs += quarantineBroadcastMs
      const rows = await findNewestQuarantines(sql, 10)
      expect(rows).toMatchObject([{ endedAtMs: expect.any(Number) }])
    },
    { interval: 150 },
  )

  // and its readings count
  nowMs += 1_000
  const [last = ''] = well
  await publish([last], others, 'up')
  await publish([last], ['fra'], 'down')
  // the time a failure is held back counts from its arrival
  await vi.waitFor(async () => {
    expect(fraOf(last)).toMatchObject({ suspect: { measuredAt: nowMs } })
  }, patience)
  nowMs += minute
  await publish([last], ['fra'], 'down')
  await become([last], ['operational', 'degraded'])
  expect(notices).toHaveLength(1)
}, 150_000)

test('a check that only the quarantined region measures is stale, not down', async () => {
  const alone = await insertTestCheck(sql, { regions: ['fra'] })
  await start()
  await publish(checkIds, regions, 'up')
  await publish([alone], ['fra'], 'up')
  await become([...checkIds, alone], ['operational'])
  nowMs += minute
  await publish([alone, ...checkIds], ['fra'], 'down')
  nowMs += 1_000
  await publish([alone], ['fra'], 'down')
  await become([alone], ['operational', 'down'])
  nowMs += 1_000
  await publish(checkIds, ['iad'], 'up')
  // the grace period of a newly acquired partition
  nowMs += 15_000
  await publish(checkIds, ['fra'], 'down')
  await vi.waitFor(() => expect(board.isQuarantined('fra')).toBe(true), patience)
  nowMs += 1
  await become([alone], ['operational', 'down', 'stale'])
})
