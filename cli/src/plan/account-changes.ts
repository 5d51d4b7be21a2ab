import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'

/** How a check differs from the check that a plan was computed from. */
export type AccountChange = { name: string; message: string }

/**
 * Changes of the account between two listings that matter to a plan. Status and times do not count;
 * for types other than http only existence and name do.
 */
export const accountChanges = (shown: readonly Check[], live: readonly Check[]): AccountChange[] => {
  const now = new Map(live.map((check) => [check.id, check]))
  const before = new Set(shown.map(({ id }) => id))
  const changed = shown.flatMap((check) => {
    const other = now.get(check.id)
    if (other === undefined) return { name: check.name, message: 'was deleted' }
    const fields = changedFields(check, other)
    return fields.length === 0 ? [] : { name: check.name, message: `changed: ${fields.join(', ')}` }
  })
  const added = live.filter(({ id }) => !before.has(id))
  return [...changed, ...added.map(({ name }) => ({ name, message: 'was created' }))]
}

const planned = ['url', 'intervalSeconds', 'allRegions', 'paused', 'private', ...assertionNames] as const

const changedFields = (shown: Check, live: Check): string[] => {
  const always = (['name', 'type'] as const).filter((field) => shown[field] !== live[field])
  if (shown.type !== 'http') return always
  const fields = planned.filter((field) => shown[field] !== live[field])
  return [...always, ...fields, ...(regionsOf(shown) === regionsOf(live) ? [] : ['regions'])]
}

const regionsOf = ({ regions }: Check): string => regions.toSorted().join()
