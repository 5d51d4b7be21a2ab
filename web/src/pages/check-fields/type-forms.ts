import { browserForm } from '@probe-mesh/check-types/browser/page/form'
import { dnsForm } from '@probe-mesh/check-types/dns/page/form'
import { grpcForm } from '@probe-mesh/check-types/grpc/page/form'
import { smtpForm } from '@probe-mesh/check-types/smtp/page/form'
import { tcpForm } from '@probe-mesh/check-types/tcp/page/form'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { settingsTypeOf } from '@probe-mesh/contracts/check/types-with-settings'
import type { Field, FieldGroup, TypeForm } from '../../html/components/field.ts'
import { checkAssertionFields } from './assertion-fields.ts'
import {
  requestConnectionFields,
  requestCredentialFields,
  requestFields,
  requestOwnConnectionFields,
} from './request-fields.ts'

const sendRegionField: Field = {
  name: 'sendRegion',
  label: 'Send the header Probe-Region',
  kind: 'flag',
  hint: 'Its value is the region that sends the request.',
}

/** For types whose attempt is one request. */
const timeoutField: Field = {
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

const http: TypeForm = {
  name: 'HTTP',
  about: 'Requests a URL and checks the status, the body or a JSON value.',
  icon: 'http',
  groups: [
    {
      legend: 'Target',
      fields: [{ name: 'url', label: 'URL', kind: 'text', isRequired: true, isUrl: true }],
    },
    { legend: 'Assertions', fields: checkAssertionFields, isFolded: true },
    { legend: 'Timeout and refusals', fields: [timeoutField, refusedAsField], isFolded: true },
    { legend: 'Request', fields: [...requestFields, sendRegionField], isFolded: true },
    { legend: 'Credentials', fields: requestCredentialFields, isFolded: true },
    { legend: 'Redirects, versions and limits', fields: requestConnectionFields, isFolded: true },
    { legend: 'Address, Host and certificate', fields: requestOwnConnectionFields, isFolded: true },
  ],
}

/** Its steps have an editor of their own. */
const multistep: TypeForm = {
  name: 'Journey',
  about: 'Up to ten requests in order with one cookie jar, such as a login and a checkout.',
  icon: 'multistep',
  groups: [{ legend: 'Request', fields: [sendRegionField], isFolded: true }],
}

const heartbeat: TypeForm = {
  name: 'Heartbeat',
  about: 'Your job pings this service. A missing ping is a failure.',
  icon: 'heartbeat',
  groups: [
    {
      legend: 'Schedule',
      fields: [
        {
          name: 'settings.periodSeconds',
          label: 'Period (s)',
          kind: 'number',
          hint: '86400 is one day. Leave empty for a schedule.',
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
      ],
    },
    {
      legend: 'Schedule by the clock',
      fields: [
        {
          name: 'settings.cron',
          label: 'Cron schedule',
          kind: 'text',
          hint: 'Five fields, such as 0 3 * * 1-5.',
        },
        {
          name: 'settings.onCalendar',
          label: 'OnCalendar',
          kind: 'text',
          hint: 'As in a systemd timer, such as Mon..Fri *-*-* 05:00.',
        },
        {
          name: 'settings.timeZone',
          label: 'Time zone',
          kind: 'text',
          hint: 'Such as Europe/Berlin. Default: UTC.',
        },
      ],
      isFolded: true,
    },
    {
      legend: 'Run time',
      fields: [
        {
          name: 'settings.maxRuntimeSeconds',
          label: 'Longest run (s)',
          kind: 'number',
          hint: 'Counted from the start ping. Default: no limit.',
        },
      ],
      isFolded: true,
    },
    {
      legend: 'Slug',
      fields: [
        {
          name: 'settings.slug',
          label: 'Slug',
          kind: 'text',
          hint: 'Such as nightly-backup: for pings by the ping key of the account, and check-ins of Sentry SDKs.',
        },
      ],
      isFolded: true,
    },
  ],
  usual: { 'settings.periodSeconds': '86400', 'settings.graceSeconds': '3600' },
}

/** The form of each type, in display order. */
export const typeForms: Readonly<Record<CheckType, TypeForm>> = {
  http,
  multistep,
  tcp: tcpForm,
  dns: dnsForm,
  smtp: smtpForm,
  grpc: grpcForm,
  browser: browserForm,
  heartbeat,
}

/** The fields of a type besides name, interval, regions and tags. */
export const groupsOf = (type: CheckType): readonly FieldGroup[] => {
  const { groups } = typeForms[type]
  return settingsTypeOf(type)?.hasTimeout === true
    ? [...groups, { legend: 'Timeout', fields: [timeoutField], isFolded: true }]
    : groups
}
