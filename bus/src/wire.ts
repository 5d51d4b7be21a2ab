import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'

/**
 * How values travel: JSON as UTF-8. The in-process bus does the same, so no two sides share a reference and
 * what JSON cannot express is lost there too.
 */
export const encodeText = (payload: unknown): string => JSON.stringify(payload) ?? 'null'

/**
 * The value of `encodeText`. Credentials ensure that only processes of the mesh write to its subjects and
 * buckets. An agent may still write anything, so readers of agents' data check its type.
 * @throws when it is not JSON or nests too deeply
 */
export const decodeBytes = <T>(data: Uint8Array): T => parseForeignJson(data) as T

/** The value of a text that the same store made with `encodeText` from a value of type `T`. */
export const decodeText = <T>(text: string): T => JSON.parse(text) as T

/** A name as one token of a subject or key: characters that NATS does not allow are written in hex. */
export const toToken = (name: string): string =>
  name.replace(/[^a-zA-Z0-9_-]/gu, (character) => `=${Buffer.from(character).toString('hex')}=`)

/** Parses untrusted bytes; undefined when they are not JSON or nest too deeply. Never throws. */
export const valueIn = (data: Uint8Array): unknown => {
  try {
    return parseForeignJson(data)
  } catch {
    return undefined
  }
}
