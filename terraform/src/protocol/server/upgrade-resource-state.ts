import { errorAt } from '../diagnostic.ts'
import { typeOf } from '../schema.ts'
import { upgradeState } from '../state/upgrade-state.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer } from './answer.ts'
import { toMessages } from './diagnostic-message.ts'
import { contextOf, encodeObject, resourceOf, toObjectOrNull } from './session.ts'
import type { Session } from './session.ts'

/** Asked for every stored object before anything else is done with it. */
export const upgradeResourceState =
  (session: Session<unknown>): ProviderHandlers['upgradeResourceState'] =>
  ({ typeName, version, rawState }, call) =>
    answer<Response<'upgradeResourceState'>>(contextOf(session, call), {}, async () => {
      const resource = resourceOf(session, typeName)
      const { schema } = resource
      if (rawState === null || rawState.json.length === 0) {
        return refuse(`What is stored of this ${typeName} is of a Terraform before 0.12.`)
      }
      const { codec } = session
      const read = codec.parseStored(rawState.json)
      if (!read.ok) {
        return refuse(`What is stored of this ${typeName} cannot be read: ${read.problem.message}`)
      }
      const upgraded = upgradeState(resource, Number(version), read.stored)
      if (!upgraded.ok) return refuse(upgraded.problem)
      const decoded = codec.decodeStored(typeOf(schema), upgraded.stored)
      const state = toObjectOrNull('stored state', decoded)
      return { upgradedState: encodeObject(session, schema, state) }
    })

const refuse = (problem: string) => ({
  diagnostics: toMessages([errorAt([], 'Stored state cannot be used', problem)]),
})
