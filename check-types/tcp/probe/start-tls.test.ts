import type { Socket } from 'node:net'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { afterAll, describe, expect, test } from 'vitest'
import type { TcpSecurity } from '../settings.ts'
import { detailsOf } from './testing/probing.ts'
import { down, probe, up } from './testing/probing-tcp.ts'
import { startTlsPeer, type TlsScript } from './testing/tls-peer.ts'

const certificates = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('db.localhost'))
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
afterAll(() => certificates.remove())

const tlsNamespace = 'urn:ietf:params:xml:ns:xmpp-tls'
const streamBegin = `<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1' from='db.localhost' version='1.0'>`
const featuresOf = (inside: string): string => `${streamBegin}<stream:features>${inside}</stream:features>`
const offer = `<starttls xmlns='${tlsNamespace}'><required/></starttls>`
const proceed = `<proceed xmlns='${tlsNamespace}'/>`
const ldapReply = (code: number, text = '', id = 1): string => {
  const body = `\x0a\x01${String.fromCharCode(code)}\x04\x00\x04${String.fromCharCode(text.length)}${text}`
  const inner = `\x02\x01${String.fromCharCode(id)}\x78${String.fromCharCode(body.length)}${body}`
  return `\x30${String.fromCharCode(inner.length)}${inner}`
}
const pgError = (text: string): string => {
  const fields = `SFATAL\0C0A000\0M${text}\0\0`
  return `E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`
}
const bytewise =
  (text: string) =>
  (socket: Socket): void => {
    socket.setNoDelay(true)
    const send = (at: number): void => {
      if (at < text.length) socket.write(text[at] ?? '', 'latin1', () => setImmediate(send, at + 1))
    }
    send(0)
  }

/** How a correct server of each protocol starts TLS. */
const usual: Record<Exclude<TcpSecurity, 'tls'>, TlsScript> = {
  imap: { greeting: '* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n', replies: ['a1 OK begin TLS\r\n'] },
  pop3: { greeting: '+OK POP3 ready <1@db>\r\n', replies: ['+OK begin TLS\r\n'] },
  postgres: { replies: ['S'] },
  ldap: { replies: [ldapReply(0)] },
  xmpp: { replies: [featuresOf(offer), proceed] },
}
const farewells: Record<string, string> = {
  imap: 'a2 LOGOUT\r\n',
  pop3: 'QUIT\r\n',
  ldap: '\x30\x05\x02\x01\x02\x42\x00',
}

