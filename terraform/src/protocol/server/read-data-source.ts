import { bugAt, hasErrors } from '../diagnostic.ts'
import { settleState } from '../plan/settle-state.ts'
import type { Schema } from '../schema.ts'
import { toObject, unknown } from '../value.ts'
import type { ObjectValue } from '../value.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer } from './answer.ts'
import { toMessages } from './diagnostic-message.ts'
import { clientOf, contextOf, dataSourceOf, decodeConfig, encodeObject } from './session.ts'
import type { Session } from './session.ts'

/** What is there, with what the configuration says of it as it says it. */
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
        const bug = bugAt([], `A ${source.name} was read, and no state came of it.`)
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

/** A configuration promises what it sets, and of what is computed nothing. */
const promisedBy = ({ attributes }: Schema, config: ObjectValue): ObjectValue =>
  toObject(
    Object.entries(attributes).map(([name, { presence }]) => {
      const isComputed = presence === 'computed' || presence === 'optional_computed'
      const value = config[name] ?? null
      return [name, value === null && isComputed ? unknown : value]
    }),
  )
