import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { assignmentOf } from '../../checks/assignment-of.ts'
import { findCheckOfAnyAccount } from '../../records/check/many-checks-store.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { insertTestCheck, acquireTestLeases } from '../../stores/postgres/testing.ts'
import { openQuarantineBoard, type QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { decodeMessage } from '../../readings/decode.ts'
import { answerAt, readingAt } from '../../status/testing.ts'
import { startAssessor, type Assessor } from './assessor.ts'
import { createAssessmentState, type AssessmentState } from './assessment-state.ts'
import { createConfirmer } from './confirmer.ts'
import { assessMetrics } from './metrics.ts'

const sql = useTestSql()

const regions = ['iad', 'sjc', 'fra', 'nrt']
let folder: string
let bus: Bus
let checkId: string
let board: QuarantineBoard
let assessors: {
  assessor: Assessor
  close(): Promise<void>
  assessmentState: AssessmentState
  lease: Lease
}[]
let nowMs: number

beforeEach(async () => {
  folder = testFolder('assess-')
  bus = await openInProcessBus({ directory: folder })
  assessors = []
  nowMs = Date.now()
  board = await openQuarantineBoard({ events: bus.events, liveRegions: 4, now: () => nowMs })
  checkId = await insertTestCheck(sql, { regions, allRegions: true })
})
afterEach(async () => {
  for (const started of assessors) await started.close()
  await board.close()
  await bus.close()
})

const start = async (onReadings: (readings: readonly Reading[]) => void = () => {}) => {
  const now = () => nowMs
  const log = pino({ level: 'silent' })
  const assessmentState = createAssessmentState(now)
  const registry = new Registry()
  const metrics = assessMetrics(registry, assessmentState)
  const confirmer = createConfirmer({
    bus,
    metrics,
    log,
    assignmentFor: async (id, region) => {
      const check = await findCheckOfAnyAccount(sql, id)
      return check === null ? null : assignmentOf(check, region)
    },
  })
  const parts = { sql, bus, assessmentState, confirmer, board, metrics, onReadings, log, now }
  const assessor = startAssessor({ ...parts, decode: decodeMessage, speed: 20 })
  const leases = await acquireTestLeases(sql)
  for (const lease of leases) assessor.take(lease)
  await vi.waitFor(() => expect(assessmentState.has(checkId)).toBe(true))
  const lease = leases.find(({ partition }) => partition === partitionOf(checkId))
  if (lease === undefined) throw new Error('no lease of the partition')
  const started = {
    assessor,
    assessmentState,
    lease,
    fenced: async () => (await registry.getSingleMetric('assess_fenced_total')?.get())?.values[0]?.value,
    close: async () => {
      assessors = assessors.filter((other) => other !== started)
      await assessor.close()
      await confirmer.close()
    },
  }
  assessors.push(started)
  return started
}

let batch = 0
const publish = async (readings: readonly Reading[]): Promise<void> => {
  for (const reading of readings) {
    batch += 1
    const partition = partitionOf(checkId)
    const message = {
      version: 1,
      agent: 'a',
      region: reading.region,
      partition,
      batch,
      readings: [reading],
    }
    await bus.readings.publish({
      partition,
      region: reading.region,
      messageId: `a:${batch}`,
      data: new TextEncoder().encode(JSON.stringify(message)),
    })
  }
}
const everywhere = (verdict: Reading['verdict'], atMs: number): Reading[] =>
  regions.map((region) => ({ ...readingAt(region, verdict, atMs), checkId }))

const flips = async (): Promise<string[]> => {
  const rows = await sql<{ to_status: string }[]>`
    select to_status from flips where check_id = ${checkId} order by version`
  return rows.map((row) => row.to_status)
}
const becomes = async (expected: string[]) =>
  await vi.waitFor(async () => expect(await flips()).toEqual(expected))
const recordedMeasuredAt = async (region: string): Promise<number | undefined> => {
  const [row] = await sql`select regions from check_states where check_id = ${checkId}`
  return row?.['regions'][region]?.measuredAt
}

const unacknowledged = async (): Promise<number> => {
  const consumer = await bus.readings.consume(partitionOf(checkId), 'assess')
  return (await consumer.lag()).messages
}

test('records a flip once, with its outbox rows for live pages and for the alert rules', async () => {
  await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  nowMs += 60_000
  await publish(everywhere('down', nowMs))
  await becomes(['operational', 'degraded', 'down'])
  const rows = await sql<{ kind: string; payload: { flip: { to: string; checkName: string } } }[]>`
    select kind, payload from outbox where payload -> 'flip' ->> 'checkId' = ${checkId} order by sequence`
  for (const kind of ['flip', 'alert']) {
    const told = rows.filter((row) => row.kind === kind).map(({ payload }) => payload.flip)
    expect(told.map(({ to, checkName }) => [to, checkName])).toEqual([
      ['operational', 'test'],
      ['degraded', 'test'],
      ['down', 'test'],
    ])
  }
})

test('a rule of a check decides from the next reading on', async () => {
  // readings further ahead of the real clock than a minute are set aside
  nowMs -= 300_000
  const { assessor } = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await sql`
    update checks set status_rule = '{"failingRegions": "any", "failures": 2, "slowMs": null}'
    where id = ${checkId}`
  await assessor.reload(checkId)
  const failsInFra = async (): Promise<void> => {
    nowMs += 60_000
    await publish(everywhere('up', nowMs).filter(({ region }) => region !== 'fra'))
    await publish([{ ...readingAt('fra', 'down', nowMs), checkId }])
    await publish([{ ...answerAt('fra', 'down', nowMs + 1), checkId }])
    nowMs += 1
  }
  await failsInFra()
  await becomes(['operational', 'degraded'])
  await failsInFra()
  await becomes(['operational', 'degraded', 'down'])
})

test('a pause ends the status of a check at once, and readings in flight do not restore it', async () => {
  let judgedUp = 0
  const { assessor } = await start((readings) => {
    judgedUp += readings.filter(({ verdict }) => verdict === 'up').length
  })
  await publish(everywhere('down', nowMs))
  await becomes(['down'])
  const setPaused = async (paused: boolean) => {
    // after the grace period of a new owner, and well before the readings are stale
    nowMs += 15_000
    await sql`update checks set paused = ${paused} where id = ${checkId}`
    await assessor.reload(checkId)
  }
  await setPaused(true)
  await becomes(['down', 'stale'])
  const [state] = await sql`select status, status_reason from check_states where check_id = ${checkId}`
  expect(state).toEqual({ status: 'stale', status_reason: 'paused: no region measures it' })
  await publish(everywhere('up', nowMs))
  await vi.waitFor(() => expect(judgedUp).toBe(regions.length))
  await setPaused(false)
  await publish(everywhere('down', nowMs))
  await publish(regions.map((region) => ({ ...answerAt(region, 'down', nowMs), checkId })))
  await vi.waitFor(async () => expect((await flips()).at(-1)).toBe('down'))
  expect(await flips()).toEqual(['down', 'stale', 'down'])
})

test('records that no region sees a check up, even when only that changes', async () => {
  const marks = async () =>
    await sql`select to_status, none_up from flips where check_id = ${checkId} order by version`
  await start()
  await publish(everywhere('blocked', nowMs))
  await vi.waitFor(async () => expect(await marks()).toEqual([{ to_status: 'degraded', none_up: true }]))
  const [state] = await sql`select none_up from check_states where check_id = ${checkId}`
  expect(state).toEqual({ none_up: true })
  nowMs += 1_000
  const [first, second] = regions
  await publish([
    { ...readingAt(first ?? '', 'down', nowMs - 1), checkId },
    { ...readingAt(first ?? '', 'down', nowMs, { kind: 'confirmation' }), checkId },
    { ...readingAt(second ?? '', 'up', nowMs), checkId },
  ])
  await vi.waitFor(async () =>
    expect((await marks()).at(-1)).toEqual({ to_status: 'degraded', none_up: false }),
  )
  const told = await sql`select kind from outbox
    where payload -> 'flip' ->> 'checkId' = ${checkId} order by sequence`
  // live pages see no change
  expect(told.map(({ kind }) => kind)).toEqual(['flip', 'alert', 'alert'])
})

test('sets aside a message that cannot be judged, and judges those fetched with it', async () => {
  const readings = everywhere('up', nowMs)
  await publish([...readings, { ...readingAt('fra', 'up', nowMs), checkId, number: 77 }])
  await start((judged) => {
    if (judged.some(({ number }) => number === 77)) throw new RangeError('call stack')
  })
  await becomes(['operational'])
  await vi.waitFor(async () => {
    const kept = await sql`select owner from poison_messages where reason like '%judged%call stack%'`
    expect(kept).toEqual([{ owner: 'fra' }])
  })
})

test('messages nested 20,000 deep do not block others, even after a restart', async () => {
  const partition = partitionOf(checkId)
  const nested = '['.repeat(20_000) + ']'.repeat(20_000)
  const head = `"version":1,"agent":"a","region":"fra","partition":${partition}`
  const data = Buffer.from(`{${head},"batch":1,"readings":[${nested}]}`)
  await bus.readings.publish({ partition, region: 'fra', messageId: 'deep', data })
  const first = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await first.close()
  await start()
  nowMs += 60_000
  await publish(everywhere('down', nowMs))
  await becomes(['operational', 'degraded', 'down'])
})

test('after a restart the state continues, and repeated readings flip nothing', async () => {
  const first = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await first.close()
  await start()
  const again = everywhere('up', nowMs)
  await publish(again)
  nowMs += 60_000
  await publish(everywhere('down', nowMs))
  await becomes(['operational', 'degraded', 'down'])
})

test('two assessors that judge the same readings record each flip once', async () => {
  const [one, other] = [await start(), createAssessmentState(() => nowMs)]
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  const stale = one.assessmentState.get(checkId)
  if (stale === undefined) throw new Error('not loaded')
  other.load({ ...stale, state: { ...stale.state, status: 'unknown', version: 0, regions: {} } }, one.lease)
  const { recordFlips } = await import('../../status/states-store.ts')
  for (const reading of everywhere('up', nowMs)) other.observe(reading)
  expect(other.flips()).toHaveLength(1)
  expect((await recordFlips(sql, other.flips(), nowMs)).won).toEqual(new Set())
  expect(await flips()).toEqual(['operational'])
})

test('states are written behind before their readings are acknowledged', async () => {
  const started = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  nowMs += 60_000
  await publish(everywhere('up', nowMs))
  await vi.waitFor(async () => expect(await recordedMeasuredAt('nrt')).toBe(nowMs))
  await started.close()
  expect(await unacknowledged()).toBe(0)
})

test.each<[string, (started: Awaited<ReturnType<typeof start>>) => Promise<void>]>([
  ['30 s have passed', async () => void (nowMs += 30_000)],
  ['their partition is handed over', ({ assessor, lease }) => assessor.leave(lease, 'released')],
  ['the process stops', ({ close }) => close()],
])('readings that change nothing wait in the stream until their states are written: %s', async (_, ends) => {
  // readings further ahead of the real clock than a minute are set aside
  nowMs -= 300_000
  const started = await start()
  const known = async () => [await recordedMeasuredAt('nrt'), await unacknowledged()]
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  // the partition is written again 30 s after this
  nowMs += 60_000
  await publish(everywhere('up', nowMs))
  await vi.waitFor(async () => expect(await known()).toEqual([nowMs, 0]))
  nowMs += 10_000
  const newestMs = nowMs
  await publish(everywhere('up', newestMs))
  const inMemory = () => started.assessmentState.get(checkId)?.state.regions['nrt']?.measuredAt
  await vi.waitFor(() => expect(inMemory()).toBe(newestMs))
  expect(await known()).toEqual([newestMs - 10_000, regions.length])
  await ends(started)
  await vi.waitFor(async () => expect(await known()).toEqual([newestMs, 0]))
})

test('a check whose readings stop turns stale, and nothing else', async () => {
  await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  nowMs += staleAfterMs(60) + 1
  await becomes(['operational', 'stale'])
})

test('a first failure requests a run from every region at once, with the current assignment', async () => {
  const asked: RunRequest[] = []
  for (const region of regions) {
    await bus.runs.serve(region, async (request) => {
      asked.push(request)
      return { agent: 'a', error: 'only asked' }
    })
  }
  await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  nowMs += 60_000
  await publish([{ ...readingAt('fra', 'down', nowMs), checkId }])
  await vi.waitFor(() => expect(asked).toHaveLength(4))
  expect(asked.map((request) => request.assignment.region).toSorted()).toEqual(regions.toSorted())
  expect(new Set(asked.map(({ at }) => at)).size).toBe(1)
  expect(asked.every((request) => request.kind === 'confirmation')).toBe(true)
})

test('a changed check is judged by its new regions as soon as it is reloaded', async () => {
  const { assessor, assessmentState } = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await sql`update checks set regions = ${['fra']} where id = ${checkId}`
  await assessor.reload(checkId)
  expect(assessmentState.get(checkId)?.regions).toEqual(['fra'])
  nowMs += 60_000
  await publish([{ ...answerAt('fra', 'down', nowMs), checkId }])
  await becomes(['operational', 'down'])
})

test('forgets a deleted check, and its late readings do not block others', async () => {
  const { assessor, assessmentState } = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await sql`delete from checks where id = ${checkId}`
  await assessor.reload(checkId)
  await publish(everywhere('down', nowMs + 1))
  await vi.waitFor(() => expect(assessmentState.dirtyCount()).toBe(0))
  expect(assessmentState.has(checkId)).toBe(false)
})

test('a former owner that keeps judging flips nothing, writes nothing and acknowledges no message', async () => {
  const former = await start()
  const owner = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  await vi.waitFor(async () => expect(await former.fenced()).toBeGreaterThan(0))
  const [outbox] = await sql`
    select count(*)::integer as count from outbox
    where kind = 'flip' and payload -> 'flip' ->> 'checkId' = ${checkId}`
  expect(outbox?.['count']).toBe(1)
  expect(owner.assessmentState.get(checkId)?.state.status).toBe('operational')
})

test('a released partition continues at its next owner with every state written', async () => {
  const { assessor, assessmentState, lease } = await start()
  await publish(everywhere('up', nowMs))
  await becomes(['operational'])
  nowMs += 60_000
  await publish(everywhere('up', nowMs))
  await vi.waitFor(() => expect(assessmentState.get(checkId)?.state.regions['nrt']?.measuredAt).toBe(nowMs))
  await assessor.leave(lease, 'released')
  expect(await recordedMeasuredAt('nrt')).toBe(nowMs)
  expect(assessmentState.has(checkId)).toBe(false)
  expect(await unacknowledged()).toBe(0)
})

test('a check that changes while its partition is being acquired is judged by its new definition', async () => {
  const { assessor, assessmentState, lease } = await start()
  await assessor.leave(lease, 'lost')
  const taken = { ...lease, epoch: lease.epoch + 1 }
  await sql`update partition_leases set epoch = epoch + 1 where partition = ${lease.partition}`
  assessor.take(taken)
  await sql`update checks set regions = ${['fra']} where id = ${checkId}`
  await assessor.reload(checkId)
  await vi.waitFor(() => expect(assessmentState.get(checkId)?.regions).toEqual(['fra']))
})
