import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { line, named, tlsVersion, type CheckTypeReading } from '../../reading/check-reading.ts'

export const SmtpDetails = z.object({
  type: field(z.literal('smtp'), 'Type of the check.', 'http'),
  banner: field(line.nullable(), 'First line of the server.', '220 mail.example.com ESMTP'),
  extensions: field(z.array(z.string().max(40)).max(40), 'EHLO keywords of the last response.', ['STARTTLS']),
  tlsVersion,
  ...named,
})

export const smtpReading = {
  type: 'smtp',
  Details: SmtpDetails,
  rest: 'Conversation',
  facts: (details) => ({ Banner: details.banner, Extensions: details.extensions, TLS: details.tlsVersion }),
} as const satisfies CheckTypeReading<typeof SmtpDetails>
