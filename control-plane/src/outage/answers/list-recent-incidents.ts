import type { RecentIncidentsAnswer } from '@probe-mesh/contracts/outage/answers'
import { pastOutagesMax } from '@probe-mesh/contracts/outage/answers'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { describeOutage } from '../past-outages.ts'
import { outagesSummary } from '../outages-summary.ts'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './read-at.ts'
import { readOutages } from './read-outages.ts'

/** Nobody reads vendors' pages yet: how far ahead of them we were is not known. */
const noPosts: readonly number[] = []

/** Past outages of a catalog service, with the current reading (S-1220). */
export const listRecentIncidents = async (
  context: AnswersContext,
  { params }: AnswerInput<'listRecentIncidents'>,
): Promise<RecentIncidentsAnswer | Refusal> => {
  const named = nameService(context, params.slug)
  const outages = named.service === null ? [] : await readOutages(context, named.service.slug)
  if (isRefusal(outages)) return outages
  // after the wait, so that the current reading is one
  const how = readAt(context)
  const status = statusOf(context, named, null, how)
  if (named.service === null) return { ...status, incidents: [] }
  const incidents = outages
    .slice(0, pastOutagesMax)
    .map((outage) => describeOutage(outage, noPosts, how.nowMs))
  const summary = outagesSummary(named.service.name, incidents, status.summary, how)
  return { ...status, incidents, summary }
}
