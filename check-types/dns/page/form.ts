import type { TypeForm } from '@probe-mesh/web/src/html/components/field'
import { DnsRecordType } from '../record-type.ts'

export const dnsForm: TypeForm = {
  name: 'DNS',
  about: 'Looks up a record of a name.',
  icon: 'dns',
  groups: [
    {
      legend: 'Target',
      fields: [
        {
          name: 'settings.name',
          label: 'Name',
          kind: 'text',
          isRequired: true,
          hint: 'Such as example.org.',
        },
        {
          name: 'settings.recordType',
          label: 'Record type',
          kind: 'choice',
          isShort: true,
          choices: DnsRecordType.options.map((value) => ({ value, label: value })),
        },
      ],
    },
    {
      legend: 'Expected records',
      fields: [
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
      ],
      isFolded: true,
    },
    {
      legend: 'Resolver',
      fields: [
        {
          name: 'settings.resolver',
          label: 'Resolver',
          kind: 'text',
          hint: "An IP address. Default: the agents' own resolvers.",
        },
      ],
      isFolded: true,
    },
  ],
  usual: { 'settings.recordType': 'A' },
}
