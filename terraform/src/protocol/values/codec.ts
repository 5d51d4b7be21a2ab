import type { Type } from '../value.ts'
import { conform, type Decoded } from './conform.ts'
import { parseJson } from './parse-json.ts'
import { MalformedValue, readMessagePack, type Raw } from './read-msgpack.ts'
import { encodeDynamic } from './write-msgpack.ts'

const attempt = (read: () => Raw): { ok: true; raw: Raw } | Extract<Decoded, { ok: false }> => {
  try {
    return { ok: true, raw: read() }
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw error
    return { ok: false, problem: { path: [], message: error.message } }
  }
}

/** A value as Terraform sends it: MessagePack, else JSON, else null. */
export const decodeDynamic = (
  type: Type,
  sent: { msgpack: Uint8Array; json: Uint8Array } | null,
): Decoded => {
  if (sent === null || sent.msgpack.length + sent.json.length === 0) return { ok: true, value: null }
  const read = attempt(() => (sent.msgpack.length > 0 ? readMessagePack(sent.msgpack) : parseJson(sent.json)))
  return read.ok ? conform(type, read.raw, { isStored: false }) : read
}

/** Parses the JSON of a state file, which upgrades then convert. */
export const parseStored = (
  json: Uint8Array,
): { ok: true; stored: Raw } | Extract<Decoded, { ok: false }> => {
  const read = attempt(() => parseJson(json))
  return read.ok ? { ok: true, stored: read.raw } : read
}

/** Reads a stored value: unknown attributes are dropped, missing ones are null. */
export const decodeStored = (type: Type, stored: Raw): Decoded => conform(type, stored, { isStored: true })

/** The values of Terraform's messages and state files. */
export const valueCodec = {
  decode: decodeDynamic,
  encode: encodeDynamic,
  parseStored,
  decodeStored,
}
