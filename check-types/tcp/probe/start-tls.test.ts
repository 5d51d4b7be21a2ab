import type { Socket } from 'node:net'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { afterAll, describe, expect, test } from 'vitest'
import { detailsOf } from './testing/probing.ts'
import { down, probe, up } from './testing/probing-tcp.ts'
import { mailFaults } from './testing/mail-faults.ts'
import { otherFaults } from './testing/other-faults.ts'
import { tlsNamespace, usual } from './testing/start-tls-usual.ts'
import { startTlsPeer, type TlsScript } from './testing/tls-peer.ts'

const certificates = useOnce(() => createCertificates())
const leaf = useOnce(() => certificates.leaf('db.localhost'))
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
afterAll(() => certificates.remove())

const bytewise =
  (text: string) =>
  (socket: Socket): void => {
    socket.setNoDelay(true)
    const send = (at: number): void => {
      if (at < text.length) socket.write(text[at] ?? '', 'latin1', () => setImmediate(send, at + 1))
    }
    send(0)
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
    const over = new AbortController()
    // the next timer may still be one of connecting
    const pass = async (): Promise<void> => {
      while (!over.signal.aborted) await next()
    }
    const peer = await startTlsPeer({ greeting: () => void pass() })
    const { judgement } = await probe({ port: peer.port, security }, {}, trusting).finally(() => over.abort())
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

const allFaults = Object.entries({ ...mailFaults, ...otherFaults }).flatMap(([security, each]) =>
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