describe.each(Object.keys(usual) as (keyof typeof usual)[])('%s', (security) => {
  test('is up over TLS, with its certificate and its version, and ends politely', async () => {
    const peer = await startTlsPeer({ ...usual[security], tls: leaf })
    const probed = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
    expect(probed.judgement).toEqual(up)
    const days = ((probed.trace.certificateExpiresAt ?? 0) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(10)
    expect(probed.trace.certificate?.subjectAltName).toBe('DNS:db.localhost')
    expect(probed.trace.timings.tlsMs).not.toBeNull()
    expect(detailsOf(probed, 'tcp').tlsVersion).toBe('TLSv1.3')
    expect(peer.names).toEqual(['db.localhost'])
    await peer.ended
    expect(peer.secured).toBe(farewells[security] ?? '')
  })

  test('reads replies that come byte by byte', async () => {
    const { greeting, replies = [] } = usual[security]
    const peer = await startTlsPeer({
      ...(typeof greeting === 'string' && { greeting: bytewise(greeting) }),
      // the last reply is whole: TLS would begin before its end
      replies: replies.map((reply, at) =>
        typeof reply === 'string' && at < replies.length - 1 ? bytewise(reply) : reply,
      ),
      tls: leaf,
    })
    const { judgement } = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
    expect(judgement).toEqual(up)
  })

  test('refuses data that came unencrypted behind the last reply', async () => {
    const { replies = [] } = usual[security]
    const injected = replies.map((reply, at) =>
      at === replies.length - 1 ? `${String(reply)}* OK mine\r\n` : reply,
    )
    const peer = await startTlsPeer({ ...usual[security], replies: injected, tls: leaf })
    const { judgement } = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
    expect(judgement).toEqual(
      down('starttls_injection', 'unencrypted data before TLS started: "* OK mine  "'),
    )
  })

  test('ends at the deadline of a server that says nothing', async () => {
    const { next } = stopTime()
    const peer = await startTlsPeer({ greeting: () => void next() })
    const { judgement } = await probe({ port: peer.port, security }, {}, trusting)
    expect(judgement).toMatchObject({ verdict: 'down', cause: 'starttls_timeout' })
    expect(judgement.reason).toMatch(/^no (greeting|reply to [A-Za-z ]+) within 20 s$/)
  })

  test('is a fault of the probe when the agent stops meanwhile', async () => {
    const stopping = new AbortController()
    const peer = await startTlsPeer({ greeting: () => stopping.abort() })
    const { judgement } = await probe({ port: peer.port, security }, { signal: stopping.signal }, trusting)
    expect(judgement).toMatchObject({ verdict: 'unmeasured', cause: 'probe_stopped' })
  })

  test('has no TLS behind the reply that promised it', async () => {
    const { replies = [] } = usual[security]
    const last = (socket: Socket): void => {
      socket.write(String(replies.at(-1)), 'latin1')
      socket.once('data', () => socket.write('what?\r\n'))
    }
    const peer = await startTlsPeer({ ...usual[security], replies: [...replies.slice(0, -1), last] })
    const { judgement } = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
    expect(judgement).toEqual(down('tls_not_spoken', 'the server does not use TLS on this port'))
  })
})

type Fault = [what: string, script: TlsScript, cause: string, reason: string]

const greets = (greeting: string): TlsScript => ({ greeting, replies: ['a1 OK\r\n'] })
const says = (...replies: string[]): TlsScript => ({ replies })
const closes = (text = ''): TlsScript => ({ replies: [(socket) => void socket.end(text, 'latin1')] })

const faults: Record<keyof typeof usual, Fault[]> = {
  imap: [
    [
      'says goodbye',
      greets('* BYE too many connections\r\n'),
      'starttls_refused',
      'the server refuses the connection: "* BYE too many connections"',
    ],
    [
      'knows the client by its address',
      greets('* PREAUTH welcome\r\n'),
      'starttls_refused',
      'the server refuses the connection: "* PREAUTH welcome"',
    ],
    [
      'is a mail server for SMTP',
      greets('220 mx ESMTP\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "220 mx ESMTP  "',
    ],
    [
      'is an SSH server',
      greets('SSH-2.0-OpenSSH_9.6\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "SSH-2.0-OpenSSH_9.6  "',
    ],
    [
      'is a web server',
      greets('HTTP/1.1 400 Bad Request\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "HTTP/1.1 400 Bad Request  "',
    ],
    [
      'answers before it was asked',
      greets('* OK ready\r\na1 OK begin\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "a1 OK begin  "',
    ],
    [
      'does not know the command',
      { greeting: '* OK\r\n', replies: ['a1 BAD unknown command\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "a1 BAD unknown command"',
    ],
    [
      'has no certificate',
      { greeting: '* OK\r\n', replies: ['a1 NO TLS is not configured\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "a1 NO TLS is not configured"',
    ],
    [
      'says goodbye to the command',
      { greeting: '* OK\r\n', replies: ['* BYE\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "* BYE"',
    ],
    [
      'answers another command',
      { greeting: '* OK\r\n', replies: ['a9 OK done\r\n'] },
      'starttls_bad_reply',
      'the reply to STARTTLS is not valid IMAP: "a9 OK done  "',
    ],
    [
      'closes at once',
      { greeting: (socket) => void socket.end() },
      'starttls_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes within its greeting',
      { greeting: (socket) => void socket.end('* OK rea') },
      'starttls_closed',
      'the connection was closed within the greeting: "* OK rea"',
    ],
    [
      'has a greeting without end',
      { greeting: 'x'.repeat(9_000) },
      'starttls_bad_reply',
      'the greeting has more than 8 KB',
    ],
    [
      'sends lines without end',
      { greeting: '* OK\r\n', replies: ['* CAPABILITY IMAP4rev1\r\n'.repeat(500)] },
      'starttls_bad_reply',
      'the reply to STARTTLS has more than 8 KB',
    ],
  ],
  pop3: [
    [
      'refuses the connection',
      greets('-ERR [IN-USE] busy\r\n'),
      'starttls_refused',
      'the server refuses the connection: "-ERR [IN-USE] busy"',
    ],
    [
      'does not know STLS',
      { greeting: '+OK\r\n', replies: ['-ERR unknown command\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "-ERR unknown command"',
    ],
    [
      'refuses without a text',
      { greeting: '+OK\r\n', replies: ['-ERR\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "-ERR"',
    ],
    [
      'is an IMAP server',
      greets('* OK ready\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid POP3: "* OK ready  "',
    ],
    [
      'has another word',
      greets('+OKAY\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid POP3: "+OKAY  "',
    ],
    [
      'answers before it was asked',
      greets('+OK ready\r\n+OK begin\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "+OK begin  "',
    ],
    [
      'greets twice',
      greets('+OK one\r\n+OK two\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "+OK two  "',
    ],
    ['sends an empty line', greets('\r\n'), 'starttls_bad_reply', 'the greeting is not valid POP3: "  "'],
    [
      'closes at once',
      { greeting: (socket) => void socket.end() },
      'starttls_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes instead of an answer',
      { greeting: '+OK\r\n', replies: [(socket) => void socket.end()] },
      'starttls_closed',
      'the connection was closed before the reply to STLS',
    ],
    [
      'asks for a line more',
      { greeting: '+OK\r\n', replies: ['+ \r\n'] },
      'starttls_bad_reply',
      'the reply to STLS is not valid POP3: "+   "',
    ],
  ],
  postgres: [
    ['has no TLS', says('N'), 'starttls_missing', 'the PostgreSQL server does not offer TLS on this port'],
    [
      'has no TLS and says more',
      says('NE'),
      'starttls_missing',
      'the PostgreSQL server does not offer TLS on this port',
    ],
    [
      'answers with an error',
      says(pgError('unsupported frontend protocol')),
      'starttls_refused',
      'the server refuses to start TLS: "unsupported frontend protocol"',
    ],
    [
      'has too many clients',
      says(pgError('sorry, too many clients already')),
      'starttls_refused',
      'the server refuses to start TLS: "sorry, too many clients already"',
    ],
    [
      'answers with an error of protocol 2',
      says('EFATAL: no\0'),
      'starttls_refused',
      'the server refuses to start TLS: "FATAL: no"',
    ],
    [
      'closes within an error',
      closes('E\0\0\0\x40SFATAL'),
      'starttls_closed',
      'the connection was closed within the reply to SSLRequest: "E   @SFATAL"',
    ],
    [
      'closes without an answer',
      closes(),
      'starttls_closed',
      'the connection was closed before the reply to SSLRequest',
    ],
    [
      'is a web server',
      says('HTTP/1.1 400 Bad Request\r\n'),
      'starttls_bad_reply',
      'the reply to SSLRequest is not valid PostgreSQL: "HTTP/1.1 400 Bad Request  "',
    ],
    [
      'is a MySQL server',
      { greeting: '\x4a\0\0\0\x0a8.0', replies: [''] },
      'starttls_bad_reply',
      'the reply to SSLRequest is not valid PostgreSQL: "J    8.0"',
    ],
    ['says s', says('s'), 'starttls_bad_reply', 'the reply to SSLRequest is not valid PostgreSQL: "s"'],
    ['answers twice', says('SS'), 'starttls_injection', 'unencrypted data before TLS started: "S"'],
  ],
  ldap: [
    [
      'does not know StartTLS',
      says(ldapReply(2, 'unsupported extended operation')),
      'starttls_refused',
      'the server refuses to start TLS: "protocolError: unsupported extended operation"',
    ],
    [
      'has TLS already',
      says(ldapReply(1, 'TLS already started')),
      'starttls_refused',
      'the server refuses to start TLS: "operationsError: TLS already started"',
    ],
    [
      'has no certificate',
      says(ldapReply(52)),
      'starttls_refused',
      'the server refuses to start TLS: "unavailable"',
    ],
    [
      'has a result of its own',
      says(ldapReply(80, 'other')),
      'starttls_refused',
      'the server refuses to start TLS: "result 80: other"',
    ],
    [
      'ends the session',
      says(ldapReply(52, 'shutting down', 0)),
      'starttls_refused',
      'the server refuses to start TLS: "unavailable: shutting down"',
    ],
    [
      'ends the session with a success',
      says(ldapReply(0, '', 0)),
      'starttls_refused',
      'the server refuses to start TLS: "result 0"',
    ],
    [
      'answers another message',
      says(ldapReply(0, '', 7)),
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'answers with another operation',
      says('\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00'),
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'has a length without end',
      says('\x30\x80\x02\x01\x01'),
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'has a length of 4 GB',
      says('\x30\x84\xff\xff\xff\xff'),
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'has a length within that lies',
      says('\x30\x05\x02\x01\x01\x78\x7f'),
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'is a mail server',
      { greeting: '220 mx\r\n', replies: [''] },
      'starttls_bad_reply',
      'the reply to StartTLS is not valid LDAP',
    ],
    [
      'closes within the answer',
      closes(ldapReply(0).slice(0, 5)),
      'starttls_closed',
      'the connection was closed within the reply to StartTLS',
    ],
    [
      'closes without an answer',
      closes(),
      'starttls_closed',
      'the connection was closed before the reply to StartTLS',
    ],
  ],
  xmpp: [
    [
      'has no feature starttls',
      says(featuresOf(`<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>`)),
      'starttls_missing',
      'the XMPP server does not offer TLS on this port',
    ],
    [
      'has no features',
      says(`${streamBegin}<stream:features/>`),
      'starttls_missing',
      'the XMPP server does not offer TLS on this port',
    ],
    [
      'has a starttls of another namespace',
      says(featuresOf(`<starttls xmlns='urn:example'/>`)),
      'starttls_missing',
      'the XMPP server does not offer TLS on this port',
    ],
    [
      'does not serve the domain',
      says(
        `${streamBegin}<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>`,
      ),
      'starttls_refused',
      'the server refuses to start TLS: "host-unknown"',
    ],
    [
      'refuses starttls',
      says(featuresOf(offer), `<failure xmlns='${tlsNamespace}'/></stream:stream>`),
      'starttls_refused',
      'the server refuses to start TLS: "failure"',
    ],
    [
      'ends the stream before its features',
      says(`${streamBegin}</stream:stream>`),
      'starttls_bad_reply',
      'the reply to the stream header is not valid XMPP',
    ],
    [
      'is a web server',
      says('HTTP/1.1 400 Bad Request\r\n'),
      'starttls_bad_reply',
      'the reply to the stream header is not valid XMPP',
    ],
    [
      'is an IMAP server',
      { greeting: '* OK ready\r\n', replies: [''] },
      'starttls_bad_reply',
      'the reply to the stream header is not valid XMPP',
    ],
    [
      'proceeds before it was asked',
      says(`${featuresOf(offer)}${proceed}`, ''),
      'starttls_bad_reply',
      'unexpected data after the reply to the stream header',
    ],
    [
      'answers with features again',
      says(featuresOf(offer), '<stream:features/>'),
      'starttls_bad_reply',
      'the reply to STARTTLS is not valid XMPP',
    ],
    [
      'proceeds in another namespace',
      says(featuresOf(offer), `<proceed xmlns='urn:example'/>`),
      'starttls_bad_reply',
      'the reply to STARTTLS is not valid XMPP',
    ],
    [
      'closes within its features',
      closes(`${streamBegin}<stream:features>`),
      'starttls_closed',
      'the connection was closed within the reply to the stream header',
    ],
    [
      'has features without end',
      says(featuresOf('<a/>'.repeat(3_000))),
      'starttls_bad_reply',
      'the reply to the stream header has more than 8 KB',
    ],
    [
      'sends a line behind proceed',
      says(featuresOf(offer), `${proceed}\n`),
      'starttls_injection',
      'unencrypted data before TLS started',
    ],
  ],
}

const allFaults = Object.entries(faults).flatMap(([security, each]) =>
  each.map((fault) => [security as keyof typeof usual, ...fault] as const),
)

test.each(allFaults)('an %s server that %s is down', async (security, _, script, cause, reason) => {
  const peer = await startTlsPeer(script)
  const { judgement, trace } = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
  expect({ ...judgement, reason: judgement.reason?.slice(0, reason.length) }).toEqual(down(cause, reason))
  expect(trace.certificateExpiresAt).toBeNull()
})

test.each<[string, keyof typeof usual, TlsScript]>([
  [
    'an IMAP greeting of several lines',
    'imap',
    { greeting: '* OK ready\r\n* CAPABILITY IMAP4rev1\r\n', replies: ['* OK soon\r\na1 OK go\r\n'] },
  ],
  ['IMAP in other cases of letters', 'imap', { greeting: '* ok ready\r\n', replies: ['A1 ok\r\n'] }],
  ['an IMAP greeting that ends with LF', 'imap', { greeting: '* OK\n', replies: ['a1 OK\n'] }],
  ['POP3 without texts', 'pop3', { greeting: '+OK\r\n', replies: ['+OK\r\n'] }],
  [
    'XMPP with double quotes, another prefix and spaces',
    'xmpp',
    {
      replies: [
        `<s:stream xmlns:s="http://etherx.jabber.org/streams" version="1.0">\n<s:features ><starttls xmlns="${tlsNamespace}" /></s:features >`,
        `<proceed xmlns="${tlsNamespace}"></proceed>`,
      ],
    },
  ],
  [
    'LDAP with a length in four bytes and the name of the response',
    'ldap',
    {
      replies: [
        '\x30\x84\0\0\0\x24\x02\x01\x01\x78\x84\0\0\0\x1b\x0a\x01\0\x04\0\x04\0\x8a\x121.3.6.1.4.1.1466.2',
      ],
    },
  ],
])('%s is up', async (_, security, script) => {
  const peer = await startTlsPeer({ ...script, tls: leaf })
  const { judgement } = await probe({ host: 'db.localhost', port: peer.port, security }, {}, trusting)
  expect(judgement).toEqual(up)
})
