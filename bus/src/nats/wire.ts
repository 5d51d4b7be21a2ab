/** How values travel: JSON as UTF-8. */
export const encodeText = (payload: unknown): string => JSON.stringify(payload) ?? 'null'

/**
 * The value of `encodeText`. The guarantee: whoever may write to a subject or a bucket of the mesh
 * is one of its own processes, which the credentials see to, and writes the type the port says.
 */
export const decodeBytes = <T>(data: Uint8Array): T => JSON.parse(Buffer.from(data).toString()) as T

/** A name as one token of a subject or key: what NATS does not take there is written in hex. */
export const toToken = (name: string): string =>
  name.replace(/[^a-zA-Z0-9_-]/gu, (character) => `=${Buffer.from(character).toString('hex')}=`)
