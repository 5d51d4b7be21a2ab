import type { Check } from '@probe-mesh/contracts/check/check'
import { describe, expect, test } from 'vitest'
import { checkOf, fileOf, live, planOf } from '../plan/testing.ts'
import { applyPlan } from './apply-plan.ts'
import type { Outcome } from './outcome.ts'
import { createWorld } from './testing.ts'
import type { Interference } from './testing.ts'

/** One step of each kind: calls 1 to 6 after the listing. */
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
  'deleteCheck id of moved',
  'createCheck moved',
  'createCheck new',
  'updateCheckRegions id of changed',
  'updateCheckAssertions id of changed',
]

const at =
  (...met: [number, Interference][]) =>
  (call: number): Interference | null =>
    met.find(([number]) => number === call)?.[1] ?? null
const run = async (interfere: ReturnType<typeof at>, from: readonly Check[] = account) => {
  const world = createWorld(from, interfere)
  return { world, outcome: await applyPlan(world, plan) }
}
const resultsOf = ({ steps }: Outcome) => steps.map(({ result }) => result).join(' ')

test('a plan is one listing, and then one call after another in its order', async () => {
  const { world, outcome } = await run(at())
  expect(world.calls).toEqual(calls)
  expect(outcome.stop).toBeNull()
  expect(resultsOf(outcome)).toBe('done done done done')
  expect(world.said).toEqual([
    '- gone: done (1 of 4)',
    '! moved: done (2 of 4)',
    '+ new: done (3 of 4)',
    '~ changed: done (4 of 4)',
  ])
  expect(world.pauses).toEqual([])
})

test('what stays as it is is not sent: an update of one field is one call', async () => {
  const world = createWorld(account)
  await applyPlan(world, planOf([fileOf('changed', { assertionStatusMax: 399 })], account))
  expect(world.calls).toEqual(['listChecks', 'updateCheckAssertions id of changed'])
})

test('a plan of nothing calls nothing', async () => {
  const world = createWorld(account)
  expect(await applyPlan(world, planOf([fileOf('same')], account))).toEqual({
    steps: [],
    stop: null,
  })
  expect(world.calls).toEqual([])
})

