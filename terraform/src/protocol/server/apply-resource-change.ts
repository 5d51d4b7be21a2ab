import { bugAt, hasErrors } from '../diagnostic.ts'
import { settleState } from '../plan/settle-state.ts'
import type { Applied, CallContext, Resource } from '../resource.ts'
import type { Schema } from '../schema.ts'
import { toObject, type ObjectValue } from '../value.ts'
import type { DynamicValue, ProviderHandlers, Request, Response } from '../wire/messages.ts'
import { answer, diagnosticOf, toMessages } from './answer.ts'
import {
  clientOf,
  contextOf,
  decodeConfig,
  decodeObject,
  encodeObject,
  resourceOf,
  type Session,
} from './session.ts'

type Call = 'applyResourceChange'
type Change = { prior: ObjectValue | null; planned: ObjectValue | null }

/** Creates, updates or removes as planned. With errors the state is what exists, never the plan. */
export const applyResourceChange =
  <Client>(session: Session<Client>): ProviderHandlers[Call] =>
  (request, call) => {
    const context = contextOf(session, call)
    const { priorState, plannedPrivate } = request
    const asItWas = { newState: priorState, private: plannedPrivate }
    return answer<Response<Call>>(context, asItWas, () => apply(session, request, context))
  }

const apply = async <Client>(
  session: Session<Client>,
  { typeName, priorState, plannedState, plannedPrivate, config }: Request<Call>,
  context: CallContext,
): Promise<Response<Call>> => {
  const resource = resourceOf(session, typeName)
  const { schema } = resource
  const prior = decodeObject(session, { schema, what: 'prior state' }, priorState)
  const planned = decodeObject(session, { schema, what: 'planned state' }, plannedState)
  const written = planned === null ? null : withWriteOnly(session, schema, planned, config)
  const applied = await carryOut(resource, clientOf(session), { prior, planned: written }, context)
  const isFailed = hasErrors(applied.diagnostics)
  // the next read finds what a half-failed update has changed
  const answered = isFailed && prior !== null ? prior : applied.state
  const diagnostics = [...applied.diagnostics]
  let state: ObjectValue | null = null
  if (answered !== null) {
    const settled = settleState(schema, answered, { promised: planned, prior, isFailed })
    diagnostics.push(...settled.problems)
    state = settled.state
  } else if (planned !== null && !isFailed) {
    diagnostics.push(bugAt([], `A ${typeName} was created without a state.`))
  }
  return {
    newState: encodeObject(session, schema, state),
    private: applied.private ?? plannedPrivate,
    diagnostics: toMessages(diagnostics),
  }
}

/** The plan with the values that only the configuration has. */
const withWriteOnly = (
  session: Session<unknown>,
  schema: Schema,
  planned: ObjectValue,
  encoded: DynamicValue | null,
): ObjectValue => {
  const names = Object.entries(schema.attributes).flatMap(([name, each]) => (each.isWriteOnly ? name : []))
  if (names.length === 0) return planned
  const config = decodeConfig(session, schema, encoded)
  return toObject([...Object.entries(planned), ...names.map((name) => [name, config[name] ?? null] as const)])
}

/** An exception of the resource fails the call; the prior object still exists. */
const carryOut = async <Client>(
  resource: Resource<Client>,
  client: Client,
  { prior, planned }: Change,
  context: CallContext,
): Promise<Applied> => {
  try {
    if (planned === null) {
      if (prior === null) return { state: null, diagnostics: [] }
      const diagnostics = await resource.remove(client, prior, context)
      return { state: null, diagnostics }
    }
    if (prior === null) return await resource.create(client, planned, context)
    return await resource.update(client, prior, planned, context)
  } catch (error) {
    return { state: null, diagnostics: [diagnosticOf(context, error)] }
  }
}
