import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/create-api.ts'
import type { PlannedChange, PlanRule, Resource } from '../protocol/resource.ts'
import { toObject, unknown, type ObjectValue } from '../protocol/value.ts'
import { idsOf, importById, objectCalls, upgrades } from './object-calls.ts'
import { pageFields, pageSchema as schema, toPageState } from './status-page-schema.ts'
import { bodyValue, isSame, textOf, valueOf } from './settle.ts'

type Body = RouteCall<'createStatusPage'>['body']

const { applied, read, removed } = objectCalls<StatusPage>(schema, toPageState)

/** The path and the URL of a page follow from its slug, so they stay known while the slug stays. */
const planPage = ({ prior, planned }: PlannedChange): PlanRule => {
  if (prior === null || valueOf(prior, 'slug') !== valueOf(planned, 'slug')) return { planned }
  const keep = (name: string) => {
    const value = valueOf(planned, name)
    return [name, value === unknown ? valueOf(prior, name) : value] as const
  }
  return { planned: toObject([...Object.entries(planned), keep('path'), keep('url')]) }
}

/** The schema checks the type of each value; the API checks everything else. */
const bodyOf = (planned: ObjectValue, fields: readonly (readonly [string, string])[]): object =>
  Object.fromEntries(fields.map(([name, field]) => [field, bodyValue(valueOf(planned, name))]))

const allFields = Object.entries(pageFields)

export const statusPage: Resource<Api> = {
  name: 'service_status_page',
  schema,
  upgrades,
  validate: async (config) => (await import('./status-page-rules.ts')).validatePage(config),
  plan: planPage,
  create: async (api, planned, context) => {
    const body = bodyOf(planned, allFields) as Body
    const answer = await api.call('createStatusPage', { body }, context)
    return applied(answer, 'The status page was not created', null, planned)
  },
  read: (api, state, context) => {
    const id = textOf(state, 'id')
    return read(state, 'The status page could not be read', context, {
      id,
      list: api.statusPages,
      get: (asking) => api.call('getStatusPage', { params: { id } }, asking),
    })
  },
  update: async (api, prior, planned, context) => {
    const changed = allFields.filter(([name]) => !isSame(valueOf(prior, name), valueOf(planned, name)))
    const call = { params: { id: textOf(prior, 'id') }, body: bodyOf(planned, changed) }
    const answer = await api.call('updateStatusPage', call, context)
    return applied(answer, 'The status page was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteStatusPage', { params }, context)
    return removed(answer, 'The status page was not deleted')
  },
  importState: importById(schema, 'status page'),
  suggestIds: async (api, text, context) =>
    idsOf(await api.statusPages(context), text, (each) => [each.name, each.slug]),
}
