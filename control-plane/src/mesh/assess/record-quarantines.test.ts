import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { quarantineBroadcastMs, quarantineValidMs } from '@probe-mesh/contracts/mesh/events'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { catalogAccountId } from '../../accounts/accounts-store.ts'
import { findNewestQuarantines, openQuarantine } from '../../status/quarantine/quarantines-store.ts'
import { findBursts } from '../../status/quarantine/region-bursts-store.ts'
import { findNewestDoubts } from '../../status/quarantine/region-doubts-store.ts'
import { openQuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { cleanMs, silentMsMax } from '../../status/quarantine/quarantine.ts'
import { evidenceOf } from '../../status/quarantine/sources.ts'
import { nothingSurveyed } from '../../status/quarantine/survey.ts'
import { newCheckState } from '../../status/state.ts'
import { unansweredAt as readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { assessMetrics } from './metrics.ts'
import { createQuarantiner } from './quarantiner.ts'
import { createQuarantineRecorder } from './record-quarantines.ts'
import { createRegionWatch } from './region-watch.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const minute = 60_000

const sql = useTestSql()

let folder: string
let bus: Bus
let nowMs: number
let lines: { level: number; region: string }[]
let planes: { close(): Promise<void> }[]
beforeEach(async () => {
  await sql`delete from region_quarantines`
  await sql`delete from region_doubts`
  await sql`delete from region_bursts`
  folder = testFolder('quarantine-')
  bus = await openInProcessBus({ directory: folder })
  nowMs = 1_700_000_000_000
  lines = []
  planes = []
})
afterEach(async () => {
  await Promise.all(planes.map((plane) => plane.close()))
  await bus.close()
})

const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })
const notices = () => lines.filter(({ level }) => level >= (pino.levels.values['error'] ?? 50))

/** The part of one control plane under test, with checks of this many hosts; the test runs its steps. */
const plane = async (hosts: number, accountOf: (host: number) => string = () => catalogAccountId) => {
  const now = () => nowMs
  const board = await openQuarantineBoard({ events: bus.events, liveRegions: 4, now })
  const assessmentState = createAssessmentState(now)
  const registry = new Registry()
  const metrics = assessMetrics(registry, assessmentState)
  const watch = createRegionWatch({ find: assessmentState.get, metrics, now })
  const quarantiner = createQuarantiner({ assessmentState, board, watch, metrics, now })
  const recorder = createQuarantineRecorder({ sql, board, quarantiner, log, now })
  const checkIds = Array.from({ length: hosts }, () => uuidv7(nowMs))
  for (const [n, checkId] of checkIds.entries()) {
    const check = {
      checkId,
      accountId: accountOf(n),
      name: `check ${n}`,
      host: `host-${n}.com`,
      regions,
      intervalSeconds: 60,
      paused: false,
      state: newCheckState,
    }
    assessmentState.load(check, { partition: 0, epoch: 1 })
  }
  const made = {
    board,
    checkIds,
    assessmentState,
    recorder,
    quarantiner,
    /** A round of readings, in which the first hosts fail in one region, or in each of several in turn. */
    measure: (failing: number, broken: readonly string[] = ['fra']) => {
      for (const [n, checkId] of checkIds.entries()) {
        for (const from of regions) {
          const verdict: Verdict = from === broken[n % broken.length] && n < failing ? 'down' : 'up'
          watch.note({ ...readingAt(from, verdict, nowMs), checkId })
        }
      }
    },
    step: async () => {
      quarantiner.decide()
      quarantiner.broadcast()
      await recorder.record()
    },
    gauge: async () => (await registry.getSingleMetric('region_quarantined')?.get())?.values,
    close: async () => {
      planes = planes.filter((other) => other !== made)
      await board.close()
    },
  }
  await recorder.begin()
  planes.push(made)
  return made
}
type Plane = Awaited<ReturnType<typeof plane>>

