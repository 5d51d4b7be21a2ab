import { expect, test } from 'vitest'
import type { Facts, Finding, Flip, Post, StoredReading } from './facts.ts'
import { judge } from './judge.ts'
import { answerAt, createScript } from './script.ts'

/** A handwritten run of three checks in one region. Each case plants one error in it. */

const beganAt = Date.parse('2026-11-23T12:00:00Z')
const intervalMs = 10_000
const spanMs = 180_000
const outage = { check: 'ill', answer: 'e500', fromMs: 60_000, toMs: 100_000 } as const
const script = { seed: 1, spanMs, steady: ['well'], slow: [], outages: [outage], blips: [] }
const phases: Readonly<Record<string, number>> = { well: 3_000, ill: 7_000 }
const names = Object.keys(phases)
const uuid = (check: string): string => `id-of-${check}`

const readingAt = (check: string, slot: number): StoredReading => {
  const verdict = answerAt(script, check, slot - beganAt) === 'e500' ? 'down' : 'up'
  return {
    check,
    checkId: uuid(check),
    region: 'fra',
    slot,
    kind: 'scheduled',
    number: 0,
    verdict,
    attempts: verdict === 'down' ? 2 : 1,
    latencyMs: 20,
    measuredAt: slot + (verdict === 'down' ? 100 : 5),
    receivedAt: slot + 1_000,
  }
}
const flip = (id: string, version: number, to: string, atMs: number): Flip => ({
  id,
  check: 'ill',
  version,
  to,
  at: beganAt + atMs,
})
const post = (id: string, type: string, alertKey: string, text = ''): Post => ({
  at: beganAt + 80_000,
  hook: 'all',
  id,
  answered: 'ok',
  type,
  alertKey,
  text,
})

const sound = (): Facts => {
  const slots = (check: string): number[] =>
    Array.from({ length: spanMs / intervalMs }, (_, n) => beganAt + (phases[check] ?? 0) + n * intervalMs)
  const readings = names.flatMap((check) => slots(check).map((slot) => readingAt(check, slot)))
  const count = (check: string, verdict: string): number =>
    readings.filter((one) => one.check === check && one.verdict === verdict).length
  return {
    script,
    beganAt,
    span: { fromMs: beganAt, toMs: beganAt + spanMs },
    faults: [],
    requests: readings.flatMap(({ check, slot, measuredAt, attempts }) =>
      [measuredAt + 2, slot + 8].slice(0, attempts).map((at) => ({
        at,
        check,
        answer: answerAt(script, check, at - beganAt),
      })),
    ),
    checkIds: new Map(names.map((check) => [check, uuid(check)])),
    hooks: new Map([['all', null]]),
    posts: [post('1', 'alert', 'alert:id-of-ill:a'), post('2', 'recovery', 'alert:id-of-ill:a')],
    journals: new Map([['fra-1', new Set(readings.map(({ checkId, slot }) => `${checkId}:fra:${slot}`))]]),
    readings,
    revisions: names.map((check) => ({
      check,
      regions: ['fra'],
      intervalMs,
      paused: false,
      fromMs: beganAt - 60_000,
      toMs: null,
    })),
    flips: [
      flip('0', 1, 'operational', -1),
      flip('a', 2, 'down', 70_000),
      flip('b', 3, 'operational', 118_000),
    ],
    series: new Map(
      names.map((check) => [
        check,
        {
          due: 18,
          measured: 18,
          lost: 0,
          up: count(check, 'up'),
          down: count(check, 'down'),
          blocked: 0,
          unmeasured: 0,
        },
      ]),
    ),
    listed: new Map(names.map((check) => [check, 18])),
    statuses: [{ check: 'ill', api: 'operational', gateway: 'operational' }],
  }
}

const wrongIn = (facts: Facts): string[] =>
  judge(facts)
    .filter(({ wrong }: Finding) => wrong > 0)
    .map(({ what }) => what)

/** The facts with one reading changed, or left out. */
const changed = (check: string, at: number, change: (reading: StoredReading) => StoredReading[]): Facts => {
  const facts = sound()
  const nth = facts.readings.filter((one) => one.check === check)[at]
  return {
    ...facts,
    readings: facts.readings.flatMap((one) => (one === nth ? change(one) : [one])),
  }
}

test('finds nothing in a correct run', () => {
  expect(wrongIn(sound())).toEqual([])
})

const facts = sound()
const [first] = facts.requests
const [firstPost, secondPost] = facts.posts
if (!first || !firstPost || !secondPost) throw new Error('the list has one of each')
const series = (check: string, change: object): Facts['series'] =>
  new Map(
    [...facts.series].map(([name, counts]) => [name, name === check ? { ...counts, ...change } : counts]),
  )

