import { errorAt } from '../diagnostic.ts'
import { objectOf, propose, thingSchema } from '../plan/testing.ts'
import type { CallContext, DataSource, Provider, Resource } from '../resource.ts'
import type { Schema } from '../schema.ts'
import { toObject, unknown, type ObjectValue, type Value } from '../value.ts'
import type { DynamicValue, ProviderHandlers } from '../wire/messages.ts'
import { createHandlers } from './create-handlers.ts'
import type { ValueCodec } from './session.ts'

/** A service in memory, which anybody may change or break. */
export type Things = {
  things: Map<string, ObjectValue>
  calls: string[]
  /** Thrown, or answered as an error, by the next calls of that name. */
  broken: Record<string, Error | string>
}

const failureOf = ({ broken }: Things, call: string) => {
  const failure = broken[call]
  if (failure instanceof Error) throw failure
  return failure === undefined ? null : errorAt([], 'Refused', failure)
}

const withAnswers = (planned: ObjectValue, id: string): ObjectValue => ({
  ...toObject(Object.entries(planned).map(([name, value]) => [name, value === unknown ? null : value])),
  id,
  seconds: typeof planned['seconds'] === 'number' ? planned['seconds'] : 60,
  status: 'up',
})

export const thing: Resource<Things> = {
  name: 'toy_thing',
  schema: thingSchema,
  validate: ({ note, zone }) =>
    note !== null && note === zone ? [errorAt(['note'], 'Refused', 'As the zone.')] : [],
  async create(client, planned) {
    client.calls.push('create')
    const failure = failureOf(client, 'create')
    if (failure !== null) return { state: null, diagnostics: [failure] }
    const id = `i${client.calls.length}`
    const made = withAnswers(planned, id)
    client.things.set(id, made)
    const halfWay = failureOf(client, 'settle')
    if (halfWay !== null) return { state: { ...planned, id }, diagnostics: [halfWay] }
    return { state: made, diagnostics: [] }
  },
  async read(client, state) {
    const failure = failureOf(client, 'read')
    if (failure !== null) return { state: null, diagnostics: [failure] }
    return { state: client.things.get(String(state['id'])) ?? null, diagnostics: [] }
  },
  async update(client, prior, planned) {
    client.calls.push('update')
    const failure = failureOf(client, 'update')
    if (failure !== null) return { state: planned, diagnostics: [failure] }
    const made = withAnswers(planned, String(prior['id']))
    client.things.set(String(prior['id']), made)
    return { state: made, diagnostics: [] }
  },
  async remove(client, prior) {
    client.calls.push('remove')
    const failure = failureOf(client, 'remove')
    if (failure !== null) return [failure]
    client.things.delete(String(prior['id']))
    return []
  },
  importState: (id) =>
    id.includes('/') ? { diagnostics: [errorAt([], 'Refused', 'No id.')] } : { state: { id } },
  upgrades: { 0: (stored) => stored, 1: ({ title, ...stored }) => ({ ...stored, name: title }) },
}

const lookup: DataSource<Things> = {
  name: 'toy_lookup',
  schema: {
    version: 0,
    description: 'A thing by its name.',
    attributes: {
      name: { type: 'string', presence: 'required', description: 'Its name.' },
      id: { type: 'string', presence: 'optional_computed', description: 'Its id.' },
    },
  },
  async read(client, config) {
    const failure = failureOf(client, 'lookup')
    if (failure !== null) return { state: null, diagnostics: [failure] }
    const found = [...client.things.values()].find(({ name }) => name === config['name'])
    const { name = null, id = null } = found ?? {}
    const state =
      found === undefined
        ? null
        : toObject([
            ['name', name],
            ['id', id],
          ])
    return { state, diagnostics: [] }
  },
}

const providerSchema: Schema = {
  version: 0,
  description: 'Toys.',
  attributes: {
    key: { type: 'string', presence: 'optional', description: 'A key.', isSensitive: true },
  },
}

/** JSON, with a sign for what is unknown; the wire's own is tested where it is written. */
const codec: ValueCodec = {
  decode(_, { msgpack, json }) {
    const text = new TextDecoder().decode(msgpack.length > 0 ? msgpack : json)
    if (text === '') return { ok: true, value: null }
    try {
      return { ok: true, value: fromJson(JSON.parse(text)) }
    } catch {
      return { ok: false, problem: { path: [], message: 'these bytes are no value' } }
    }
  },
  encode: (_, value) => new TextEncoder().encode(JSON.stringify(value, toJson)),
  parseStored: (json) => ({ ok: true, stored: JSON.parse(new TextDecoder().decode(json)) }),
  decodeStored: (_, stored) => ({
    ok: true,
    value: thingOf(fromJson(stored) as Record<string, Value>),
  }),
}
const sign = '\u0000unknown'
const toJson = (_: string, value: unknown) => (value === unknown ? sign : value)
const fromJson = (value: unknown): Value => {
  if (value === sign) return unknown
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== 'object' || value === null) return value as Value
  return toObject(Object.entries(value).map(([name, each]) => [name, fromJson(each)]))
}

