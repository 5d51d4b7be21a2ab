import type { Component } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { findOne } from '../api/find-one.ts'
import type { Applied, Resource } from '../protocol/resource.ts'
import type { Schema } from '../protocol/schema.ts'
import { toObject, unknown } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { importByPage, asWritten, settle, textOf, valueOf, asBefore } from './settle.ts'
import { anId } from './rules.ts'

const schema: Schema = {
  version: 1,
  description:
    'Publishes a check on a status page. Destroying it unpublishes the check, which keeps running. A monitor bound to the Monitor agent is private and cannot be published. It is imported as `<status_page_id>/<component_id>`.',
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
      description: 'The page. Changing it publishes the check anew.',
      replaces: true,
      validate: anId,
    },
    check_id: {
      type: 'string',
      presence: 'required',
      description: 'The check, of any type. Changing it makes another component.',
      replaces: true,
      validate: anId,
    },
    display_name: {
      type: 'string',
      presence: 'optional_computed',
      description: 'What the page calls it; left out on creation, the name of the check.',
      keeps: true,
    },
    description: {
      type: 'string',
      presence: 'optional',
      description: 'A text beside it, shown as text.',
    },
  },
}

/** Destroying it unpublishes the check, which keeps running (S-1707). */
export const statusPageComponent: Resource<Api> = {
  name: 'service_status_page_component',
  schema,
  upgrades: asBefore,
  create: async (api, planned, context) => {
    const body = { checkId: textOf(planned, 'check_id'), ...shownAs(planned) }
    const params = { id: textOf(planned, 'status_page_id') }
    const answer = await api.call('createComponent', { params, body }, context)
    return toApplied(answer, 'The check was not published', null, planned)
  },
  read: async (api, state, context) => {
    const params = paramsOf(state)
    const found = await findOne(params.componentId, context, {
      list: (asking) => api.components(params.id, asking),
      get: (asking) => api.call('getComponent', { params }, asking),
    })
    if (found.ok) {
      return { state: found.value === null ? null : toState(found.value, state), diagnostics: [] }
    }
    const undone = 'The component could not be read'
    return { state, diagnostics: failureDiagnostics(schema, undone, found.failure) }
  },
  update: async (api, prior, planned, context) => {
    const call = { params: paramsOf(prior), body: shownAs(planned) }
    const answer = await api.call('updateComponent', call, context)
    return toApplied(answer, 'The component was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const answer = await api.call('deleteComponent', { params: paramsOf(prior) }, context)
    if (answer.ok) return []
    return failureDiagnostics(schema, 'The check was not unpublished', answer.failure)
  },
  importState: importByPage(schema),
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

const toState = (component: Component, before: ObjectValue): ObjectValue =>
  toObject([
    ['id', component.id],
    ['status_page_id', asWritten(valueOf(before, 'status_page_id'), component.statusPageId)],
    ['check_id', asWritten(valueOf(before, 'check_id'), component.checkId)],
    ['display_name', component.displayName],
    ['description', component.description],
  ])

const toApplied = (
  answer: Answer<Component>,
  undone: string,
  before: ObjectValue | null,
  planned: ObjectValue,
): Applied =>
  answer.ok
    ? { state: settle(schema, planned, toState(answer.value, planned)), diagnostics: [] }
    : { state: before, diagnostics: failureDiagnostics(schema, undone, answer.failure) }
