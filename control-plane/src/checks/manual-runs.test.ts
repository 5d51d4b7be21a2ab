import { readingAt } from '../status/testing.ts'
import type { RunReply } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { assignmentOf } from './assignment-of.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { aCheckRecord } from './testing.ts'
import { sealsNothing } from '../secrets/testing.ts'
import { createManualRuns } from './manual-runs.ts'

const check: CheckRecord = { ...aCheckRecord, intervalSeconds: 10 }

test('a region runs only its own enabled checks of known types', () => {
  expect(assignmentOf(check, 'fra')).toMatchObject({ region: 'fra', revision: 3, validFrom: 5 })
  expect(assignmentOf(check, 'iad')).toBeNull()
  expect(assignmentOf({ ...check, paused: true }, 'fra')).toBeNull()
  expect(assignmentOf({ ...check, type: 'tcp', url: null }, 'fra')).toBeNull()
})

test('waits for two attempts and a second, and reports a failing bus as an unanswered region', async () => {
  const request = vi.fn(async (region: string) => {
    if (region === 'fra') throw new Error('the bus is away')
    return 'timeout' as const
  })
  const log = { warn: vi.fn() }
  const runs = createManualRuns({
    sealer: sealsNothing,
    runs: { request },
    now: () => 7,
    log,
    onDropped: () => undefined,
  })
  expect(await runs.request(check)).toEqual({ readings: [], unanswered: ['fra', 'nrt'] })
  expect(request).toHaveBeenCalledWith('fra', expect.objectContaining({ kind: 'manual', at: 7 }), 14_000)
  expect(log.warn).toHaveBeenCalledTimes(2)
})

test('counts why a region gave no reading', async () => {
  const replies = ['no_agent', 'timeout', { agent: 'a', error: 'busy' }, { agent: 'a', error: 'x' }]
  const request = async () => {
    const reply = replies.shift()
    if (reply === undefined) throw new Error('the bus is away')
    return reply as RunReply | 'no_agent'
  }
  const whys: string[] = []
  const runs = createManualRuns({
    sealer: sealsNothing,
    runs: { request },
    now: () => 7,
    log: { warn: vi.fn() },
    onDropped: () => undefined,
    onUnanswered: (why) => whys.push(why),
  })
  const regions = ['fra', 'nrt', 'iad', 'sjc', 'lhr']
  expect((await runs.request({ ...check, regions })).unanswered).toEqual(regions)
  expect(whys.toSorted()).toEqual(['busy', 'failed', 'no_agent', 'refused', 'timeout'])
})

/** First readings that nobody answers until told. */
const unanswered = () => {
  const answers: (() => void)[] = []
  const request = (): Promise<RunReply> =>
    new Promise((resolve) => answers.push(() => resolve({ agent: 'a', error: 'too busy' })))
  const onDropped = vi.fn()
  const log = { warn: vi.fn() }
  const runs = createManualRuns({ sealer: sealsNothing, runs: { request }, now: () => 7, log, onDropped })
  return { runs, answers, onDropped }
}

test('drops and counts first readings without a turn, and closing waits for the rest', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { runs, answers, onDropped } = unanswered()
  for (let n = 0; n < 130; n++) runs.start(check)
  expect(answers).toHaveLength(256)
  await vi.advanceTimersByTimeAsync(limits.runTurnMsMax)
  expect(onDropped.mock.calls).toEqual([[1], [1], [1], [1]])
  let closed = false
  const closing = runs.close().then(() => (closed = true))
  expect(closed).toBe(false)
  for (const answer of answers) answer()
  await closing
  runs.start(check)
  expect(answers).toHaveLength(258)
})

test('requests a waiting first reading when another one ends, and none after closing', async () => {
  const { runs, answers, onDropped } = unanswered()
  for (let n = 0; n < 130; n++) runs.start(check)
  answers[0]?.()
  await vi.waitFor(() => expect(answers).toHaveLength(257))
  const closing = runs.close()
  for (const answer of answers) answer()
  await closing
  expect([answers.length, onDropped.mock.calls]).toEqual([257, []])
})

test('many new checks of one account do not delay the first readings of another', () => {
  const { runs, answers, onDropped } = unanswered()
  for (let n = 0; n < 1_000; n++) runs.start(check)
  const dropped = onDropped.mock.calls.length
  runs.start({ ...check, accountId: 'another' })
  expect([answers.length, onDropped.mock.calls.length]).toEqual([258, dropped])
})

test('a free account runs two trials at a time, other accounts 20, without sharing places', () => {
  const { runs } = unanswered()
  const taken = (id: string, tier: 'free' | 'growth') =>
    Array.from({ length: 30 }, () => runs.reserveTrial({ id, tier }, check)).filter(
      (each) => typeof each !== 'string',
    )
  const [first] = taken('a', 'free')
  expect(taken('a', 'free')).toEqual([])
  expect(taken('b', 'free')).toHaveLength(2)
  expect(taken('c', 'growth')).toHaveLength(20)
  first?.release()
  expect(taken('a', 'free')).toHaveLength(1)
})

test('free accounts together run two trials of browser checks, one each, apart from other trials', () => {
  const { runs } = unanswered()
  const browser = { type: 'browser', private: false } as const
  const take = (id: string, of: Pick<typeof check, 'type' | 'private'>, tier: Tier = 'free') =>
    runs.reserveTrial({ id, tier }, of)
  const first = take('a', browser)
  expect(take('a', browser)).toBe('browsers')
  expect(take('b', browser)).toHaveProperty('release')
  expect(take('c', browser)).toBe('browsers')
  // what was refused holds no place of the account
  expect([take('c', check), take('c', check)].map((each) => typeof each)).toEqual(['object', 'object'])
  expect(take('c', check)).toBe('share')
  expect(take('d', { ...browser, private: true })).toHaveProperty('release')
  expect(take('e', browser, 'growth')).toHaveProperty('release')
  if (typeof first !== 'string') first.release()
  expect(take('d', browser)).toHaveProperty('release')
})

test('requests and returns the begin of an answer for trials only', async () => {
  const asked: unknown[] = []
  const excerpt = { contentType: 'text/plain', body: 'ok', isCut: false }
  const runs = createManualRuns({
    sealer: sealsNothing,
    runs: {
      request: async (region, request) => {
        asked.push(request.excerpt)
        const reading = readingAt(region, 'up', request.at, { checkId: check.id, excerpt })
        return { agent: 'a', reading }
      },
    },
    now: () => 1,
    log: { warn: () => undefined },
    onDropped: () => undefined,
  })
  const answer = await runs.request({ ...check, regions: ['fra'] }, { excerpt: true })
  await runs.request({ ...check, regions: ['fra'] })
  expect(asked).toEqual([true, undefined])
  expect(answer.excerpt).toEqual(excerpt)
  // it is beside the readings, which are stored elsewhere as they are
  expect(answer.readings[0]).not.toHaveProperty('excerpt')
})

test('marks only trials of free accounts for agents', async () => {
  const asked: unknown[] = []
  const runs = createManualRuns({
    sealer: sealsNothing,
    runs: {
      request: async (_region, { freeTrial }) => {
        asked.push(freeTrial)
        return 'no_agent'
      },
    },
    now: () => 1,
    log: { warn: () => undefined },
    onDropped: () => undefined,
  })
  await runs.request({ ...check, regions: ['fra'] }, { freeTrial: true })
  await runs.request({ ...check, regions: ['fra'] }, { freeTrial: false })
  await runs.request({ ...check, regions: ['fra'] })
  expect(asked).toEqual([true, undefined, undefined])
})
