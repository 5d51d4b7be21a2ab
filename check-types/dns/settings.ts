import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { dnsTargetProblem, parseDnsTarget } from '@probe-mesh/contracts/target/dns-target'
import { kilobyte, text, type CheckTypeSettings } from '../check-type.ts'
import { DnsRecordType, dnsExpectProblem } from './record-type.ts'

export const DnsSettings = z.strictObject({
  name: field(z.string().min(1).max(253), 'Name that is resolved.', 'example.com'),
  recordType: field(DnsRecordType, 'Type of the records.', 'A'),
  resolver: field(
    z.string().min(2).max(60).nullable().default(null),
    'Address of the name server; a port needs `TARGET_ALLOW`. null: the resolvers of the probe.',
    null,
  ),
  expect: field(
    z
      .strictObject({
        op: field(z.enum(['includes', 'equals']), '`includes` all values, `equals` only these.', 'includes'),
        values: field(z.array(text).min(1).max(limits.dnsValuesMax), 'Values of the records.', [
          '203.0.113.7',
        ]),
      })
      .nullable()
      .default(null),
    'Records that are expected. null: any answer.',
    null,
  ),
})
export type DnsSettings = z.infer<typeof DnsSettings>
components.add(DnsSettings, { id: 'DnsSettings' })

export const dns = {
  type: 'dns',
  Settings: DnsSettings,
  hasTimeout: true,
  mayRunPrivately: true,
  // the look-up is what it measures
  looksUpName: false,
  startsTls: () => false,
  readingBytesMax: 8 * kilobyte,
  targetOf: ({ name, recordType, resolver }) =>
    `${name} ${recordType}${resolver === null ? '' : ` @${resolver}`}`,
  hostOf: ({ name }) => name,
  requestsOf: (settings, options) => {
    const parsed = parseDnsTarget(settings, options)
    const resolver = parsed.ok ? parsed.target.resolver : null
    return resolver === null ? [] : [{ path: 'resolver', host: resolver.address }]
  },
  unsafeField: (settings, options) => dnsTargetProblem(settings, options),
  problemsOf: (settings) => {
    const problem = dnsExpectProblem(settings)
    return problem === null ? [] : [problem]
  },
} as const satisfies CheckTypeSettings<'dns', typeof DnsSettings>