/** Advances time for these control planes: each minute a round is measured, and they act continuously. */
const pass = async (minutes: number, acting: readonly [Plane, number, string[]?][]) => {
  for (let n = 0; n < minutes; n++) {
    for (const [each, failing, broken] of acting) each.measure(failing, broken)
    for (const endMs = nowMs + minute; nowMs < endMs;) {
      nowMs += quarantineBroadcastMs
      for (const [each] of acting) await each.step()
    }
  }
}
const heard = (by: Plane, expected: string[]) =>
  vi.waitFor(() => expect(by.board.regions()).toEqual(expected))

test('writes one row and one notice, with the numbers and example hosts', async () => {
  const one = await plane(12)
  await pass(1, [[one, 0]])
  expect(await one.gauge()).toContainEqual({ labels: { region: 'fra' }, value: 0 })
  await pass(3, [[one, 5]])
  expect(one.board.regions()).toEqual(['fra'])
  expect(await one.gauge()).toContainEqual({ labels: { region: 'fra' }, value: 1 })
  const numbers = { region: 'fra', hosts: 12, failing: 5 }
  const examples = Array.from({ length: 5 }, (_, n) => `host-${n}.com`)
  expect(notices()).toMatchObject([{ ...numbers, examples }])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([
    { ...numbers, examples, sinceAtMs: nowMs - 3 * minute, endedAtMs: null },
  ])
})

test('a region returns after two clean minutes, and its row is closed with that instant', async () => {
  const one = await plane(12)
  await pass(3, [[one, 5]])
  const returnsAtMs = nowMs + quarantineBroadcastMs + cleanMs
  await pass(2, [[one, 3]])
  expect(one.board.regions()).toEqual(['fra'])
  await pass(1, [[one, 3]])
  expect(one.board.regions()).toEqual([])
  await pass(1, [[one, 3]])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ endedAtMs: returnsAtMs }])
  expect(notices()).toHaveLength(1)
  await pass(3, [[one, 5]])
  expect(notices()).toHaveLength(2)
})

test('two control planes that see a failure at once log it once, and the last to end it closes the row', async () => {
  const [one, other] = [await plane(12), await plane(9)]
  await pass(3, [
    [one, 5],
    [other, 5],
  ])
  expect(notices()).toHaveLength(1)
  await heard(one, ['fra'])
  await pass(4, [
    [one, 0],
    [other, 5],
  ])
  expect([...one.quarantiner.held.keys()]).toEqual([])
  await heard(one, ['fra'])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ endedAtMs: null }])
  await pass(3, [
    [one, 0],
    [other, 0],
  ])
  await heard(one, [])
  await heard(other, [])
  await pass(1, [
    [one, 0],
    [other, 0],
  ])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ endedAtMs: expect.any(Number) }])
  expect(notices()).toHaveLength(1)
})

test('a control plane with too few hosts applies the quarantine of another', async () => {
  const [one, small] = [await plane(12), await plane(2)]
  await pass(3, [
    [one, 5],
    [small, 0],
  ])
  await heard(small, ['fra'])
  small.quarantiner.decide()
  const [checkId = ''] = small.checkIds
  small.assessmentState.observe({ ...readingAt('fra', 'down', nowMs), checkId })
  expect(small.assessmentState.get(checkId)?.state.regions['fra']).toMatchObject({ verdict: null })
})

test('a quarantine resumes from its row after a restart, without a second notice', async () => {
  const one = await plane(12)
  await pass(3, [[one, 5]])
  await one.close()
  const next = await plane(12)
  expect(next.board.regions()).toEqual(['fra'])
  await pass(2, [[next, 5]])
  await pass(2, [[next, 0]])
  expect(next.board.regions()).toEqual(['fra'])
  await pass(2, [[next, 0]])
  expect(next.board.regions()).toEqual([])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ endedAtMs: expect.any(Number) }])
  expect(notices()).toHaveLength(1)
})

