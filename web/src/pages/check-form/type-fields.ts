import type { CheckType } from '@probe-mesh/contracts/check/check'
import { DnsRecordType } from '@probe-mesh/contracts/check/probe-settings'
import type { Field } from './field.ts'
import { checkAssertionFields } from './assertion-fields.ts'

/** What each type is for, in one sentence, in the order in which they are offered. */
export const typeSentences: Readonly<Record<CheckType, string>> = {
  http: 'One GET of an address, judged by its status, its body or a value in its JSON.',
  multistep: 'Up to ten requests in order with one cookie jar, such as a login and what follows it.',
  tcp: 'A connection to a port and, if you like, what must come back over it.',
  dns: 'A record of a name, as a resolver answers it.',
  smtp: "A mail server's greeting, its TLS and what it offers; no mail is sent.",
  browser: 'A page in a real Chromium: its title, its text, its errors and how soon it is seen.',
  heartbeat: 'Nothing is probed: a job of yours tells us that it ran, and its silence is a failure.',
}

const tcp: readonly Field[] = [
  { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
  { name: 'settings.port', label: 'Port', kind: 'number', isRequired: true },
  {
    name: 'settings.send',
    label: 'Text to send',
    kind: 'text',
    rows: 2,
    lineBreak: '\r\n',
    hint: 'Empty: nothing is sent. Every line break is sent as CR LF.',
  },
  {
    name: 'settings.expect',
    label: 'Text that must come',
    kind: 'text',
    rows: 2,
    lineBreak: '\r\n',
    hint: 'Within the first 4 KB. Empty: that the connection stands is enough.',
  },
]

const dns: readonly Field[] = [
  { name: 'settings.name', label: 'Name to ask for', kind: 'text', isRequired: true },
  {
    name: 'settings.recordType',
    label: 'Record type',
    kind: 'choice',
    choices: DnsRecordType.options.map((value) => ({ value, label: value })),
  },
  {
    name: 'settings.resolver',
    label: 'Resolver',
    kind: 'text',
    hint: "An address to ask. Empty: the agents' own resolvers.",
  },
  {
    name: 'settings.expect.op',
    label: 'The answer',
    kind: 'choice',
    choices: [
      { value: '', label: 'may be any record' },
      { value: 'includes', label: 'includes each of these' },
      { value: 'equals', label: 'is exactly these' },
    ],
  },
  {
    name: 'settings.expect.values',
    label: 'Values',
    kind: 'lines',
    hint: 'One a line, written as the record type is, such as 10 mail.example.org for MX.',
  },
]

const smtp: readonly Field[] = [
  { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
  { name: 'settings.port', label: 'Port', kind: 'number', hint: '25, 465, 587 or 2525.' },
  {
    name: 'settings.security',
    label: 'TLS',
    kind: 'choice',
    choices: [
      { value: 'none', label: 'none is asked for' },
      { value: 'starttls', label: 'STARTTLS, with a valid certificate' },
      { value: 'tls', label: 'from the start, with a valid certificate' },
    ],
  },
  {
    name: 'settings.requireAuth',
    label: 'AUTH must be offered',
    kind: 'flag',
    hint: 'Nobody logs in.',
  },
]

const browser: readonly Field[] = [
  { name: 'settings.url', label: 'URL', kind: 'text', isRequired: true },
  { name: 'settings.titleContains', label: 'Text that the title contains', kind: 'text' },
  { name: 'settings.textContains', label: 'Text that the page shows', kind: 'text' },
  {
    name: 'settings.failOnConsoleErrors',
    label: 'An error on the console fails the check',
    kind: 'flag',
  },
  {
    name: 'settings.lcpMsMax',
    label: 'Slowest good largest contentful paint, milliseconds',
    kind: 'number',
    hint: 'Empty: it is measured, and fails nothing.',
  },
]

const heartbeat: readonly Field[] = [
  {
    name: 'settings.periodSeconds',
    label: 'How often the job runs, seconds',
    kind: 'number',
    hint: 'Such as 86400 for every day; or a cron schedule instead.',
  },
  {
    name: 'settings.cron',
    label: 'Cron schedule',
    kind: 'text',
    hint: 'Five fields, such as 0 3 * * 1-5; only where there is no period.',
  },
  {
    name: 'settings.timeZone',
    label: 'Time zone of the schedule',
    kind: 'text',
    hint: 'Such as Europe/Berlin. Empty: UTC.',
  },
  {
    name: 'settings.graceSeconds',
    label: 'How late a ping may be, seconds',
    kind: 'number',
    isRequired: true,
  },
  {
    name: 'settings.maxRuntimeSeconds',
    label: 'How long a run may take, seconds',
    kind: 'number',
    hint: 'From the ping that it began. Empty: not watched.',
  },
]

export type FieldGroup = { legend: string; fields: readonly Field[] }

/** Targets are not told by themselves where a request comes from. */
export const sendRegionField: Field = {
  name: 'sendRegion',
  label: 'Send the region',
  kind: 'flag',
  hint: 'Adds the header Probe-Region to every request, with the code of the region that sends it.',
}

/** Of the types whose attempt is one request. */
export const timeoutField: Field = {
  name: 'timeoutSeconds',
  label: 'Timeout, seconds',
  kind: 'number',
  hint:
    '1 to 30. Up to 0.4 of the interval, a failed attempt is retried at once. Above it, up to 0.9, there is no such ' +
    'retry: one lost packet fails a reading. Empty: 10, or 0.4 of the interval where that is less.',
}

/** The owner knows whether the probe should be let in. */
export const refusedAsField: Field = {
  name: 'refusedAs',
  label: 'A bare 403 or 429',
  kind: 'choice',
  choices: [
    { value: '', label: 'is down: the probe should be let in' },
    { value: 'blocked', label: 'is blocked: it says nothing about the service' },
  ],
  hint: 'One that carries the page or a header of a firewall is always blocked.',
}

const waiting: FieldGroup = { legend: 'How long it may take', fields: [timeoutField] }

/** What a type is told besides its name, interval and regions. A journey's steps have an editor of their own. */
export const typeFields: Readonly<Record<CheckType, readonly FieldGroup[]>> = {
  http: [
    {
      legend: 'What is asked',
      fields: [
        {
          name: 'url',
          label: 'URL',
          kind: 'text',
          isRequired: true,
          hint: 'http:// or https://, of a public address.',
        },
        sendRegionField,
      ],
    },
    { legend: 'Assertions', fields: checkAssertionFields },
    { legend: 'How it is judged', fields: [timeoutField, refusedAsField] },
  ],
  multistep: [{ legend: 'What is sent', fields: [sendRegionField] }],
  tcp: [{ legend: 'What is connected to', fields: tcp }, waiting],
  dns: [{ legend: 'What is asked', fields: dns }, waiting],
  smtp: [{ legend: 'What is asked', fields: smtp }, waiting],
  browser: [{ legend: 'What is opened', fields: browser }],
  heartbeat: [{ legend: 'When pings are expected', fields: heartbeat }],
}
