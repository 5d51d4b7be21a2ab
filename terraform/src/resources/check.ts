import type { Check } from '@probe-mesh/contracts/check/check'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { hasErrors } from '../protocol/diagnostic.ts'
import type { Applied, CallContext, Resource } from '../protocol/resource.ts'
import { toObject, unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { planCheck, rememberRegions } from './check-plan.ts'
import { holdCheck, reviewCheck } from './check-review.ts'
import { assertionNames, checkSchema as schema, assertionsBody, createBody, toState } from './check-schema.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { idsOf, importById, objectCalls, upgrades } from './object-calls.ts'
import { bodyValue, isSame, settle, textOf, valueOf } from './settle.ts'

const { applied, read, removed } = objectCalls<Check>(schema, toState, rememberRegions)

export const check: Resource<Api> = {
  name: 'service_check',
  schema,
  upgrades,
  validate: async (config) => (await import('./check-rules.ts')).validateCheck(config),
  plan: planCheck,
  review: reviewCheck,
  create: async (api, planned, context) => {
    const answer = await api.call('createCheck', { body: createBody(planned) }, context)
    if (answer.ok) api.held.add(answer.value.id)
    return applied(answer, 'The check was not created', null, planned)
  },
  read: async (api, state, context) => {
    const id = textOf(state, 'id')
    const found = await read(state, 'The check could not be read', context, {
      id,
      list: api.checks,
      get: (asking) => api.call('getCheck', { params: { id } }, asking),
    })
    if (!hasErrors(found.diagnostics)) {
      holdCheck(api, found.state ?? state, { isLost: found.state === null })
    }
    return found
  },
  update: async (api, prior, planned, context) => {
    const moved = await updateRegions(api, prior, planned, context)
    if (moved.diagnostics.length > 0 || moved.state === null) return moved
    if (Object.keys(assertionNames).every((name) => isUnchanged(prior, planned, name))) {
      return { ...moved, state: settle(schema, planned, moved.state) }
    }
    const answer = await api.call(
      'updateCheckAssertions',
      { params: { id: textOf(prior, 'id') }, body: assertionsBody(planned) },
      context,
    )
    return applied(answer, 'The assertions were not changed', moved.state, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteCheck', { params }, context)
    return removed(answer, 'The check was not deleted')
  },
  importState: importById(schema, 'check'),
  suggestIds: async (api, text, context) => idsOf(await api.checks(context), text, (each) => [each.name]),
}

/** Changes the regions first. If the assertions then fail, the state has the new regions. */
const updateRegions = async (
  api: Api,
  prior: ObjectValue,
  planned: ObjectValue,
  context: CallContext,
): Promise<Applied> => {
  const undone = 'The regions were not changed'
  if (isUnchanged(prior, planned, 'regions')) return { state: prior, diagnostics: [] }
  const regions = await chosenRegions(api, valueOf(planned, 'regions'), context)
  if (!regions.ok) {
    return { state: prior, diagnostics: failureDiagnostics(schema, undone, regions.failure) }
  }
  const call = { params: { id: textOf(prior, 'id') }, body: { regions: regions.value } }
  const answer = await api.call('updateCheckRegions', call, context)
  const after = toObject([...Object.entries(prior), ['regions', valueOf(planned, 'regions')]])
  return applied(answer, undone, prior, after)
}

/** A check on every live region has `allRegions` (S-206). */
const chosenRegions = async (api: Api, planned: Value, context: CallContext): Promise<Answer<string[]>> => {
  if (planned !== unknown) return { ok: true, value: bodyValue(planned) as string[] }
  const me = await api.call('getMe', {}, context)
  return me.ok ? { ok: true, value: me.value.regions } : me
}

const isUnchanged = (prior: ObjectValue, planned: ObjectValue, name: string): boolean =>
  isSame(valueOf(prior, name), valueOf(planned, name), name === 'regions')
