import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import { describe, expect, test } from 'vitest'
import { planChecks, type FileCheck } from './plan-checks.ts'
import { nameOf } from './plan.ts'
import { everyLiveRegion } from './region-choice.ts'
import { checkOf, fileOf, live, planOf } from './testing.ts'

const kindsOf = (file: FileCheck[], account: Check[], prune = false) =>
  planOf(file, account, { prune }).steps.map((step) => `${step.kind} ${nameOf(step)}`)

/** The one step that makes a check of the account the file's, shortly. */
const stepFor = (declared: Partial<FileCheck>, existing: Partial<Check>) => {
  const { steps } = planOf([fileOf('web', declared)], [checkOf('web', existing)])
  const [step] = steps
  if (step === undefined) return 'nothing'
  if (!('changes' in step)) return step.kind
  return `${step.kind} ${step.changes.map(({ field }) => field).join(' ')}`
}

describe('checks are matched by name', () => {
  test.each([
    ['the same name', 'web', []],
    ['another case', 'Web', ['create Web']],
    ['a space before it', ' web', ['create  web']],
    ['another way to compose a letter', 'we\u0301b', ['create we\u0301b']],
  ])('%s', (_, name, expected) => {
    expect(kindsOf([fileOf(name, { url: 'https://web.example.com/' })], [checkOf('web')])).toEqual(expected)
  })
})

describe('omitted regions mean every live region', () => {
  const some = { regions: ['iad', 'fra'], allRegions: false }
  test.each<[string, Partial<FileCheck>, Partial<Check>, string]>([
    ['omitted, on every live region', {}, {}, 'nothing'],
    ['omitted, on some', {}, some, 'update regions'],
    ['omitted, on all by name', {}, { allRegions: false }, 'update regions'],
    ['all named, on every live region', { regions: live.toReversed() }, {}, 'nothing'],
    ['all named, on all by name', { regions: live }, { allRegions: false }, 'nothing'],
    ['all but one named, on every', { regions: live.slice(1) }, {}, 'update regions'],
    ['the same', { regions: ['iad', 'fra'] }, some, 'nothing'],
    ['the same in another order', { regions: ['fra', 'iad'] }, some, 'nothing'],
    ['one more', { regions: ['fra', 'iad', 'nrt'] }, some, 'update regions'],
    ['one less', { regions: ['fra'] }, some, 'update regions'],
    ['another', { regions: ['fra', 'nrt'] }, some, 'update regions'],
    [
      'the same, of which one is no longer live',
      { regions: ['fra', 'gru'] },
      { regions: ['gru', 'fra'], allRegions: false },
      'nothing',
    ],
  ])('%s', (_, declared, existing, expected) => expect(stepFor(declared, existing)).toBe(expected))

  test('are sent by name for an existing check, and omitted for a new one', () => {
    const { steps } = planOf([fileOf('web'), fileOf('api')], [checkOf('web', some)])
    expect(steps).toMatchObject([
      { kind: 'create', input: { name: 'api', url: 'https://api.example.com/' } },
      {
        kind: 'update',
        regions: live,
        assertions: null,
        changes: [{ field: 'regions', old: ['iad', 'fra'], new: everyLiveRegion }],
      },
    ])
    expect(steps[0]).not.toHaveProperty('input.regions')
  })
})

describe('leaves an omitted intervalSeconds as it is', () => {
  test.each<[string, Partial<FileCheck>, Partial<Check>, string]>([
    ['omitted', {}, { intervalSeconds: 3_600 }, 'nothing'],
    ['the same', { intervalSeconds: 300 }, { intervalSeconds: 300 }, 'nothing'],
    ['one more', { intervalSeconds: 301 }, { intervalSeconds: 300 }, 'replace intervalSeconds'],
  ])('%s', (_, declared, existing, expected) => expect(stepFor(declared, existing)).toBe(expected))

  test('and sends none with a replace, which keeps that of the old check', () => {
    const replaced = planOf(
      [fileOf('web', { url: 'https://new.example.com/' })],
      [checkOf('web', { intervalSeconds: 3_600 })],
    )
    expect(replaced.steps).toMatchObject([{ kind: 'replace' }])
    expect(replaced.steps[0]).not.toHaveProperty('input.intervalSeconds')
  })
})

