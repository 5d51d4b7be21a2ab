import type { Check } from '@probe-mesh/contracts/check/check'
import { describe, expect, test } from 'vitest'
import { checkOf, fileOf, live, planOf } from '../plan/testing.ts'
import { applyPlan } from './apply-plan.ts'
import type { Outcome } from './outcome.ts'
import { createContext, type Interference } from './testing.ts'

/** One step of each kind: calls 1 to 5 after the listing. */
const account = ['gone', 'moved', 'changed', 'same'].map((name) => checkOf(name))
const plan = planOf(
  [
    fileOf('moved', { url: 'https://new.example.com/' }),
    fileOf('new'),
    fileOf('changed', { regions: ['fra'], assertionStatusMax: 399 }),
    fileOf('same'),
  ],
  account,
  { prune: true },
)
const calls = [
  'listChecks',
  'deleteCheck id of gone',
  'replaceCheck id of moved',
  'createCheck new',
  'updateCheckRegions id of changed',
  'updateCheckAssertions id of changed',
]

const at =
  (...met: [number, Interference][]) =>
  (call: number): Interference | null =>
    met.find(([number]) => number === call)?.[1] ?? null
const run = async (interfere: ReturnType<typeof at>, from: readonly Check[] = account) => {
  const context = createContext(from, interfere)
  return { context, outcome: await applyPlan(context, plan) }
}
const resultsOf = ({ steps }: Outcome) => steps.map(({ result }) => result).join(' ')

test('lists the account once, then makes the calls of the plan in order', async () => {
  const { context, outcome } = await run(at())
  expect(context.calls).toEqual(calls)
  expect(outcome.stop).toBeNull()
  expect(resultsOf(outcome)).toBe('done done done done')
  expect(context.reported).toEqual([
    '- gone: done (1 of 4)',
    '! moved: done (2 of 4)',
    '+ new: done (3 of 4)',
    '~ changed: done (4 of 4)',
  ])
  expect(context.pauses).toEqual([])
})

test('sends only changed parts: an update of one field is one call', async () => {
  const context = createContext(account)
  await applyPlan(context, planOf([fileOf('changed', { assertionStatusMax: 399 })], account))
  expect(context.calls).toEqual(['listChecks', 'updateCheckAssertions id of changed'])
})

test('makes no call for an empty plan', async () => {
  const context = createContext(account)
  expect(await applyPlan(context, planOf([fileOf('same')], account))).toEqual({
    steps: [],
    stop: null,
  })
  expect(context.calls).toEqual([])
})

