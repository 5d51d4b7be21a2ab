import type { DnsRecordType } from '@probe-mesh/contracts/probe-settings'
import { readName } from './name.ts'
import { recordText } from './record-text.ts'

/**
 * Reads what a resolver sent, which may be hostile: every length is checked before it is believed, and
 * a message costs no more than its size allows. Authority and additional records are not looked at.
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

export type Question = { name: string; type: DnsRecordType }

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
  truncated: boolean
  rcode: string
  questionCount: number
  answerCount: number
}

const headBytes = 12
const classIn = 1

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
    truncated: (flags & 0x0200) !== 0,
    rcode: rcodes[rcode] ?? `RCODE${rcode}`,
    questionCount: bytes.readUInt16BE(4),
    answerCount: bytes.readUInt16BE(6),
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
 * The answers of the type asked for, and the CNAMEs that lead to them.
 * @returns null where the answer section is malformed
 */
export const readAnswers = (
  bytes: Buffer,
  from: number,
  { answerCount }: Head,
  type: DnsRecordType,
): DnsRecord[] | null => {
  if (answerCount > answersMax) return null
  const records: DnsRecord[] = []
  let at = from
  for (let index = 0; index < answerCount; index += 1) {
    const owner = readName(bytes, at)
    if (owner === null || owner.end + 10 > bytes.length) return null
    const dataAt = owner.end + 10
    const end = dataAt + bytes.readUInt16BE(owner.end + 8)
    if (end > bytes.length) return null
    const record = { type: bytes.readUInt16BE(owner.end), name: owner.name }
    const wanted = wantedType(record.type, type)
    if (wanted !== null && bytes.readUInt16BE(owner.end + 2) === classIn) {
      const value = recordText(bytes, wanted, dataAt, end)
      if (value === null) return null
      records.push({ ...record, ttlSeconds: ttlOf(bytes, owner.end + 4), value })
    }
    at = end
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
