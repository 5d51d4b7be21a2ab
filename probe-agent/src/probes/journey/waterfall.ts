import type { HopTrace } from '@probe-mesh/contracts/reading/reading-details'
import type { Hop } from '../../request/hop.ts'
import { roundMs } from '../../request/round.ts'

const urlCharactersMax = 300

/** A hop as a reading keeps it. @param runStartedAt and endedAt, by `performance.now()` */
export const hopTrace = (
  { url, number, message, startedAt, timings, address, status }: Hop,
  { step, runStartedAt, endedAt }: { step: number; runStartedAt: number; endedAt: number },
): HopTrace => ({
  step,
  hop: number,
  method: message.method,
  url: withoutQuery(url),
  httpStatus: status,
  startMs: roundMs(startedAt - runStartedAt),
  latencyMs: roundMs(endedAt - startedAt),
  timings,
  address,
})

/** Origin and path: a query, a fragment or a user name may carry a secret. */
const withoutQuery = (text: string): string => {
  const url = URL.parse(text)
  return url === null ? '' : `${url.origin}${url.pathname}`.slice(0, urlCharactersMax)
}
