import { unknown } from '../value.ts'
import { decimalOf } from './decimal.ts'

/**
 * A decoded value before its type is applied. Objects have no prototype; bytes are the type of a dynamic value.
 */
export type Raw =
  | null
  | boolean
  | string
  | number
  | bigint
  | typeof unknown
  | Uint8Array
  | readonly Raw[]
  | { readonly [key: string]: Raw }

/** Bytes that are not a value: cut short, nested too deeply, or not written by Terraform. */
export class MalformedValue extends Error {
  override name = 'MalformedValue'
}

/** How deep values may nest; deeper ones are refused before the stack overflows. */
export const depthMax = 200

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes the one value in MessagePack bytes. Every extension is an unknown value, whatever its code: newer
 * codes add details that a provider may ignore. @throws MalformedValue
 */
export const readMessagePack = (bytes: Uint8Array): Raw => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (length: number): number => {
    const from = at
    at += length
    if (at > bytes.length) throw new MalformedValue('the value is cut short')
    return from
  }
  const chunk = (length: number): Uint8Array => {
    const from = take(length)
    return bytes.subarray(from, from + length)
  }
  const size = (width: number): number => {
    const from = take(width)
    if (width === 1) return view.getUint8(from)
    return width === 2 ? view.getUint16(from) : view.getUint32(from)
  }
  const text = (length: number): string => {
    try {
      return utf8.decode(chunk(length))
    } catch (cause) {
      if (cause instanceof MalformedValue) throw cause
      throw new MalformedValue('a text is not UTF-8', { cause })
    }
  }
  const extension = (length: number): typeof unknown => {
    take(1 + length)
    return unknown
  }
  const list = (length: number, depth: number): Raw[] => {
    const values: Raw[] = []
    for (let index = 0; index < length; index++) values.push(read(depth + 1))
    return values
  }
  const entries = (length: number, depth: number): { [key: string]: Raw } => {
    const values: { [key: string]: Raw } = Object.create(null)
    for (let index = 0; index < length; index++) {
      const key = read(depth + 1)
      if (typeof key !== 'string') throw new MalformedValue('a key is not a text')
      values[key] = read(depth + 1)
    }
    return values
  }
  const read = (depth: number): Raw => {
    if (depth > depthMax) throw new MalformedValue('the value is nested too deeply')
    const code = view.getUint8(take(1))
    if (code < 0x80) return code
    if (code < 0x90) return entries(code - 0x80, depth)
    if (code < 0xa0) return list(code - 0x90, depth)
    if (code < 0xc0) return text(code - 0xa0)
    if (code >= 0xe0) return code - 0x100
    switch (code) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return chunk(size(2 ** (code - 0xc4)))
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return extension(size(2 ** (code - 0xc7)))
      case 0xca:
        return decimalOf(view.getFloat32(take(4)))
      case 0xcb:
        return decimalOf(view.getFloat64(take(8)))
      case 0xcc:
      case 0xcd:
      case 0xce:
        return size(2 ** (code - 0xcc))
      case 0xcf:
        return decimalOf(view.getBigUint64(take(8)))
      case 0xd0:
        return view.getInt8(take(1))
      case 0xd1:
        return view.getInt16(take(2))
      case 0xd2:
        return view.getInt32(take(4))
      case 0xd3:
        return decimalOf(view.getBigInt64(take(8)))
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return extension(2 ** (code - 0xd4))
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(size(2 ** (code - 0xd9)))
      case 0xdc:
      case 0xdd:
        return list(size(2 * (code - 0xdb)), depth)
      case 0xde:
      case 0xdf:
        return entries(size(2 * (code - 0xdd)), depth)
      default:
        throw new MalformedValue('a value starts with an undefined byte')
    }
  }
  const value = read(0)
  if (at < bytes.length) throw new MalformedValue('there are bytes after the value')
  return value
}
