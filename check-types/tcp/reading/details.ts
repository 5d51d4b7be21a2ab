import { z } from 'zod'
import { line, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const TcpDetails = z.object({
  type: z.literal('tcp'),
  /** The start of the received text, with control characters escaped. */
  received: line.nullable(),
  ...named,
})

export const tcpReading = {
  type: 'tcp',
  Details: TcpDetails,
  rest: 'Conversation',
  facts: ({ received }) => ({ Received: received }),
} as const satisfies CheckTypeReading<typeof TcpDetails>
