import { describe, expect, test } from 'vitest'
import { errorAt } from '../diagnostic.ts'
import type { PlanRule, PlannedChange } from '../resource.ts'
import { unknown, type Value } from '../value.ts'
import { planChange } from './plan-change.ts'
import { objectOf, planOf, propose, thingSchema } from './testing.ts'

type Values = Record<string, Value>
const thing = (values: Values) => objectOf(thingSchema, { name: 'one', ...values })
/** What a service made of a configuration of a name only. */
const made = { id: 'i1', limit: 10, seconds: 60, home: 'fra', sizes: [1], status: 'up' }
const prior = (values: Values = {}) => thing({ ...made, ...values })

test('plans all computed attributes of a new object as unknown, and replaces nothing', () => {
  expect(planOf(thing({ note: 'n' }), null)).toEqual({
    planned: thing({
      note: 'n',
      id: unknown,
      limit: 10,
      seconds: unknown,
      home: unknown,
      sizes: unknown,
      status: unknown,
    }),
    replaces: [],
    private: new Uint8Array(),
    diagnostics: [],
    isChange: true,
  })
})

describe('plans nothing when nothing changes', () => {
  test.each<[string, Values, Values]>([
    ['the configuration is silent', {}, {}],
    ['it says what is', { seconds: 60, limit: 10, sizes: [1] }, {}],
    ['a set in another order', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }],
    ['a default as it is', {}, { limit: 10 }],
  ])('%s', (_, config, before) => {
    const { planned, replaces, isChange, private: bytes } = planOf(thing(config), prior(before))
    expect(planned).toEqual(prior({ ...before, ...config }))
    expect({ replaces, isChange, bytes }).toEqual({
      replaces: [],
      isChange: false,
      bytes: new Uint8Array([7]),
    })
  })
})

describe('an update', () => {
  const { planned, replaces } = planOf(thing({ note: 'n' }), prior())

  test('keeps what the service never changes, and knows nothing of what it may', () => {
    expect(planned).toMatchObject({ id: 'i1', home: 'fra', status: unknown, sizes: unknown })
  })

  test('does not replace for a value that the service chose', () => {
    expect(planned).toMatchObject({ seconds: unknown })
    expect(replaces).toEqual([])
  })

  test('does not know what was never there, also where it would be kept', () => {
    expect(planOf(thing({ note: 'n' }), prior({ home: null })).planned).toMatchObject({
      home: unknown,
    })
  })
})

describe('what replaces', () => {
  test.each<[string, Values, Values, string[]]>([
    ['a required one', { name: 'two' }, {}, ['name']],
    ['an optional one', { zone: 'b' }, { zone: 'a' }, ['zone']],
    ['one that is taken away', {}, { zone: 'a' }, ['zone']],
    ['a set with another element', { tags: ['a', 'c'] }, { tags: ['a', 'b'] }, ['tags']],
    ['a set with one more', { tags: ['a', 'b'] }, { tags: ['a'] }, ['tags']],
    ['an interval that is asked for', { seconds: 30 }, {}, ['seconds']],
    ['a default that was left', {}, { limit: 20 }, ['limit']],
    ['what is not known yet', { zone: unknown, seconds: unknown }, { zone: 'a' }, ['zone', 'seconds']],
    ['several', { name: 'two', zone: 'b', note: 'n' }, {}, ['name', 'zone']],
  ])('%s', (_, config, before, expected) => {
    const { replaces } = planOf(thing(config), prior(before))
    expect(replaces).toEqual(expected.map((name) => [name]))
  })
})

test('a new object in the place of another has nothing of it', () => {
  const config = thing({ name: 'two' })
  const asked: Uint8Array[] = []
  const plan = ({ planned, private: bytes }: PlannedChange): PlanRule => {
    asked.push(bytes)
    return { planned, replaces: [['note']] }
  }
  const again = planOf(config, null, { schema: thingSchema, plan })
  expect(again).toMatchObject({ replaces: [], private: new Uint8Array() })
  expect(again.planned).toMatchObject({ id: unknown })
  expect(asked).toEqual([new Uint8Array()])
})

test('what is known when it is planned is the same when it is applied and more is known', () => {
  const before = prior({ zone: 'a' })
  const config: Values = { note: unknown, zone: 'a', sizes: [unknown, 2] }
  const first = planOf(thing(config), before).planned
  const second = planOf(thing({ ...config, note: 'n', sizes: [1, 2] }), before).planned
  expect({ ...first, note: 'n', sizes: [1, 2] }).toEqual(second)
})

describe("the resource's own rule", () => {
  const ruled = (plan: (change: PlannedChange) => PlanRule) => ({ schema: thingSchema, plan })

  test('has the last word, and what it says is added', () => {
    const problem = errorAt(['note'], 'No', 'Not this.')
    const rule = ruled(({ planned }) => ({
      planned: { ...planned, status: 'new' },
      replaces: [['name'], ['note']],
      diagnostics: [problem],
      private: new Uint8Array([1]),
    }))
    expect(planOf(thing({ name: 'two' }), prior(), rule)).toMatchObject({
      planned: { status: 'new' },
      replaces: [['name'], ['note']],
      diagnostics: [problem],
      private: new Uint8Array([1]),
    })
  })

  test('takes a change back: another spelling of the same is none', () => {
    const rule = ruled(({ planned, prior }) => {
      const isSame = String(planned['name']).toLowerCase() === prior?.['name']
      return { planned: isSame ? { ...planned, name: prior?.['name'] ?? null } : planned }
    })
    expect(planOf(thing({ name: 'ONE' }), prior(), rule)).toMatchObject({
      planned: prior(),
      replaces: [],
      isChange: false,
    })
    expect(planOf(thing({ name: 'ONE', note: 'n' }), prior(), rule).planned).toMatchObject({
      name: 'one',
      status: unknown,
    })
  })

  test('makes a change, of which the service says the rest', () => {
    const rule = ruled(({ planned, private: [wasConfigured] }) => ({
      planned: wasConfigured === 7 ? { ...planned, sizes: unknown } : planned,
    }))
    const { planned, isChange } = planOf(thing({}), prior(), rule)
    expect(isChange).toBe(true)
    expect(planned).toMatchObject({ sizes: unknown, status: unknown, id: 'i1' })
  })
})

test('a proposal that is a plan already is planned as it is', () => {
  const config = thing({ note: 'n' })
  const before = prior()
  const resource = { schema: thingSchema }
  const bytes = new Uint8Array()
  const first = planChange(resource, {
    config,
    prior: before,
    proposed: propose(thingSchema, before, config),
    private: bytes,
  })
  const proposal = { config, prior: before, proposed: first.planned, private: bytes }
  expect(planChange(resource, proposal)).toEqual(first)
})
