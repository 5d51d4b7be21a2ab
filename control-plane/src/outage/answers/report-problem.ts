import type { ReportReceipt } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService } from './named-service.ts'
import { reportsBesideStatus } from './reports-beside-status.ts'

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
    named.service !== null && context.reports.take({ slug: named.service.slug, region, address })
  return { counted, ...reportsBesideStatus(context, named) }
}
