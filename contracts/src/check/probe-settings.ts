import { z } from 'zod'
import { limits } from '../schema/limits.ts'

/** What the types without a URL of their own, and the browser, are told. Unset fields are null. */

const host = z.string().min(1).max(253)
const port = z.int().min(1).max(65_535)
const text = z.string().min(1).max(limits.probeTextCharactersMax)

/** Connect; then send what there is to send, and find `expect` in what comes, a banner included. */
export const TcpSettings = z.strictObject({
  host,
  port,
  send: text.nullable().default(null),
  expect: text.nullable().default(null),
})
export type TcpSettings = z.infer<typeof TcpSettings>

export const DnsRecordType = z.enum([
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'MX',
  'NS',
  'PTR',
  'SOA',
  'SRV',
  'TXT',
])
export type DnsRecordType = z.infer<typeof DnsRecordType>

export const DnsSettings = z.strictObject({
  name: z.string().min(1).max(253),
  recordType: DnsRecordType,
  /** An address, with a port only where `TARGET_ALLOW` opens it; null asks the agent's own resolvers. */
  resolver: z.string().min(2).max(60).nullable().default(null),
  /** `includes`: each of them is there; `equals`: exactly they are. Null: any answer will do. */
  expect: z
    .strictObject({
      op: z.enum(['includes', 'equals']),
      values: z.array(text).min(1).max(limits.dnsValuesMax),
    })
    .nullable()
    .default(null),
})
export type DnsSettings = z.infer<typeof DnsSettings>

export const SmtpSettings = z.strictObject({
  host,
  port: port.default(25),
  /** `starttls` requires it and verifies the certificate; `tls` speaks TLS from the start (465). */
  security: z.enum(['none', 'starttls', 'tls']).default('none'),
  /** Whether AUTH must be offered, once TLS stands where that is asked for. Nobody logs in. */
  requireAuth: z.boolean().default(false),
})
export type SmtpSettings = z.infer<typeof SmtpSettings>

export const BrowserSettings = z.strictObject({
  url: z.string().min(1).max(limits.urlCharactersMax),
  /** Literal text of the title, and of what the page shows; upper and lower case differ. */
  titleContains: text.nullable().default(null),
  textContains: text.nullable().default(null),
  /** Whether an error on the console or an exception fails the check. */
  failOnConsoleErrors: z.boolean().default(false),
  /** The slowest largest contentful paint that is up; null measures it only. */
  lcpMsMax: z.int().min(1).max(limits.browserAttemptMsMax).nullable().default(null),
})
export type BrowserSettings = z.infer<typeof BrowserSettings>