describe('a replace', () => {
  const replaced = (file: Partial<FileCheck>, existing: Partial<Check> = {}) =>
    planOf([fileOf('web', { url: 'https://new.example.com/', ...file })], [checkOf('web', existing)]).steps[0]

  test('names what the file decides: regions, omitted ones too, and every assertion', () => {
    expect(replaced({ assertionStatusMax: 399 }, { assertionStatusMin: 200 })).toMatchObject({
      kind: 'replace',
      input: { name: 'web', regions: live, assertionStatusMin: null, assertionStatusMax: 399 },
    })
  })

  test('leaves out what the file does not know, so that it stays', () => {
    const more: Partial<Check> = { tags: ['shop'], paused: true, timeoutSeconds: 7, refusedAs: 'blocked' }
    const step = replaced({}, more)
    for (const field of Object.keys(more)) expect(step).not.toHaveProperty(`input.${field}`)
    expect(stepFor({}, { tags: ['Shop'] })).toBe('nothing')
  })
})

describe('replaces a check when its url changes', () => {
  test.each<[string, string, string]>([
    ['the same', 'https://web.example.com/', 'nothing'],
    ['the same to a browser', 'https://web.example.com', 'replace url'],
    ['another', 'https://www.example.com/', 'replace url'],
  ])('%s', (_, url, expected) => expect(stepFor({ url }, {})).toBe(expected))

  test('lists with a replace every other change, and settings that the new check cannot have', () => {
    const declared = { url: 'https://new.example.com/', regions: ['fra'], assertionStatusMax: 399 }
    // a paused check stays paused
    expect(stepFor(declared, { paused: true, private: true })).toBe(
      'replace url regions assertionStatusMax private',
    )
  })
})

describe('changes all eight assertions in place', () => {
  const status = { assertionStatusMin: 200, assertionStatusMax: 299 }
  const path = { assertionJsonPath: 'a', assertionJsonOp: 'equals' as const }
  test.each<[string, Partial<FileCheck>, Partial<Check>, string]>([
    ['none, without any', {}, {}, 'nothing'],
    ['null, without any', { assertionStatusMin: null }, {}, 'nothing'],
    ['omitted, with some', {}, status, 'update assertionStatusMin assertionStatusMax'],
    ['the same', status, status, 'nothing'],
    ['one omitted', { assertionStatusMin: 200 }, status, 'update assertionStatusMax'],
    ['one other', { ...status, assertionStatusMax: 298 }, status, 'update assertionStatusMax'],
    [
      'a number for its text',
      { ...path, assertionJsonValue: 1 },
      { ...path, assertionJsonValue: '1' },
      'nothing',
    ],
    [
      'a boolean for its text',
      { ...path, assertionJsonValue: false },
      { ...path, assertionJsonValue: 'false' },
      'nothing',
    ],
    [
      'a number for another spelling of it',
      { ...path, assertionJsonValue: 1 },
      { ...path, assertionJsonValue: '1.0' },
      'update assertionJsonValue',
    ],
  ])('%s', (_, declared, existing, expected) => expect(stepFor(declared, existing)).toBe(expected))

  test('sends all assertions, with null for cleared ones', () => {
    const declared = fileOf('web', { assertionStatusMin: 200 })
    const [step] = planOf([declared], [checkOf('web', status)]).steps
    expect(step).toMatchObject({
      regions: null,
      assertions: { assertionStatusMin: 200, assertionStatusMax: null, assertionBodyOp: null },
    })
  })
})

