import { durationText } from './failure.ts'
import type { Message } from './message.ts'

/** Unusual observations that are no faults: in plain words, each once. */
export type Notes = Set<string>

export const onlyHttp2 = 'the server supports only HTTP/2'
export const loginDropped = 'a redirect contains a user and password, which the probe does not send'

/** The body was still arriving at the deadline, and its end does not matter. */
export const stillArriving = (deadlineMs: number): string =>
  `the body was still arriving after ${durationText(deadlineMs)}`

/**
 * @param reason why the first address failed; null: it was silent
 */
export const otherAddress = (
  first: { isIpv6: boolean; reason: string | null },
  then: { isIpv6: boolean },
): string => {
  const why = first.reason ?? 'no connection in time'
  return first.isIpv6 === then.isIpv6
    ? `one ${familyOf(first)} address failed (${why}), another works`
    : `${familyOf(first)} failed (${why}), ${familyOf(then)} works`
}

const familyOf = ({ isIpv6 }: { isIpv6: boolean }): string => (isIpv6 ? 'IPv6' : 'IPv4')

const partsCharactersMax = 120

/** @param parts of the request of the check, such as names of its headers */
export const followedWithout = (parts: readonly string[]): string => {
  const all = parts.join(', ')
  const shown = all.length <= partsCharactersMax ? all : `${all.slice(0, partsCharactersMax - 1)}…`
  return `a redirect to another origin was followed without ${shown}`
}

/** What 301, 302 and 303 do to a request, for the reason of a failure behind them (S-3802). */
export const turnedInto = ({ method, body }: Message, then: Message['method']): string =>
  `a redirect turned ${method} into ${then}${body !== null && body.length > 0 ? ', without its body' : ''}`
