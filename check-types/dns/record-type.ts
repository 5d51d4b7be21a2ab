import { isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'
import { aLabels, canonicalIpv6 } from '@probe-mesh/contracts/target/dns-target'

export const DnsRecordType = z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'])
export type DnsRecordType = z.infer<typeof DnsRecordType>

/**
 * The error of an expected value that no record can have, at save.
 * @returns null when all values are valid
 */
export const dnsExpectProblem = ({
  recordType,
  expect,
}: {
  recordType: DnsRecordType
  expect: { values: readonly string[] } | null
}): { path: string; message: string } | null => {
  const wrong = expect?.values.find((value) => canonicalDnsValue(recordType, value) === null)
  if (wrong === undefined) return null
  const message = `must have the form of ${recordType} records, such as ${examples[recordType]}`
  return { path: 'expect', message }
}

const examples = {
  A: '192.0.2.1',
  AAAA: '2001:db8::1',
  CAA: '0 issue ca.example.net',
  CNAME: 'www.example.org',
  MX: '10 mail.example.org',
  NS: 'ns1.example.org',
  PTR: 'host.example.org',
  SOA: 'ns1.example.org hostmaster.example.org 2026010100 7200 3600 1209600 300',
  SRV: '10 60 5060 sip.example.org',
  TXT: 'v=spf1 -all',
} as const satisfies Record<DnsRecordType, string>

/**
 * The canonical text of a record's value, to compare expected and received values. Addresses are canonical; names are
 * lower-case A-labels without a trailing dot; TXT strings are joined. MX is `preference host`, SOA `mname rname
 * serial refresh retry expire minimum`, SRV `priority weight port target`, CAA `flags tag value`, unquoted.
 * @returns null for an invalid value of the type
 */
export const canonicalDnsValue = (recordType: DnsRecordType, text: string): string | null => {
  switch (recordType) {
    case 'A':
      return isIPv4(text) ? text : null
    case 'AAAA':
      return isIPv6(text) && !text.includes('%') ? canonicalIpv6(text) : null
    case 'TXT':
      return text
    case 'CAA':
      return canonicalCaa(text)
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return canonicalFields(text, [canonicalName])
    case 'MX':
      return canonicalFields(text, [uint16, canonicalName])
    case 'SRV':
      return canonicalFields(text, [uint16, uint16, uint16, canonicalName])
    case 'SOA': {
      const numbers = [uint32, uint32, uint32, uint32, uint32]
      return canonicalFields(text, [canonicalName, canonicalName, ...numbers])
    }
    default:
      return recordType satisfies never
  }
}

type Field = (text: string) => string | null

const canonicalFields = (text: string, fields: readonly Field[]): string | null => {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length) return null
  const canonical = fields.map((field, index) => field(parts[index] ?? ''))
  return canonical.includes(null) ? null : canonical.join(' ')
}

const upTo =
  (most: number): Field =>
  (text) =>
    /^\d{1,10}$/.test(text) && Number(text) <= most ? String(Number(text)) : null
const uint8 = upTo(255)
const uint16 = upTo(65_535)
const uint32 = upTo(4_294_967_295)

/** A label may contain any octet (RFC 2181 11), with escapes such as `\.` or `\009`. */
const nameShape = /^(?:\\.|[^.\\\s])+(?:\.(?:\\.|[^.\\\s])+)*\.?$/

const canonicalName: Field = (text) => {
  if (text === '.') return text
  const name = aLabels(text).toLowerCase()
  return nameShape.test(name) ? name.replace(/(?<!\\)\.$/, '') : null
}

const canonicalCaa: Field = (text) => {
  const match = /^(\d{1,3})[ \t]+([a-z0-9]{1,255})(?: (.*))?$/is.exec(text)
  const flags = uint8(match?.[1] ?? '')
  if (match === null || flags === null) return null
  const value = match[3] ?? ''
  return `${flags} ${(match[2] ?? '').toLowerCase()}${value === '' ? '' : ` ${value}`}`
}
