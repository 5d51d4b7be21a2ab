import { describe, expect, test } from 'vitest'
import { decide, exitCodeOf, type ApplyFlags } from './apply-file.ts'
import type { Stop } from '../apply/outcome.ts'
import type { Planned } from '../plan/plan-checks.ts'
import { checkOf, fileOf, planOf } from '../plan/testing.ts'

const planned = (...from: Parameters<typeof planOf>): Planned => ({
  ok: true,
  plan: planOf(...from),
})
const web = checkOf('web')
const plans = {
  nothing: planned([fileOf('web')], [web]),
  'a note': planned([], [web]),
  create: planned([fileOf('web')], []),
  update: planned([fileOf('web', { regions: ['fra'] })], [web]),
  replace: planned([fileOf('web', { intervalSeconds: 300 })], [web]),
  delete: planned([], [web], { prune: true }),
  both: planned([fileOf('web', { intervalSeconds: 300 })], [web, checkOf('old'), checkOf('older')], {
    prune: true,
  }),
  impossible: { ok: false, problems: [{ name: 'web', message: 'no' }] },
} as const satisfies Record<string, Planned>

const none: ApplyFlags = { dryRun: false, yes: false, allowReplace: false }
const all: ApplyFlags = { dryRun: false, yes: true, allowReplace: true }

const shown = (plan: keyof typeof plans, flags: ApplyFlags) => {
  const decision = decide(plans[plan], flags)
  if (decision.kind === 'apply') return 'apply'
  const asked = decision.next.map((line) => /--\S+/.exec(line)?.[0])
  return [decision.exitCode, ...asked].join(' ')
}

test.each<[keyof typeof plans, string, string, string, string]>([
  // no flags, both flags, only --yes, only --allow-replace
  ['nothing', '0', '0', '0', '0'],
  ['a note', '0', '0', '0', '0'],
  ['create', 'apply', 'apply', 'apply', 'apply'],
  ['update', 'apply', 'apply', 'apply', 'apply'],
  ['replace', '1 --allow-replace', 'apply', '1 --allow-replace', 'apply'],
  ['delete', '1 --yes', 'apply', 'apply', '1 --yes'],
  ['both', '1 --allow-replace --yes', 'apply', '1 --allow-replace', '1 --yes'],
  ['impossible', '1', '1', '1', '1'],
])('a plan of %s needs its flags', (plan, without, withAll, withYes, withAllow) => {
  expect(shown(plan, none)).toBe(without)
  expect(shown(plan, all)).toBe(withAll)
  expect(shown(plan, { ...none, yes: true })).toBe(withYes)
  expect(shown(plan, { ...none, allowReplace: true })).toBe(withAllow)
})

test.each<[keyof typeof plans, number]>([
  ['nothing', 0],
  ['a note', 0],
  ['create', 2],
  ['update', 2],
  ['replace', 2],
  ['delete', 2],
  ['both', 2],
  ['impossible', 1],
])('a dry run of %s exits %i, whatever the flags', (plan, exitCode) => {
  for (const flags of [none, all, { ...none, yes: true }, { ...none, allowReplace: true }]) {
    expect(exitCodeOf(plans[plan], { ...flags, dryRun: true }, null)).toBe(exitCode)
  }
})

test('names the missing flags as the next step', () => {
  expect(decide(plans.both, none)).toEqual({
    kind: 'end',
    exitCode: 1,
    next: [
      '1 check would be replaced, losing history and id: add --allow-replace to accept that.',
      '2 checks would be deleted with their history: add --yes to --prune to accept that.',
    ],
  })
})

describe('a run that has started', () => {
  const stops: Stop[] = [
    { kind: 'changed', changes: [] },
    { kind: 'unanswered', error: new Error('gone') },
  ]
  test('exits 0 when everything was applied', () => {
    expect(exitCodeOf(plans.create, none, { stop: null })).toBe(0)
  })

  test.each(stops)('exits 1 where it stopped: $kind', (stop) => {
    expect(exitCodeOf(plans.create, none, { stop })).toBe(1)
  })

  test('throws without an outcome', () => {
    expect(() => exitCodeOf(plans.create, none, null)).toThrow('has an outcome')
  })
})