describe('the first refusal stops the run; the rest is skipped', () => {
  test.each([
    [1, 'refused skipped skipped skipped', 0],
    [2, 'done refused skipped skipped', 0],
    [3, 'done refused skipped skipped', 1],
    [4, 'done done refused skipped', 0],
    [5, 'done done done refused', 0],
    [6, 'done done done refused', 1],
  ])('of call %i', async (call, results, carriedOut) => {
    const { world, outcome } = await run(at([call, { kind: 'refuse', code: 'SV-4001' }]))
    expect(resultsOf(outcome)).toBe(results)
    expect(outcome.steps.find(({ result }) => result === 'refused')?.carriedOut).toBe(carriedOut)
    expect(outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-4001' } })
    expect(world.calls).toEqual(calls.slice(0, call + 1))
  })

  test('also where the write budget is used up in spite of the pace', async () => {
    const headers = { 'retry-after': '7' }
    const { world, outcome } = await run(at([1, { kind: 'refuse', code: 'SV-6002', headers }]))
    expect(resultsOf(outcome)).toBe('refused skipped skipped skipped')
    expect(world.pauses).toEqual([])
  })
})

describe('an account that changed since the plan was made is not touched', () => {
  const [gone, moved, changed, same] = account as [Check, Check, Check, Check]
  test.each<[string, Check[], string[]]>([
    ['a check was changed', [gone, moved, changed, { ...same, url: 'x' }], ['same changed: url']],
    [
      'a check was paused',
      [gone, { ...moved, paused: true }, changed, same],
      ['moved changed: paused'],
    ],
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
    const { world, outcome } = await run(at(), now)
    expect(outcome.stop?.kind === 'changed' && outcome.stop.changes.map(textOf)).toEqual(expected)
    expect(resultsOf(outcome)).toBe('skipped skipped skipped skipped')
    expect(world.calls).toEqual(['listChecks'])
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

describe('reads wait a 429 out, and say so', () => {
  const refusal = (seconds: string): Interference => ({
    kind: 'refuse',
    code: 'SV-6001',
    headers: { 'retry-after': seconds },
  })
  test('as long as Retry-After says, each time', async () => {
    const { world, outcome } = await run(at([0, refusal('12')], [1, refusal('1')]))
    expect(outcome.stop).toBeNull()
    expect(world.pauses).toEqual([12_000, 1_000])
    expect(world.said.slice(0, 2)).toEqual([
      'The read budget is used up (SV-6001): waiting 12 s.',
      'The read budget is used up (SV-6001): waiting 1 s.',
    ])
  })

  test.each([
    ['for ever', '1', 5],
    ['longer than the bound', '301', 0],
    ['without a time', '', 0],
    ['until a date', 'Fri, 20 Nov 2026 12:00:00 GMT', 0],
  ])('%s, it is a refusal in the end', async (_, seconds, waits) => {
    const { world, outcome } = await run(() => refusal(seconds))
    expect(outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-6001' } })
    expect(resultsOf(outcome)).toBe('skipped skipped skipped skipped')
    expect(world.pauses).toHaveLength(waits)
  })
})

describe('writes keep the pace that RateLimit tells of', () => {
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
    const { world, outcome } = await run(at([1, told(ratelimit)]))
    expect(outcome.stop).toBeNull()
    expect(world.pauses).toEqual(pauses)
    expect(world.said.filter((line) => line.startsWith('The write budget'))).toEqual(
      pauses.map((ms) => `The write budget is used up: waiting ${ms / 1000} s.`),
    )
  })

  test('between the two calls of a step as well, and not after the last', async () => {
    const used = told('"writes";r=0;t=2')
    const { world } = await run(at([2, used], [6, used]))
    expect(world.pauses).toEqual([2_000])
    expect(world.calls).toEqual(calls)
  })
})

describe('a lost connection is tried once more', () => {
  test.each([0, 1, 2, 3, 4, 5, 6])(
    'at call %i, carried out or not: the same account',
    async (call) => {
      const undisturbed = await run(at())
      for (const carriedOut of [true, false]) {
        const { world, outcome } = await run(at([call, { kind: 'lose', carriedOut }]))
        expect(outcome.stop).toBeNull()
        expect(world.account()).toEqual(undisturbed.world.account())
        expect(world.calls).toEqual(calls.toSpliced(call, 0, calls[call] ?? ''))
        expect(world.pauses).toEqual([1_000])
      }
    },
  )

  test('but not twice: the step is unanswered, and the rest is skipped', async () => {
    const lost: Interference = { kind: 'lose', carriedOut: false }
    const { world, outcome } = await run(at([3, lost], [4, lost]))
    expect(resultsOf(outcome)).toBe('done unanswered skipped skipped')
    expect(outcome.stop).toMatchObject({ kind: 'unanswered', error: { message: 'fetch failed' } })
    expect(world.calls).toHaveLength(5)
  })

  test('nor where the answer was no answer of the API', async () => {
    const { world, outcome } = await run(at([1, { kind: 'fail', error: new Error('502') }]))
    expect(resultsOf(outcome)).toBe('unanswered skipped skipped skipped')
    expect(world.calls).toEqual(calls.slice(0, 2))
  })

  test('a first request that is still worked on is waited for, to a bound', async () => {
    const busy: Interference = { kind: 'refuse', code: 'SV-3002', headers: { 'retry-after': '1' } }
    const lost: Interference = { kind: 'lose', carriedOut: true }
    const waited = await run(at([4, lost], [5, busy], [6, busy]))
    expect(waited.outcome.stop).toBeNull()
    expect(waited.world.pauses).toEqual([1_000, 1_000, 1_000])
    const never = await run((call) => (call < 4 ? null : call === 4 ? lost : busy))
    expect(never.outcome.stop).toMatchObject({ kind: 'refused', problem: { code: 'SV-3002' } })
    expect(never.world.calls).toHaveLength(25)
  })

  test('a check that is not found at once was deleted by somebody else: a refusal', async () => {
    const { outcome } = await run(at([1, { kind: 'refuse', code: 'SV-3001' }]))
    expect(resultsOf(outcome)).toBe('refused skipped skipped skipped')
  })
})

describe('a run that is asked to end', () => {
  const interrupt: Interference = { kind: 'interrupt' }
  test.each([
    [0, 'skipped skipped skipped skipped'],
    [1, 'done skipped skipped skipped'],
    [2, 'done interrupted skipped skipped'],
    [3, 'done done skipped skipped'],
    [5, 'done done done interrupted'],
  ])('during call %i finishes it and sends nothing more: %s', async (call, results) => {
    const { world, outcome } = await run(at([call, interrupt]))
    expect(resultsOf(outcome)).toBe(results)
    expect(outcome.stop).toEqual({ kind: 'interrupted' })
    expect(world.calls).toEqual(calls.slice(0, call + 1))
  })

  test('while it waits for its budget does not wait on', async () => {
    const used = { ratelimit: '"writes";r=0;t=40' }
    const { world, outcome } = await run(at([1, { kind: 'interrupt', headers: used }]))
    expect(outcome.stop).toEqual({ kind: 'interrupted' })
    expect(world.calls).toHaveLength(2)
  })
})