test('adopts a row whose control plane is gone instead of closing it', async () => {
  const [one, other] = [await plane(12), await plane(9)]
  await pass(3, [
    [one, 5],
    [other, 0],
  ])
  await heard(other, ['fra'])
  await one.close()
  const goneAtMs = nowMs
  while (nowMs < goneAtMs + quarantineValidMs - 1_000) {
    nowMs += 2_000
    await other.step()
    expect(other.board.regions()).toEqual(['fra'])
  }
  expect([...other.quarantiner.held.keys()]).toEqual(['fra'])
  await pass(4, [[other, 0]])
  expect(await findNewestQuarantines(sql, 10)).toMatchObject([{ endedAtMs: expect.any(Number) }])
  expect(notices()).toHaveLength(1)
})

test('an earlier return of a region does not close a newer row', async () => {
  const one = await plane(12)
  await pass(3, [[one, 5]])
  await pass(4, [[one, 0]])
  const row = { ...evidenceOf(nothingSurveyed, true), region: 'fra' }
  await openQuarantine(sql, { ...row, id: uuidv7(nowMs), sinceAtMs: nowMs })
  await pass(2, [[one, 0]])
  expect(one.board.regions()).toEqual(['fra'])
})

test('a region without readings stays quarantined for a bounded time', async () => {
  const one = await plane(12)
  await pass(3, [[one, 5]])
  nowMs += silentMsMax - 1
  await one.step()
  expect(one.board.regions()).toEqual(['fra'])
  nowMs += 1
  await one.step()
  expect(one.board.regions()).toEqual([])
})

test('logs refused evidence once and stores it, with the owners of the hosts', async () => {
  const one = await plane(30, (host) => `account ${host % 3}`)
  await pass(4, [[one, 30]])
  expect(one.board.regions()).toEqual([])
  expect(await findNewestQuarantines(sql, 10)).toEqual([])
  const sources = { accounts: { distinct: 3, otherHosts: 0 }, domains: { distinct: 30 } }
  const evidence = { hosts: 30, failing: 30, refused: 30, sources }
  expect(await findNewestDoubts(sql, 10)).toMatchObject([{ region: 'fra', why: 'unconfirmed', ...evidence }])
  expect(lines).toMatchObject([{ region: 'fra', why: 'unconfirmed', refused: 30 }])
  expect(notices()).toEqual([])
})

test('does not quarantine a majority, and reports the regions that keep their votes as refused', async () => {
  const one = await plane(48)
  await pass(4, [[one, 48, ['iad', 'sjc', 'fra']]])
  expect(one.board.regions()).toHaveLength(2)
  const rows = await findNewestQuarantines(sql, 10)
  expect(rows.map(({ region }) => region).toSorted()).toEqual(one.board.regions())
  expect(await findNewestDoubts(sql, 10)).toMatchObject([{ why: 'majority' }])
})

test('a burst is stored from when it was applied to its end, once for all control planes', async () => {
  const beganMs = nowMs
  const [one, other] = [await plane(8), await plane(8)]
  const both = (failing: number): [Plane, number][] => [
    [one, failing],
    [other, failing],
  ]
  await pass(2, both(0))
  expect(await findBursts(sql, beganMs)).toEqual([])
  await pass(3, both(2))
  const [burst, ...more] = await findBursts(sql, beganMs)
  expect(more).toEqual([])
  expect(burst).toMatchObject({ region: 'fra', sinceMs: beganMs + 2 * minute, toMs: nowMs })
  expect(burst?.fromMs).toBeLessThanOrEqual(beganMs + 2 * minute + quarantineBroadcastMs)
  await pass(6, both(0))
  const [ended] = await findBursts(sql, beganMs)
  expect(ended).toMatchObject({ region: 'fra', sinceMs: burst?.sinceMs, fromMs: burst?.fromMs })
  expect(ended?.toMs).toBeLessThan(nowMs)
  expect(one.quarantiner.takeBursts()).toEqual([])
  expect(await findBursts(sql, nowMs)).toEqual([])
})
