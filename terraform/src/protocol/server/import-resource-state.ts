import { settleState } from '../plan/settle-state.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer } from './answer.ts'
import { toMessages } from './diagnostic-message.ts'
import { contextOf, encodeObject, resourceOf } from './session.ts'
import type { Session } from './session.ts'

/** What an import id says; Terraform reads the object next, and says itself where there is none. */
export const importResourceState =
  (session: Session<unknown>): ProviderHandlers['importResourceState'] =>
  ({ typeName, id }, call) =>
    answer<Response<'importResourceState'>>(contextOf(session, call), {}, async () => {
      const resource = resourceOf(session, typeName)
      const imported = resource.importState(id)
      if ('diagnostics' in imported) return { diagnostics: toMessages(imported.diagnostics) }
      const expected = { promised: null, prior: null, isFailed: false }
      const { state, problems } = settleState(resource.schema, imported.state, expected)
      const encoded = encodeObject(session, resource.schema, state)
      return {
        importedResources: [{ typeName, state: encoded, private: new Uint8Array() }],
        diagnostics: toMessages(problems),
      }
    })
