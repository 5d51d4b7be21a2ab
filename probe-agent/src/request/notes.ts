import { durationText } from './failure.ts'

/** What a reading notes although it is no fault: in plain words, each once. */
export type Notes = Set<string>

export const onlyHttp2 = 'the server speaks HTTP/2 alone'
export const loginLeftOut = 'a redirect names a user and password, which the probe does not send'

/** The body of an answer was still coming at the deadline, and nothing depends on its end. */
export const stillFlowing = (deadlineMs: number): string =>
  `the body was still coming after ${durationText(deadlineMs)}`

/** @param reason why the address tried first did not connect; null: it was silent */
export const otherAddress = (
  first: { isIpv6: boolean; reason: string | null },
  then: { isIpv6: boolean },
): string => {
  const why = first.reason ?? 'no connection in time'
  return first.isIpv6 === then.isIpv6
    ? `one ${familyOf(first)} address does not connect (${why}), another does`
    : `${familyOf(first)} does not connect (${why}), ${familyOf(then)} does`
}

const familyOf = ({ isIpv6 }: { isIpv6: boolean }): string => (isIpv6 ? 'IPv6' : 'IPv4')
