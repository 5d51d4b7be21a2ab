import { allowListOf, parseCidr, type AllowList } from './address.ts'
import { Uuid } from '../schema/ids.ts'

const accountEntriesMax = 10_000

/**
 * Parses the non-public addresses that the operator allows (`TARGET_ALLOW`, `CHANNEL_ALLOW`). A CIDR applies to all
 * accounts, `CIDR@accountId` to one account.
 * @returns the list, or one problem per invalid entry
 */
export const parseAccountAllow = (
  entries: readonly string[],
): { ok: true; allow: AllowList } | { ok: false; problems: string[] } => {
  if (entries.length > accountEntriesMax) {
    return { ok: false, problems: [`there are more than ${accountEntriesMax} entries`] }
  }
  const parsed = entries.map(parseEntry)
  const problems = parsed.flatMap((entry) => ('problem' in entry ? entry.problem : []))
  if (problems.length > 0) return { ok: false, problems }
  const everyones: string[] = []
  const narrowed = new Map<string, string[]>()
  for (const entry of parsed) {
    if ('problem' in entry) continue
    if (entry.accountId === null) everyones.push(entry.cidr)
    else narrowed.set(entry.accountId, [...(narrowed.get(entry.accountId) ?? []), entry.cidr])
  }
  const everyone = allowListOf(everyones)
  const byAccount = new Map([...narrowed].map(([id, cidrs]) => [id, allowListOf([...everyones, ...cidrs])]))
  const allow: AllowList = {
    ...everyone,
    ofAccount: (id) => byAccount.get(id.toLowerCase()) ?? allow,
  }
  return { ok: true, allow }
}

type Entry = { cidr: string; accountId: string | null } | { problem: string }

const parseEntry = (entry: string): Entry => {
  const text = entry.trim()
  const [range = '', ...rest] = text.split('@')
  const cidr = parseCidr(range)
  if (cidr === null) {
    return { problem: `${JSON.stringify(text)} is not a CIDR, such as 10.0.0.0/8 or fd00::/8` }
  }
  if (rest.length === 0) return { cidr, accountId: null }
  const accountId = Uuid.safeParse(rest.join('@'))
  if (accountId.success) return { cidr, accountId: accountId.data.toLowerCase() }
  const example = '10.0.0.0/8@0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  return {
    problem: `${JSON.stringify(text)} does not name an account by its id, such as ${example}`,
  }
}
