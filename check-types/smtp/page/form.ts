import type { TypeForm } from '@probe-mesh/web/src/html/components/field'
import { tlsGroup } from '@probe-mesh/web/src/html/components/tls-fields'

export const smtpForm: TypeForm = {
  name: 'SMTP',
  about: 'Checks the greeting, TLS and AUTH of a mail server. Sends no mail.',
  icon: 'smtp',
  groups: [
    {
      legend: 'Target',
      fields: [
        { name: 'settings.host', label: 'Host', kind: 'text', isRequired: true },
        {
          name: 'settings.port',
          label: 'Port',
          kind: 'number',
          hint: '25, 465, 587 or 2525.',
          isShort: true,
        },
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
        {
          name: 'settings.requireAuth',
          label: 'Require AUTH',
          kind: 'flag',
          hint: 'The probe does not log in.',
        },
      ],
    },
    tlsGroup,
  ],
  usual: { 'settings.port': '25', 'settings.security': 'none' },
}
