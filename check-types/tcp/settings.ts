import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { tlsSettings, withoutTls } from '@probe-mesh/contracts/target/server-identity'
import { portAllowed, type TargetProblem } from '@probe-mesh/contracts/target/target'
import {
  atHostAndPort,
  atPortOrHost,
  host,
  hostAndPortProblem,
  kilobyte,
  port,
  text,
  type CheckTypeSettings,
} from '../check-type.ts'

/** Protocols that start TLS by a command of their own (STARTTLS), and `tls`: TLS from the start. */
export const TcpSecurity = z.enum(['tls', 'imap', 'pop3', 'postgres', 'ldap', 'xmpp'])
export type TcpSecurity = z.infer<typeof TcpSecurity>

/**
 * Connects, starts TLS where `security` says so, sends `send`, and searches the received text, including a banner,
 * for `expect`. What earlier versions do not know is absent unless it is used: they can read every other check.
 */
export const TcpSettings = z.strictObject({
  host: field(host, 'Host name or address.', 'db.example.com'),
  port: field(port, 'Port.', 5432),
  send: field(text.nullable().default(null), 'Text to send. A read-only key gets its length only.', null),
  expect: field(text.nullable().default(null), 'Text that must arrive. null: a connection is enough.', null),
  security: field(
    TcpSecurity.optional(),
    '`tls` encrypts from the start; a protocol starts TLS by its command. Absent: no TLS.',
    'imap',
  ),
  ...tlsSettings,
})
export type TcpSettings = z.infer<typeof TcpSettings>
components.add(TcpSettings, { id: 'TcpSettings' })

/**
 * The target rule of a tcp check, at save and on every run. It may connect to any port. It may send text only to
 * ports of web servers: on others the text could control a mail server or a database (S-502).
 */
export const tcpTargetProblem = (
  settings: Pick<TcpSettings, 'host' | 'port' | 'send'>,
  options: { allow: AllowList },
): TargetProblem | null =>
  hostAndPortProblem(
    settings,
    options,
    settings.send === null || portAllowed(settings.port)
      ? null
      : `a tcp check must not send text to port ${settings.port}: use 80, 443, or a web port from 1024 up`,
  )

/** After these commands the server has greeted already and waits for its client: no text comes by itself (S-362). */
const waitingProblems = ({ security, send, expect }: TcpSettings): FieldProblem[] =>
  security === 'tls' || expect === null || send !== null
    ? []
    : [
        {
          path: 'expect',
          message:
            'is never met: after the command that starts TLS the server waits for its client; leave it empty, TLS is the answer',
        },
      ]

export const tcp = {
  ...atHostAndPort,
  type: 'tcp',
  Settings: TcpSettings,
  hasTimeout: true,
  mayRunPrivately: true,
  startsTls: ({ security }) => security !== undefined,
  readingBytesMax: 2 * kilobyte,
  unsafeField: (settings, options) => atPortOrHost(tcpTargetProblem(settings, options)),
  problemsOf: (settings) =>
    settings.security === undefined ? withoutTls(settings) : waitingProblems(settings),
  // what a check sends may contain a password
  hide: (settings, hidden) => ({ ...settings, send: hidden(settings.send) }),
} as const satisfies CheckTypeSettings<'tcp', typeof TcpSettings>
