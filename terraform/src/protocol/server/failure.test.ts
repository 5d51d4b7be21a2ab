import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Resource } from '../resource.ts'
import { unknown, type Value } from '../value.ts'
import {
  bytesOf,
  call,
  clientCapabilities,
  nothing,
  startToys,
  thing,
  type Kept,
  type Things,
} from './testing.ts'

let toys: ReturnType<typeof startToys>
const start = async (more?: Partial<Resource<Things>>) => {
  toys = startToys(more)
  await toys.configure()
}
beforeEach(() => start())

const one = { name: 'one', note: 'n' }
const create = async () => toys.apply((await toys.plan(one, nothing)).planned, nothing)
const update = async (kept: Kept) => toys.apply((await toys.plan({ ...one, note: 'm' }, kept)).planned, kept)
const bug = 'This is a bug in the provider'
const refused = [{ severity: 'error', summary: 'Refused' }]
const bugs = [{ severity: 'error', summary: bug }]

describe('a failed create', () => {
  test('that made nothing leaves nothing', async () => {
    toys.client.broken = { create: 'no' }
    expect(await create()).toMatchObject({ state: null, diagnostics: refused })
  })

  test('that got half-way leaves what there is, so that it is not orphaned', async () => {
    toys.client.broken = { settle: 'no' }
    const { state, diagnostics } = await create()
    expect(diagnostics).toMatchObject(refused)
    expect(state).toMatchObject({ id: 'i1', name: 'one', status: null, seconds: null })
  })

  test('that threw is a bug, with its stack in the log only', async () => {
    toys.client.broken = { create: new TypeError('x is undefined') }
    const { state, diagnostics } = await create()
    expect(state).toBeNull()
    expect(diagnostics).toMatchObject([{ summary: bug, detail: 'x is undefined' }])
    expect(toys.logged[0]).toMatch(/^error: TypeError: x is undefined\n +at /)
  })
})

describe('a failed update or delete leaves the state as it was', () => {
  const kept = useEach(() => create())

  test.each<[string, Error | string]>([
    ['refused', 'no'],
    ['thrown', new Error('no')],
  ])('%s', async (_, failure) => {
    toys.client.broken = { remove: failure }
    const removed = await toys.apply(null, kept)
    expect([removed.state, removed.diagnostics.length]).toEqual([kept.state, 1])
    toys.client.broken = { update: new Error('no') }
    expect((await update(kept)).state).toEqual(kept.state)
  })

  test('also where the resource answers the plan', async () => {
    toys.client.broken = { update: 'no' }
    const { state, diagnostics } = await update(kept)
    expect(diagnostics).toMatchObject(refused)
    expect(state).toEqual(kept.state)
  })
})

test.each<[string, Error | string]>([
  ['refused', 'no'],
  ['thrown', new Error('no')],
])('a read that is %s leaves the state as it was', async (_, failure) => {
  const kept = await create()
  toys.client.broken = { read: failure }
  const { state, diagnostics } = await toys.read(kept)
  expect([state, diagnostics.length]).toEqual([kept.state, 1])
})

describe('a resource that does not do what it planned', () => {
  const createsAs = (change: Record<string, Value>) =>
    start({
      async create(client, planned, context) {
        const made = await thing.create(client, planned, context)
        return { ...made, state: { ...made.state, ...change } }
      },
    })
  const at = (name: string) => [{ summary: bug, attribute: { steps: [{ attributeName: name }] } }]

  test.each<[string, Record<string, Value>, object[], object]>([
    ['changes a planned value', { note: 'N' }, at('note'), { note: 'N' }],
    ['leaves a value unknown', { status: unknown }, at('status'), { status: null }],
  ])('%s: the attribute is named, and the object is kept', async (_, change, named, state) => {
    await createsAs(change)
    const applied = await create()
    expect(applied.diagnostics).toMatchObject(named)
    expect(applied.state).toMatchObject({ id: 'i1', ...state })
  })

  test('makes something and has no state of it: it is named', async () => {
    await start({ create: async () => ({ state: null, diagnostics: [] }) })
    expect(await create()).toMatchObject({ state: null, diagnostics: bugs })
  })
})

test('what Terraform asks for before it configured the provider is answered', async () => {
  toys = startToys()
  const { planned, diagnostics } = await toys.plan(one, nothing)
  expect(diagnostics).toEqual([])
  expect(await toys.apply(planned, nothing)).toMatchObject({ state: null, diagnostics: bugs })
})

test('a configuration that is not known, or that throws, is an error', async () => {
  expect(await toys.configure(unknown)).toMatchObject([
    { summary: 'Unknown key', attribute: { steps: [{ attributeName: 'key' }] } },
  ])
  expect(await toys.configure('throws')).toMatchObject([{ detail: 'no keys for 1.11.4' }])
})

test('after StopProvider a call that breaks off was interrupted', async () => {
  await start({
    create: (_, __, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  })
  const { planned } = await toys.plan(one, nothing)
  const applied = toys.apply(planned, nothing)
  expect(await toys.handlers.stopProvider({}, call)).toEqual({ error: '' })
  expect(await applied).toMatchObject({ state: null, diagnostics: [{ summary: 'Interrupted' }] })
})

describe('what cannot be read is a diagnostic', () => {
  const broken = { msgpack: new Uint8Array([1]), json: new Uint8Array() }
  const name = { typeName: 'toy_thing' }
  const config = bytesOf(null)

  test.each<
    [string, (handlers: typeof toys.handlers) => Promise<{ diagnostics?: readonly object[] | undefined }>]
  >([
    ['validate', (h) => h.validateResourceConfig({ ...name, config: broken, clientCapabilities }, call)],
    ['validate nothing', (h) => h.validateResourceConfig({ ...name, config, clientCapabilities }, call)],
    [
      'validate a stranger',
      (h) => h.validateResourceConfig({ typeName: 'x', config, clientCapabilities }, call),
    ],
    ['data', (h) => h.validateDataResourceConfig({ typeName: 'toy_lookup', config: broken }, call)],
    ['no data', (h) => h.readDataSource({ typeName: 'x', config, clientCapabilities }, call)],
    ['provider', (h) => h.validateProviderConfig({ config: broken }, call)],
    [
      'configure',
      (h) => h.configureProvider({ config: null, terraformVersion: '', clientCapabilities }, call),
    ],
    [
      'read',
      (h) =>
        h.readResource({ ...name, currentState: broken, private: broken.json, clientCapabilities }, call),
    ],
    ['import', (h) => h.importResourceState({ typeName: 'x', id: '', clientCapabilities }, call)],
    ['upgrade', (h) => h.upgradeResourceState({ ...name, version: 2, rawState: null }, call)],
  ])('%s', async (_, ask) => {
    const { diagnostics = [] } = await ask(toys.handlers)
    expect(diagnostics).toMatchObject([{ severity: 'error' }])
  })
})
