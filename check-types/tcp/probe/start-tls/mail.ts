import {
  accepted,
  firstLine,
  malformed,
  partial,
  refused,
  type Heard,
  type StartTlsProtocol,
} from './reply.ts'

/** RFC 9051 7.1: `* OK`; a server that knows the client by now (`PREAUTH`) takes no STARTTLS any more (6.2.1). */
const imapGreeting = (received: Buffer): Heard => {
  const first = firstLine(received)
  if (first === null) return partial
  const [, word = ''] = /^\* (OK|PREAUTH|BYE)\b/i.exec(first.line) ?? []
  if (word === '') return malformed
  return word.toUpperCase() === 'OK' ? accepted(first.bytes) : refused(first.line)
}

/** Untagged lines may come at any time; the tagged one is the reply. */
const imapReply = (received: Buffer): Heard => {
  let at = 0
  for (;;) {
    const first = firstLine(received.subarray(at))
    if (first === null) return partial
    at += first.bytes
    const { line } = first
    if (/^\* BYE\b/i.test(line)) return refused(line)
    if (line.startsWith('* ')) continue
    const [, word = ''] = /^a1 (OK|NO|BAD)\b/i.exec(line) ?? []
    if (word === '') return malformed
    return word.toUpperCase() === 'OK' ? accepted(at) : refused(line)
  }
}

/** RFC 9051 6.2.1. */
export const imap: StartTlsProtocol = {
  name: 'IMAP',
  steps: () => [
    {
      awaited: 'greeting',
      send: '',
      read: imapGreeting,
      mayFollow: /^(?:\* [^\r\n]*\r?\n)*(?:\*[^\r\n]*)?$/,
    },
    { awaited: 'reply to STARTTLS', send: 'a1 STARTTLS\r\n', read: imapReply },
  ],
  farewell: 'a2 LOGOUT\r\n',
}

/** RFC 1939 3: one line, `+OK` or `-ERR`. */
const pop3Reply = (received: Buffer): Heard => {
  const first = firstLine(received)
  if (first === null) return partial
  if (/^\+OK(?: |$)/i.test(first.line)) return accepted(first.bytes)
  return /^-ERR(?: |$)/i.test(first.line) ? refused(first.line) : malformed
}

/** RFC 2595 4. */
export const pop3: StartTlsProtocol = {
  name: 'POP3',
  steps: () => [
    { awaited: 'greeting', send: '', read: pop3Reply },
    { awaited: 'reply to STLS', send: 'STLS\r\n', read: pop3Reply },
  ],
  farewell: 'QUIT\r\n',
}
