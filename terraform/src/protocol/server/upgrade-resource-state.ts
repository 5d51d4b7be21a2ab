import { errorAt } from '../diagnostic.ts'
import type { Resource } from '../resource.ts'
import { typeOf } from '../schema.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
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

type Upgraded =
  | { ok: true; stored: unknown }
  /** Why what is stored cannot be read, and what to do. */
  | { ok: false; problem: string }

/**
 * What is stored of an object, as the version of now would have stored it. Terraform asks for every
 * object, also where the version is the same: what the schema has no more is left to the decoder.
 * @param version of the schema that wrote it
 * @param stored as parsed JSON
 */
export const upgradeState = (
  { name, schema, upgrades = {} }: Pick<Resource<unknown>, 'name' | 'schema' | 'upgrades'>,
  version: number,
  stored: unknown,
): Upgraded => {
  if (version > schema.version) {
    const problem = `This ${name} was written by a newer provider (its schema version is ${version}, and this provider knows up to ${schema.version}): use that one, or a newer one.`
    return { ok: false, problem }
  }
  if (stored === null) return { ok: true, stored: null }
  let at = version
  let upgraded = stored
  while (at < schema.version && isRecord(upgraded)) {
    const upgrade = upgrades[at]
    if (upgrade === undefined) {
      return { ok: false, problem: `No provider wrote a ${name} of schema version ${at}.` }
    }
    upgraded = upgrade(upgraded)
    at += 1
  }
  return isRecord(upgraded)
    ? { ok: true, stored: upgraded }
    : { ok: false, problem: `What is stored of this ${name} is no object.` }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
