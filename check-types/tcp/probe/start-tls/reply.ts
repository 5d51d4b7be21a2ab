/** How the bytes since a command read. */
export type Heard =
  /** More is needed. */
  | { kind: 'partial' }
  /** Accepted; `bytes` of them are the reply. */
  | { kind: 'accepted'; bytes: number }
  | { kind: 'refused'; text: string }
  /** The protocol's way to say that it has no TLS. */
  | { kind: 'missing' }
  | { kind: 'malformed' }

export const partial: Heard = { kind: 'partial' }
export const missing: Heard = { kind: 'missing' }
export const malformed: Heard = { kind: 'malformed' }
export const refused = (text: string): Heard => ({ kind: 'refused', text })
export const accepted = (bytes: number): Heard => ({ kind: 'accepted', bytes })

/** One command on the way to TLS, and its reply. */
export type Step = {
  /** What is awaited, for reasons: `greeting`, `reply to STARTTLS`. */
  awaited: string
  /** Empty: the server speaks first. */
  send: string
  read(received: Buffer): Heard
  /** Bytes behind the reply that are no answer to a later command; absent: none may come. */
  mayFollow?: RegExp
}

/** How a protocol starts TLS. */
export type StartTlsProtocol = {
  name: string
  /** @param domain the name that the server is asked for */
  steps(domain: string): readonly Step[]
  /** Ends a session politely after TLS; empty: closing is enough. */
  farewell: string
}

/** The first line, and the bytes with its end; a bare LF ends it too. null: not complete. */
export const firstLine = (received: Buffer): { line: string; bytes: number } | null => {
  const end = received.indexOf(0x0a)
  if (end < 0) return null
  return { line: received.subarray(0, end).toString('utf8').replace(/\r$/, ''), bytes: end + 1 }
}
