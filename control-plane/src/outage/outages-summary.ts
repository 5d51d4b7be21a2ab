import type { Evidence, PastOutage } from '@probe-mesh/contracts/outage/answers'
import { pastOutagesMax } from '@probe-mesh/contracts/outage/answers'
import { durationText } from '../status/duration-text.ts'
import { afterHere, fromHere, list, minuteOf } from './sentence.ts'

/**
 * The past outages in one sentence, before what our own probes say now. That none was seen is said
 * of what we measured, never of the service.
 * @param outages newest first
 * @param probes the summary of the service's status
 */
export const outagesSummary = (
  name: string,
  outages: readonly PastOutage[],
  probes: string,
  evidence: Pick<Evidence, 'vantage'>,
): string =>
  fromHere(evidence, `${outagesClause(name, outages)}; our own probes: ${afterHere(probes)}`)

const outagesClause = (name: string, outages: readonly PastOutage[]): string => {
  const [last] = outages
  if (last === undefined) return `We saw no outage of ${name} in the readings that we keep`
  const gap =
    last.unmeasuredSeconds === 0
      ? ''
      : `; nothing was measured for ${durationText(last.unmeasuredSeconds * 1000)} of it`
  const began = `${minuteOf(last.startedAt)} (${list(last.regions)}${gap})`
  if (last.ongoing) {
    const before = outages.length === 1 ? '' : `, and we saw ${countOf(outages, 1)} before it`
    return `An outage of ${name} goes on since ${began}${before}`
  }
  const lasted = `and lasted ${durationText(last.durationSeconds * 1000)}`
  return outages.length === 1
    ? `We saw 1 outage of ${name}, which began ${began} ${lasted}`
    : `We saw ${countOf(outages, 0)} outages of ${name}; the last began ${began} ${lasted}`
}

/** As many as are told may not be all. */
const countOf = ({ length }: readonly PastOutage[], without: number): string =>
  `${length === pastOutagesMax ? 'at least ' : ''}${length - without}`
