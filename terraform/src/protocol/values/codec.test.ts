import { expect, test } from 'vitest'
import type { Provider, Resource } from '../resource.ts'
import { typeOf, type Schema } from '../schema.ts'
import { createHandlers } from '../server/create-handlers.ts'
import { toObject } from '../value.ts'
import { valueCodec } from './codec.ts'

const schema: Schema = {
  version: 1,
  description: 'A counter.',
  attributes: {
    count: { type: 'number', presence: 'optional', description: 'How far it is.' },
    name: { type: 'string', presence: 'optional', description: 'Its name.' },
  },
}
const never = () => Promise.reject(new Error('nobody asks for this'))
const counter: Resource<null> = {
  name: 'toy_counter',
  schema,
  create: never,
  read: never,
  update: never,
  remove: never,
  importState: () => ({ diagnostics: [] }),
  upgrades: { 0: ({ total, ...stored }) => ({ ...stored, count: total }) },
}
const provider: Provider<null> = {
  schema: { version: 0, description: '', attributes: {} },
  resources: [counter],
  dataSources: [],
  configure: async () => ({ client: null }),
}
const upgrade = (json: string) =>
  createHandlers(provider, { codec: valueCodec, log: () => {} }).upgradeResourceState(
    {
      typeName: counter.name,
      version: 0,
      rawState: { json: new TextEncoder().encode(json), flatmap: {} },
    },
    { signal: new AbortController().signal },
  )

test('a number beyond 2^53 passes an upgrade of what is stored as it is', async () => {
  const { upgradedState, diagnostics } = await upgrade('{"total":9007199254740993,"gone":true}')
  expect(diagnostics ?? []).toEqual([])
  const none = new Uint8Array()
  const { msgpack = none, json = none } = upgradedState ?? {}
  expect(valueCodec.decode(typeOf(schema), { msgpack, json })).toEqual({
    ok: true,
    value: toObject([
      ['count', 9_007_199_254_740_993n],
      ['name', null],
    ]),
  })
})

test.each(['{"secret":', '"secret"', '{"total":"secret"}'])(
  'a state that holds %s is refused, without a word of it',
  async (json) => {
    const { upgradedState, diagnostics = [] } = await upgrade(json)
    expect(upgradedState ?? null).toBeNull()
    expect(diagnostics).toHaveLength(1)
    expect(JSON.stringify(diagnostics)).not.toContain('secret')
  },
)
