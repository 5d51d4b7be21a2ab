import { hasErrors, type Diagnostic } from '../diagnostic.ts'
import { planChange } from '../plan/plan-change.ts'
import type { CallContext, PlannedChange, Resource } from '../resource.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toAttributePath, toMessages } from './answer.ts'
import { contextOf, decodeConfig, decodeObject, encodeObject, resourceOf, type Session } from './session.ts'

/** Plans a change; a resource to be destroyed is planned as null. */
export const planResourceChange =
  <Client>(session: Session<Client>): ProviderHandlers['planResourceChange'] =>
  (request, call) => {
    const { typeName, priorState, proposedNewState, priorPrivate } = request
    const context = contextOf(session, call)
    return answer<Response<'planResourceChange'>>(context, {}, async () => {
      const resource = resourceOf(session, typeName)
      const { schema } = resource
      const prior = decodeObject(session, { schema, what: 'prior state' }, priorState)
      const proposed = decodeObject(session, { schema, what: 'proposed state' }, proposedNewState)
      if (proposed === null) {
        return { plannedState: encodeObject(session, schema, null), plannedPrivate: priorPrivate }
      }
      const config = decodeConfig(session, schema, request.config)
      const plan = planChange(resource, { config, prior, proposed, private: priorPrivate })
      const change = { config, prior, planned: plan.planned, private: plan.private }
      const said = hasErrors(plan.diagnostics) ? [] : await reviewOf(session, resource, change, context)
      return {
        plannedState: encodeObject(session, schema, plan.planned),
        requiresReplace: plan.replaces.map(toAttributePath),
        plannedPrivate: plan.private,
        diagnostics: toMessages([...plan.diagnostics, ...said]),
      }
    })
  }

/** Without an answer of the service there is no review, and the plan stands. */
const reviewOf = async <Client>(
  { client }: Session<Client>,
  resource: Resource<Client>,
  change: PlannedChange,
  context: CallContext,
): Promise<Diagnostic[]> => {
  if (client === null || resource.review === undefined) return []
  try {
    return await resource.review(client, change, context)
  } catch (error) {
    context.log('warn', `No review of ${resource.name}: ${String(error)}`)
    return []
  }
}
