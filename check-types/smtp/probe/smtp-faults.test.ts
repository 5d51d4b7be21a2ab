import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, test } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { stopTime } from '@probe-mesh/probe-agent/src/testing/stop-time'
import { drip, flood } from '../../tcp/probe/testing/peer.ts'
import { startMailPeer, type Script } from './testing/mail-peer.ts'
import { down, probe } from './testing/probing-smtp.ts'

/**
 * Whatever a mail server does, a run ends within its deadline, with a reason that contains the event and its
 * phase.
 */
const certificates = useOnce(() => createCertificates())
const keyPair = useOnce(() => certificates.leaf('mx.localhost'))
const trusting = useOnce(() => ({ trust: createTrust([certificates.ca]) }))
afterAll(() => certificates.remove())

const silent = (): void => undefined

type Security = 'none' | 'starttls' | 'tls'

const judge = async (script: Script, security: Security) => {
  const peer = await startMailPeer({ keyPair, ...script })
  const { judgement } = await probe({ port: peer.port, security }, {}, trusting)
  await peer.ended
  expect(peer.commands.filter((line) => /MAIL|RCPT|DATA|AUTH/.test(line))).toEqual([])
  return judgement
}

describe('a server that only the deadline ends', () => {
  test.each<[string, Security, (reach: () => void) => Script, string, string]>([
    ['says nothing', 'none', (reach) => ({ greeting: reach }), 'smtp_timeout', 'no greeting within 20 s'],
    [
      'drips its greeting',
      'none',
      (reach) => ({ greeting: drip('a', '220 ', reach) }),
      'smtp_timeout',
      'the greeting was not complete within 20 s',
    ],
    [
      'drips line after line',
      'none',
      (reach) => ({ greeting: drip('220-a\r\n', '', reach) }),
      'smtp_timeout',
      'the greeting was not complete within 20 s',
    ],
    [
      'does not end its reply to EHLO',
      'none',
      (reach) => ({ ehlo: (socket) => void (socket.write('250-mx\r\n250-STARTTLS\r\n'), reach()) }),
      'smtp_timeout',
      'the reply to EHLO was not complete within 20 s',
    ],
    [
      'says nothing to EHLO',
      'none',
      (reach) => ({ ehlo: reach }),
      'smtp_timeout',
      'no reply to EHLO within 20 s',
    ],
    [
      'says nothing to STARTTLS',
      'starttls',
      (reach) => ({ starttls: reach, handshake: silent }),
      'smtp_timeout',
      'no reply to STARTTLS within 20 s',
    ],
    [
      'stalls in the handshake',
      'starttls',
      (reach) => ({ handshake: (socket) => socket.once('data', reach) }),
      'tls_timeout',
      'no TLS handshake within 20 s',
    ],
    [
      'stalls in TLS from the start',
      'tls',
      (reach) => ({ greeting: (socket) => void socket.once('data', reach) }),
      'tls_timeout',
      'no TLS handshake within 20 s',
    ],
    [
      'says nothing over TLS from the start',
      'tls',
      (reach) => ({ implicitTls: true, greeting: (socket) => void socket.once('secure', reach) }),
      'smtp_timeout',
      'no greeting within 20 s',
    ],
    [
      'says nothing to EHLO after TLS',
      'starttls',
      (reach) => ({ securedEhlo: reach }),
      'smtp_timeout',
      'no reply to EHLO after TLS within 20 s',
    ],
  ])('%s (%s)', async (_, security, script, cause, reason) => {
    expect(await judge(script(stopTime().next), security)).toEqual(down(cause, reason))
  })
})

