import { hash } from 'node:crypto'

/** Keys that the control plane accepted recently, so that a list needs no request. */
export type KnownKeys = {
  knows(authorization: string): boolean
  /** An opaque name for a known key; null for any other. */
  nameOf(authorization: string): string | null
  note(authorization: string): void
}

/** How long a revoked key may still list tools; the same as at the control plane. */
const keyMsMax = 5_000
const keysMax = 20_000

/** Keeps hashes, so that no key stays in memory; the oldest is dropped first. */
export const createKnownKeys = (now: () => number): KnownKeys => {
  const untilMs = new Map<string, number>()
  const nameOf = (authorization: string): string | null => {
    const key = hashOf(authorization)
    return now() < (untilMs.get(key) ?? 0) ? key : null
  }
  return {
    knows: (authorization) => nameOf(authorization) !== null,
    nameOf,
    note: (authorization) => {
      const key = hashOf(authorization)
      untilMs.delete(key)
      untilMs.set(key, now() + keyMsMax)
      const [oldest] = untilMs.keys()
      if (untilMs.size > keysMax && oldest !== undefined) untilMs.delete(oldest)
    },
  }
}

const hashOf = (authorization: string): string => hash('sha256', authorization, 'base64url')
