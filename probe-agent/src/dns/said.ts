import { endOfChain } from './chain.ts'
import { classIn, readRecords, ttlOf, typeNumbers, type DnsRecord } from './message.ts'
import { receivedFor, type Query } from './query.ts'

/**
 * What a resolver said about a question, as a value. `code` is `OK`, or why there are no values, in the words of
 * `dns.Resolver`, such as `ENODATA`, `ENOTFOUND`, `ESERVFAIL` and `ETIMEOUT`.
 */
export type Said = {
  code: string
  /** In the order of the answer. */
  values: readonly string[]
  /** How long the zone lets others believe that the name has no such record, seconds; 0: it does not say. */
  absentSeconds: number
}

export const saidNothing = (code: string): Said => ({ code, values: [], absentSeconds: 0 })

/** More than any resolver follows. */
const aliasesMax = 32

const codes: Readonly<Record<string, string>> = {
  NXDOMAIN: 'ENOTFOUND',
  FORMERR: 'EFORMERR',
  SERVFAIL: 'ESERVFAIL',
  NOTIMP: 'ENOTIMP',
  REFUSED: 'EREFUSED',
}

/**
 * Interprets a message for a query. Records of the type that belong to another name are no answer, and prove no
 * absence. `ignored`: another id or question, a query, or malformed.
 */
export const saidIn = (query: Query, bytes: Buffer): Said | 'truncated' | 'ignored' => {
  const received = receivedFor(query, bytes)
  if (typeof received === 'string') return received
  const { rcode, records, head, answersAt } = received
  if (records === null || rcode !== 'NOERROR') return saidNothing(codes[rcode] ?? 'EBADRESP')
  const { question } = query
  const { found } = endOfChain(records, question, aliasesMax)
  if (found.length > 0) return { code: 'OK', values: found.map(valueOf), absentSeconds: 0 }
  if (records.some(({ type }) => type === typeNumbers[question.type])) return saidNothing('EBADRESP')
  const answers = readRecords(bytes, answersAt, head.answerCount)
  const absentSeconds = answers === null ? 0 : absenceIn(bytes, answers.end, head.authorityCount)
  return { code: 'ENODATA', values: [], absentSeconds }
}

const valueOf = ({ value }: DnsRecord): string => value

const minimumBytes = 4

/** The lower of the TTL and the last field of the zone's SOA (RFC 2308 5); an answer without it is not believed. */
const absenceIn = (bytes: Buffer, from: number, count: number): number => {
  for (const { type, class: of, ttlAt, dataAt, end } of readRecords(bytes, from, count)?.records ?? []) {
    if (type !== typeNumbers.SOA || of !== classIn || end - dataAt < minimumBytes) continue
    return Math.min(ttlOf(bytes, ttlAt), ttlOf(bytes, end - minimumBytes))
  }
  return 0
}
