import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/create-api.ts'
import type { Answer } from '../api/failure.ts'
import { findOne } from '../api/find-one.ts'
import type { Applied, Resource } from '../protocol/resource.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { failureDiagnostics } from './failure-diagnostics.ts'
import { importById, settle, textOf, asBefore } from './settle.ts'
import {
  pageSchema as schema,
  pageBody,
  pageChanges,
  planPage,
  toPageState,
} from './page-schema.ts'

export const statusPage: Resource<Api> = {
  name: 'service_status_page',
  schema,
  upgrades: asBefore,
  plan: planPage,
  create: async (api, planned, context) => {
    const answer = await api.call('createStatusPage', { body: pageBody(planned) }, context)
    return toApplied(answer, 'The status page was not created', null, planned)
  },
  read: async (api, state, context) => {
    const id = textOf(state, 'id')
    const found = await findOne(id, context, {
      list: api.statusPages,
      get: (asking) => api.call('getStatusPage', { params: { id } }, asking),
    })
    if (found.ok) {
      return { state: found.value === null ? null : toPageState(found.value), diagnostics: [] }
    }
    const undone = 'The status page could not be read'
    return { state, diagnostics: failureDiagnostics(schema, undone, found.failure) }
  },
  update: async (api, prior, planned, context) => {
    const call = { params: { id: textOf(prior, 'id') }, body: pageChanges(prior, planned) }
    const answer = await api.call('updateStatusPage', call, context)
    return toApplied(answer, 'The status page was not changed', prior, planned)
  },
  remove: async (api, prior, context) => {
    const params = { id: textOf(prior, 'id') }
    const answer = await api.call('deleteStatusPage', { params }, context)
    if (answer.ok) return []
    return failureDiagnostics(schema, 'The status page was not deleted', answer.failure)
  },
  importState: importById(schema, 'status page'),
}

const toApplied = (
  answer: Answer<StatusPage>,
  undone: string,
  before: ObjectValue | null,
  planned: ObjectValue,
): Applied =>
  answer.ok
    ? { state: settle(schema, planned, toPageState(answer.value)), diagnostics: [] }
    : { state: before, diagnostics: failureDiagnostics(schema, undone, answer.failure) }