describe('a server that', () => {
  const closes = (socket: { end(): void }): void => socket.end()
  test.each<[string, Security, Script, string, string]>([
    [
      'greets with 421',
      'none',
      { greeting: '421 4.3.2 mx.example.com shutting down\r\n' },
      'smtp_greeting_refused',
      'expected 220 in the greeting, got 421 "4.3.2 mx.example.com shutting down"',
    ],
    [
      'greets with 450 on two lines',
      'none',
      { greeting: '450-try\r\n450 later\r\n' },
      'smtp_greeting_refused',
      'expected 220 in the greeting, got 450 "try later"',
    ],
    [
      'greets with 554 and no text',
      'none',
      { greeting: '554\r\n' },
      'smtp_greeting_refused',
      'expected 220 in the greeting, got 554',
    ],
    [
      'greets with 250',
      'none',
      { greeting: '250 hello\r\n' },
      'smtp_greeting_refused',
      'expected 220 in the greeting, got 250 "hello"',
    ],
    [
      'knows neither EHLO nor HELO',
      'none',
      { ehlo: '502 what?\r\n', helo: '500 no\r\n' },
      'smtp_ehlo_refused',
      'expected 250 to HELO, got 500 "no"; the reply to EHLO was 502 "what?"',
    ],
    [
      'closes the connection after it refused EHLO',
      'none',
      { ehlo: (socket) => socket.end('550 go away\r\n') },
      'smtp_ehlo_refused',
      'expected 250 to EHLO, got 550 "go away"',
    ],
    [
      'refuses EHLO for now: HELO is not tried',
      'none',
      { ehlo: '421 busy\r\n' },
      'smtp_ehlo_refused',
      'expected 250 to EHLO, got 421 "busy"',
    ],
    [
      'answers EHLO with 354: HELO is not tried',
      'none',
      { ehlo: '354 go on\r\n' },
      'smtp_ehlo_refused',
      'expected 250 to EHLO, got 354 "go on"',
    ],
    [
      'refuses EHLO, so it has no STARTTLS',
      'starttls',
      { ehlo: '502 what?\r\n' },
      'smtp_starttls_missing',
      'the server does not offer STARTTLS',
    ],
    [
      'says more after it refused EHLO',
      'none',
      { ehlo: '502 what?\r\n250 HELO accepted\r\n' },
      'smtp_unasked_data',
      'unexpected data after the reply to EHLO: "250 HELO accepted  "',
    ],
    [
      'refuses STARTTLS',
      'starttls',
      { starttls: '454 TLS not available\r\n', handshake: silent },
      'smtp_starttls_refused',
      'expected 220 to STARTTLS, got 454 "TLS not available"',
    ],
    [
      'closes for want of something after TLS',
      'starttls',
      { securedEhlo: '421 bye\r\n' },
      'smtp_ehlo_refused',
      'expected 250 to EHLO after TLS, got 421 "bye"',
    ],
    [
      'injects a reply before TLS',
      'starttls',
      { starttls: '220 go ahead\r\n250-mx\r\n250 AUTH PLAIN\r\n' },
      'smtp_starttls_injection',
      'unencrypted data before TLS started: "250-mx  250 AUTH PLAIN  "',
    ],
    [
      'answers STARTTLS before it is sent',
      'starttls',
      { ehlo: '250-mx\r\n250 STARTTLS\r\n220 go ahead\r\n', handshake: silent },
      'smtp_unasked_data',
      'unexpected data after the reply to EHLO: "220 go ahead  "',
    ],
    [
      'greets twice',
      'none',
      { greeting: '220 mx\r\n220 mx\r\n' },
      'smtp_unasked_data',
      'unexpected data after the greeting: "220 mx  "',
    ],
    [
      'is no mail server',
      'none',
      { greeting: 'SSH-2.0-OpenSSH_9.2\r\n' },
      'smtp_bad_reply',
      'the greeting is not valid SMTP: "SSH-2.0-OpenSSH_9.2 "',
    ],
    [
      'changes its code between lines',
      'none',
      { ehlo: '250-mx\r\n251 STARTTLS\r\n' },
      'smtp_bad_reply',
      'the reply to EHLO is not valid SMTP: "251 STARTTLS "',
    ],
    [
      'closes without a word',
      'none',
      { greeting: closes },
      'smtp_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes inside its greeting',
      'none',
      { greeting: (socket) => void socket.end('220-mx\r\n') },
      'smtp_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes at EHLO',
      'none',
      { ehlo: closes },
      'smtp_closed',
      'the connection was closed before the reply to EHLO',
    ],
    [
      'closes at EHLO after TLS',
      'starttls',
      { securedEhlo: closes },
      'smtp_closed',
      'the connection was closed before the reply to EHLO after TLS',
    ],
    [
      'resets at EHLO',
      'none',
      { ehlo: (socket) => void socket.resetAndDestroy() },
      'connection_reset',
      'the connection was reset',
    ],
    [
      'speaks no TLS after STARTTLS',
      'starttls',
      { handshake: (socket) => socket.once('data', () => void socket.write('250 what?\r\n')) },
      'tls_not_spoken',
      'the server does not use TLS on this port',
    ],
    ['speaks no TLS from the start', 'tls', {}, 'tls_not_spoken', 'the server does not use TLS on this port'],
    [
      'never ends its greeting',
      'none',
      { greeting: flood('220-and on\r\n'.repeat(1_000)) },
      'smtp_reply_too_long',
      'the greeting has more than 100 lines',
    ],
    [
      'never ends a line',
      'none',
      { greeting: flood('a'.repeat(64 * 1024), '220 ') },
      'smtp_reply_too_long',
      'the greeting has a line of more than 2048 bytes',
    ],
    [
      'offers without end',
      'none',
      { ehlo: flood(`250-${'a'.repeat(1_000)}\r\n`.repeat(60)) },
      'smtp_reply_too_long',
      'the reply to EHLO has more than 16 KB',
    ],
    [
      'offers without end over TLS',
      'starttls',
      { securedEhlo: flood('250-and on\r\n'.repeat(1_000)) },
      'smtp_reply_too_long',
      'the reply to EHLO after TLS has more than 100 lines',
    ],
    [
      'floods bytes of no meaning',
      'none',
      { greeting: flood(Buffer.alloc(64 * 1024)) },
      'smtp_bad_reply',
      `the greeting is not valid SMTP: "${' '.repeat(60)}…"`,
    ],
  ])('%s (%s)', async (_, security, script, cause, reason) => {
    expect(await judge(script, security)).toEqual(down(cause, reason))
  })

  test('sends more than fits a reason is quoted on one line and cut', async () => {
    const judgement = await judge({ greeting: `554 \u202e${'x'.repeat(1_500)}\r\n` }, 'none')
    expect(judgement.reason).toBe(`expected 220 in the greeting, got 554 " ${'x'.repeat(59)}…"`)
  })
})
