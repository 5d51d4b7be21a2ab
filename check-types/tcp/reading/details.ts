import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { line, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const TcpDetails = z.object({
  type: field(z.literal('tcp'), 'Type of the check.', 'http'),
  received: field(line.nullable(), 'Start of the received text, with control characters escaped.', null),
  ...named,
})

export const tcpReading = {
  type: 'tcp',
  Details: TcpDetails,
  rest: 'Conversation',
  facts: ({ received }) => ({ Received: received }),
} as const satisfies CheckTypeReading<typeof TcpDetails>
