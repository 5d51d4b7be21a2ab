import { z } from 'zod'
import { field } from '@probe-mesh/contracts/schema/field'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { line, named, type CheckTypeReading } from '../../reading/check-reading.ts'

export const DnsDetails = z.object({
  type: field(z.literal('dns'), 'Type of the check.', 'http'),
  rcode: field(z.string().max(20).nullable(), 'Response code. null without a response.', 'NOERROR'),
  ttlSeconds: field(z.int().min(0).nullable(), 'Smallest TTL of the records, seconds.', 300),
  values: field(z.array(line).max(limits.dnsValuesMax), 'Values of the records.', ['203.0.113.7']),
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
