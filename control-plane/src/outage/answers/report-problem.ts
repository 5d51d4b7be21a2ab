import type { ReportReceipt, ReportVolumeAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { reportSummary, reportVolume } from '../unusual-reports.ts'
import type { NamedService } from './named-service.ts'
import { readAt } from './context.ts'

/**
 * Counts one visitor's report. The visitor names the region, or it is `unknown` (S-1307); one that nothing is
 * measured from counts as `unknown` too, so that regions cannot be made up without end.
 * @param address the visitor's, for one report in a quarter of an hour
 */
export const reportProblem = (
  context: AnswersContext,
  { params, body }: AnswerInput<'reportProblem'>,
  address: string,
): ReportReceipt => {
  const named = nameService(context, params.slug)
  const region = context.regions.includes(body.region) ? body.region : 'unknown'
  const counted =
    named.service !== null && context.reports.record({ slug: named.service.slug, region, address })
  return { counted, ...reportsBesideStatus(context, named) }
}

/**
 * What people report of a service, always beside what our own probes read: the status is decided
 * first and by itself, since reports decide nothing (S-1310). Of what is not covered there
 * are no reports.
 */
export const reportsBesideStatus = (context: AnswersContext, named: NamedService): ReportVolumeAnswer => {
  const how = readAt(context)
  const status = statusOf(context, named, null, how)
  if (named.service === null) return { ...status, reports: reportVolume([], [], how.nowMs) }
  const { slug } = named.service
  const { reports: counts } = context
  const reports = reportVolume(counts.minutesOf(slug), counts.usualOf(slug), how.nowMs)
  return { ...status, reports, summary: reportSummary(reports, status.summary) }
}
