import { describe, expect, test } from 'vitest'
import { unknown, type Value } from '../value.ts'
import { settleState } from './settle-state.ts'
import { objectOf, thingSchema } from './testing.ts'

type Values = Record<string, Value>
const thing = (values: Values) => objectOf(thingSchema, values)
const settle = (answered: Values, promised: Values | null, isFailed = false, prior?: Values) => {
  const { state, problems } = settleState(thingSchema, answered, {
    promised: promised === null ? null : thing(promised),
    prior: prior === undefined ? null : thing(prior),
    isFailed,
  })
  return { state, lines: problems.map(({ path, detail }) => `${path.join('.')}: ${detail}`) }
}
const broken = (name: string) => [`${name}: \`${name}\` differs from the plan.`]

describe('a state is what was planned', () => {
  test.each<[string, Values, Values, string[]]>([
    ['with anything for what was unknown', { id: unknown, name: 'a' }, { id: 'i', name: 'a' }, []],
    ['and not another value', { name: 'a' }, { name: 'A' }, broken('name')],
    ['nor null', { name: 'a' }, {}, broken('name')],
    ['nor empty for null', {}, { sizes: [] }, broken('sizes')],
    ['a set in any order', { tags: ['a', 'b'] }, { tags: ['b', 'a'] }, []],
    ['a set with what was unknown in it', { tags: ['a', unknown] }, { tags: ['b', 'a'] }, []],
    ['a list with what was unknown in it', { sizes: [unknown, 2] }, { sizes: [1, 2] }, []],
    ['a list with another neighbour', { sizes: [unknown, 2] }, { sizes: [1, 3] }, broken('sizes')],
    ['a longer list', { sizes: [unknown] }, { sizes: [1, 2] }, broken('sizes')],
    ['a map', { labels: { a: unknown, b: 'x' } }, { labels: { a: 'y', b: 'x' } }, []],
    ['another map', { labels: { a: unknown } }, { labels: { a: 'y', b: 'x' } }, broken('labels')],
    ['another key', { labels: { a: unknown } }, { labels: { b: 'x' } }, broken('labels')],
  ])('%s', (_, promised, answered, expected) => {
    const { state, lines } = settle(answered, promised)
    expect(lines).toEqual(expected)
    expect(state).toEqual(thing(answered))
  })
})

test('what is left unknown is named, and is null', () => {
  const { state, lines } = settle({ id: 'i', sizes: [unknown] }, { id: unknown, sizes: unknown })
  expect(lines).toEqual(['sizes: `sizes` is unknown after apply.'])
  expect(state).toEqual(thing({ id: 'i' }))
})

test('a call that failed owes nothing: what it left unknown is as it was', () => {
  const answered: Values = { id: 'i', name: 'A', status: unknown, sizes: unknown }
  const planned: Values = { id: unknown, name: 'a', status: unknown, sizes: unknown }
  const { state, lines } = settle(answered, planned, true, { status: 'up' })
  expect(lines).toEqual([])
  expect(state).toEqual(thing({ id: 'i', name: 'A', status: 'up' }))
})

test('what the schema does not have, or has of another type, is named and never written', () => {
  const { state, lines } = settle({ id: 5, name: 'a', nmae: 'a' }, null)
  expect(lines).toEqual([
    'id: `id` does not have the type that its schema declares.',
    ': `nmae` is not an attribute of the schema.',
  ])
  expect(state).toEqual(thing({ name: 'a' }))
})
