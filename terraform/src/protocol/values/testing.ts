import fc from 'fast-check'
import { toObject, unknown, type Type, type Value } from '../value.ts'

const key = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('__proto__', 'constructor', '7'))

/** Any type so deep; names of attributes include those that an object has by itself. */
const typesWithin = (depth: number): fc.Arbitrary<Type> => {
  const scalars = fc.constantFrom<Type[]>('string', 'number', 'bool', 'dynamic')
  if (depth === 0) return scalars
  const within = typesWithin(depth - 1)
  return fc.oneof(
    scalars,
    fc.tuple(fc.constantFrom('list', 'set', 'map'), within),
    fc.tuple(fc.constant('tuple' as const), fc.array(within, { maxLength: 4 })),
    fc
      .tuple(fc.constant('object' as const), fc.array(fc.tuple(key, within), { maxLength: 4 }))
      .map(([kind, entries]): Type => [kind, Object.fromEntries(entries)]),
  )
}
export const types = typesWithin(3)
const knownTypes = typesWithin(1).filter((type) => type !== 'dynamic')

const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }),
  fc.bigInt({ min: -(2n ** 200n), max: -(2n ** 53n) }),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
    .map((value) => (value === 0 ? 0 : value)),
)

/** A value of a type, in which anything may be unknown or null. */
const valuesOf = (type: Type): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 8, arbitrary: knownOf(type) }, fc.constantFrom<Value[]>(null, unknown))

const knownOf = (type: Type): fc.Arbitrary<Value> => {
  if (type === 'string') return fc.string({ unit: 'binary', maxLength: 300 })
  if (type === 'number') return numbers
  if (type === 'bool') return fc.boolean()
  if (type === 'dynamic') return knownTypes.chain(knownOf)
  switch (type[0]) {
    case 'list':
      return fc.array(valuesOf(type[1]), { maxLength: 5 })
    case 'set':
      return fc.uniqueArray(valuesOf(type[1]), { maxLength: 5 })
    case 'map':
      return fc.array(fc.tuple(key, valuesOf(type[1])), { maxLength: 5 }).map(toObject)
    case 'tuple':
      return fc.tuple(...type[1].map(valuesOf))
    case 'object': {
      const names = Object.keys(type[1])
      return fc
        .tuple(...Object.values(type[1]).map(valuesOf))
        .map((values) => toObject(names.map((name, index) => [name, values[index] ?? null])))
    }
  }
}

/** A type and a value of it. */
export const typedValues: fc.Arbitrary<{ type: Type; value: Value }> = types.chain((type) =>
  valuesOf(type).map((value): { type: Type; value: Value } => ({ type, value })),
)