describe('an http check that is not in the file', () => {
  const account = [checkOf('web'), checkOf('old'), checkOf('older')]
  test('is a note', () => {
    const plan = planOf([fileOf('web')], account)
    expect(plan.steps).toEqual([])
    expect(plan.absent.map(({ name }) => name)).toEqual(['old', 'older'])
  })

  test('is deleted with prune', () => {
    expect(kindsOf([fileOf('web')], account, true)).toEqual(['delete old', 'delete older'])
    expect(planOf([fileOf('web')], account, { prune: true }).absent).toEqual([])
  })

  test('is deleted by its id when it shares its name', () => {
    const twins = [checkOf('old', { id: 'a' }), checkOf('old', { id: 'b', type: 'tcp' })]
    expect(planOf([], twins, { prune: true }).steps).toMatchObject([{ kind: 'delete', check: { id: 'a' } }])
  })
})

const otherTypes: CheckType[] = ['heartbeat', 'tcp', 'dns', 'smtp', 'multistep', 'browser']
test.each(otherTypes)('a %s check is never touched, nor mentioned', (type) => {
  const plan = planOf([], [checkOf('other', { type })], { prune: true })
  expect([plan.steps, plan.unchanged, plan.absent]).toEqual([[], [], []])
})

describe('refuses all names that cannot be matched at once', () => {
  const problemsOf = (file: string[], account: Check[]) => {
    const planned = planChecks({
      file: file.map((name) => fileOf(name)),
      account,
      liveRegions: live,
      prune: true,
    })
    return planned.ok ? [] : planned.problems.map(({ name, message }) => `${name}: ${message}`)
  }
  const http = (name: string, id: string) => checkOf(name, { id })
  const tcp = (name: string, id: string) => checkOf(name, { id, type: 'tcp' })
  const shared = (type: string, id: string) =>
    `a ${type} check of the account also has this name (${id}), and a file manages http checks only: use another name`

  test.each<[string, string[], Check[], string[]]>([
    ['one http check', ['a'], [http('a', '1')], []],
    ['a tcp check of another name', ['a'], [tcp('b', '1')], []],
    ['two http checks of a name that the file lacks', ['a'], [http('b', '1'), http('b', '2')], []],
    ['a tcp check', ['a'], [tcp('a', '1')], [`a: ${shared('tcp', '1')}`]],
    ['an http and a tcp check', ['a'], [http('a', '1'), tcp('a', '2')], [`a: ${shared('tcp', '2')}`]],
    [
      'two http checks',
      ['a'],
      [http('a', '1'), http('a', '2')],
      ['a: the account has 2 http checks with this name (1, 2): delete or rename all but one'],
    ],
    [
      'both, of two names',
      ['a', 'b', 'c'],
      [http('a', '1'), tcp('c', '4'), http('a', '2'), http('a', '3')],
      [
        'a: the account has 3 http checks with this name (1, 2, 3): delete or rename all but one',
        `c: ${shared('tcp', '4')}`,
      ],
    ],
  ])('%s', (_, file, account, expected) => expect(problemsOf(file, account)).toEqual(expected))
})

test('orders steps as deletes, replaces, creates, updates', () => {
  const moved = { url: 'https://moved.example.com/' }
  const file = [
    fileOf('u1', { regions: ['fra'] }),
    fileOf('c1'),
    fileOf('r1', moved),
    fileOf('u2', { regions: ['fra'] }),
    fileOf('c2'),
    fileOf('r2', moved),
  ]
  const account = ['r2', 'd1', 'u2', 'u1', 'd2', 'r1'].map((name) => checkOf(name))
  expect(kindsOf(file, account, true)).toEqual([
    'delete d1',
    'delete d2',
    'replace r1',
    'replace r2',
    'create c1',
    'create c2',
    'update u1',
    'update u2',
  ])
})

test('throws for a check that was not validated', () => {
  expect(() => planOf([fileOf('web', { intervalSeconds: 0 })], [])).toThrow()
})
