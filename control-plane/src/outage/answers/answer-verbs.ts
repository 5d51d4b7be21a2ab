import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type {
  AnswerInput,
  AnswerOutput,
  AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { getRegionalReadings } from './get-regional-readings.ts'
import { getReportVolume } from './get-report-volume.ts'
import { getServicePage } from './get-service-page.ts'
import { getStack } from './get-stack.ts'
import { internetWeather } from './internet-weather.ts'
import { isServiceDown } from './is-service-down.ts'
import { isTheInternetDown } from './is-the-internet-down.ts'
import { listRecentIncidents } from './list-recent-incidents.ts'
import { listServices } from './list-services.ts'
import { reportProblem } from './report-problem.ts'

/** Most answer from memory, at once. @param address of the client */
export type AnswerVerb<N extends AnswerRouteName> = (
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
