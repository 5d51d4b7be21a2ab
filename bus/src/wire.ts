import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'

/**
 * How values travel: JSON as UTF-8. The in-process bus does the same, so no two sides share a reference and
 * what JSON cannot express is lost there too.
 */
export const encodeText = (payload: unknown): string => JSON.stringify(payload) ?? 'null'

/**
 * The value of `encodeText`. Whoever may write to a subject or a bucket of the mesh is one of its own
 * processes, which the credentials see to; what an agent of a region wrote may still be anything, so
 * readers of it check its type.
 * @throws where it is not JSON or nests too deep
 */
export const decodeBytes = <T>(data: Uint8Array): T => parseForeignJson(data) as T

/** The value of a text that the same store made with `encodeText` from a value of type `T`. */
export const decodeText = <T>(text: string): T => JSON.parse(text) as T

/** A name as one token of a subject or key: what NATS does not take there is written in hex. */
export const toToken = (name: string): string =>
  name.replace(/[^a-zA-Z0-9_-]/gu, (character) => `=${Buffer.from(character).toString('hex')}=`)

/** The value of foreign bytes; undefined where they are no JSON or nest too deep. Never throws. */
export const valueIn = (data: Uint8Array): unknown => {
  try {
    return parseForeignJson(data)
  } catch {
    return undefined
  }
}
