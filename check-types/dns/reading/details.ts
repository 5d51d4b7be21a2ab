import { z } from 'zod'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { line, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const DnsDetails = z.object({
  type: z.literal('dns'),
  /** `NOERROR`, `NXDOMAIN`, ...; null without a response. */
  rcode: z.string().max(20).nullable(),
  /** The smallest TTL of the answer's records, seconds. */
  ttlSeconds: z.int().min(0).nullable(),
  values: z.array(line).max(limits.dnsValuesMax),
  ...named,
})

export const dnsReading = {
  type: 'dns',
  Details: DnsDetails,
  facts: ({ rcode, ttlSeconds, values }) => ({
    'Response code': rcode,
    'Time to live': ttlSeconds === null ? null : `${ttlSeconds} s`,
    Records: values,
  }),
} as const satisfies CheckTypeReading<typeof DnsDetails>
