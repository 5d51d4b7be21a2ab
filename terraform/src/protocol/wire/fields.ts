import { MalformedMessage, chunkField, numberField, visitFields, type Raw } from './raw.ts'

/** A field of a message: its number, its value when absent, and how it is read and written. */
type Field<In, Out = In> = {
  number: number
  empty(): In
  /** Whether it is not sent. */
  isEmpty(value: Out): boolean
  /** @param before the value so far: lists and maps arrive in pieces, of other fields the last counts */
  read(raw: Raw, before: In): In
  write(value: Out): Buffer
}

/** A message, typed by its fields. @throws MalformedMessage on decoding */
export type Message<In, Out> = { decode(bytes: Uint8Array): In; encode(value: Out): Buffer }
export type Received<M> = M extends Message<infer In, never> ? In : never
export type Sent<M> = M extends Message<unknown, infer Out> ? Out : never

type Fields = Readonly<Record<string, Field<unknown, never>>>
type In<F> = F extends Field<infer Value, never> ? Value : never
type Out<F> = F extends Field<unknown, infer Value> ? Value : never

export const message = <F extends Fields>(
  fields: F,
): Message<{ [Name in keyof F]: In<F[Name]> }, { [Name in keyof F]?: Out<F[Name]> | undefined }> => {
  const named = Object.entries(fields) as [string, Field<unknown, unknown>][]
  const byNumber = new Map(named.map(([name, field]) => [field.number, { name, field }]))
  return {
    decode: (bytes) => {
      const value: Record<string, unknown> = {}
      for (const [name, field] of named) value[name] = field.empty()
      visitFields(bytes, (number, raw) => {
        const known = byNumber.get(number)
        if (known !== undefined) value[known.name] = known.field.read(raw, value[known.name])
      })
      return value as { [Name in keyof F]: In<F[Name]> }
    },
    encode: (value) =>
      Buffer.concat(
        named.flatMap(([name, field]) => {
          const one: unknown = value[name]
          return one === undefined || field.isEmpty(one) ? [] : [field.write(one)]
        }),
      ),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const textOf = (chunk: Uint8Array): string => {
  try {
    return utf8.decode(chunk)
  } catch (cause) {
    throw new MalformedMessage('a text is not UTF-8', { cause })
  }
}

/** A field of another wire type is ignored, like an unknown one. */
const ofChunk = <Value>(
  number: number,
  none: Value,
  isEmpty: (value: Value) => boolean,
  read: (chunk: Uint8Array) => Value,
  toChunk: (value: Value) => Uint8Array,
): Field<Value> => ({
  number,
  empty: () => none,
  isEmpty,
  read: (raw, before) => (typeof raw === 'number' ? before : read(raw)),
  write: (value) => chunkField(number, toChunk(value)),
})
const ofNumber = <Value>(
  number: number,
  none: Value,
  read: (raw: number) => Value,
  toNumber: (value: Value) => number,
): Field<Value> => ({
  number,
  empty: () => none,
  isEmpty: (value) => value === none,
  read: (raw, before) => (typeof raw === 'number' ? read(raw) : before),
  write: (value) => numberField(number, toNumber(value)),
})

export const text = (number: number): Field<string> =>
  ofChunk(
    number,
    '',
    (value) => value === '',
    textOf,
    (value) => Buffer.from(value),
  )

export const bytes = (number: number): Field<Uint8Array> =>
  ofChunk<Uint8Array>(
    number,
    Buffer.alloc(0),
    (value) => value.length === 0,
    (chunk) => chunk,
    (value) => value,
  )

/** 64 bits in the protocol; the values stay far below 2^53. */
export const integer = (number: number): Field<number> => ofNumber(number, 0, Number, Number)

export const bool = (number: number): Field<boolean> => ofNumber(number, false, (raw) => raw !== 0, Number)

/** @param names by number; an unknown number reads as the first */
export const choice = <const Names extends readonly [string, ...string[]]>(
  number: number,
  names: Names,
): Field<Names[number]> =>
  ofNumber<Names[number]>(
    number,
    names[0],
    (raw) => names[raw] ?? names[0],
    (value) => names.indexOf(value),
  )

/** Sent even when empty: its presence has a meaning. */
export const explicit = <Value>(field: Field<Value>): Field<Value | undefined, Value> => ({
  number: field.number,
  empty: () => undefined,
  isEmpty: () => false,
  read: (raw, before) => field.read(raw, before ?? field.empty()),
  write: field.write,
})

/** null: it was not sent. */
export const messageOf = <In, Out>(number: number, of: Message<In, Out>): Field<In | null, Out | null> => ({
  number,
  empty: () => null,
  isEmpty: (value) => value === null,
  read: (raw, before) => (typeof raw === 'number' ? before : of.decode(raw)),
  write: (value) => (value === null ? Buffer.alloc(0) : chunkField(number, of.encode(value))),
})

export const repeated = <In, Out>(number: number, of: Message<In, Out>): Field<In[], readonly Out[]> => ({
  number,
  empty: () => [],
  isEmpty: (values) => values.length === 0,
  read: (raw, before) => {
    if (typeof raw !== 'number') before.push(of.decode(raw))
    return before
  },
  write: (values) => Buffer.concat(values.map((value) => chunkField(number, of.encode(value)))),
})

/** A map by text, without a prototype. @param valueAt the field of an entry's value, by its number */
export const mapOf = <In, Out>(
  number: number,
  valueAt: (number: number) => Field<In, Out>,
): Field<Record<string, In>, Readonly<Record<string, Out>>> => {
  const entry = message({ key: text(1), value: valueAt(2) as Field<unknown, unknown> })
  return {
    number,
    empty: () => Object.create(null),
    isEmpty: (value) => Object.keys(value).length === 0,
    read: (raw, before) => {
      if (typeof raw === 'number') return before
      const { key, value } = entry.decode(raw)
      before[key] = value as In
      return before
    },
    write: (values) =>
      Buffer.concat(
        Object.entries(values).map(([key, value]) => chunkField(number, entry.encode({ key, value }))),
      ),
  }
}
