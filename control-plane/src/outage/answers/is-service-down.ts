import type { ServiceStatusAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswerInput } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswersContext } from './context.ts'
import { nameService, statusOf } from './named-service.ts'
import { readAt } from './context.ts'

/** A service's status, from fresh readings of our own probes, whatever people report (S-1202). */
export const isServiceDown = (
  context: AnswersContext,
  { params, query }: AnswerInput<'isServiceDown'>,
): ServiceStatusAnswer =>
  statusOf(context, nameService(context, params.slug), query.region ?? null, readAt(context))
