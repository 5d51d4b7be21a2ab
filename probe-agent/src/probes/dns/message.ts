import type { DnsRecordType } from '@probe-mesh/contracts/check/probe-settings'
import { readName } from './name.ts'
import { recordText } from './record-text.ts'

/**
 * Reads what a resolver sent, which may be hostile: every length is checked before it is believed, and
 * a message costs no more than its size allows.
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
   * Absent: of a resolver, which recurses. `unchecked`: the same without DNSSEC (RFC 4035 3.2.2). `direct`: of
   * a zone's own server, which says what it knows.
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

/** Where one record lies, whatever its type. */
export type RawRecord = {
  name: string
  type: number
  class: number
  ttlAt: number
  dataAt: number
  end: number
}

const headBytes = 12
export const classIn = 1

/** More answers than any name has; reading them all would hold up the agent. */
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

/** @returns null for bytes that are no message at all */
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

/** Whether the message's one question is this one, and where it ends; null where it is not. */
export const endOfQuestion = (bytes: Buffer, { name, type }: Question): number | null => {
  const read = readName(bytes, headBytes)
  if (read === null || read.name !== name || read.end + 4 > bytes.length) return null
  const isAsked =
    bytes.readUInt16BE(read.end) === typeNumbers[type] &&
    bytes.readUInt16BE(read.end + 2) === classIn
  return isAsked ? read.end + 4 : null
}

/**
 * So many records from an offset on, and where they end.
 * @returns null where one is malformed
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
 * The answers of the type asked for, and the CNAMEs that lead to them.
 * @returns null where the answer section is malformed
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

const wantedType = (found: number, asked: DnsRecordType): DnsRecordType | null => {
  if (found === typeNumbers[asked]) return asked
  return found === typeNumbers.CNAME ? 'CNAME' : null
}

/** RFC 2181 8: a TTL with its highest bit set is 0. */
const ttlOf = (bytes: Buffer, at: number): number => {
  const ttl = bytes.readUInt32BE(at)
  return ttl > 0x7fffffff ? 0 : ttl
}
