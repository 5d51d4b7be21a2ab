import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/create-api.ts'
import type { CallContext, Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { toObject, unknown, type ObjectValue } from '../protocol/value.ts'
import { idsOf, importByPage, objectCalls, upgrades } from './object-calls.ts'
import { anId } from './rules.ts'
import { asWritten, textOf, valueOf } from './settle.ts'

const schema: Schema = {
  version: 1,
  description:
    'Publishes a check on a status page. Destroying it unpublishes the check, which keeps running. A monitor bound to the Monitor agent is private and cannot be published. Import it as `<status_page_id>/<component_id>`.',
  attributes: {
    id: {
      type: 'string',
      presence: 'computed',
      description: 'The id of the component, a UUID.',
      keeps: true,
    },
    status_page_id: {
      type: 'string',
      presence: 'required',
      description: 'The status page. Changing it replaces the component.',
      replaces: true,
      validate: anId,
    },
    check_id: {
      type: 'string',
      presence: 'required',
      description: 'The check, of any type. Changing it replaces the component.',
      replaces: true,
      validate: anId,
    },
    display_name: {
      type: 'string',
      presence: 'optional_computed',
      description: 'The name on the page. Defaults to the name of the check at creation.',
      keeps: true,
    },
    description: {
      type: 'string',
      presence: 'optional',
      description: 'A plain text shown with the component.',
    },
  },
}

const toState = (component: Component, before: ObjectValue): ObjectValue =>
  toObject([
    ['id', component.id],
    ['status_page_id', asWritten(valueOf(before, 'status_page_id'), component.statusPageId)],
    ['check_id', asWritten(valueOf(before, 'check_id'), component.checkId)],
    ['display_name', component.displayName],
    ['description', component.description],
  ])

const { applied, read, removed } = objectCalls(schema, toState)

/** Destroying it unpublishes the check, which keeps running (S-1707). */
export const statusPageComponent: Resource<Api> = {
  name: 'service_status_page_component',
  schema,
  upgrades,
  validate: async (config) => (await import('./status-page-rules.ts')).validateComponent(schema, config),
  create: async (api, planned, context) => {
    const body = { checkId: textOf(planned, 'check_id'), ...shownAs(planned) }
    const params = { id: textOf(planned, 'status_page_id') }
    const answer = await api.call('createComponent', { params, body }, context)
    return applied(answer, 'The check was not published', null, planned)
  },
  read: (api, state, context) => {
    const params = paramsOf(state)
    return read(state, 'The component could not be read', context, {
      id: params.componentId,
      list: (asking) => api.components(params.id, asking),
      get: (asking) => api.call('getComponent', { params }, asking),
    })
  },
  update: async (api, prior, planned, context) => {
    const call = { params: paramsOf(prior), body: shownAs(planned) }
    const answer = await api.call('updateComponent', call, context)
    return applied(answer, 'The component was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const answer = await api.call('deleteComponent', { params: paramsOf(prior) }, context)
    return removed(answer, 'The check was not unpublished')
  },
  importState: importByPage(schema),
  suggestIds: (api, text, context) => suggestComponents(api, text, context),
}

/** For `<slug>/<name>`, or either of them by its id. */
const suggestComponents = async (api: Api, text: string, context: CallContext): Promise<string[]> => {
  const [page = '', name = ''] = text.split('/')
  const pages = await api.statusPages(context)
  const found = pages.ok
    ? pages.value.find((each) => [each.id, each.slug, each.name].includes(page))
    : undefined
  if (found === undefined) return []
  const listed = await api.components(found.id, context)
  return idsOf(listed, name, (each) => [each.displayName, each.id]).map((id) => `${found.id}/${id}`)
}

const paramsOf = (state: ObjectValue): { id: string; componentId: string } => ({
  id: textOf(state, 'status_page_id'),
  componentId: textOf(state, 'id'),
})

const shownAs = (planned: ObjectValue): { displayName?: string; description: string | null } => {
  const name = valueOf(planned, 'display_name')
  return {
    ...(name === unknown || name === null ? {} : { displayName: String(name) }),
    description: valueOf(planned, 'description') === null ? null : textOf(planned, 'description'),
  }
}
