import {
  pastOutagesMax,
  type RecentIncidentsAnswer,
  type Evidence,
  type PastOutage,
} from '@probe-mesh/contracts/outage/answers'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { describeOutage, noVendorPosts, type Outage } from '../past-outages.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { resolveService, statusOf } from './named-service.ts'
import { reconcileOutages } from '../reconcile-outages.ts'
import { durationText } from '../../status/duration-text.ts'
import { withoutVantage, withVantage, list, minuteOf } from '../sentence.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

const retryAfterSeconds = 5

/**
 * The past outages of a service, reconciled with its current status. SV-9002 while ClickHouse is unavailable:
 * an empty list would claim that there were no outages.
 * @throws all other errors: a statement that ClickHouse refuses is our bug
 */
const readOutages = async (
  { outagesOf, observed }: Pick<AnswersContext, 'outagesOf' | 'observed'>,
  slug: string,
): Promise<readonly Outage[] | Refusal> => {
  try {
    return reconcileOutages(await outagesOf(slug), observed.healthOf(slug))
  } catch (error) {
    if (!isStoreRefusing(error)) throw error
    return refuse('SV-9002', { retryAfterSeconds })
  }
}

/** Past outages of a catalog service, with the current reading (S-1220). */
export const listRecentIncidents = async (
  context: AnswersContext,
  { params }: AnswerInput<'listRecentIncidents'>,
): Promise<RecentIncidentsAnswer | Refusal> => {
  const named = resolveService(context, params.slug)
  const outages = named.service === null ? [] : await readOutages(context, named.service.slug)
  if (isRefusal(outages)) return outages
  // after the wait, so that the reading is current
  const options = readOptions(context)
  const status = statusOf(context, named, null, options)
  if (named.service === null) return { ...status, incidents: [] }
  const incidents = outages
    .slice(0, pastOutagesMax)
    .map((outage) => describeOutage(outage, noVendorPosts, options.nowMs))
  const summary = outagesSummary(named.service.name, incidents, status.summary, options)
  return { ...status, incidents, summary }
}

/**
 * The past outages in one sentence, followed by the current result of our own probes. "No outage" is a claim
 * about our readings, never about the service.
 * @param outages newest first
 * @param probes the summary of the service's status
 */
export const outagesSummary = (
  name: string,
  outages: readonly PastOutage[],
  probes: string,
  evidence: Pick<Evidence, 'vantage'>,
): string =>
  withVantage(evidence, `${outagesClause(name, outages)}; our own probes: ${withoutVantage(probes)}`)

const outagesClause = (name: string, outages: readonly PastOutage[]): string => {
  const [last] = outages
  if (last === undefined) return `We saw no outage of ${name} in the stored readings`
  const gap =
    last.unmeasuredSeconds === 0 ? '' : `; no data for ${durationText(last.unmeasuredSeconds * 1000)} of it`
  const began = `${minuteOf(last.startedAt)} (${list(last.regions)}${gap})`
  if (last.ongoing) {
    const before = outages.length === 1 ? '' : `, and we saw ${countOf(outages, 1)} before it`
    return `An outage of ${name} has been under way since ${began}${before}`
  }
  const lasted = `and lasted ${durationText(last.durationSeconds * 1000)}`
  return outages.length === 1
    ? `We saw 1 outage of ${name}, which began ${began} ${lasted}`
    : `We saw ${countOf(outages, 0)} outages of ${name}; the last began ${began} ${lasted}`
}

/** Adds "at least" if the list is full, because there may be more. */
const countOf = ({ length }: readonly PastOutage[], without: number): string =>
  `${length === pastOutagesMax ? 'at least ' : ''}${length - without}`
