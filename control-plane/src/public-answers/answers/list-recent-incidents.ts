import {
  pastOutagesMax,
  type RecentIncidentsAnswer,
  type Evidence,
  type PastOutage,
} from '@probe-mesh/contracts/outage/answers'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { ServiceHistory } from '@probe-mesh/contracts/outage/service-page'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { describeOutage, noVendorPosts, type Outage } from '../past-outages.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { resolveService, statusOf } from './named-service.ts'
import { reconcileOutages } from '../reconcile-outages.ts'
import { durationText } from '../../status/duration-text.ts'
import { ofOurProbes, withVantage, list, minuteOf } from '../sentence.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

const retryAfterSeconds = 5

/**
 * The past outages of a service, reconciled with its current status. SV-9002 while ClickHouse is unavailable:
 * an empty list would claim that there were no outages.
 * @throws all other errors: a statement that ClickHouse refuses is our bug
 */
const readOutages = async (
  { outagesOf, historyOf, observed }: Pick<AnswersContext, 'outagesOf' | 'historyOf' | 'observed'>,
  slug: string,
): Promise<{ outages: readonly Outage[]; isMeasured: boolean } | Refusal> => {
  try {
    const outages = reconcileOutages(await outagesOf(slug), observed.healthOf(slug))
    const isMeasured = outages.length > 0 || observed.healthOf(slug).upIn.length > 0
    return { outages, isMeasured: isMeasured || hasMeasured(await historyOf(slug)) }
  } catch (error) {
    if (!isStoreRefusing(error)) throw error
    return refuse('SV-9002', { retryAfterSeconds })
  }
}

const daysBack = 30

const hasMeasured = ({ days }: ServiceHistory): boolean =>
  days.slice(-daysBack).some(({ upShare }) => upShare !== null)

/** Past outages of a catalog service, with the current reading (S-1220). */
export const listRecentIncidents = async (
  context: AnswersContext,
  { params }: AnswerInput<'listRecentIncidents'>,
): Promise<RecentIncidentsAnswer | Refusal> => {
  const named = resolveService(context, params.slug)
  const found = named.service === null ? noOutages : await readOutages(context, named.service.slug)
  if (isRefusal(found)) return found
  // after the wait, so that the reading is current
  const options = readOptions(context)
  const status = statusOf(context, named, null, options)
  if (named.service === null) return { ...status, incidents: [] }
  const incidents = found.outages
    .slice(0, pastOutagesMax)
    .map((outage) => describeOutage(outage, noVendorPosts, options.nowMs))
  const past = outagesClause(named.service.name, incidents, found.isMeasured)
  const summary = outagesSummary(past, status.summary, options)
  return { ...status, incidents, summary }
}

const noOutages = { outages: [], isMeasured: false } as const

/**
 * The past outages in one sentence, followed by the current result of our own probes.
 * @param past from `outagesClause`
 * @param probes the summary of the service's status
 */
export const outagesSummary = (past: string, probes: string, evidence: Pick<Evidence, 'vantage'>): string =>
  withVantage(evidence, `${past}; ${ofOurProbes(probes, true)}`)

/**
 * "No outage" is a claim about our readings, never about the service.
 * @param outages newest first
 * @param isMeasured whether any stored reading found the service up or down
 */
export const outagesClause = (name: string, outages: readonly PastOutage[], isMeasured: boolean): string => {
  const [last] = outages
  if (last === undefined) {
    return isMeasured
      ? `We saw no outage of ${name} in the stored readings`
      : `Nothing was measured of ${name} in the last ${daysBack} days, so its outages are not known`
  }
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
