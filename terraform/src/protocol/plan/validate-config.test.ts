import { expect, test } from 'vitest'
import { errorAt, type Diagnostic } from '../diagnostic.ts'
import type { Schema } from '../schema.ts'
import { setOf, unknown, type ObjectValue } from '../value.ts'
import { validateConfig } from './validate-config.ts'

const refuse = (value: unknown, path: Diagnostic['path']) => [errorAt(path, 'Refused', JSON.stringify(value))]
const schema: Schema = {
  version: 0,
  description: '',
  attributes: {
    url: { type: 'string', presence: 'required', description: '', validate: refuse },
    tags: { type: setOf('string'), presence: 'optional', description: '', validate: refuse },
    id: { type: 'string', presence: 'computed', description: '' },
    size: { type: 'number', presence: 'optional_computed', description: '' },
  },
}
const linesOf = async (config: ObjectValue, rule?: (config: ObjectValue) => Diagnostic[]) =>
  (await validateConfig(schema, config, rule)).map(
    ({ path, summary, detail }) => `${path.join('.')}: ${summary}: ${detail}`,
  )

test('reports all problems at once, each at its attribute', async () => {
  const config = { url: null, tags: ['a'], id: 'mine', size: null }
  expect(await linesOf(config, () => [errorAt([], 'Rule', 'of several')])).toEqual([
    'url: Missing attribute: `url` is required.',
    'tags: Refused: ["a"]',
    'id: Read-only attribute: `id` is set by the service: remove it.',
    ': Rule: of several',
  ])
})

test.each<[string, ObjectValue, string[]]>([
  ['known values are looked at', { url: 'u', tags: [] }, ['url: Refused: "u"', 'tags: Refused: []']],
  ['unknown ones are not', { url: unknown, tags: unknown }, []],
  ['nor are partly unknown ones', { url: unknown, tags: ['a', unknown] }, []],
  ['nor is null', { url: unknown, tags: null, size: null, id: null }, []],
  ['what is absent is null', {}, ['url: Missing attribute: `url` is required.']],
])('%s', async (_, config, expected) => {
  expect(await linesOf(config)).toEqual(expected)
})
