import type { AnswerHeaders } from '@probe-mesh/contracts/api/route-client'
import type { ApplyCapabilities } from './capabilities.ts'

/** Longer than any window of the write limit; a larger header value is not trusted. */
const waitSecondsMax = 120

/** Keeps writes within the limit reported by `RateLimit`. */
export type Pace = {
  /** Resolves when a write may be sent. */
  ready(): Promise<void>
  /** Records the write limit that an answer reports. */
  note(headers: AnswerHeaders): void
}

/** Paces the writes of an `apply` by `RateLimit`: none is sent while no write is left. */
export const createPace = ({
  now,
  pause,
  report,
}: Pick<ApplyCapabilities, 'now' | 'pause' | 'report'>): Pace => {
  let nextAtMs: number | null = null
  return {
    ready: async () => {
      if (nextAtMs === null) return
      const waitMs = nextAtMs - now()
      nextAtMs = null
      if (waitMs <= 0) return
      report(`The write rate limit is reached: waiting ${Math.ceil(waitMs / 1000)} s.`)
      await pause(waitMs)
    },
    note: (headers) => {
      const seconds = writesResetSecondsOf(headers)
      nextAtMs = seconds === null ? null : now() + Math.min(seconds, waitSecondsMax) * 1000
    },
  }
}

/**
 * The seconds until another write is allowed, or null if one is allowed now. Of a list of limits
 * (draft-ietf-httpapi-ratelimit-headers-11) the one named `writes` counts.
 */
const writesResetSecondsOf = (headers: AnswerHeaders): number | null => {
  const item = (headers.get('ratelimit') ?? '').split(',').find((each) => each.trim().startsWith('"writes"'))
  if (item === undefined || numberOf(item, 'r') !== 0) return null
  return Math.max(1, numberOf(item, 't') ?? 1)
}

const numberOf = (item: string, parameter: 'r' | 't'): number | null => {
  const found = new RegExp(`;\\s*${parameter}=(\\d{1,9})\\s*(?:;|$)`).exec(item)?.[1]
  return found === undefined ? null : Number(found)
}
