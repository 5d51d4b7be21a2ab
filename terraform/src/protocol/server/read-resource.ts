import { hasErrors } from '../diagnostic.ts'
import { settleState } from '../plan/settle-state.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer } from './answer.ts'
import { toMessages } from './diagnostic-message.ts'
import { clientOf, contextOf, decodeObject, encodeObject, resourceOf } from './session.ts'
import type { Session } from './session.ts'

/**
 * An object as it is now; null: it is gone, and is planned for creation. Where it cannot be read the
 * state stays as it was.
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
