import { z } from 'zod'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { dnsTargetProblem, parseDnsTarget } from '@probe-mesh/contracts/target/dns-target'
import { kilobyte, text, type CheckTypeSettings } from '../check-type.ts'
import { DnsRecordType, dnsExpectProblem } from './value.ts'

export const DnsSettings = z.strictObject({
  name: z.string().min(1).max(253),
  recordType: DnsRecordType,
  /** An address. A port needs `TARGET_ALLOW`. null uses the agent's own resolvers. */
  resolver: z.string().min(2).max(60).nullable().default(null),
  /** `includes` requires all values, `equals` exactly these. null accepts any answer. */
  expect: z
    .strictObject({
      op: z.enum(['includes', 'equals']),
      values: z.array(text).min(1).max(limits.dnsValuesMax),
    })
    .nullable()
    .default(null),
})
export type DnsSettings = z.infer<typeof DnsSettings>

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
