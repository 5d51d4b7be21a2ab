import { accepted, malformed, missing, partial, refused, type Heard, type StartTlsProtocol } from './reply.ts'

/** Length 8, then the code 80877103 of SSLRequest (PostgreSQL, message formats). */
const sslRequest = '\u0000\u0000\u0000\u0008\u0004\u00d2\u0016\u002f'

/** One byte: `S` or `N`; an error message begins with `E`, its length and fields, each a byte and a text. */
const reply = (received: Buffer): Heard => {
  switch (String.fromCharCode(received[0] ?? 0)) {
    case 'S':
      return accepted(1)
    case 'N':
      return missing
    case 'E':
      return error(received)
    default:
      return received.length === 0 ? partial : malformed
  }
}

const errorBytesMax = 4_096

const error = (received: Buffer): Heard => {
  if (received.length < 5) return partial
  const bytes = received.readUInt32BE(1)
  // servers before protocol 3 wrote a text and a zero
  if (bytes > errorBytesMax || bytes < 5)
    return refused(received.subarray(1).toString('utf8').split('\0')[0] ?? '')
  if (received.length < 1 + bytes) return partial
  const fields = received
    .subarray(5, 1 + bytes)
    .toString('utf8')
    .split('\0')
  return refused(fields.find((each) => each.startsWith('M'))?.slice(1) ?? '')
}

export const postgres: StartTlsProtocol = {
  name: 'PostgreSQL',
  steps: () => [{ awaited: 'reply to SSLRequest', send: sslRequest, read: reply }],
  farewell: '',
}
