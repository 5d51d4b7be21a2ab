import { canonicalDnsValue } from '../record-type.ts'
import type { DnsSettings } from '../settings.ts'
import { down, up, type Judgement } from '@probe-mesh/probe-agent/src/judge/judgement'
import { quote } from '@probe-mesh/probe-agent/src/judge/quote'
import { aliasesMax } from '@probe-mesh/probe-agent/src/dns/chain'
import type { Answer } from '@probe-mesh/probe-agent/src/dns/query'

type Query = Pick<DnsSettings, 'recordType' | 'expect'>

/**
 * The verdict on a resolver's answer. For the agent's own resolvers the caller passes only reliable
 * answers: an existing name, or a confirmed NXDOMAIN.
 */
export const judgeAnswer = (query: Query, answer: Answer): Judgement => {
  const { recordType } = query
  if (answer.rcode === 'NXDOMAIN') {
    return down('dns_not_found', 'the name does not exist (NXDOMAIN)')
  }
  if (answer.rcode === 'REFUSED') {
    return down('resolver_refused', 'the resolver refused the query (REFUSED)')
  }
  if (answer.rcode !== 'NOERROR') {
    return down('resolver_failed', `the resolver could not answer (${answer.rcode})`)
  }
  if (answer.tooLong) {
    return down('dns_alias_chain', `the name leads through more than ${aliasesMax} aliases`)
  }
  if (answer.values.length === 0) {
    return down('dns_no_records', `the name has no ${recordType} records`)
  }
  const difference = differenceOf(query, answer.values)
  return difference === null ? up : down('dns_mismatch', difference)
}

/** How the values differ from the expected ones; null: they match. */
const differenceOf = ({ recordType, expect }: Query, got: readonly string[]): string | null => {
  if (expect === null) return null
  const wanted = [...new Set(expect.values.map((value) => canonicalDnsValue(recordType, value) ?? value))]
  const missing = wanted.filter((value) => !got.includes(value))
  const found = `got ${listed(recordType, got)}`
  if (expect.op === 'includes') {
    if (missing.length === 0) return null
    return `expected ${recordType} records to include ${listed(recordType, missing)}, ${found}`
  }
  if (missing.length === 0 && got.length === wanted.length) return null
  return `expected ${recordType} records to be exactly ${listed(recordType, wanted)}, ${found}`
}

const listedMax = 3
const valueCharactersMax = 60

/** Foreign text on one line: free text is quoted, other types are plain in their canonical form. */
const listed = (recordType: DnsSettings['recordType'], values: readonly string[]): string => {
  const isText = recordType === 'TXT' || recordType === 'CAA'
  const shown = values.slice(0, listedMax).map((value) => (isText ? quote(value) : cut(value)))
  const left = values.length - shown.length
  return `${shown.join(', ')}${left === 0 ? '' : ` and ${left} more`}`
}

const cut = (value: string): string =>
  value.length > valueCharactersMax ? `${value.slice(0, valueCharactersMax)}…` : value
