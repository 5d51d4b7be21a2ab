import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AnswerInput, AnswerOutput, AnswerRouteName } from '@probe-mesh/contracts/outage/answer-routes'
import { readOptions, type AnswersContext } from './context.ts'
import { getServicePage } from './get-service-page.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { listServices, listStacks } from './list-services.ts'
import { reportProblem, reportsWithStatus } from './report-problem.ts'
import type {
  ReportVolumeAnswer,
  RegionalReadingsAnswer,
  ServiceStatusAnswer,
} from '@probe-mesh/contracts/outage/answers'
import { resolveService, statusOf } from './named-service.ts'

/** The status of a service from fresh readings of our own probes. Reports do not change it (S-1202). */
export const isServiceDown = (
  context: AnswersContext,
  { params, query }: AnswerInput<'isServiceDown'>,
): ServiceStatusAnswer =>
  statusOf(context, resolveService(context, params.slug), query.region ?? null, readOptions(context))

/** The current readings of a service, each with its freshness (S-1225). */
export const getRegionalReadings = (
  context: AnswersContext,
  { params }: AnswerInput<'getRegionalReadings'>,
): RegionalReadingsAnswer => {
  const named = resolveService(context, params.slug)
  const { regions, ...status } = statusOf(context, named, null, readOptions(context))
  return { ...status, readings: regions }
}

/** The number of problem reports on a service, by region (S-1310). */
export const getReportVolume = (
  context: AnswersContext,
  { params }: AnswerInput<'getReportVolume'>,
): ReportVolumeAnswer => reportsWithStatus(context, resolveService(context, params.slug))

/** An operation of a keyless route. Most are synchronous. @param address the client's address */
type AnswerVerb<N extends AnswerRouteName> = (
  context: AnswersContext,
  input: AnswerInput<N>,
  address: string,
) => AnswerOutput<N> | Refusal | Promise<AnswerOutput<N> | Refusal>

/** The operations of the keyless routes. */
export const answerVerbs: { readonly [N in AnswerRouteName]: AnswerVerb<N> } = {
  listServices,
  listStacks,
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
