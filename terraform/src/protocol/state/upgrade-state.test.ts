import { expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf } from '../type.ts'
import type { Schema } from '../schema.ts'
import type { Type } from '../type.ts'
import { upgradeState } from './upgrade-state.ts'

const attribute = (type: Type) => ({ type, presence: 'optional' as const, description: '' })
const schema: Schema = {
  version: 2,
  description: '',
  attributes: {
    name: attribute('string'),
    note: attribute('string'),
    links: attribute(listOf(objectOf({ href: 'string', text: 'string' }))),
    tags: attribute(setOf('string')),
    labels: attribute(mapOf('string')),
  },
}
const resource = {
  name: 'toy_thing',
  schema,
  upgrades: {
    0: (stored: Record<string, unknown>) => ({ ...stored, name: stored['title'] }),
    1: (stored: Record<string, unknown>) => ({ ...stored, tags: [String(stored['tags'])] }),
  },
}
const upgrade = (version: number, stored: unknown) =>
  upgradeState(resource, version, JSON.stringify(stored))
const nothing = { name: null, note: null, links: null, tags: null, labels: null }

test.each<[string, number, unknown, unknown]>([
  ['of now', 2, { name: 'a', note: 'n' }, { name: 'a', note: 'n' }],
  ['with what is no more', 2, { name: 'a', old: 1, more: { a: 1 } }, { name: 'a' }],
  [
    'with what is no more inside',
    2,
    { links: [{ href: 'h', old: 1 }] },
    { links: [{ href: 'h', text: null }] },
  ],
  ['of one version before', 1, { name: 'a', tags: 'b' }, { name: 'a', tags: ['b'] }],
  ['of two versions before', 0, { title: 'a', tags: 'b' }, { name: 'a', tags: ['b'] }],
  ['of another type, for the decoder to say', 2, { name: 5, tags: 'b' }, { name: 5, tags: 'b' }],
])('a stored object %s', (_, version, stored, expected) => {
  expect(upgrade(version, stored)).toEqual({
    ok: true,
    stored: { ...nothing, ...(expected as object) },
  })
})

test('a map keeps any key', () => {
  const upgraded = upgradeState(resource, 2, '{"labels":{"__proto__":"a"}}')
  expect(JSON.stringify(upgraded)).toContain('"labels":{"__proto__":"a"}')
})

test('nothing stored stays nothing', () => {
  expect(upgrade(0, null)).toEqual({ ok: true, stored: null })
})

test.each<[string, number, string, string]>([
  ['of a newer provider', 3, '{}', 'was written by a newer provider (its schema version is 3'],
  ['of a version that never was', -1, '{}', 'No provider wrote a toy_thing of schema version -1.'],
  ['that is no JSON', 2, '{', 'is no JSON'],
  ['that is no object', 2, '[]', 'is no object'],
  ['that is a word of an old version', 0, '"a"', 'is no object'],
])('what is stored %s is refused', (_, version, json, problem) => {
  const upgraded = upgradeState(resource, version, json)
  expect(!upgraded.ok && upgraded.problem).toContain(problem)
})
