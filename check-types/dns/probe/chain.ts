import { typeNumbers, type DnsRecord, type Question } from './message.ts'

/** The end of an answer's CNAMEs. */
export type Chain = {
  /** Values of the records at the end, sorted and unique. */
  values: string[]
  /** The lowest TTL of the records used, seconds; null without records. */
  ttlSeconds: number | null
  /** More aliases than the limit, or a loop. */
  tooLong: boolean
}

/** Limit of aliases within one answer (S-504). */
export const aliasesMax = 8

/** Follows the aliases of the queried name, with records in any order (RFC 1034 3.6.2). */
export const chainOf = (records: readonly DnsRecord[], { name, type }: Question): Chain => {
  const byOwner = Map.groupBy(records, (record) => record.name)
  const used: DnsRecord[] = []
  let owner = name
  for (let aliases = 0; aliases <= aliasesMax; aliases += 1) {
    const here = byOwner.get(owner) ?? []
    const found = here.filter((record) => record.type === typeNumbers[type])
    const alias = here.find((record) => record.type === typeNumbers.CNAME)
    if (found.length > 0 || alias === undefined) {
      const values = [...new Set(found.map((record) => record.value))].toSorted()
      return { values, ttlSeconds: leastTtl([...used, ...found]), tooLong: false }
    }
    used.push(alias)
    owner = alias.value
  }
  return { values: [], ttlSeconds: leastTtl(used), tooLong: true }
}

const leastTtl = (records: readonly DnsRecord[]): number | null =>
  records.reduce<number | null>((least, { ttlSeconds }) => Math.min(least ?? ttlSeconds, ttlSeconds), null)
