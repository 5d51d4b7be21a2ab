import type { ApiAnswer } from '@probe-mesh/contracts/api/route-client'
import { refuse, toProblem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import type { CallContext } from '../protocol/resource.ts'
import type { Patience } from './send-patiently.ts'

/** A clock that moves where a call pauses, and notes for how long. */
export const fakePatience = (pass: (ms: number) => void = () => {}) => {
  const pauses: number[] = []
  let nowMs = 0
  const patience: Patience = {
    now: () => nowMs,
    pause: async (ms, signal) => {
      signal.throwIfAborted()
      pauses.push(ms)
      nowMs += ms
      pass(ms)
    },
    random: () => 1,
  }
  return { patience, pauses }
}

export const contextOf = (signal = new AbortController().signal) => {
  const logged: string[] = []
  const context: CallContext = {
    signal,
    log: (level, message) => void logged.push(`${level} ${message}`),
  }
  return { context, logged }
}

export const answered = <T>(value: T): ApiAnswer<T> => ({ ok: true, value, headers: new Headers() })

/** @param retryAfter as the header says it */
export const refused = (code: RefusalCode, retryAfter?: string): ApiAnswer<never> => ({
  ok: false,
  problem: toProblem(refuse(code)),
  headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
})

/** What `fetch` throws where a connection breaks off. */
export const brokenOff = (code = 'ECONNRESET'): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('it broke off'), { code }) })
