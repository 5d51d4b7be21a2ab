import { elementType } from '../equal.ts'
import type { Resource } from '../resource.ts'
import { typeOf } from '../schema.ts'
import type { Type } from '../type.ts'

export type Stored = null | boolean | number | string | Stored[] | { [name: string]: Stored }
export type Upgraded =
  | { ok: true; stored: Stored }
  /** Why what is stored cannot be read, and what to do. */
  | { ok: false; problem: string }

/**
 * What is stored of an object, in the shape of the schema of now. Terraform asks for every object,
 * also where the version is the same; attributes that are no more go, and new ones are null.
 * @param version of the schema that wrote it
 */
export const upgradeState = (
  { name, schema, upgrades = {} }: Pick<Resource<unknown>, 'name' | 'schema' | 'upgrades'>,
  version: number,
  json: string,
): Upgraded => {
  if (version > schema.version) {
    const problem = `This ${name} was written by a newer provider (its schema version is ${version}, and this provider knows up to ${schema.version}): use that one, or a newer one.`
    return { ok: false, problem }
  }
  let stored: unknown
  try {
    stored = JSON.parse(json)
  } catch (error) {
    return { ok: false, problem: `What is stored of this ${name} is no JSON: ${String(error)}` }
  }
  if (stored === null) return { ok: true, stored: null }
  for (let at = version; at < schema.version; at++) {
    if (!isRecord(stored)) break
    const upgrade = upgrades[at]
    if (upgrade === undefined) {
      return { ok: false, problem: `No provider wrote a ${name} of schema version ${at}.` }
    }
    stored = upgrade(stored)
  }
  if (!isRecord(stored))
    return { ok: false, problem: `What is stored of this ${name} is no object.` }
  return { ok: true, stored: shape(typeOf(schema), stored) }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A stored value with exactly the attributes of its type; what else is wrong with it is left to the
 * decoder.
 */
const shape = (type: Type, stored: unknown): Stored => {
  if (stored === undefined || stored === null) return null
  if (typeof type === 'string' || type[0] === 'tuple') return asStored(stored)
  if (Array.isArray(stored) && type[0] !== 'object') {
    const [, element] = type
    return stored.map((each) => shape(element, each))
  }
  if (!isRecord(stored)) return asStored(stored)
  const names = Object.keys(type[0] === 'object' ? type[1] : stored)
  return Object.fromEntries(
    names.map((name) => [name, shape(elementType(type, name), stored[name])]),
  )
}

/** It was parsed from JSON, or made of what was. */
const asStored = (value: unknown): Stored => value as Stored
