import type { DnsRecordType } from '@probe-mesh/check-types/dns/record-type'
import { readName } from './name.ts'
import { recordText } from './record-text.ts'

/**
 * Parses messages of resolvers, which may be hostile: each length is checked, and the cost of a
 * message is limited by its size.
 */

export const typeNumbers = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
} as const satisfies Record<DnsRecordType, number>

export type Question = {
  name: string
  type: DnsRecordType
  /**
   * Absent: recursive. `unchecked`: recursive without DNSSEC (RFC 4035 3.2.2). `direct`: to a
   * zone's own server, without recursion.
   */
  how?: 'unchecked' | 'direct'
}

export type DnsRecord = {
  /** The owner, in the spelling of `readName`. */
  name: string
  type: number
  ttlSeconds: number
  /** The value in the spelling of `canonicalDnsValue`. */
  value: string
}

export type Head = {
  id: number
  isResponse: boolean
  opcode: number
  authoritative: boolean
  truncated: boolean
  recursive: boolean
  rcode: string
  questionCount: number
  answerCount: number
  authorityCount: number
  additionalCount: number
}

/** Position of one record of any type. */
type RawRecord = {
  name: string
  type: number
  class: number
  ttlAt: number
  dataAt: number
  end: number
}

export const headBytes = 12
export const classIn = 1

/** More answers than any name has; parsing more would block the agent. */
export const answersMax = 2_000

const rcodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
] as const

/**
 * @returns null when the bytes are not a message
 */
export const readHead = (bytes: Buffer): Head | null => {
  if (bytes.length < headBytes) return null
  const flags = bytes.readUInt16BE(2)
  const rcode = flags & 0xf
  return {
    id: bytes.readUInt16BE(0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    authoritative: (flags & 0x0400) !== 0,
    truncated: (flags & 0x0200) !== 0,
    recursive: (flags & 0x0080) !== 0,
    rcode: rcodes[rcode] ?? `RCODE${rcode}`,
    questionCount: bytes.readUInt16BE(4),
    answerCount: bytes.readUInt16BE(6),
    authorityCount: bytes.readUInt16BE(8),
    additionalCount: bytes.readUInt16BE(10),
  }
}

/** The end of the message's only question if it is this one, else null. */
export const endOfQuestion = (bytes: Buffer, { name, type }: Question): number | null => {
  const read = readName(bytes, headBytes)
  if (read === null || read.name !== name || read.end + 4 > bytes.length) return null
  const isAsked =
    bytes.readUInt16BE(read.end) === typeNumbers[type] && bytes.readUInt16BE(read.end + 2) === classIn
  return isAsked ? read.end + 4 : null
}

/**
 * Reads `count` records from an offset, and where they end.
 * @returns null when one is malformed
 */
export const readRecords = (
  bytes: Buffer,
  from: number,
  count: number,
): { records: RawRecord[]; end: number } | null => {
  if (count > answersMax) return null
  const records: RawRecord[] = []
  let at = from
  for (let index = 0; index < count; index += 1) {
    const owner = readName(bytes, at)
    if (owner === null || owner.end + 10 > bytes.length) return null
    const dataAt = owner.end + 10
    const end = dataAt + bytes.readUInt16BE(owner.end + 8)
    if (end > bytes.length) return null
    records.push({
      name: owner.name,
      type: bytes.readUInt16BE(owner.end),
      class: bytes.readUInt16BE(owner.end + 2),
      ttlAt: owner.end + 4,
      dataAt,
      end,
    })
    at = end
  }
  return { records, end: at }
}

/**
 * The answers of the queried type, and the CNAMEs that lead to them.
 * @returns null when the answer section is malformed
 */
export const readAnswers = (
  bytes: Buffer,
  from: number,
  { answerCount }: Head,
  type: DnsRecordType,
): DnsRecord[] | null => {
  const read = readRecords(bytes, from, answerCount)
  if (read === null) return null
  const records: DnsRecord[] = []
  for (const { name, type: found, class: of, ttlAt, dataAt, end } of read.records) {
    const wanted = wantedType(found, type)
    if (wanted === null || of !== classIn) continue
    const value = recordText(bytes, wanted, dataAt, end)
    if (value === null) return null
    records.push({ name, type: found, ttlSeconds: ttlOf(bytes, ttlAt), value })
  }
  return records
}

const wantedType = (found: number, queried: DnsRecordType): DnsRecordType | null => {
  if (found === typeNumbers[queried]) return queried
  return found === typeNumbers.CNAME ? 'CNAME' : null
}

/** RFC 2181 8: a TTL with its highest bit set is 0. */
export const ttlOf = (bytes: Buffer, at: number): number => {
  const ttl = bytes.readUInt32BE(at)
  return ttl > 0x7fffffff ? 0 : ttl
}
