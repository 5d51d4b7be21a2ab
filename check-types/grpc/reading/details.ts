import { z } from 'zod'
import { line, named, tlsVersion, type CheckTypeReading } from '../../reading/check-reading.ts'

/** What the gRPC health checking protocol says of a service. */
export const HealthStatus = z.enum(['SERVING', 'NOT_SERVING', 'UNKNOWN', 'SERVICE_UNKNOWN'])
export type HealthStatus = z.infer<typeof HealthStatus>

export const GrpcDetails = z.object({
  type: z.literal('grpc'),
  /** The status of the service; null without an answer that has one. */
  status: HealthStatus.nullable(),
  /** The gRPC status code; null without a valid one. */
  code: z.int().min(0).max(16).nullable(),
  /** The server's text with a code other than 0, with control characters escaped. */
  message: line.nullable(),
  tlsVersion,
  ...named,
})
export type GrpcDetails = z.infer<typeof GrpcDetails>

export const grpcReading = {
  type: 'grpc',
  Details: GrpcDetails,
  facts: ({ status, code, message, tlsVersion: tls }) => ({
    Status: status,
    'gRPC code': code === null ? null : String(code),
    Message: message,
    TLS: tls,
  }),
} as const satisfies CheckTypeReading<typeof GrpcDetails>
