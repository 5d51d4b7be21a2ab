import type { TypeForm } from '@probe-mesh/web/src/html/components/field'
import { tlsGroup } from '@probe-mesh/web/src/html/components/tls-fields'

export const tcpForm: TypeForm = {
  name: 'TCP',
  about: 'Connects to a port, with TLS or without, and can check the answer.',
  icon: 'tcp',
  groups: [
    {
      legend: 'Target',
      fields: [
        { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
        { name: 'settings.port', label: 'Port', kind: 'number', isRequired: true, isShort: true },
        {
          name: 'settings.security',
          label: 'TLS',
          kind: 'choice',
          choices: [
            { value: '', label: 'none' },
            { value: 'tls', label: 'TLS from the start' },
            { value: 'imap', label: 'STARTTLS of IMAP' },
            { value: 'pop3', label: 'STLS of POP3' },
            { value: 'postgres', label: 'SSLRequest of PostgreSQL' },
            { value: 'ldap', label: 'StartTLS of LDAP' },
            { value: 'xmpp', label: 'STARTTLS of XMPP' },
          ],
          hint: 'With a valid certificate.',
        },
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
    tlsGroup,
  ],
}