/** A toy provider, and Terraform's side of its calls. */
export const startToys = (more: Partial<Resource<Things>> = {}) => {
  const client: Things = { things: new Map(), calls: [], broken: {} }
  const logged: string[] = []
  const provider: Provider<Things> = {
    schema: providerSchema,
    resources: [{ ...thing, ...more }],
    dataSources: [lookup],
    async configure({ key }, { terraformVersion }) {
      if (key === unknown) return { diagnostics: [errorAt(['key'], 'Unknown key', 'Not yet.')] }
      if (key === 'throws') throw new Error(`no keys for ${terraformVersion}`)
      return { client }
    },
  }
  const log: CallContext['log'] = (level, message) => void logged.push(`${level}: ${message}`)
  const handlers = createHandlers(provider, { codec, log })
  return { client, logged, handlers, ...terraform(handlers) }
}

export const bytesOf = (value: ObjectValue | null): DynamicValue => ({
  msgpack: codec.encode('dynamic', value),
  json: new Uint8Array(),
})
export const valueOf = (encoded: unknown): ObjectValue | null => {
  const decoded = codec.decode('dynamic', encoded as DynamicValue)
  if (!decoded.ok) throw new Error(decoded.problem.message)
  return decoded.value as ObjectValue | null
}
export const thingOf = (values: Record<string, Value>) => objectOf(thingSchema, values)
export const call = { signal: new AbortController().signal }
export const clientCapabilities = null
const typeName = 'toy_thing'

/** What Terraform keeps of an object between two runs. */
export type Kept = { state: ObjectValue | null; private: Uint8Array }
export const nothing: Kept = { state: null, private: new Uint8Array() }

/** The steps of a run, as Terraform takes them. */
const terraform = (handlers: ProviderHandlers) => ({
  async configure(key: Value = null) {
    const config = bytesOf({ key })
    const request = { terraformVersion: '1.11.4', config, clientCapabilities }
    return (await handlers.configureProvider(request, call)).diagnostics ?? []
  },
  async plan(values: Record<string, Value> | null, kept: Kept) {
    const config = values === null ? null : thingOf(values)
    const proposed = config === null ? null : propose(thingSchema, kept.state, config)
    const planned = await handlers.planResourceChange(
      {
        typeName,
        priorState: bytesOf(kept.state),
        proposedNewState: bytesOf(proposed),
        config: bytesOf(config),
        priorPrivate: kept.private,
        clientCapabilities,
      },
      call,
    )
    return {
      planned: valueOf(planned.plannedState),
      replaces: (planned.requiresReplace ?? []).map(({ steps = [] }) => steps[0]?.attributeName),
      private: planned.plannedPrivate ?? new Uint8Array(),
      diagnostics: planned.diagnostics ?? [],
    }
  },
  async apply(planned: ObjectValue | null, kept: Kept) {
    const applied = await handlers.applyResourceChange(
      {
        typeName,
        priorState: bytesOf(kept.state),
        plannedState: bytesOf(planned),
        config: bytesOf(planned),
        plannedPrivate: kept.private,
      },
      call,
    )
    return {
      state: valueOf(applied.newState),
      private: applied.private ?? new Uint8Array(),
      diagnostics: applied.diagnostics ?? [],
    }
  },
  async read(kept: Kept) {
    const request = { typeName, currentState: bytesOf(kept.state), private: kept.private }
    const read = await handlers.readResource({ ...request, clientCapabilities }, call)
    return {
      state: valueOf(read.newState),
      private: read.private ?? new Uint8Array(),
      diagnostics: read.diagnostics ?? [],
    }
  },
  async importState(id: string) {
    const imported = await handlers.importResourceState({ typeName, id, clientCapabilities }, call)
    const [first] = imported.importedResources ?? []
    return {
      state: first === undefined ? null : valueOf(first.state),
      diagnostics: imported.diagnostics ?? [],
    }
  },
  async upgrade(version: number, json: string) {
    const rawState = { json: new TextEncoder().encode(json), flatmap: {} }
    const upgraded = await handlers.upgradeResourceState({ typeName, version, rawState }, call)
    const { upgradedState, diagnostics = [] } = upgraded
    return { state: upgradedState ? valueOf(upgradedState) : null, diagnostics }
  },
})
