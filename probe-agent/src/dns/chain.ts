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

/** The end of an answer's CNAMEs as values, sorted. */
export const chainOf = (records: readonly DnsRecord[], question: Question): Chain => {
  const { found, aliases, tooLong } = endOfChain(records, question, aliasesMax)
  const values = [...new Set(found.map((record) => record.value))].toSorted()
  return { values, ttlSeconds: leastTtl([...aliases, ...found]), tooLong }
}

type End = {
  /** In the order of the answer. */
  found: readonly DnsRecord[]
  aliases: readonly DnsRecord[]
  tooLong: boolean
}

/** Follows the aliases of the queried name, with records in any order (RFC 1034 3.6.2). */
export const endOfChain = (records: readonly DnsRecord[], { name, type }: Question, max: number): End => {
  const aliases: DnsRecord[] = []
  let owner = name
  for (;;) {
    const found = records.filter((record) => record.name === owner && record.type === typeNumbers[type])
    if (found.length > 0) return { found, aliases, tooLong: false }
    const alias = records.find((record) => record.name === owner && record.type === typeNumbers.CNAME)
    if (alias === undefined) return { found, aliases, tooLong: false }
    if (aliases.push(alias) > max) return { found: [], aliases, tooLong: true }
    owner = alias.value
  }
}

const leastTtl = (records: readonly DnsRecord[]): number | null =>
  records.reduce<number | null>((least, { ttlSeconds }) => Math.min(least ?? ttlSeconds, ttlSeconds), null)
