import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { line, named, tlsVersion, type CheckTypeReading } from '../../reading/check-reading.ts'

/** What the gRPC health checking protocol says of a service. */
export const HealthStatus = z.enum(['SERVING', 'NOT_SERVING', 'UNKNOWN', 'SERVICE_UNKNOWN'])
export type HealthStatus = z.infer<typeof HealthStatus>

export const GrpcDetails = z.object({
  type: field(z.literal('grpc'), 'Type of the check.', 'http'),
  status: field(HealthStatus.nullable(), 'Status of the service. null without one in the answer.', 'SERVING'),
  code: field(z.int().min(0).max(16).nullable(), 'gRPC status code. null without a valid one.', 0),
  message: field(line.nullable(), 'Text of the server with a code other than 0, escaped.', null),
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
