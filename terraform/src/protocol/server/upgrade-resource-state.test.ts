import { expect, test } from 'vitest'
import type { Schema } from '../schema.ts'
import { upgradeState } from './upgrade-resource-state.ts'

const schema: Schema = { version: 2, description: '', attributes: {} }
const resource = {
  name: 'toy_thing',
  schema,
  upgrades: {
    0: (stored: Record<string, unknown>) => ({ ...stored, name: stored['title'] }),
    1: (stored: Record<string, unknown>) => ({ ...stored, tags: [String(stored['tags'])] }),
  },
}
const upgrade = (version: number, stored: unknown) => upgradeState(resource, version, stored)

test.each<[string, number, unknown, unknown]>([
  ['of now', 2, { name: 'a', old: 1 }, { name: 'a', old: 1 }],
  ['of one version before', 1, { name: 'a', tags: 'b' }, { name: 'a', tags: ['b'] }],
  ['of two versions before', 0, { title: 'a', tags: 'b' }, { title: 'a', name: 'a', tags: ['b'] }],
  ['that is nothing', 0, null, null],
])('what is stored %s is as it would be stored now', (_, version, stored, expected) => {
  expect(upgrade(version, stored)).toEqual({ ok: true, stored: expected })
})

test.each<[string, number, unknown, string]>([
  ['of a newer provider', 3, {}, 'A newer provider wrote this toy_thing (schema version 3'],
  ['of a version that never was', -1, {}, 'No provider has written a toy_thing of schema version -1.'],
  ['that is no object', 2, [], 'is not an object'],
  ['that is a word of an old version', 0, 'a', 'is not an object'],
])('what is stored %s is refused', (_, version, stored, problem) => {
  const upgraded = upgrade(version, stored)
  expect(!upgraded.ok && upgraded.problem).toContain(problem)
})
