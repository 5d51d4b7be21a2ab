import type { RegionalReadingsAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './read-at.ts'

/** Every current reading of a service, with whether it is fresh (S-1225). */
export const getRegionalReadings = (
  context: AnswersContext,
  { params }: AnswerInput<'getRegionalReadings'>,
): RegionalReadingsAnswer => {
  const named = nameService(context, params.slug)
  const { regions, ...status } = statusOf(context, named, null, readAt(context))
  return { ...status, readings: regions }
}
