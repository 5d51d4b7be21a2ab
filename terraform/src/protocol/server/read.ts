import { hasErrors, bugAt } from '../diagnostic.ts'
import { settleState } from '../plan/settle-state.ts'
import type { Schema } from '../schema.ts'
import { toObject, unknown, type ObjectValue } from '../value.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
import {
  clientOf,
  contextOf,
  decodeObject,
  encodeObject,
  resourceOf,
  dataSourceOf,
  decodeConfig,
  type Session,
} from './session.ts'

/**
 * Reads an object. null: it is gone, and Terraform plans to create it. When the read fails, the state stays
 * as it was.
 */
export const readResource =
  <Client>(session: Session<Client>): ProviderHandlers['readResource'] =>
  (request, call) => {
    const { typeName, currentState } = request
    const context = contextOf(session, call)
    const asItWas = { newState: currentState, private: request.private }
    return answer<Response<'readResource'>>(context, asItWas, async () => {
      const resource = resourceOf(session, typeName)
      const { schema } = resource
      const state = decodeObject(session, { schema, what: 'state' }, currentState)
      if (state === null) return asItWas
      const read = await resource.read(clientOf(session), state, context)
      if (hasErrors(read.diagnostics)) {
        return { ...asItWas, diagnostics: toMessages(read.diagnostics) }
      }
      const expected = { promised: null, prior: state, isFailed: false }
      const settled = read.state === null ? null : settleState(schema, read.state, expected)
      return {
        newState: encodeObject(session, schema, settled?.state ?? null),
        private: read.private ?? request.private,
        diagnostics: toMessages([...read.diagnostics, ...(settled?.problems ?? [])]),
      }
    })
  }

/** Reads a data source; configured values are kept as written. */
export const readDataSource =
  <Client>(session: Session<Client>): ProviderHandlers['readDataSource'] =>
  (request, call) => {
    const context = contextOf(session, call)
    return answer<Response<'readDataSource'>>(context, {}, async () => {
      const source = dataSourceOf(session, request.typeName)
      const { schema } = source
      const config = decodeConfig(session, schema, request.config)
      const { state, diagnostics } = await source.read(clientOf(session), config, context)
      if (hasErrors(diagnostics)) return { diagnostics: toMessages(diagnostics) }
      if (state === null) {
        const bug = bugAt([], `A ${source.name} was read without a state.`)
        return { diagnostics: toMessages([...diagnostics, bug]) }
      }
      const expected = { promised: promisedBy(schema, config), prior: null, isFailed: false }
      const settled = settleState(schema, state, expected)
      return {
        state: encodeObject(session, schema, settled.state),
        diagnostics: toMessages([...diagnostics, ...settled.problems]),
      }
    })
  }

/** The configuration fixes the attributes it sets; computed ones may have any value. */
const promisedBy = ({ attributes }: Schema, config: ObjectValue): ObjectValue =>
  toObject(
    Object.entries(attributes).map(([name, { presence }]) => {
      const isComputed = presence === 'computed' || presence === 'optional_computed'
      const value = config[name] ?? null
      return [name, value === null && isComputed ? unknown : value]
    }),
  )

/** The state that an import id gives. Terraform then reads the object, and reports one that does not exist. */
export const importResourceState =
  <Client>(session: Session<Client>): ProviderHandlers['importResourceState'] =>
  ({ typeName, id }, call) => {
    const context = contextOf(session, call)
    return answer<Response<'importResourceState'>>(context, {}, async () => {
      const resource = resourceOf(session, typeName)
      const imported = resource.importState(id)
      if ('diagnostics' in imported) {
        const ids = session.client === null ? [] : await resource.suggestIds?.(session.client, id, context)
        const hint = ids === undefined || ids.length === 0 ? '' : ` Did you mean ${ids.join(', or ')}?`
        return {
          diagnostics: toMessages(
            imported.diagnostics.map((each) => ({ ...each, detail: each.detail + hint })),
          ),
        }
      }
      const expected = { promised: null, prior: null, isFailed: false }
      const { state, problems } = settleState(resource.schema, imported.state, expected)
      const encoded = encodeObject(session, resource.schema, state)
      return {
        importedResources: [{ typeName, state: encoded, private: new Uint8Array() }],
        diagnostics: toMessages(problems),
      }
    })
  }
