import { z } from 'zod'
import { line, named, tlsVersion, type CheckTypeReading } from '../../reading/check-reading.ts'

export const SmtpDetails = z.object({
  type: z.literal('smtp'),
  banner: line.nullable(),
  /** The EHLO keywords of the last response, upper case. */
  extensions: z.array(z.string().max(40)).max(40),
  tlsVersion,
  ...named,
})

export const smtpReading = {
  type: 'smtp',
  Details: SmtpDetails,
  rest: 'Conversation',
  facts: (details) => ({ Banner: details.banner, Extensions: details.extensions, TLS: details.tlsVersion }),
} as const satisfies CheckTypeReading<typeof SmtpDetails>
