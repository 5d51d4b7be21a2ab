import type { Resource } from '../resource.ts'

export type Upgraded =
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
