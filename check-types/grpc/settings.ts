import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { tlsSettings, withoutTls } from '@probe-mesh/contracts/target/server-identity'
import { portAllowed, type TargetProblem } from '@probe-mesh/contracts/target/target'
import {
  atHostAndPort,
  atPortOrHost,
  host,
  hostAndPortProblem,
  kilobyte,
  port,
  type CheckTypeSettings,
} from '../check-type.ts'
import { HealthStatus } from './reading/details.ts'

/** Asks a server for the health of a service, by the gRPC health checking protocol. */
export const GrpcSettings = z.strictObject({
  host: field(host, 'Host name or address.', 'shop.example.com'),
  port: field(port, 'Port.', 443),
  security: field(
    z.enum(['tls', 'none']).default('tls'),
    '`tls` verifies the certificate; `none` is HTTP/2 in clear, for servers without TLS.',
    'tls',
  ),
  service: field(z.string().max(200).default(''), 'Full name. Empty: the whole server.', 'shop.v1.Cart'),
  expect: field(HealthStatus.default('SERVING'), 'Status of the service that counts as up.', 'SERVING'),
  ...tlsSettings,
})
export type GrpcSettings = z.infer<typeof GrpcSettings>

/**
 * The target rule of a grpc check, at save and on every run: an allowed host and a web port, since the name of the
 * service is text that could control another kind of server (S-502).
 */
export const grpcTargetProblem = (
  settings: Pick<GrpcSettings, 'host' | 'port'>,
  options: { allow: AllowList },
): TargetProblem | null =>
  hostAndPortProblem(
    settings,
    options,
    portAllowed(settings.port)
      ? null
      : `the port ${settings.port} is not allowed: use 80, 443, or a web port from 1024 up`,
  )

export const grpc = {
  ...atHostAndPort,
  type: 'grpc',
  Settings: GrpcSettings,
  hasTimeout: true,
  mayRunPrivately: true,
  startsTls: ({ security }) => security === 'tls',
  readingBytesMax: 2 * kilobyte,
  unsafeField: (settings, options) => atPortOrHost(grpcTargetProblem(settings, options)),
  problemsOf: (settings) => (settings.security === 'none' ? withoutTls(settings) : []),
} as const satisfies CheckTypeSettings<'grpc', typeof GrpcSettings>
