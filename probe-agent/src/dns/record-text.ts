import { canonicalDnsValue, type DnsRecordType } from '@probe-mesh/check-types/dns/record-type'
import { readName } from './name.ts'

/**
 * A record's data as text, in the spelling of `canonicalDnsValue`.
 * @returns null when the data do not match the type exactly
 */
export const recordText = (bytes: Buffer, type: DnsRecordType, from: number, end: number): string | null => {
  switch (type) {
    case 'A':
      return end - from === 4 ? bytes.subarray(from, end).join('.') : null
    case 'AAAA':
      return end - from === 16 ? ipv6Text(bytes.subarray(from, end)) : null
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return nameText(bytes, from, end)
    case 'MX':
      return numbersAndName(bytes, from, end, 1)
    case 'SRV':
      return numbersAndName(bytes, from, end, 3)
    case 'SOA':
      return soaText(bytes, from, end)
    case 'TXT':
      return txtText(bytes, from, end)
    case 'CAA':
      return caaText(bytes, from, end)
    default:
      return type satisfies never
  }
}

const ipv6Text = (octets: Buffer): string | null =>
  canonicalDnsValue('AAAA', octets.toString('hex').match(/.{4}/g)?.join(':') ?? '')

const nameText = (bytes: Buffer, from: number, end: number): string | null => {
  const read = readName(bytes, from)
  return read !== null && read.end === end ? read.name : null
}

const numbersAndName = (bytes: Buffer, from: number, end: number, count: number): string | null => {
  const nameAt = from + 2 * count
  if (nameAt >= end) return null
  const numbers = Array.from({ length: count }, (_, index) => bytes.readUInt16BE(from + 2 * index))
  const name = nameText(bytes, nameAt, end)
  return name === null ? null : [...numbers, name].join(' ')
}

const soaText = (bytes: Buffer, from: number, end: number): string | null => {
  const mname = readName(bytes, from)
  const rname = mname === null ? null : readName(bytes, mname.end)
  if (mname === null || rname === null || rname.end + 20 !== end) return null
  const numbers = [0, 4, 8, 12, 16].map((offset) => bytes.readUInt32BE(rname.end + offset))
  return [mname.name, rname.name, ...numbers].join(' ')
}

/** The strings of a TXT record are joined, as for SPF and DKIM (RFC 7208 3.3). */
const txtText = (bytes: Buffer, from: number, end: number): string | null => {
  const strings: Buffer[] = []
  let at = from
  while (at < end) {
    const next = at + 1 + (bytes[at] ?? 0)
    if (next > end) return null
    strings.push(bytes.subarray(at + 1, next))
    at = next
  }
  return strings.length === 0 ? null : octetsText(Buffer.concat(strings))
}

const caaText = (bytes: Buffer, from: number, end: number): string | null => {
  const flags = bytes[from]
  const tagEnd = from + 2 + (bytes[from + 1] ?? 0)
  if (from + 2 >= end || flags === undefined || tagEnd === from + 2 || tagEnd > end) return null
  const tag = octetsText(bytes.subarray(from + 2, tagEnd)).toLowerCase()
  const value = octetsText(bytes.subarray(tagEnd, end))
  return `${flags} ${tag}${value === '' ? '' : ` ${value}`}`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 if valid; else octets beyond ASCII as `\200`. */
const octetsText = (octets: Buffer): string => {
  try {
    return utf8.decode(octets)
  } catch {
    return octets.toString('latin1').replace(/[\u0080-\u00ff]/g, (octet) => `\\${octet.charCodeAt(0)}`)
  }
}