test.each<[string, Partial<Facts>, string]>([
  [
    'a request without a reading',
    { requests: [...facts.requests, { ...first, at: first.at + 5_000 }] },
    'requests without a reading, other',
  ],
  [
    'a reading without a request',
    { requests: facts.requests.slice(1) },
    'recorded attempts without a request, in readings that judge the target',
  ],
  ['a lost reading', changed('well', 3, () => []), 'readings lost'],
  ['a row stored twice', changed('well', 3, (one) => [one, one]), 'rows stored twice'],
  [
    'a slot stored as two readings',
    changed('well', 3, (one) => [one, { ...one, number: 1 }]),
    'slots stored twice',
  ],
  ['a reading without a journal entry', { journals: new Map() }, 'readings stored that no agent journalled'],
  [
    'a reading between the slots',
    changed('well', 3, (one) => [{ ...one, slot: one.slot + 1 }]),
    'slots off their grid otherwise',
  ],
  ['a slot missing while all agents run', changed('well', 3, () => []), 'slots missing otherwise'],
  [
    'a lost slot missing from series',
    { series: series('well', { lost: 1 }) },
    'slots lost: counted / `series` of every check',
  ],
  [
    'an up slot that series counts as down',
    { series: series('well', { up: 17, down: 1 }) },
    'slots down: counted / `series` of every check',
  ],
  [
    'a healthy target read as down',
    changed('well', 3, (one) => [{ ...one, verdict: 'down' }]),
    'readings down although the target answered well',
  ],
  [
    'a failing target read as up',
    changed('ill', 7, (one) => [{ ...one, verdict: 'up' }]),
    'readings up although the target did not',
  ],
  [
    'a reading with the verdict blocked',
    changed('well', 3, (one) => [{ ...one, verdict: 'blocked' }]),
    'readings blocked',
  ],
  [
    'a healthy check that is degraded',
    { flips: [...facts.flips, { ...flip('c', 1, 'degraded', 90_000), check: 'well' }] },
    'degraded flips of the same',
  ],
  [
    'a healthy check that is down',
    { flips: [...facts.flips, { ...flip('c', 1, 'down', 90_000), check: 'well' }] },
    'down flips of the 1 checks that were always up',
  ],
  [
    'a failing check that is down too early',
    { flips: [...facts.flips, flip('c', 2, 'down', 30_000)] },
    'down flips of others without a failure',
  ],
  ['an undetected outage', { flips: facts.flips.slice(0, 1) }, 'outages: of the script / seen'],
  [
    'an outage reported over too early',
    { flips: [...facts.flips.slice(0, 2), flip('b', 3, 'operational', 80_000)] },
    'outages reported over while they lasted',
  ],
  ['an outage without an end', { flips: facts.flips.slice(0, 2) }, 'outages whose end was not seen'],
  [
    'an outage without a message',
    { posts: [secondPost] },
    'sent to 1 hooks: due / sent singly + in 0 digests',
  ],
  [
    'an outage sent twice',
    { posts: [...facts.posts, { ...firstPost, id: '3' }] },
    'sent twice, under two webhook-ids',
  ],
  [
    'an outage sent for another check',
    { posts: [...facts.posts, { ...firstPost, id: '3', alertKey: 'alert:id-of-well:a' }] },
    'sent without an event',
  ],
  [
    'a message without a receiver',
    { posts: [firstPost, { ...secondPost, answered: '503' }] },
    'messages never acknowledged',
  ],
  [
    'a gateway that disagrees',
    { statuses: [{ check: 'ill', api: 'down', gateway: 'up' }] },
    'status of 1 checks: by the API / by the gateway',
  ],
  [
    'a page of readings with one missing',
    { listed: new Map([['well', 17]]) },
    'readings of 1 checks: stored / listed by the API',
  ],
])('finds %s', (_, error, what) => {
  expect(wrongIn({ ...sound(), ...error })).toContain(what)
})

test('counts a digest by its entries', () => {
  const digest = (holds: number) =>
    post('1', 'digest', 'storm:all', `This message combines ${holds} notifications`)
  expect(wrongIn({ ...sound(), posts: [digest(2)] })).toEqual([])
  expect(wrongIn({ ...sound(), posts: [digest(1)] })).toHaveLength(1)
})

test('counts a message accepted on retry once', () => {
  const refused = { ...firstPost, answered: '503' as const }
  expect(wrongIn({ ...sound(), posts: [refused, firstPost, secondPost] })).toEqual([])
})

test('accepts missing slots of a dead region only', () => {
  const missing = changed('well', 3, () => [])
  const [lost] = facts.readings.filter((one) => one.check === 'well').slice(3)
  if (lost === undefined) throw new Error('there is no such reading')
  const gone = new Set([`${lost.checkId}:fra:${lost.slot}`])
  const withoutLost: Facts = {
    ...missing,
    journals: new Map([['fra-1', facts.journals.get('fra-1')?.difference(gone) ?? new Set()]]),
    series: series('well', { measured: 17, lost: 1, up: 17 }),
    listed: new Map(),
  }
  const died = (region: string) => [
    { what: 'kill -9', region, fromMs: lost.slot - 1_000, toMs: lost.slot + 1_000 },
  ]
  expect(wrongIn({ ...withoutLost, faults: died('fra') })).toEqual([])
  expect(wrongIn({ ...withoutLost, faults: died('iad') })).toContain('slots missing otherwise')
})

test('creates the same script for a seed, in which every outage is detectable', () => {
  const span = 240_000
  expect(createScript(7, span)).toEqual(createScript(7, span))
  expect(createScript(8, span)).not.toEqual(createScript(7, span))
  for (let seed = 0; seed < 50; seed++) {
    for (const { fromMs, toMs } of createScript(seed, span).outages) {
      expect(fromMs).toBeGreaterThanOrEqual(15_000)
      expect(toMs - fromMs).toBeGreaterThanOrEqual(35_000)
      expect(toMs).toBeLessThanOrEqual(span - 45_000)
    }
  }
})
