import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { formatPlan, formatPlanProblems, planToJson } from './format-plan.ts'
import { planChecks } from './plan-checks.ts'
import { showChange, showName } from './show-value.ts'
import { accountArbitrary, checkOf, fileArbitrary, fileOf, live, planOf } from './testing.ts'

const account = [
  checkOf('legacy'),
  checkOf('blog'),
  checkOf('shop', { paused: true, intervalSeconds: 300 }),
  checkOf('web', { regions: ['iad', 'fra'], allRegions: false, assertionStatusMax: 299 }),
  checkOf('docs'),
  checkOf('nightly backup', { type: 'heartbeat', url: null }),
]
const file = [
  fileOf('docs'),
  fileOf('web', { assertionBodyOp: 'contains', assertionBodyValue: 'ok' }),
  fileOf('shop', { url: 'https://shop.example.com/en', intervalSeconds: 60 }),
  fileOf('api', { regions: ['fra'], intervalSeconds: 60, assertionStatusMin: 200 }),
]
const nothing = planOf([fileOf('docs')], [checkOf('docs')])

describe('a plan as text', () => {
  test('starts with a summary, then lists each check with its changes', () => {
    expect(formatPlan(planOf(file, account, { prune: true }))).toBe(
      `Changes: 1 to create, 1 to update, 1 to replace, 2 to delete, 1 unchanged.

- legacy
    url: "https://legacy.example.com/"
    its history is lost
- blog
    url: "https://blog.example.com/"
    its history is lost
! shop
    url: "https://shop.example.com/" -> "https://shop.example.com/en"
    intervalSeconds: 300 -> 60
    replaced by a new check: its history and id are lost
+ api
    url: "https://api.example.com/"
    intervalSeconds: 60
    regions: fra
    assertionStatusMin: 200
~ web
    regions: iad, fra -> every live region
    assertionStatusMax: 299 -> unset
    assertionBodyOp: unset -> "contains"
    assertionBodyValue: unset -> "ok"

= docs`,
    )
  })

  test('notes a new name of a URL, since a rename in the file loses the history', () => {
    const renamed = [fileOf('homepage', { url: 'https://blog.example.com/' }), fileOf('blog2')]
    const lines = formatPlan(planOf(renamed, [checkOf('blog')], { prune: true })).split('\n')
    const note =
      'same URL as blog on the account: if this is its new name, rename it in the dashboard to keep its history'
    expect(lines.filter((line) => line.includes('same URL'))).toEqual([`    ${note}`])
    const kept = planOf(renamed, [checkOf('blog')])
    const { id } = checkOf('blog')
    expect(planToJson(kept).notes.at(-1)).toEqual({ name: 'homepage', id, message: note })
    const both = planOf([...renamed, fileOf('blog')], [checkOf('blog')])
    expect(formatPlan(both)).not.toContain('same URL')
  })

  test('notes checks that stay but are not in the file', () => {
    expect(formatPlan(planOf([fileOf('docs'), fileOf('new')], account))).toBe(
      `Changes: 1 to create, 0 to update, 0 to replace, 0 to delete, 1 unchanged.

+ new
    url: "https://new.example.com/"
    regions: every live region

= docs
? legacy: on the account, not in the file; --prune --yes deletes it
? blog: on the account, not in the file; --prune --yes deletes it
? shop: on the account, not in the file; --prune --yes deletes it
? web: on the account, not in the file; --prune --yes deletes it`,
    )
  })

  test('says when there is nothing to apply', () => {
    expect(formatPlan(nothing)).toBe(
      `Changes: 0 to create, 0 to update, 0 to replace, 0 to delete, 1 unchanged.

= docs

Nothing to apply.`,
    )
    expect(formatPlan(planOf([], []))).toBe(
      `Changes: 0 to create, 0 to update, 0 to replace, 0 to delete, 0 unchanged.

Nothing to apply.`,
    )
  })

  test('is replaced by the names that cannot be matched', () => {
    const problems = [
      { name: 'a\nb', message: 'the first' },
      { name: 'c', message: 'the second' },
    ]
    expect(formatPlanProblems(problems)).toBe(
      `This file cannot be applied to the account:
  "a\\nb": the first
  c: the second`,
    )
  })
})

describe('shows a name whole, in quotes when it is ambiguous', () => {
  test.each([
    ['web', 'web'],
    ['the web: a shop -> 1', 'the web: a shop -> 1'],
    ['Ünï cødé 😀', 'Ünï cødé 😀'],
    [' web', '" web"'],
    ['"web"', '"\\"web\\""'],
    ['a\\nb', '"a\\\\nb"'],
    ['a\nb', '"a\\nb"'],
    ['\u001b[31mred', '"\\u001b[31mred"'],
    ['\u009b31mred', '"\\u009b31mred"'],
    ['\u202egnp', '"\\u202egnp"'],
    ['we\u200bb', '"we\\u200bb"'],
    ['\u2028', '"\\u2028"'],
    ['x'.repeat(200), 'x'.repeat(200)],
  ])('%j', (name, shown) => expect(showName(name)).toBe(shown))

  test('shows no two names alike', () => {
    const names = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'a\\"\nn ') }))
    forAll([names, names], { numRuns: 2000 }, (a, b) => {
      expect(showName(a) === showName(b)).toBe(a === b)
    })
  })
})

