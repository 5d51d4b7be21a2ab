import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { unknown, type Value } from '../value.ts'
import { toAttributePath } from './answer.ts'
import { bytesOf, call, clientCapabilities, startToys, thingOf, valueOf } from './testing.ts'

const toys = useEach(() => startToys())

describe('the schema', () => {
  test('is told with what later processes need not ask', async () => {
    const { serverCapabilities, resourceSchemas, dataSourceSchemas, provider } =
      await toys.handlers.getProviderSchema({}, call)
    expect(serverCapabilities).toEqual({ getProviderSchemaOptional: true })
    expect([resourceSchemas, dataSourceSchemas].map((each) => Object.keys(each ?? {}))).toEqual([
      ['toy_thing'],
      ['toy_lookup'],
    ])
    expect(provider?.block?.attributes).toMatchObject([{ name: 'key', sensitive: true, optional: true }])
  })

  test('has its attributes in order, each of one presence, with its type as JSON', async () => {
    const { resourceSchemas = {} } = await toys.handlers.getProviderSchema({}, call)
    const { version, block } = resourceSchemas['toy_thing'] ?? {}
    const lines = (block?.attributes ?? []).map((attribute) => {
      const { name, type, required, optional, computed } = attribute
      const flags = [required && 'required', optional && 'optional', computed && 'computed']
      return `${name} ${new TextDecoder().decode(type)} ${flags.filter(Boolean).join(' ')}`
    })
    expect(version).toBe(2)
    expect(lines).toEqual([
      'home "string" optional computed',
      'id "string" computed',
      'labels ["map","string"] optional',
      'limit "number" optional computed',
      'name "string" required',
      'note "string" optional',
      'seconds "number" optional computed',
      'sizes ["list","number"] optional computed',
      'status "string" computed',
      'tags ["set","string"] optional',
      'zone "string" optional',
    ])
  })

  test('is not needed to know what there is', async () => {
    expect(await toys.handlers.getMetadata({}, call)).toEqual({
      serverCapabilities: { getProviderSchemaOptional: true },
      resources: [{ typeName: 'toy_thing' }],
      dataSources: [{ typeName: 'toy_lookup' }],
    })
  })
})

test('a path names attributes, keys and indexes', () => {
  expect(toAttributePath(['labels', { key: 'a' }, 2])).toEqual({
    steps: [{ attributeName: 'labels' }, { elementKeyString: 'a' }, { elementKeyInt: 2 }],
  })
})

describe('a configuration is validated before the provider is configured', () => {
  test.each<[string, Record<string, Value>, string[]]>([
    ['a good one', { name: 'one' }, []],
    ['one without what is required', {}, ['Missing attribute']],
    ['one against the rule between attributes', { name: 'a', note: 'x', zone: 'x' }, ['Refused']],
    ['one that is not known', { name: unknown, note: unknown }, []],
  ])('%s', async (_, values, expected) => {
    const request = { typeName: 'toy_thing', config: bytesOf(thingOf(values)), clientCapabilities }
    const { diagnostics = [] } = await toys.handlers.validateResourceConfig(request, call)
    expect(diagnostics.map(({ summary }) => summary)).toEqual(expected)
  })

  test('and so are the data source and the provider', async () => {
    const { handlers } = toys
    const config = bytesOf({ name: null, id: null })
    expect(await handlers.validateDataResourceConfig({ typeName: 'toy_lookup', config }, call)).toMatchObject(
      { diagnostics: [{ summary: 'Missing attribute' }] },
    )
    const provider = await handlers.validateProviderConfig({ config: bytesOf({ key: null }) }, call)
    expect(provider.diagnostics).toEqual([])
  })
})

describe('a data source', () => {
  const look = async (values: Record<string, Value>) => {
    const config = bytesOf({ name: 'one', id: null, ...values })
    const request = { typeName: 'toy_lookup', config, clientCapabilities }
    const { state, diagnostics = [] } = await toys.handlers.readDataSource(request, call)
    return { state: state ? valueOf(state) : null, lines: diagnostics.map((each) => each.detail) }
  }
  beforeEach(async () => {
    await toys.configure()
    toys.client.things.set('i1', thingOf({ id: 'i1', name: 'one' }))
  })

  test('is read', async () => {
    expect(await look({})).toEqual({ state: { name: 'one', id: 'i1' }, lines: [] })
  })

  test.each<[string, Record<string, Value>, string]>([
    ['answers another than was asked for', { id: 'i2' }, '`id` differs from the plan.'],
    ['answers nothing', { name: 'two' }, 'A toy_lookup was read without a state.'],
  ])('that %s is named', async (_, values, line) => {
    expect((await look(values)).lines).toEqual([line])
  })

  test('that is refused says why', async () => {
    toys.client.broken = { lookup: 'no' }
    expect(await look({})).toEqual({ state: null, lines: ['no'] })
  })
})
