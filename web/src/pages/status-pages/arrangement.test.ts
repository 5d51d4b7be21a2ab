import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { groupsOfRows, readRows, rowsOf } from './arrangement.ts'

const form = (...entries: [string, string][]): URLSearchParams => new URLSearchParams(entries)
const component = (id: string): [string, string] => ['component', id]
const [a, b, c] = [component('a'), component('b'), component('c')] as const
const shop: [string, string] = ['group', 'Shop']
const groups = (...entries: [string, string][]) => groupsOfRows(readRows(form(...entries)))
const named = (name: string | null, ...componentIds: string[]) => ({ name, componentIds })

describe('the order of a form', () => {
  test('has no group for components before the first heading', () => {
    expect(groups(a, shop, b, c)).toEqual([named(null, 'a'), named('Shop', 'b', 'c')])
  })

  test('omits a heading without components', () => {
    expect(groups(a, b, c, shop)).toEqual([named(null, 'a', 'b', 'c')])
  })

  test.each<[string, string, ReturnType<typeof named>[]]>([
    ['up', 'c', [named(null, 'a'), named('Shop', 'c', 'b')]],
    ['up', 'b', [named(null, 'a', 'b'), named('Shop', 'c')]],
    ['up', 'a', [named(null, 'a'), named('Shop', 'b', 'c')]],
    ['down', 'a', [named('Shop', 'a', 'b', 'c')]],
    ['down', 'c', [named(null, 'a'), named('Shop', 'b', 'c')]],
    ['up', 'unknown', [named(null, 'a'), named('Shop', 'b', 'c')]],
    ['remove', '0', [named(null, 'a', 'b', 'c')]],
    ['remove', '7', [named(null, 'a'), named('Shop', 'b', 'c')]],
  ])('follows the button %s %s', (name, value, expected) => {
    expect(groups(a, shop, b, c, [name, value])).toEqual(expected)
  })

  test('starts an added group with the last component', () => {
    expect(groups(a, b, ['newGroup', ' Shop '], ['add', 'group'])).toEqual([
      named(null, 'a'),
      named('Shop', 'b'),
    ])
    expect(groups(a, b, ['newGroup', 'Shop'])).toEqual([named(null, 'a', 'b')])
    expect(groups(a, b, ['newGroup', ' '], ['add', 'group'])).toEqual([named(null, 'a', 'b')])
  })
})

test('an unchanged form keeps each component in its place and group', () => {
  const stored = fc.array(fc.constantFrom(null, 'Shop', 'Mail'), { maxLength: 12 })
  forAll([stored], (names) => {
    const components = names.map((groupName, at) => ({ id: String(at), groupName }))
    const sent = rowsOf(components).map((row): [string, string] =>
      'group' in row ? ['group', row.group] : ['component', row.component],
    )
    const kept = groupsOfRows(readRows(form(...sent))).flatMap(({ name, componentIds }) =>
      componentIds.map((id) => ({ id, groupName: name })),
    )
    expect(kept).toEqual(components)
  })
})
