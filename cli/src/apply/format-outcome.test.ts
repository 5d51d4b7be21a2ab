import { describe, expect, test } from 'vitest'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { checkOf, fileOf, planOf } from '../plan/testing.ts'
import { applyPlan } from './apply-plan.ts'
import { formatOutcome } from './format-outcome.ts'
import { outcomeToJson } from './outcome-json.ts'
import { createWorld } from './testing.ts'
import type { Interference } from './testing.ts'

const account = ['moved', 'changed'].map((name) => checkOf(name))
const plan = planOf(
  [
    fileOf('moved', { url: 'https://new.example.com/' }),
    fileOf('new'),
    fileOf('changed', { regions: ['fra'], assertionStatusMax: 399 }),
  ],
  account,
)
const outcomeWith = (call: number, met: Interference, from = account) =>
  applyPlan(
    createWorld(from, (at) => (at === call ? met : null)),
    plan,
  )
const refusal: Interference = { kind: 'refuse', code: 'SV-5001' }
const failure: Interference = {
  kind: 'fail',
  error: new TypeError('fetch failed', { cause: new Error('certificate has expired') }),
}

describe('a run as text', () => {
  test('that was carried out counts its steps', async () => {
    expect(formatOutcome(await applyPlan(createWorld(account), plan))).toBe('Applied: 3 steps.')
  })

  test('that was refused has the message and the code as returned, and what is skipped', async () => {
    expect(formatOutcome(await outcomeWith(3, refusal))).toBe(
      `Stopped: 1 of 3 steps applied.

SV-5001: The target address is not allowed.

+ new: refused
~ changed: skipped`,
    )
  })

  test('whose replace deleted and could not create says so, and how to get it back', async () => {
    expect(formatOutcome(await outcomeWith(2, refusal))).toBe(
      `Stopped: 0 of 3 steps applied.

SV-5001: The target address is not allowed.

! moved: refused
    The old check and its history are deleted, and the new one was refused.
    To get it back: correct what was refused, then apply again; what is missing on the account is created from the file.
+ new: skipped
~ changed: skipped`,
    )
  })

  test('whose replace could not delete says nothing of the kind', async () => {
    expect(formatOutcome(await outcomeWith(1, refusal))).toBe(
      `Stopped: 0 of 3 steps applied.

SV-5001: The target address is not allowed.

! moved: refused
+ new: skipped
~ changed: skipped`,
    )
  })

  test('whose update stopped half way says what is changed', async () => {
    expect(formatOutcome(await outcomeWith(5, refusal))).toBe(
      `Stopped: 2 of 3 steps applied.

SV-5001: The target address is not allowed.

~ changed: refused
    The regions are changed; the assertions are not.`,
    )
  })

  test('that had no answer does not claim to know what happened', async () => {
    expect(formatOutcome(await outcomeWith(2, failure))).toBe(
      `Stopped: 0 of 3 steps applied.

There was no answer: fetch failed (certificate has expired)
Apply again: the plan is made from what is on the account then.

! moved: unanswered
    The old check and its history are deleted, and whether the new one was created is not known.
    To get it back: apply again; what is missing on the account is created from the file.
+ new: skipped
~ changed: skipped`,
    )
    expect(formatOutcome(await outcomeWith(5, failure))).toContain(
      '~ changed: unanswered\n    The regions are changed; the assertions may not be.',
    )
    expect(formatOutcome(await outcomeWith(3, failure))).toContain(
      '+ new: unanswered\n    Whether this was carried out is not known.',
    )
  })

  test('that was interrupted says what was not sent', async () => {
    expect(formatOutcome(await outcomeWith(1, { kind: 'interrupt' }))).toBe(
      `Stopped: 0 of 3 steps applied.

Interrupted: what follows was not sent. Apply again to go on.

! moved: interrupted
    The old check and its history are deleted, and the new one was not created.
    To get it back: apply again; what is missing on the account is created from the file.
+ new: skipped
~ changed: skipped`,
    )
  })

  test('on an account that changed says what did', async () => {
    const world = createWorld([checkOf('moved', { intervalSeconds: 300 })])
    expect(formatOutcome(await applyPlan(world, plan))).toBe(
      `Stopped: 0 of 3 steps applied.

The account changed since it was planned for; nothing was sent. Plan again.
  moved changed: intervalSeconds
  changed was deleted

! moved: skipped
+ new: skipped
~ changed: skipped`,
    )
  })

  test('has nothing of an answer that a terminal would act on, and every problem of it', () => {
    const errors = [
      { path: 'regions[0]', message: 'xxx is not live' },
      { path: '', message: 'all of it' },
    ]
    const problem = toProblem(refuse('SV-2001', { message: 'a\u001b[2Jb', errors }))
    expect(formatOutcome({ steps: [], stop: { kind: 'refused', problem } })).toContain(
      'SV-2001: a\\u001b[2Jb\n  regions[0] xxx is not live\n  all of it\n',
    )
  })
})

describe('a run as JSON', () => {
  test('is the plan with what became of each step', async () => {
    const json = outcomeToJson(plan, await outcomeWith(2, refusal))
    expect(json).toMatchObject({
      version: 1,
      summary: { create: 1, update: 1, replace: 1, delete: 0, unchanged: 0 },
      steps: [
        { action: 'replace', name: 'moved', result: 'refused' },
        { action: 'create', name: 'new', result: 'skipped', remarks: [] },
        { action: 'update', name: 'changed', result: 'skipped', remarks: [] },
      ],
      stop: { kind: 'refused', problem: { code: 'SV-5001' } },
    })
    expect(json.steps[0]?.remarks[0]).toMatch(/^The old check and its history are deleted/)
  })

  test('has the words of an error, and no stop where there was none', async () => {
    expect(outcomeToJson(plan, await outcomeWith(0, failure)).stop).toEqual({
      kind: 'unanswered',
      message: 'fetch failed (certificate has expired)',
    })
    expect(outcomeToJson(plan, await applyPlan(createWorld(account), plan)).stop).toBeNull()
  })
})
