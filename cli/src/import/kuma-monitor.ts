import { z } from 'zod'
import { amount, flag, text } from './shape.ts'
import type { Fields } from './shape.ts'

/** An http monitor, by the names that the backup has. */
export const KumaMonitor = z.object({
  name: text,
  type: text,
  url: text,
  active: flag.transform((value) => value ?? true),
  interval: amount.transform((value) => value ?? 60),
  method: text,
  body: text,
  headers: text,
  /** Absent in a backup of a version that had user names only. */
  authMethod: z.string('must be text').nullish(),
  basic_auth_user: text,
  ignoreTls: flag,
  upsideDown: flag,
  maxretries: amount,
  maxredirects: amount,
  accepted_statuscodes: z.array(z.string('must be text'), 'must be a list of statuses').nullish(),
  keyword: text,
  invertKeyword: flag,
  jsonPath: text,
  jsonPathOperator: text,
  expectedValue: text,
  proxyId: z.unknown().optional(),
  cacheBust: flag,
  ipFamily: text,
  expiryNotification: flag,
  domainExpiryNotification: flag,
})
export type KumaMonitor = z.infer<typeof KumaMonitor>

/** The columns of the database by the names that the backup has for the same. */
const columns = [
  ['auth_method', 'authMethod'],
  ['ignore_tls', 'ignoreTls'],
  ['upside_down', 'upsideDown'],
  ['invert_keyword', 'invertKeyword'],
  ['json_path', 'jsonPath'],
  ['json_path_operator', 'jsonPathOperator'],
  ['expected_value', 'expectedValue'],
  ['proxy_id', 'proxyId'],
  ['cache_bust', 'cacheBust'],
  ['ip_family', 'ipFamily'],
  ['expiry_notification', 'expiryNotification'],
  ['domain_expiry_notification', 'domainExpiryNotification'],
] as const

/** A row of the database with the names of the backup. */
export const fieldsOfRow = (row: Fields): Fields => ({
  ...row,
  ...Object.fromEntries(
    columns.flatMap(([column, field]) => (column in row ? [[field, row[column]]] : [])),
  ),
})
