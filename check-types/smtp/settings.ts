import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { tlsSettings, withoutTls } from '@probe-mesh/contracts/target/server-identity'
import type { TargetProblem } from '@probe-mesh/contracts/target/target'
import {
  atHostAndPort,
  atPortOrHost,
  host,
  hostAndPortProblem,
  kilobyte,
  port,
  type CheckTypeSettings,
} from '../check-type.ts'

export const SmtpSettings = z.strictObject({
  host: field(host, 'Host name or address.', 'mail.example.com'),
  port: field(port.default(25), 'Port.', 25),
  security: field(
    z.enum(['none', 'starttls', 'tls']).default('none'),
    '`starttls` requires STARTTLS, `tls` encrypts from the start. Both verify the certificate.',
    'starttls',
  ),
  requireAuth: field(
    z.boolean().default(false),
    'Whether the server must offer AUTH, after TLS if that is required. The probe does not log in.',
    false,
  ),
  ...tlsSettings,
})
export type SmtpSettings = z.infer<typeof SmtpSettings>
components.add(SmtpSettings, { id: 'SmtpSettings' })

/** SMTP ports: relay, submission over TLS, submission, and the common alternative to 25. */
const smtpPorts: ReadonlySet<number> = new Set([25, 465, 587, 2525])

/**
 * The target rule of an smtp check, at save and on every run: an allowed host and an SMTP port, unless the operator
 * allowed the address.
 */
export const smtpTargetProblem = (
  settings: Pick<SmtpSettings, 'host' | 'port'>,
  options: { allow: AllowList },
): TargetProblem | null =>
  hostAndPortProblem(
    settings,
    options,
    smtpPorts.has(settings.port)
      ? null
      : `the port ${settings.port} is not allowed: use ${[...smtpPorts].join(', ')}`,
  )

export const smtp = {
  ...atHostAndPort,
  type: 'smtp',
  Settings: SmtpSettings,
  hasTimeout: true,
  mayRunPrivately: true,
  startsTls: ({ security }) => security !== 'none',
  readingBytesMax: 4 * kilobyte,
  unsafeField: (settings, options) => atPortOrHost(smtpTargetProblem(settings, options)),
  problemsOf: (settings) => (settings.security === 'none' ? withoutTls(settings) : []),
} as const satisfies CheckTypeSettings<'smtp', typeof SmtpSettings>
