import type { TypeForm } from '@probe-mesh/web/src/html/components/field'
import { tlsGroup } from '@probe-mesh/web/src/html/components/tls-fields'
import { HealthStatus } from '../reading/details.ts'

export const grpcForm: TypeForm = {
  name: 'gRPC',
  about: 'Asks a server for the health of a service, by the gRPC health checking protocol.',
  icon: 'grpc',
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
            { value: 'tls', label: 'TLS, with a valid certificate' },
            { value: 'none', label: 'none' },
          ],
        },
        {
          name: 'settings.service',
          label: 'Service',
          kind: 'text',
          hint: 'Such as shop.v1.Cart. Default: the whole server.',
        },
        {
          name: 'settings.expect',
          label: 'Expected status',
          kind: 'choice',
          choices: HealthStatus.options.map((value) => ({ value, label: value })),
        },
      ],
    },
    tlsGroup,
  ],
  usual: { 'settings.port': '443', 'settings.security': 'tls', 'settings.expect': 'SERVING' },
}
