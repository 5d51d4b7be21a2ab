import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput, AnswerOutput, AnswerRouteName } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { getServicePage } from './get-service-page.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { listServices } from './list-services.ts'
import { reportProblem, reportsBesideStatus } from './report-problem.ts'
import type {
  ReportVolumeAnswer,
  RegionalReadingsAnswer,
  ServiceStatusAnswer,
} from '@probe-mesh/contracts/outage/answers'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './context.ts'

/** A service's status from fresh readings of our own probes. Reports do not change it (S-1202). */
export const isServiceDown = (
  context: AnswersContext,
  { params, query }: AnswerInput<'isServiceDown'>,
): ServiceStatusAnswer =>
  statusOf(context, nameService(context, params.slug), query.region ?? null, readAt(context))

/** Every current reading of a service, with whether it is fresh (S-1225). */
export const getRegionalReadings = (
  context: AnswersContext,
  { params }: AnswerInput<'getRegionalReadings'>,
): RegionalReadingsAnswer => {
  const named = nameService(context, params.slug)
  const { regions, ...status } = statusOf(context, named, null, readAt(context))
  return { ...status, readings: regions }
}

/** How many people report problems with a service, and from where (S-1310). */
export const getReportVolume = (
  context: AnswersContext,
  { params }: AnswerInput<'getReportVolume'>,
): ReportVolumeAnswer => reportsBesideStatus(context, nameService(context, params.slug))

/** Most answer from memory, at once. @param address of the client */
type AnswerVerb<N extends AnswerRouteName> = (
  context: AnswersContext,
  input: AnswerInput<N>,
  address: string,
) => AnswerOutput<N> | Refusal | Promise<AnswerOutput<N> | Refusal>

/** What each keyless route does. */
export const answerVerbs: { readonly [N in AnswerRouteName]: AnswerVerb<N> } = {
  listServices,
  isServiceDown,
  getRegionalReadings,
  getReportVolume,
  reportProblem,
  listRecentIncidents,
  getServicePage,
  getStack,
  internetWeather,
  isTheInternetDown,
}
