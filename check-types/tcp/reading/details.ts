import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { line, named, tlsVersion, type CheckTypeReading } from '../../reading/check-reading.ts'

export const TcpDetails = z.object({
  type: field(z.literal('tcp'), 'Type of the check.', 'http'),
  received: field(line.nullable(), 'Start of the received text, with control characters escaped.', null),
  tlsVersion: tlsVersion.optional(),
  ...named,
})

export const tcpReading = {
  type: 'tcp',
  Details: TcpDetails,
  rest: 'Conversation',
  facts: ({ received, tlsVersion: tls = null }) => ({ Received: received, TLS: tls }),
} as const satisfies CheckTypeReading<typeof TcpDetails>
