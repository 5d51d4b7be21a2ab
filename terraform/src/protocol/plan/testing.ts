import fc from 'fast-check'
import type { Resource } from '../resource.ts'
import type { Attribute, Schema } from '../schema.ts'
import {
  listOf,
  mapOf,
  setOf,
  isObject,
  toObject,
  unknown,
  type Type,
  type ObjectValue,
  type Value,
} from '../value.ts'
import { planChange, type Plan } from './plan-change.ts'

const attribute = (
  type: Type,
  presence: Attribute['presence'],
  more: Partial<Attribute> = {},
): Attribute => ({ type, presence, description: 'Of a thing.', ...more })

/** One attribute of each kind that a plan tells apart. */
export const thingSchema: Schema = {
  version: 2,
  description: 'A thing.',
  attributes: {
    id: attribute('string', 'computed', { keeps: true }),
    name: attribute('string', 'required', { replaces: true }),
    note: attribute('string', 'optional'),
    zone: attribute('string', 'optional', { replaces: true }),
    tags: attribute(setOf('string'), 'optional', { replaces: true }),
    labels: attribute(mapOf('string'), 'optional', { isSensitive: true }),
    sizes: attribute(listOf('number'), 'optional_computed'),
    seconds: attribute('number', 'optional_computed', { replaces: true }),
    limit: attribute('number', 'optional_computed', { default: 10, replaces: true }),
    home: attribute('string', 'optional_computed', { keeps: true }),
    status: attribute('string', 'computed'),
  },
}

/** An object of a schema; what is not named is null. */
export const objectOf = (schema: Schema, values: Record<string, Value>): ObjectValue =>
  toObject(Object.keys(schema.attributes).map((name) => [name, values[name] ?? null]))

/** What Terraform proposes: the configuration, and where it is silent, what was the service's before. */
export const propose = (
  { attributes }: Schema,
  prior: ObjectValue | null,
  config: ObjectValue,
): ObjectValue =>
  toObject(
    Object.entries(attributes).map(([name, { presence }]) => {
      const isOfService = presence === 'computed' || presence === 'optional_computed'
      const value = config[name] ?? null
      return [name, value === null && isOfService ? (prior?.[name] ?? null) : value]
    }),
  )

export const planOf = (
  config: ObjectValue,
  prior: ObjectValue | null,
  resource: Pick<Resource<unknown>, 'schema' | 'plan'> = { schema: thingSchema },
): Plan =>
  planChange(resource, {
    config,
    prior,
    proposed: propose(resource.schema, prior, config),
    private: new Uint8Array([7]),
  })

let made = 0
/** A value with something known in the place of each unknown, as a service would answer. */
const known = (type: Type, value: Value): Value => {
  if (value === unknown) {
    if (type === 'string') return `made-${++made}`
    if (type === 'number') return ++made
    return type === 'bool' ? true : Array.isArray(type) && type[0] === 'map' ? toObject([]) : []
  }
  const inner = Array.isArray(type) ? (type[1] as Type) : type
  if (Array.isArray(value)) return value.map((each) => known(inner, each))
  if (!isObject(value)) return value
  return toObject(Object.entries(value).map(([key, each]) => [key, known(inner, each)]))
}
export const knownObject = ({ attributes }: Schema, value: ObjectValue): ObjectValue =>
  toObject(Object.entries(attributes).map(([name, { type }]) => [name, known(type, value[name] ?? null)]))

const words = fc.constantFrom('a', 'b', 'c', '')
const scalarOf = (type: Type): fc.Arbitrary<Value> =>
  type === 'number' ? fc.nat(3) : type === 'bool' ? fc.boolean() : words
const orUnknown = (value: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(unknown) })

const valueOf = (type: Type): fc.Arbitrary<Value> => {
  if (!Array.isArray(type)) return orUnknown(scalarOf(type as Type))
  const inner = valueOf(type[1] as Type)
  if (type[0] === 'map') {
    return orUnknown(fc.dictionary(fc.constantFrom('k', '__proto__'), inner, { noNullPrototype: false }))
  }
  const elements =
    type[0] === 'set'
      ? fc.uniqueArray(inner, { maxLength: 3, selector: String })
      : fc.array(inner, { maxLength: 3 })
  return orUnknown(elements)
}

/** Configurations of a schema, with anything in them unknown or, where it may, null. */
export const configArbitrary = ({ attributes }: Schema): fc.Arbitrary<ObjectValue> =>
  fc
    .tuple(
      ...Object.entries(attributes).map(([name, { type, presence }]) => {
        if (presence === 'computed') return fc.constant([name, null] as const)
        const value = valueOf(type)
        const some = presence === 'required' ? value : fc.oneof(fc.constant(null), value)
        return some.map((each) => [name, each] as const)
      }),
    )
    .map((entries) => toObject(entries))
