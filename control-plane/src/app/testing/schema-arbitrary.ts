import fc from 'fast-check'

/** The parts of JSON schema that the generated document uses. */
export type Schema = {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  format?: string
}

/** Existing ids, read when a value is generated. */
type KnownIds = () => readonly string[]

const itemsMax = 4
const optionalMax = 3
const charactersMax = 300

/** Texts that often cause errors. */
const oddText = fc.constantFrom(
  '',
  ' ',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202etxet',
  'e\u0301\u0301\u0301',
  '👩‍👩‍👧‍👦',
  '<script>alert(1)</script>',
  "'; drop table checks; --",
  '__proto__',
  'null',
  '-0',
  '1e999',
  'http://127.0.0.1:9/\u0000',
  'http://127.0.0.1:9/\ud800',
  'http://[::1]:9/',
  'https://192.0.2.1/',
  'http://user:pw@127.0.0.1:9/',
  'http://127.0.0.1:99999/',
  'a'.repeat(3_000),
  'ä'.repeat(40_000),
)

const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.string({ maxLength: charactersMax }) },
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: charactersMax }) },
    { weight: 2, arbitrary: oddText },
  )

/** Any JSON value, including odd texts. */
export const anyJson = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    text(),
    fc.constantFrom<unknown>(null, true, -1, 2 ** 53, 1e308, 0.1, [], {}, [[[[]]]]),
    fc.dictionary(text(), fc.jsonValue(), { maxKeys: 3 }),
  )

/**
 * Mostly values that a schema allows. They may break rules that a schema cannot express.
 * @param name the name of the field
 */
export const ofSchema = (
  schema: Schema,
  resolve: (reference: string) => Schema,
  ids: KnownIds,
  name = '',
): fc.Arbitrary<unknown> => {
  const inner = (part: Schema, field = name): fc.Arbitrary<unknown> => ofSchema(part, resolve, ids, field)
  if (schema.$ref !== undefined) return inner(resolve(schema.$ref))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return fc.oneof(...variants.map((variant) => inner(variant)))
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })))
  }
  switch (schema.type) {
    case 'object':
      return ofObject(schema, inner)
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? itemsMax, itemsMax),
      })
    case 'string':
      return ofString(schema, name, ids)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 1_000 })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return anyJson()
  }
}

/** All required fields and a few optional ones, because many fields exclude one another. */
const ofObject = (
  { properties = {}, required = [] }: Schema,
  inner: (part: Schema, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> => {
  const names = Object.keys(properties)
  const optional = names.filter((name) => !required.includes(name))
  return fc
    .subarray(optional, { maxLength: Math.min(optional.length, optionalMax) })
    .chain((some) =>
      fc.record(
        Object.fromEntries([...required, ...some].map((name) => [name, inner(properties[name] ?? {}, name)])),
      ),
    )
}

/** Values of fields by name, if pattern and length do not define them. */
const byName: readonly [RegExp, readonly string[]][] = [
  [/url$|^logo$/i, ['http://127.0.0.1:9/x', 'https://example.org/?q=1#f']],
  [/^regions?$/, ['iad', 'sjc', 'fra', 'nrt']],
]

const ofString = (schema: Schema, name: string, ids: KnownIds): fc.Arbitrary<string> => {
  const sound = soundString(schema, name, ids)
  return fc.oneof({ weight: 30, arbitrary: sound }, { weight: 1, arbitrary: oddText })
}

const soundString = (schema: Schema, name: string, ids: KnownIds): fc.Arbitrary<string> => {
  if (schema.format === 'uuid') {
    return fc.oneof(
      { weight: 8, arbitrary: fc.nat().map((n) => ids()[n % ids().length] ?? '') },
      { weight: 1, arbitrary: fc.uuid() },
    )
  }
  if (schema.format === 'date-time') {
    const inDays = fc.double({ min: -400, max: 400, noNaN: true })
    return inDays.map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  }
  const known = byName.find(([field]) => field.test(name))?.[1]
  if (known !== undefined) return fc.constantFrom(...known)
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern, 'u'))
  const { minLength = 1, maxLength = charactersMax } = schema
  const bounds = { minLength, maxLength: Math.min(maxLength, charactersMax) }
  return fc.oneof(
    { weight: 2, arbitrary: fc.string(bounds) },
    { weight: 1, arbitrary: fc.string({ ...bounds, unit: 'grapheme' }) },
  )
}

/** A changed value: a part replaced, removed or added, at any depth. */
export const mutated = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value) && value.length > 0) {
    return fc.oneof(
      anyJson(),
      anyJson().map((extra) => [...value, extra]),
      fc.nat(value.length - 1).chain((at) => mutated(value[at]).map((changed) => value.with(at, changed))),
    )
  }
  if (typeof value !== 'object' || value === null) return anyJson()
  const entries = Object.entries(value)
  const added = fc
    .tuple(text(), anyJson())
    .map(([name, extra]) => Object.fromEntries([...entries, [name, extra]]))
  if (entries.length === 0) return fc.oneof(anyJson(), added)
  const at = fc.nat(entries.length - 1)
  return fc.oneof(
    anyJson(),
    added,
    at.map((left) => Object.fromEntries(entries.filter((_, n) => n !== left))),
    at.chain((n) =>
      mutated(entries[n]?.[1]).map((changed) =>
        Object.fromEntries(entries.map(([key, part], m) => [key, m === n ? changed : part])),
      ),
    ),
  )
}