describe('shows a change as old -> new', () => {
  const url = (old: string, next: string) => showChange({ field: 'url', old, new: next })
  const long = 'x'.repeat(100)
  test.each([
    ['two numbers', showChange({ field: 'intervalSeconds', old: 300, new: 60 }), '300 -> 60'],
    [
      'a number for its text',
      showChange({ field: 'assertionJsonValue', old: '1', new: null }),
      '"1" -> unset',
    ],
    [
      'a text that says unset',
      showChange({ field: 'assertionBodyValue', old: null, new: 'unset' }),
      'unset -> "unset"',
    ],
    ['an empty text', showChange({ field: 'assertionJsonValue', old: '', new: ' ' }), '"" -> " "'],
    ['72 characters', url('a', 'x'.repeat(72)), `"a" -> "${'x'.repeat(72)}"`],
    ['73 characters', url('a', 'x'.repeat(73)), `"a" -> "${'x'.repeat(72)}"... (73 characters)`],
    [
      'two long texts, from where they differ',
      url(`${long}a${long}`, `${long}b`),
      `..."${'x'.repeat(16)}a${'x'.repeat(55)}"... (201 characters) -> ..."${'x'.repeat(16)}b"`,
    ],
    ['a long text and a longer', url(long, `${long}1`), `..."${'x'.repeat(16)}" -> ..."${'x'.repeat(16)}1"`],
    ['emoji, never cut in half', url('a', '😀'.repeat(73)), `"a" -> "${'😀'.repeat(72)}"... (73 characters)`],
  ])('%s', (_, shown, expected) => expect(shown).toBe(expected))

  test('shows different values differently', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 200 }),
    )
    forAll([texts, texts], { numRuns: 2000 }, (a, b) => {
      fc.pre(a !== b)
      const [from, to] = url(a, b).split(' -> ')
      expect(from).not.toBe(to)
    })
  })
})

describe('any plan', () => {
  const planned = fc
    .tuple(fileArbitrary, accountArbitrary, fc.boolean())
    .map(([declared, accountNow, prune]) => {
      const others = new Set(accountNow.filter(({ type }) => type !== 'http').map(({ name }) => name))
      return planOf(
        declared.filter(({ name }) => !others.has(name)),
        accountNow,
        { prune },
      )
    })
  const linesOf = (text: string, prefix: string) =>
    text.split('\n').filter((line) => line.startsWith(`${prefix} `)).length

  test('has a line for each check and no terminal control characters', () => {
    forAll([planned], (plan) => {
      const text = formatPlan(plan)
      // oxlint-disable-next-line no-control-regex -- it is about them
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      const { summary } = planToJson(plan)
      expect({
        create: linesOf(text, '+'),
        update: linesOf(text, '~'),
        replace: linesOf(text, '!'),
        delete: linesOf(text, '-'),
        unchanged: linesOf(text, '='),
      }).toEqual(summary)
      expect(linesOf(text, '?')).toBe(plan.absent.length)
    })
  })

  test('survives a JSON round trip', () => {
    forAll([planned], (plan) => {
      const json = planToJson(plan)
      const read: typeof json = JSON.parse(JSON.stringify(json))
      expect(read.steps.map(({ name, action }) => [name, action])).toEqual(
        json.steps.map(({ name, action }) => [name, action]),
      )
      expect(read).toEqual(json)
    })
  })
})

test('a plan as JSON has a version and unchanged old and new values', () => {
  expect(planToJson(planOf(file, account))).toEqual({
    version: 1,
    summary: { create: 1, update: 1, replace: 1, delete: 0, unchanged: 1 },
    steps: [
      {
        action: 'replace',
        name: 'shop',
        id: 'id of shop',
        changes: [
          { field: 'url', old: 'https://shop.example.com/', new: 'https://shop.example.com/en' },
          { field: 'intervalSeconds', old: 300, new: 60 },
        ],
        check: {
          name: 'shop',
          url: 'https://shop.example.com/en',
          intervalSeconds: 60,
          regions: live,
          ...noAssertions,
        },
      },
      {
        action: 'create',
        name: 'api',
        id: null,
        changes: [],
        check: {
          name: 'api',
          url: 'https://api.example.com/',
          intervalSeconds: 60,
          regions: ['fra'],
          assertionStatusMin: 200,
        },
      },
      {
        action: 'update',
        name: 'web',
        id: 'id of web',
        changes: [
          { field: 'regions', old: ['iad', 'fra'], new: 'every live region' },
          { field: 'assertionStatusMax', old: 299, new: null },
          { field: 'assertionBodyOp', old: null, new: 'contains' },
          { field: 'assertionBodyValue', old: null, new: 'ok' },
        ],
        check: null,
      },
    ],
    unchanged: [{ name: 'docs', id: 'id of docs' }],
    notes: ['legacy', 'blog'].map((name) => ({
      name,
      id: `id of ${name}`,
      message: 'on the account, not in the file; --prune --yes deletes it',
    })),
  })
})

test('exported regions cause no change, whichever regions are live', () => {
  const check = checkOf('web', { regions: ['gru'], allRegions: false })
  const again = { file: [fileOf('web', { regions: ['gru'] })], account: [check], prune: false }
  expect(planChecks({ ...again, liveRegions: live })).toMatchObject({
    ok: true,
    plan: { steps: [] },
  })
})
