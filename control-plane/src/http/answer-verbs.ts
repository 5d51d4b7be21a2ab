import type { Refusal } from '@probe-mesh/contracts/refusal'
import type {
  AnswerInput,
  AnswerOutput,
  AnswerRouteName,
} from '@probe-mesh/contracts/routes/answer-routes'
import type { AnswersContext } from '../answers/context.ts'
import { getRegionalReadings } from '../answers/get-regional-readings.ts'
import { getReportVolume } from '../answers/get-report-volume.ts'
import { getServicePage } from '../answers/get-service-page.ts'
import { getStack } from '../answers/get-stack.ts'
import { internetWeather } from '../answers/internet-weather.ts'
import { isServiceDown } from '../answers/is-service-down.ts'
import { isTheInternetDown } from '../answers/is-the-internet-down.ts'
import { listRecentIncidents } from '../answers/list-recent-incidents.ts'
import { listServices } from '../answers/list-services.ts'
import { reportProblem } from '../answers/report-problem.ts'

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
