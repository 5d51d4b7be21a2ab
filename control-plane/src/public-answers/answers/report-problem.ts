import type { ReportReceipt, ReportVolumeAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import { readOptions, type AnswersContext } from './context.ts'
import { resolveService, statusOf, type NamedService } from './named-service.ts'
import { reportSummary, reportVolume } from '../unusual-reports.ts'

/**
 * Counts a visitor's report. The visitor names the region, or it is `unknown` (S-1307). A region that is not
 * live counts as `unknown`, so that invented regions do not accumulate.
 * @param address the visitor's address, which can report once in 15 minutes
 */
export const reportProblem = (
  context: AnswersContext,
  { params, body }: AnswerInput<'reportProblem'>,
  address: string,
): ReportReceipt => {
  const named = resolveService(context, params.slug)
  const region = context.regions.includes(body.region) ? body.region : 'unknown'
  const counted =
    named.service !== null && context.reports.record({ slug: named.service.slug, region, address })
  return { counted, ...reportsWithStatus(context, named) }
}

/**
 * The reports on a service, always with the status from our own probes. Reports do not influence the status
 * (S-1310). A service outside the catalog has no reports.
 */
export const reportsWithStatus = (context: AnswersContext, named: NamedService): ReportVolumeAnswer => {
  const options = readOptions(context)
  const status = statusOf(context, named, null, options)
  if (named.service === null) return { ...status, reports: reportVolume([], [], options.nowMs) }
  const { slug } = named.service
  const { reports: counts } = context
  const reports = reportVolume(counts.minutesOf(slug), counts.usualOf(slug), options.nowMs)
  return { ...status, reports, summary: reportSummary(reports, status.summary) }
}
