import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import type { ApplyCapabilities, WriteBudget } from './capabilities.ts'
import { listMembers } from '@probe-mesh/runtime/headers'

/** Longer than any window of the write limit; a larger header value is not trusted. */
const waitSecondsMax = 120
const windowSeconds = 60

/** Keeps writes within the limit reported by `RateLimit`. */
export type Pace = {
  /** Resolves when a write may be sent. */
  ready(): Promise<void>
  /** Records the write limit that an answer reports. */
  note(headers: AnswerHeaders): void
  /** How long that many writes will wait, seconds; null: unknown. */
  secondsFor(writes: number): number | null
}

/** How long writes wait for a budget, seconds: what is left is sent at once, the rest minute by minute. */
export const secondsOfWrites = (writes: number, { left, perMinute, resetSeconds }: WriteBudget): number => {
  if (writes <= left) return 0
  const windows = Math.ceil((writes - left) / Math.max(1, perMinute))
  return Math.max(1, resetSeconds || windowSeconds) + (windows - 1) * windowSeconds
}

/** `about 40 s`, `about 17 min`. */
export const aboutTime = (seconds: number): string =>
  seconds < windowSeconds ? `about ${seconds} s` : `about ${Math.round(seconds / 60)} min`

/** Paces the writes of an `apply`: none is sent while no write is left. */
export const createPace = ({
  budget: known,
  now,
  pause,
  report,
}: Pick<ApplyCapabilities, 'budget' | 'now' | 'pause' | 'report'>): Pace => {
  let budget = known
  let atMs = now()
  const waitMs = (): number =>
    budget === null || budget.left > 0
      ? 0
      : Math.min(Math.max(1, budget.resetSeconds), waitSecondsMax) * 1000 - (now() - atMs)
  return {
    ready: async () => {
      const ms = waitMs()
      // the next answer says what is left then
      if (budget !== null && budget.left === 0) budget = { ...budget, left: 1 }
      if (ms <= 0) return
      report(`The write rate limit is reached: waiting ${Math.ceil(ms / 1000)} s.`)
      await pause(ms)
    },
    note: (headers) => {
      const told = writesOf(headers)
      if (told === null) return
      budget = { perMinute: told.left, ...budget, ...told }
      atMs = now()
    },
    secondsFor: (writes) => (budget === null ? null : secondsOfWrites(writes, budget)),
  }
}

/**
 * The writes that are left by an answer, or null if it says nothing about them. Of a list of limits
 * (draft-ietf-httpapi-ratelimit-headers-11) the one named `writes` counts.
 */
const writesOf = (headers: AnswerHeaders): Pick<WriteBudget, 'left' | 'resetSeconds'> | null => {
  const item = listMembers(headers.get('ratelimit') ?? '').find((each) => each.startsWith('"writes"'))
  const left = item === undefined ? null : numberOf(item, 'r')
  if (item === undefined || left === null) return null
  return { left, resetSeconds: numberOf(item, 't') ?? 1 }
}

const numberOf = (item: string, parameter: 'r' | 't'): number | null => {
  // bounded: Node reads at most 16 KiB of header fields
  const found = new RegExp(`;\\s*${parameter}=(\\d{1,9})\\s*(?:;|$)`).exec(item)?.[1]
  return found === undefined ? null : Number(found)
}
