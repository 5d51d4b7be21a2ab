import { nearestNames } from '../api/named-checks.ts'
import type { Result } from '../api/request.ts'
import { showName } from '../plan/show-value.ts'

type Named = { id: string; names: readonly string[] }

/**
 * The one thing with an id or a name, or why there is none.
 * @param what such as `channel`
 * @param tellApart what to know of each of several with the name
 */
export const onlyOne = <T extends { id: string }>(
  what: string,
  given: string,
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
  tellApart: (item: T) => string = ({ id }) => id,
): Result<T> => {
  const named: (Named & { item: T })[] = items.map((item) => ({ id: item.id, names: namesOf(item), item }))
  const found = named.filter(({ id, names }) => id === given.toLowerCase() || names.includes(given))
  const [one] = found
  if (one !== undefined && found.length === 1) return { ok: true, value: one.item }
  if (one !== undefined) {
    const message = `${found.length} ${what}s are named ${showName(given)}: use the id.`
    return { ok: false, failures: [{ message, hint: found.map(({ item }) => tellApart(item)).join(', ') }] }
  }
  const near = nearestNames(
    given,
    named.flatMap(({ names }) => names),
  )
  const hint = near.length > 0 ? `Did you mean ${near.map(showName).join(' or ')}?` : undefined
  const message = `There is no ${what} named ${showName(given)}.`
  return { ok: false, failures: [{ message, ...(hint === undefined ? {} : { hint }) }] }
}

export const failed = (
  message: string,
  hint?: string,
): { ok: false; failures: [{ message: string; hint?: string }] } => ({
  ok: false,
  failures: [{ message, ...(hint === undefined ? {} : { hint }) }],
})
