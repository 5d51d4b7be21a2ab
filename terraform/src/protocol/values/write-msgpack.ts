import { isObject, unknown, type Type, type ObjectValue, type Value } from '../value.ts'

const nil = Buffer.of(0xc0)
/** An extension without details. */
const unknownBytes = Buffer.of(0xd4, 0, 0)

/**
 * Encodes a value as MessagePack. Missing attributes are null. @throws Error when the value does not match
 * its type, which is a bug
 */
export const encodeDynamic = (type: Type, value: Value): Uint8Array => {
  const parts: Buffer[] = []
  write(type, value, parts)
  return Buffer.concat(parts)
}

const write = (type: Type, value: Value, parts: Buffer[]): void => {
  if (value === null) parts.push(nil)
  else if (value === unknown) parts.push(unknownBytes)
  else if (type === 'dynamic') {
    const itsType = typeOf(value)
    parts.push(head(0x90, 16, 0xdc, 2), binary(JSON.stringify(itsType)))
    write(itsType, value, parts)
  } else if (typeof type === 'string') parts.push(scalar(type, value))
  else writeOfMany(type, value, parts)
}

const writeOfMany = (type: Exclude<Type, string>, value: NonNullable<Value>, parts: Buffer[]): void => {
  switch (type[0]) {
    case 'list':
    case 'set':
    case 'tuple': {
      const values = Array.isArray(value) ? (value as readonly Value[]) : notOf(type[0])
      if (type[0] === 'tuple' && type[1].length !== values.length) notOf('tuple')
      parts.push(head(0x90, 16, 0xdc, values.length))
      values.forEach((one, index) => {
        write(type[0] === 'tuple' ? (type[1][index] ?? 'dynamic') : type[1], one, parts)
      })
      return
    }
    case 'map': {
      const entries = Object.entries(objectOf(value, 'map'))
      parts.push(head(0x80, 16, 0xde, entries.length))
      for (const [key, one] of entries) {
        parts.push(text(key))
        write(type[1], one, parts)
      }
      return
    }
    case 'object': {
      const given = objectOf(value, 'object')
      const types = Object.entries(type[1])
      const extra = Object.keys(given).find((name) => !Object.hasOwn(type[1], name))
      if (extra !== undefined) notOf(`object without "${extra}"`)
      parts.push(head(0x80, 16, 0xde, types.length))
      for (const [name, of] of types) {
        parts.push(text(name))
        write(of, Object.hasOwn(given, name) ? (given[name] ?? null) : null, parts)
      }
    }
  }
}

/** The type of a value by itself; null and unknown parts are dynamic. */
const typeOf = (value: Value): Type => {
  if (value === null || value === unknown) return 'dynamic'
  if (Array.isArray(value)) return ['tuple', value.map(typeOf)]
  if (isObject(value)) {
    const types: Record<string, Type> = Object.create(null)
    for (const [name, one] of Object.entries(value)) types[name] = typeOf(one)
    return ['object', types]
  }
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

const scalar = (type: 'string' | 'number' | 'bool' | 'dynamic', value: Value): Buffer => {
  if (type === 'string' && typeof value === 'string') return text(value)
  if (type === 'bool' && typeof value === 'boolean') return Buffer.of(value ? 0xc3 : 0xc2)
  if (type === 'number' && (typeof value === 'bigint' || Number.isFinite(value))) {
    return number(value as number | bigint)
  }
  return notOf(type)
}

/**
 * Encodes a whole number of 64 bits as an integer and any other number as decimal digits: Terraform compares
 * the digits of `0.1` with the configuration, and a float is a different number.
 */
const number = (value: number | bigint): Buffer => {
  if (typeof value === 'number' && !Number.isInteger(value)) return text(String(value))
  const whole = BigInt(value)
  if (whole >= 0n && whole < 0x80n) return Buffer.of(Number(whole))
  if (BigInt.asIntN(64, whole) !== whole) return text(String(whole))
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xd3
  bytes.writeBigInt64BE(whole, 1)
  return bytes
}

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  const { length } = bytes
  const start = length < 32 || length > 0xff ? head(0xa0, 32, 0xda, length) : Buffer.of(0xd9, length)
  return Buffer.concat([start, bytes])
}
const binary = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([
    bytes.length > 0xff ? head(0, 0, 0xc5, bytes.length) : Buffer.of(0xc4, bytes.length),
    bytes,
  ])
}

/** The header of a value with a length: one byte below `few`, else a code and two or four bytes. */
const head = (fixed: number, few: number, code: number, length: number): Buffer => {
  if (length < few) return Buffer.of(fixed + length)
  if (length <= 0xffff) return Buffer.of(code, length >> 8, length & 0xff)
  const bytes = Buffer.of(code + 1, 0, 0, 0, 0)
  bytes.writeUInt32BE(length, 1)
  return bytes
}

const objectOf = (value: NonNullable<Value>, type: string): ObjectValue =>
  isObject(value) ? value : notOf(type)

/** Does not quote the value, which may be secret. */
const notOf = (type: string): never => {
  throw new Error(`a value is not a ${type}`)
}
