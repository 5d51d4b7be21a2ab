import type { RegionalReadingsAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './read-at.ts'

/** "Regional readings" (specification): every current reading of a service, stale ones said to be. */
export const getRegionalReadings = (
  context: AnswersContext,
  { params }: AnswerInput<'getRegionalReadings'>,
): RegionalReadingsAnswer => {
  const named = nameService(context, params.slug)
  const { regions, ...status } = statusOf(context, named, null, readAt(context))
  return { ...status, readings: regions }
}
