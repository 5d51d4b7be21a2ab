import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { describe, expect, test } from 'vitest'
import { checkOf, fileOf, planOf } from '../plan/testing.ts'
import { applyPlan } from './apply-plan.ts'
import { formatOutcome, outcomeToJson } from './format-outcome.ts'
import { createContext, type Interference } from './testing.ts'

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
    createContext(from, (at) => (at === call ? met : null)),
    plan,
  )
const refusal: Interference = { kind: 'refuse', code: 'SV-5001' }
const failure: Interference = {
  kind: 'fail',
  error: new TypeError('fetch failed', { cause: new Error('certificate has expired') }),
}

describe('a run as text', () => {
  test('that completed counts its steps', async () => {
    expect(formatOutcome(await applyPlan(createContext(account), plan))).toBe('Applied: 3 steps.')
  })

  test('that was refused shows the message and code as returned, and the skipped steps', async () => {
    expect(formatOutcome(await outcomeWith(2, refusal))).toBe(
      `Stopped: 1 of 3 steps applied.

SV-5001: The target address is not allowed.

+ new: refused
~ changed: skipped`,
    )
  })

  test('whose replace was refused has the old check', async () => {
    expect(formatOutcome(await outcomeWith(1, refusal))).toBe(
      `Stopped: 0 of 3 steps applied.

SV-5001: The target address is not allowed.

! moved: refused
+ new: skipped
~ changed: skipped`,
    )
  })

  test('whose update stopped halfway says what changed', async () => {
    expect(formatOutcome(await outcomeWith(4, refusal))).toBe(
      `Stopped: 2 of 3 steps applied.

SV-5001: The target address is not allowed.

~ changed: refused
    The regions are changed; the assertions are not.`,
    )
  })

  test('without an answer says that the result is unknown', async () => {
    expect(formatOutcome(await outcomeWith(1, failure))).toBe(
      `Stopped: 0 of 3 steps applied.

No answer: fetch failed (certificate has expired)
Apply again: the changes are computed from the account as it is then.

! moved: unanswered
    It is unknown whether this step was applied. The account has either the old check or the new one.
+ new: skipped
~ changed: skipped`,
    )
    expect(formatOutcome(await outcomeWith(4, failure))).toContain(
      '~ changed: unanswered\n    The regions are changed; the assertions may not be.',
    )
    expect(formatOutcome(await outcomeWith(2, failure))).toContain(
      '+ new: unanswered\n    It is unknown whether this step was applied.',
    )
  })

  test('that was interrupted lists what was not sent', async () => {
    expect(formatOutcome(await outcomeWith(1, { kind: 'interrupt' }))).toBe(
      `Stopped: 1 of 3 steps applied.

Interrupted: the steps below were not completed. Apply again to continue.

+ new: skipped
~ changed: skipped`,
    )
  })

  test('on a changed account lists the changes', async () => {
    const context = createContext([checkOf('moved', { intervalSeconds: 300 })])
    expect(formatOutcome(await applyPlan(context, plan))).toBe(
      `Stopped: 0 of 3 steps applied.

The account changed after it was read; nothing was sent. Run the command again.
  moved changed: intervalSeconds
  changed was deleted

! moved: skipped
+ new: skipped
~ changed: skipped`,
    )
  })

  test('shows every problem of an answer without terminal control characters', () => {
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
  test('is the plan with the result of each step', async () => {
    const json = outcomeToJson(plan, await outcomeWith(1, refusal))
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
    expect(json.steps[0]?.remarks).toEqual([])
  })

  test('has the message of an error, and a null stop without one', async () => {
    expect(outcomeToJson(plan, await outcomeWith(0, failure)).stop).toEqual({
      kind: 'unanswered',
      message: 'fetch failed (certificate has expired)',
    })
    expect(outcomeToJson(plan, await applyPlan(createContext(account), plan)).stop).toBeNull()
  })
})
