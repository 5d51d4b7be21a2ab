import { namedChecksMax, type CheckName } from '@probe-mesh/contracts/check/check-list'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Ask, Asked } from '../api/ask.ts'

/** The distinct ids among these texts, since an address or a form may contain anything. */
export const idsIn = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(
    texts.flatMap((text) => {
      const id = Uuid.safeParse(text)
      return id.success ? [id.data] : []
    }),
  ),
]

/** Names of the checks that exist: a page requests as many rows as it shows. */
export const askCheckNames = async (
  ask: Ask,
  texts: readonly string[],
): Promise<Asked<readonly CheckName[]>> => {
  const ids = idsIn(texts)
  const checks: CheckName[] = []
  for (let from = 0; from < ids.length; from += namedChecksMax) {
    const part = ids.slice(from, from + namedChecksMax).join(',')
    const answer = await ask('listCheckNames', { query: { ids: part } })
    if (!answer.ok) return answer
    checks.push(...answer.value.named)
  }
  return { ok: true, value: checks }
}

/** By id; a missing check is shown by its id. */
export const namesById = (checks: readonly Pick<CheckName, 'id' | 'name'>[]): Map<string, string> =>
  new Map(checks.map(({ id, name }) => [id, name]))
