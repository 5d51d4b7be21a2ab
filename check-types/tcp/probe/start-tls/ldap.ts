import { accepted, malformed, partial, refused, type Heard, type StartTlsProtocol } from './reply.ts'

const oid = '1.3.6.1.4.1.1466.20037'
/** LDAPMessage 1 with an ExtendedRequest (RFC 4511 4.12) of StartTLS (4.14). */
const request = `\x30\x1d\x02\x01\x01\x77\x18\x80\x16${oid}`
/** UnbindRequest, message 2. */
const unbind = '\x30\x05\x02\x01\x02\x42\x00'

const messageBytesMax = 4_096

/** A value in BER with definite length: the only one that LDAP has (RFC 4511 5.1). */
type Value = { tag: number; from: number; to: number }

/** @returns null: not complete; `malformed`: indefinite, or longer than a reply may be */
const valueAt = (bytes: Buffer, at: number): Value | 'malformed' | null => {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return null
  if (first < 0x80) return { tag, from: at + 2, to: at + 2 + first }
  const digits = first & 0x7f
  if (digits === 0 || digits > 4) return 'malformed'
  if (bytes.length < at + 2 + digits) return null
  const length = bytes.readUIntBE(at + 2, digits)
  const from = at + 2 + digits
  return length > messageBytesMax ? 'malformed' : { tag, from, to: from + length }
}

const resultCodes: Readonly<Record<number, string>> = {
  1: 'operationsError',
  2: 'protocolError',
  10: 'referral',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
}

/** An ExtendedResponse to message 1, or the notice with which a server ends the session (message 0). */
const reply = (received: Buffer): Heard => {
  if (received.length > 0 && received[0] !== 0x30) return malformed
  const message = valueAt(received, 0)
  if (message === null) return partial
  if (message === 'malformed') return malformed
  if (received.length < message.to) return partial
  const bytes = received.subarray(0, message.to)
  const result = resultOf(bytes, message.from)
  if (result === null) return malformed
  const { number, code, text } = result
  if (number === 1 && code === 0) return accepted(message.to)
  return refused(`${resultCodes[code] ?? `result ${code}`}${text === '' ? '' : `: ${text}`}`)
}

/** The number of the message, and the code and text of its result; null: it is no such response. */
const resultOf = (bytes: Buffer, at: number): { number: number; code: number; text: string } | null => {
  const id = within(bytes, at, 0x02)
  const response = id && within(bytes, id.to, 0x78)
  const code = response && within(bytes, response.from, 0x0a)
  if (!id || !code || code.to - code.from !== 1 || id.to - id.from !== 1) return null
  const number = bytes[id.from] ?? 0
  if (number > 1) return null
  const dn = within(bytes, code.to, 0x04)
  const diagnostic = dn && within(bytes, dn.to, 0x04)
  const text = diagnostic === null ? '' : bytes.subarray(diagnostic.from, diagnostic.to).toString('utf8')
  return { number, code: bytes[code.from] ?? 0, text }
}

/** The value at a place, if it is whole and has this tag. */
const within = (bytes: Buffer, at: number, tag: number): Value | null => {
  const value = valueAt(bytes, at)
  return value === null || value === 'malformed' || value.tag !== tag || value.to > bytes.length
    ? null
    : value
}

export const ldap: StartTlsProtocol = {
  name: 'LDAP',
  steps: () => [{ awaited: 'reply to StartTLS', send: request, read: reply }],
  farewell: unbind,
}
