import { hash } from 'node:crypto'

/** Keys that the control plane has just known, so that a list need not ask it again. */
export type KnownKeys = {
  knows(authorization: string): boolean
  note(authorization: string): void
}

/** How long a revoked key may still list tools; as long as at the control plane. */
const keyMsMax = 5_000
const keysMax = 20_000

/** By hash, so that no key stays in memory; the oldest is forgotten first. */
export const createKnownKeys = (now: () => number): KnownKeys => {
  const untilMs = new Map<string, number>()
  return {
    knows: (authorization) => now() < (untilMs.get(hashOf(authorization)) ?? 0),
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
