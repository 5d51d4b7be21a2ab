import { z } from 'zod'
import { limits } from '../schema/limits.ts'

// Settings of the tcp, dns, smtp and browser types. Unset fields are null.

const host = z.string().min(1).max(253)
const port = z.int().min(1).max(65_535)
const text = z.string().min(1).max(limits.probeTextCharactersMax)

/** Connects, sends `send`, and searches the received text, including a banner, for `expect`. */
export const TcpSettings = z.strictObject({
  host,
  port,
  send: text.nullable().default(null),
  expect: text.nullable().default(null),
})
export type TcpSettings = z.infer<typeof TcpSettings>

export const DnsRecordType = z.enum(['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'])
export type DnsRecordType = z.infer<typeof DnsRecordType>

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

export const SmtpSettings = z.strictObject({
  host,
  port: port.default(25),
  /** `starttls` requires STARTTLS and verifies the certificate. `tls` uses TLS from the start (465). */
  security: z.enum(['none', 'starttls', 'tls']).default('none'),
  /** Whether the server must offer AUTH, after TLS if that is required. The probe does not log in. */
  requireAuth: z.boolean().default(false),
})
export type SmtpSettings = z.infer<typeof SmtpSettings>

export const BrowserSettings = z.strictObject({
  url: z.string().min(1).max(limits.urlCharactersMax),
  /** Literal text in the title and in the visible page. Case-sensitive. */
  titleContains: text.nullable().default(null),
  textContains: text.nullable().default(null),
  /** Whether an error on the console or an exception fails the check. */
  failOnConsoleErrors: z.boolean().default(false),
  /** The slowest largest contentful paint that counts as up; null only measures it. */
  lcpMsMax: z.int().min(1).max(limits.browserAttemptMsMax).nullable().default(null),
})
export type BrowserSettings = z.infer<typeof BrowserSettings>