describe('stops at the first refusal and skips the rest', () => {
  test.each([
    [1, 'refused skipped skipped skipped', 0],
    [2, 'done refused skipped skipped', 0],
    [3, 'done done refused skipped', 0],
    [4, 'done done done refused', 0],
    [5, 'done done done refused', 1],
  ])('of call %i', async (call, results, completedCalls) => {
    const { context, outcome } = await run(at([call, { kind: 'refuse', code: 'SV-4001' }]))
    expect(resultsOf(outcome)).toBe(results)
    expect(outcome.steps.find(({ result }) => result === 'refused')?.completedCalls).toBe(completedCalls)
    expect(outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-4001' } })
    expect(context.calls).toEqual(calls.slice(0, call + 1))
  })
})

describe('writes nothing when the account changed after the plan was made', () => {
  const [gone, moved, changed, same] = account as [Check, Check, Check, Check]
  test.each<[string, Check[], string[]]>([
    ['a check was changed', [gone, moved, changed, { ...same, url: 'x' }], ['same changed: url']],
    ['a check was paused', [gone, { ...moved, paused: true }, changed, same], ['moved changed: paused']],
    ['a check was deleted', [moved, changed, same], ['gone was deleted']],
    ['a check was created', [...account, checkOf('new')], ['new was created']],
    [
      'a check was replaced',
      [gone, moved, changed, { ...same, id: 'other' }],
      ['same was deleted', 'same was created'],
    ],
    [
      'several',
      [gone, { ...moved, name: 'm', regions: ['iad'], allRegions: false }, changed],
      ['moved changed: name, allRegions, regions', 'same was deleted'],
    ],
  ])('%s', async (_, now, expected) => {
    const { context, outcome } = await run(at(), now)
    expect(outcome.stop?.kind === 'changed' && outcome.stop.changes.map(textOf)).toEqual(expected)
    expect(resultsOf(outcome)).toBe('skipped skipped skipped skipped')
    expect(context.calls).toEqual(['listChecks'])
  })

  test.each<[string, Check[]]>([
    ['a status flipped', account.map((check) => ({ ...check, status: 'down' }))],
    ['a time moved on', account.map((check) => ({ ...check, updatedAt: 'later' }))],
    ['the order', account.toReversed()],
    ['the order of regions', account.map((check) => ({ ...check, regions: live.toReversed() }))],
  ])('%s is no change', async (_, now) => {
    expect((await run(at(), now)).outcome.stop).toBeNull()
  })
})

const textOf = ({ name, message }: { name: string; message: string }) => `${name} ${message}`

describe('reads wait for the time that a 429 names, and report it', () => {
  const refusal = (seconds: string): Interference => ({
    kind: 'refuse',
    code: 'SV-6001',
    headers: { 'retry-after': seconds },
  })
  test('for the Retry-After of each answer', async () => {
    const { context, outcome } = await run(at([0, refusal('12')], [1, refusal('1')]))
    expect(outcome.stop).toBeNull()
    expect(context.pauses).toEqual([12_000, 1_000])
    expect(context.reported.slice(0, 2)).toEqual([
      'The read rate limit is reached (SV-6001): waiting 12 s.',
      'The read rate limit is reached (SV-6001): waiting 1 s.',
    ])
  })

  test.each([
    ['for ever', '1', 5],
    ['longer than the bound', '301', 0],
    ['without a time', '', 0],
    ['until a date beyond the bound', 'Fri, 20 Nov 2099 12:00:00 GMT', 0],
    ['for ever, by a date that has passed', 'Fri, 20 Nov 2020 12:00:00 GMT', 5],
  ])('%s returns the refusal', async (_, seconds, waits) => {
    const { context, outcome } = await run(() => refusal(seconds))
    expect(outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-6001' } })
    expect(resultsOf(outcome)).toBe('skipped skipped skipped skipped')
    expect(context.pauses).toHaveLength(waits)
  })
})

describe('writes are paced by RateLimit', () => {
  const told = (ratelimit: string): Interference => ({ kind: 'headers', headers: { ratelimit } })
  test.each([
    ['no place left', '"writes";r=0;t=23', [23_000]],
    ['one place left', '"writes";r=1;t=23', []],
    ['no place left for less than a second', '"writes";r=0;t=0', [1_000]],
    ['no time', '"writes";r=0', [1_000]],
    ['a time beyond belief', '"writes";r=0;t=99999', [120_000]],
    ['no place left in another budget', '"reads";r=0;t=23', []],
    ['several budgets', '"reads";r=5;t=9, "writes";r=0;t=3', [3_000]],
    ['the other way round', '"reads";r=0;t=9, "writes";r=3;t=3', []],
    ['something else', 'limit=30, remaining=0, reset=5', []],
  ])('%s', async (_, ratelimit, pauses) => {
    const { context, outcome } = await run(at([1, told(ratelimit)]))
    expect(outcome.stop).toBeNull()
    expect(context.pauses).toEqual(pauses)
    expect(context.reported.filter((line) => line.startsWith('The write rate limit'))).toEqual(
      pauses.map((ms) => `The write rate limit is reached: waiting ${ms / 1000} s.`),
    )
  })

  test('also between the two calls of a step, and not after the last', async () => {
    const used = told('"writes";r=0;t=2')
    const { context } = await run(at([4, used], [5, used]))
    expect(context.pauses).toEqual([2_000])
    expect(context.calls).toEqual(calls)
  })

  test('also before the first, when the plan found none left', async () => {
    const context = { ...createContext(account), budget: { left: 0, perMinute: 30, resetSeconds: 9 } }
    expect((await applyPlan(context, plan)).stop).toBeNull()
    expect(context.pauses).toEqual([9_000])
    expect(context.reported[0]).toBe('The write rate limit is reached: waiting 9 s.')
  })

  test('a write that is refused for rate is sent again after its wait, up to a bound', async () => {
    const busy: Interference = { kind: 'refuse', code: 'SV-6002', headers: { 'retry-after': '7' } }
    const { context, outcome } = await run(at([2, busy], [3, busy]))
    expect(outcome.stop).toBeNull()
    expect(context.pauses).toEqual([7_000, 7_000])
    expect(context.reported.slice(1, 3)).toEqual(
      [7, 7].map((seconds) => `The rate limit is reached (SV-6002): waiting ${seconds} s.`),
    )
    const never = await run((call) => (call < 2 ? null : busy))
    expect(resultsOf(never.outcome)).toBe('done refused skipped skipped')
    expect(never.context.pauses).toHaveLength(10)
  })

  test('reports how long the rest takes', async () => {
    const left = { kind: 'headers', headers: { ratelimit: '"writes";r=0;t=23' } } as const
    const context = {
      ...createContext(account, at([1, left])),
      budget: { left: 1, perMinute: 2, resetSeconds: 50 },
    }
    await applyPlan(context, plan)
    expect(context.reported[0]).toBe('- gone: done (1 of 4, about 1 min left)')
  })
})

describe('a lost connection is retried', () => {
  test.each([0, 1, 2, 3, 4, 5])('at call %i, carried out or not: the same account', async (call) => {
    const undisturbed = await run(at())
    for (const completedCalls of [true, false]) {
      const { context, outcome } = await run(at([call, { kind: 'lose', completedCalls }]))
      expect(outcome.stop).toBeNull()
      expect(context.account()).toEqual(undisturbed.context.account())
      expect(context.calls).toEqual(calls.toSpliced(call, 0, calls[call] ?? ''))
      expect(context.pauses).toEqual([1_000])
    }
  })

  test('for 30 s, said once: then the step is unanswered and the rest is skipped', async () => {
    const lost: Interference = { kind: 'lose', completedCalls: false }
    const { context, outcome } = await run((call) => (call < 2 ? null : lost))
    expect(resultsOf(outcome)).toBe('done unanswered skipped skipped')
    expect(outcome.stop).toMatchObject({ kind: 'unanswered', error: { message: 'fetch failed' } })
    expect(context.pauses).toEqual(Array.from({ length: 30 }, () => 1_000))
    const said = context.reported.filter((line) => line.startsWith('The API does not answer'))
    expect(said).toEqual(['The API does not answer: trying again for 30 s.'])
  })

  test('while the API restarts: it answers after 20 s, and everything is applied once', async () => {
    const lost: Interference = { kind: 'lose', completedCalls: false }
    const down: Interference = { kind: 'refuse', code: 'SV-9002', headers: { 'retry-after': '5' } }
    const { context, outcome } = await run((call) =>
      call < 3 || call > 22 ? null : call % 2 === 0 ? lost : down,
    )
    expect(outcome.stop).toBeNull()
    expect(context.account()).toEqual((await run(at())).context.account())
  })

  test('but not when the answer was not from the API', async () => {
    const { context, outcome } = await run(at([1, { kind: 'fail', error: new Error('502') }]))
    expect(resultsOf(outcome)).toBe('unanswered skipped skipped skipped')
    expect(context.calls).toEqual(calls.slice(0, 2))
  })

  test('waits, up to a bound, while the first request is in progress', async () => {
    const busy: Interference = { kind: 'refuse', code: 'SV-3002', headers: { 'retry-after': '1' } }
    const lost: Interference = { kind: 'lose', completedCalls: true }
    const waited = await run(at([3, lost], [4, busy], [5, busy]))
    expect(waited.outcome.stop).toBeNull()
    expect(waited.context.pauses).toEqual([1_000, 1_000, 1_000])
    const never = await run((call) => (call < 3 ? null : call === 3 ? lost : busy))
    expect(never.outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-3002' } })
    expect(never.context.calls).toHaveLength(25)
  })

  test('reports a refusal when the first delete finds no check', async () => {
    const { outcome } = await run(at([1, { kind: 'refuse', code: 'SV-3001' }]))
    expect(resultsOf(outcome)).toBe('refused skipped skipped skipped')
  })
})

describe('an interrupted run', () => {
  const interrupt: Interference = { kind: 'interrupt' }
  test.each([
    [0, 'skipped skipped skipped skipped'],
    [1, 'done skipped skipped skipped'],
    [2, 'done done skipped skipped'],
    [4, 'done done done interrupted'],
  ])('finishes call %i and sends nothing more: %s', async (call, results) => {
    const { context, outcome } = await run(at([call, interrupt]))
    expect(resultsOf(outcome)).toBe(results)
    expect(outcome.stop).toEqual({ kind: 'interrupted' })
    expect(context.calls).toEqual(calls.slice(0, call + 1))
  })

  test('stops waiting for the write limit', async () => {
    const used = { ratelimit: '"writes";r=0;t=40' }
    const { context, outcome } = await run(at([1, { kind: 'interrupt', headers: used }]))
    expect(outcome.stop).toEqual({ kind: 'interrupted' })
    expect(context.calls).toHaveLength(2)
  })
})
