import type { TypeForm } from '@probe-mesh/web/src/html/components/field'

export const tcpForm: TypeForm = {
  name: 'TCP',
  about: 'Connects to a port and can check the answer.',
  icon: 'tcp',
  groups: [
    {
      legend: 'Target',
      fields: [
        { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
        { name: 'settings.port', label: 'Port', kind: 'number', isRequired: true, isShort: true },
      ],
    },
    {
      legend: 'Send and expect',
      fields: [
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
      ],
      isFolded: true,
    },
  ],
}
