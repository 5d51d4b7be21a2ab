import type { TcpSecurity } from '../../settings.ts'
import type { TlsScript } from './tls-peer.ts'

// What servers say before TLS: as they should, and otherwise.

export const tlsNamespace = 'urn:ietf:params:xml:ns:xmpp-tls'
export const streamBegin = `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='db.localhost' version='1.0'>`
export const featuresOf = (inside: string): string =>
  `${streamBegin}<stream:features>${inside}</stream:features>`
export const offer = `<starttls xmlns='${tlsNamespace}'><required/></starttls>`
export const proceed = `<proceed xmlns='${tlsNamespace}'/>`
export const ldapReply = (code: number, text = '', id = 1): string => {
  const body = `\x0a\x01${String.fromCharCode(code)}\x04\x00\x04${String.fromCharCode(text.length)}${text}`
  const inner = `\x02\x01${String.fromCharCode(id)}\x78${String.fromCharCode(body.length)}${body}`
  return `\x30${String.fromCharCode(inner.length)}${inner}`
}
export const pgError = (text: string): string => {
  const fields = `SFATAL\0C0A000\0M${text}\0\0`
  return `E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`
}
/** How a correct server of each protocol starts TLS. */
export const usual: Record<Exclude<TcpSecurity, 'tls'>, TlsScript> = {
  imap: { greeting: '* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n', replies: ['a1 OK begin TLS\r\n'] },
  pop3: { greeting: '+OK POP3 ready <1@db>\r\n', replies: ['+OK begin TLS\r\n'] },
  postgres: { replies: ['S'] },
  ldap: { replies: [ldapReply(0)] },
  xmpp: { replies: [featuresOf(offer), proceed] },
}
export type Fault = [what: string, script: TlsScript, cause: string, reason: string]

export const greets = (greeting: string): TlsScript => ({ greeting, replies: ['a1 OK\r\n'] })
export const says = (...replies: string[]): TlsScript => ({ replies })
export const closes = (text = ''): TlsScript => ({ replies: [(socket) => void socket.end(text, 'latin1')] })
