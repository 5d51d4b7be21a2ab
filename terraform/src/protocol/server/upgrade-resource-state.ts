import { errorAt } from '../diagnostic.ts'
import type { Resource } from '../resource.ts'
import { typeOf } from '../schema.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
import { contextOf, encodeObject, resourceOf, toObjectOrNull, type Session } from './session.ts'

/** Upgrades a stored object. Terraform calls it for every object first. */
export const upgradeResourceState =
  (session: Session<unknown>): ProviderHandlers['upgradeResourceState'] =>
  ({ typeName, version, rawState }, call) =>
    answer<Response<'upgradeResourceState'>>(contextOf(session, call), {}, async () => {
      const resource = resourceOf(session, typeName)
      const { schema } = resource
      if (rawState === null || rawState.json.length === 0) {
        return refuse(`The stored state of this ${typeName} was written by Terraform older than 0.12.`)
      }
      const { codec } = session
      const read = codec.parseStored(rawState.json)
      if (!read.ok) {
        return refuse(`The stored state of this ${typeName} cannot be read: ${read.problem.message}`)
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
  /** Why the stored state cannot be read, and what to do. */
  | { ok: false; problem: string }

/**
 * Converts the stored state of an object to the current schema version. Terraform calls this for every
 * object, even of the current version; the decoder drops attributes that the schema no longer has.
 * @param version of the schema that wrote it
 * @param stored as parsed JSON
 */
export const upgradeState = (
  { name, schema, upgrades = {} }: Pick<Resource<unknown>, 'name' | 'schema' | 'upgrades'>,
  version: number,
  stored: unknown,
): Upgraded => {
  if (version > schema.version) {
    const problem = `A newer provider wrote this ${name} (schema version ${version}; this provider knows up to ${schema.version}): use that provider version or a newer one.`
    return { ok: false, problem }
  }
  if (stored === null) return { ok: true, stored: null }
  let at = version
  let upgraded = stored
  while (at < schema.version && isRecord(upgraded)) {
    const upgrade = upgrades[at]
    if (upgrade === undefined) {
      return { ok: false, problem: `No provider has written a ${name} of schema version ${at}.` }
    }
    upgraded = upgrade(upgraded)
    at += 1
  }
  return isRecord(upgraded)
    ? { ok: true, stored: upgraded }
    : { ok: false, problem: `The stored state of this ${name} is not an object.` }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
