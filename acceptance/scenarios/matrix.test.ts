import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import { expect, test } from 'vitest'
import type { Truth } from './behaviour.ts'
import { createClock } from './clock.ts'
import { createMatrix, judgeAnswer, statusOf } from './matrix.ts'
import { createTruths } from './target.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')

type Shown = { status: 'up' | 'down' | 'blocked' | 'stale'; agoMs: number }

/** An answer at `t0` about two regions. */
const answerOf = (
  status: ServiceStatusAnswer['status'],
  shown: Record<string, Shown>,
): ServiceStatusAnswer => {
  const regions = Object.entries(shown).map(([region, { status, agoMs }]) => ({
    region,
    status,
    reason: null,
    latencyMs: 1,
    measuredAt: new Date(t0 - agoMs).toISOString(),
    fresh: status !== 'stale',
  }))
  return {
    service: { slug: 'a', name: 'A' },
    status,
    shows: null,
    probes: [],
    probeCount: 0,
    didYouMean: [],
    regions,
    regionsRead: regions.filter(({ fresh }) => fresh).map(({ region }) => region),
    measuredAt: new Date(t0).toISOString(),
    freshness: { verdict: 'fresh', ageSeconds: 1, staleAfterSeconds: 7.8 },
    vantage: 'regional',
    url: 'https://example.com/',
    summary: '',
  }
}

/** The truth by region: up until `changedMs` before `t0`, then another one. */
const judge = (
  answer: ServiceStatusAnswer,
  truth: Truth,
  changedMs: number,
): ReturnType<typeof judgeAnswer> => {
  const truths = createTruths(() => t0 - changedMs)
  for (const { region } of answer.regions) truths.note(region, truth)
  const truthsOf = (region: string, fromMs: number, toMs: number) => [truths.during(region, fromMs, toMs)]
  const time = { sentMs: t0, cameMs: t0 + 5, machineMs: (atMs: number) => atMs }
  return judgeAnswer(answer, { truthsOf, probes: 1 }, time)
}

const fresh = (status: Shown['status'], agoMs = 500): Record<string, Shown> => ({
  fra: { status, agoMs },
  iad: { status, agoMs },
})

test.each([
  ['up about an up service', answerOf('up', fresh('up')), 'up', 9_000, 'up', 0],
  ['down about a down service', answerOf('down', fresh('down')), 'down', 9_000, 'down', 0],
  ['blocked about a blocking service', answerOf('blocked', fresh('blocked')), 'blocked', 9_000, 'blocked', 0],
  ['down about an up service', answerOf('down', fresh('down')), 'up', 9_000, 'up', 2],
  ['up about a down service', answerOf('up', fresh('up')), 'down', 9_000, 'down', 2],
  ['down about a blocking service', answerOf('down', fresh('down')), 'blocked', 9_000, 'blocked', 2],
  [
    'up about a service that went down afterwards',
    answerOf('up', fresh('up', 4_000)),
    'down',
    1_000,
    'turning',
    0,
  ],
  ['up from outdated readings', answerOf('up', fresh('up', 9_900)), 'down', 1_000, 'turning', 2],
  ['a status that does not follow from its regions', answerOf('down', fresh('up')), 'up', 9_000, 'up', 1],
  ['no data about stale regions', answerOf('no_data', fresh('stale', 60_000)), 'down', 9_000, 'down', 0],
] as const)('%s', (_, answer, truth, changedMs, row, wrong) => {
  const judged = judge(answer, truth, changedMs)
  expect(judged.row).toBe(row)
  expect(judged.wrong).toHaveLength(wrong)
})

test.each([
  [[], 'no_data'],
  [['up', 'up'], 'up'],
  [['down', 'down'], 'down'],
  [['up', 'down'], 'down_in_some_regions'],
  [['blocked', 'blocked'], 'blocked'],
  [['blocked', 'up'], 'up'],
  [['blocked', 'down'], 'down_in_some_regions'],
  [['blocked', 'down', 'up'], 'down_in_some_regions'],
])('fresh regions %j give %s', (seen, status) => {
  expect(statusOf(seen)).toBe(status)
})

test('counts wrong answers by their status', () => {
  const matrix = createMatrix()
  matrix.count(judge(answerOf('down', fresh('down')), 'up', 9_000), 'a')
  matrix.count(judge(answerOf('up', fresh('up')), 'up', 9_000), 'b')
  expect([matrix.total, matrix.wrongly('down'), matrix.wrongly('up')]).toEqual([2, 1, 0])
  expect(matrix.wrong).toEqual(['a: fra is down, iad is down (was up)'])
  expect(matrix.table()).toContain('down_in_some_regions')
})

test('converts the time of an advanced clock back to machine time', () => {
  let machineMs = t0
  const clock = createClock(() => machineMs)
  machineMs += 1_000
  clock.forward(100_000)
  machineMs += 1_000
  expect(clock.now()).toBe(t0 + 102_000)
  expect(clock.machineMs(t0 + 500)).toBe(t0 + 500)
  // a skipped time maps to the move of the clock
  expect(clock.machineMs(t0 + 50_000)).toBe(t0 + 1_000)
  expect(clock.machineMs(t0 + 101_500)).toBe(t0 + 1_500)
  expect(() => clock.forward(30_000)).toThrow('the clock must move')
})
