import type { CheckType } from '@probe-mesh/contracts/check/check'
import { DnsRecordType } from '@probe-mesh/contracts/check/probe-settings'
import type { Field } from './field.ts'
import { checkAssertionFields } from './assertion-fields.ts'
import { requestConnectionFields, requestCredentialFields, requestFields } from './request-fields.ts'

const tcp: readonly Field[] = [
  { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
  { name: 'settings.port', label: 'Port', kind: 'number', isRequired: true, isShort: true },
]
const tcpAnswer: readonly Field[] = [
  {
    name: 'settings.send',
    label: 'Send',
    kind: 'text',
    rows: 2,
    lineBreak: '\r\n',
    hint: 'Line breaks are sent as CR LF.',
  },
  {
    name: 'settings.expect',
    label: 'Expect',
    kind: 'text',
    rows: 2,
    lineBreak: '\r\n',
    hint: 'Text within the first 4 KB of the answer.',
  },
]

const dns: readonly Field[] = [
  { name: 'settings.name', label: 'Name', kind: 'text', isRequired: true, hint: 'Such as example.org.' },
  {
    name: 'settings.recordType',
    label: 'Record type',
    kind: 'choice',
    isShort: true,
    choices: DnsRecordType.options.map((value) => ({ value, label: value })),
  },
]
const dnsAnswer: readonly Field[] = [
  {
    name: 'settings.expect.op',
    label: 'Answer',
    kind: 'choice',
    choices: [
      { value: '', label: 'any record' },
      { value: 'includes', label: 'includes each of these' },
      { value: 'equals', label: 'is exactly these' },
    ],
  },
  {
    name: 'settings.expect.values',
    label: 'Values',
    kind: 'lines',
    hint: 'One per line, such as 10 mail.example.org for MX.',
  },
]
const dnsResolver: readonly Field[] = [
  {
    name: 'settings.resolver',
    label: 'Resolver',
    kind: 'text',
    hint: "An IP address. Default: the agents' own resolvers.",
  },
]

const smtp: readonly Field[] = [
  { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
  { name: 'settings.port', label: 'Port', kind: 'number', hint: '25, 465, 587 or 2525.', isShort: true },
  {
    name: 'settings.security',
    label: 'TLS',
    kind: 'choice',
    choices: [
      { value: 'none', label: 'none' },
      { value: 'starttls', label: 'STARTTLS, with a valid certificate' },
      { value: 'tls', label: 'TLS from the start, with a valid certificate' },
    ],
  },
  { name: 'settings.requireAuth', label: 'Require AUTH', kind: 'flag', hint: 'The probe does not log in.' },
]

const browser: readonly Field[] = [
  { name: 'settings.url', label: 'URL', kind: 'text', isRequired: true, isUrl: true },
]
const browserAssertions: readonly Field[] = [
  { name: 'settings.titleContains', label: 'Title contains', kind: 'text' },
  { name: 'settings.textContains', label: 'Page shows', kind: 'text' },
  { name: 'settings.failOnConsoleErrors', label: 'Fail on console errors', kind: 'flag' },
  {
    name: 'settings.lcpMsMax',
    label: 'Largest contentful paint, at most (ms)',
    kind: 'number',
    hint: 'Empty: measured, but never a failure.',
  },
]

const heartbeat: readonly Field[] = [
  {
    name: 'settings.periodSeconds',
    label: 'Period (s)',
    kind: 'number',
    hint: '86400 is one day. Leave empty for a cron schedule.',
    isShort: true,
  },
  {
    name: 'settings.graceSeconds',
    label: 'Grace (s)',
    kind: 'number',
    isRequired: true,
    hint: 'How late a ping may be.',
    isShort: true,
  },
]
const heartbeatCron: readonly Field[] = [
  {
    name: 'settings.cron',
    label: 'Cron schedule',
    kind: 'text',
    hint: 'Five fields, such as 0 3 * * 1-5.',
  },
  {
    name: 'settings.timeZone',
    label: 'Time zone',
    kind: 'text',
    hint: 'Such as Europe/Berlin. Default: UTC.',
  },
]
const heartbeatRuntime: readonly Field[] = [
  {
    name: 'settings.maxRuntimeSeconds',
    label: 'Longest run (s)',
    kind: 'number',
    hint: 'Counted from the start ping. Default: no limit.',
  },
]

export type FieldGroup = {
  legend: string
  fields: readonly Field[]
  /** Collapsed until used: most checks do not need it. */
  isFolded?: true
}

const sendRegionField: Field = {
  name: 'sendRegion',
  label: 'Send the header Probe-Region',
  kind: 'flag',
  hint: 'Its value is the region that sends the request.',
}

/** For types whose attempt is one request. */
export const timeoutField: Field = {
  name: 'timeoutSeconds',
  label: 'Timeout (s)',
  kind: 'number',
  hint: '1 to 30. Above 0.4 of the interval a failed attempt is not retried. Default: 10 s or 0.4 of the interval.',
  isShort: true,
}

/** Only the owner knows whether the target should allow the probe. */
const refusedAsField: Field = {
  name: 'refusedAs',
  label: 'A plain 403 or 429 means',
  kind: 'choice',
  choices: [
    { value: '', label: 'down: the probe should have access' },
    { value: 'blocked', label: 'blocked: nothing is known' },
  ],
  hint: 'A firewall page is always blocked.',
}

const waiting: FieldGroup = { legend: 'Timeout', fields: [timeoutField], isFolded: true }

/**
 * The fields of a type besides name, interval, regions and tags. The steps of a journey have a separate
 * editor.
 */
export const typeFields: Readonly<Record<CheckType, readonly FieldGroup[]>> = {
  http: [
    {
      legend: 'Target',
      fields: [{ name: 'url', label: 'URL', kind: 'text', isRequired: true, isUrl: true }],
    },
    { legend: 'Assertions', fields: checkAssertionFields, isFolded: true },
    { legend: 'Timeout and refusals', fields: [timeoutField, refusedAsField], isFolded: true },
    { legend: 'Request', fields: [...requestFields, sendRegionField], isFolded: true },
    { legend: 'Credentials', fields: requestCredentialFields, isFolded: true },
    { legend: 'Redirects, versions and limits', fields: requestConnectionFields, isFolded: true },
  ],
  multistep: [{ legend: 'Request', fields: [sendRegionField], isFolded: true }],
  tcp: [
    { legend: 'Target', fields: tcp },
    { legend: 'Send and expect', fields: tcpAnswer, isFolded: true },
    waiting,
  ],
  dns: [
    { legend: 'Target', fields: dns },
    { legend: 'Expected records', fields: dnsAnswer, isFolded: true },
    { legend: 'Resolver', fields: dnsResolver, isFolded: true },
    waiting,
  ],
  smtp: [{ legend: 'Target', fields: smtp }, waiting],
  browser: [
    { legend: 'Target', fields: browser },
    { legend: 'Assertions', fields: browserAssertions, isFolded: true },
  ],
  heartbeat: [
    { legend: 'Schedule', fields: heartbeat },
    { legend: 'Cron schedule', fields: heartbeatCron, isFolded: true },
    { legend: 'Run time', fields: heartbeatRuntime, isFolded: true },
  ],
}
