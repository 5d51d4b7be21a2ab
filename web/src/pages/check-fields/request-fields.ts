import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import type { Typed } from '../../html/components/form.ts'
import type { Field } from '../../html/components/field.ts'
import { certificateDaysField, identityFields } from '../../html/components/tls-fields.ts'
import { valuesOf, type Values } from './field.ts'

// What a request sends and expects beyond a plain GET, in the same words for http checks and steps.

/** Where the API has the options of a request: `request` of an http check, `options` of a step. */
type Place = 'request' | 'options'

const secretHint =
  'Name a secret, such as {{ secret.shop_token }}. A value that you type here is stored as a secret when you save.'

const headersField = (place: Place): Field => ({
  name: `${place}.headers`,
  label: 'Headers',
  kind: 'headers',
  hint: 'One per line, such as X-Api-Key: {{ secret.shop_key }}. Values of keys, tokens and cookies are stored as secrets.',
})

const credentialFields = (place: Place): readonly Field[] => {
  const type = `${place}.auth.type`
  return [
    {
      name: type,
      label: 'Credentials',
      kind: 'choice',
      choices: [
        { value: '', label: 'none' },
        { value: 'basic', label: 'user name and password (Basic)' },
        { value: 'bearer', label: 'token (Bearer)' },
      ],
    },
    {
      name: `${place}.auth.username`,
      label: 'User name',
      kind: 'text',
      emptyWith: { name: type, values: ['basic'] },
    },
    {
      name: `${place}.auth.password`,
      label: 'Password',
      kind: 'text',
      emptyWith: { name: type, values: ['basic'] },
      hint: secretHint,
    },
    {
      name: `${place}.auth.token`,
      label: 'Token',
      kind: 'text',
      emptyWith: { name: type, values: ['bearer'] },
      hint: secretHint,
    },
    {
      name: `${place}.clientCertificate.certificate`,
      label: 'Client certificate',
      kind: 'text',
      rows: 3,
      hint: 'PEM, with its chain. A private key in it is stored as a secret when you save.',
    },
    {
      name: `${place}.clientCertificate.key`,
      label: 'Key of the client certificate',
      kind: 'text',
      rows: 1,
      hint: 'The name of a secret, such as {{ secret.client_key }}, or the key in PEM, which is stored as a secret.',
    },
  ]
}

const redirectHint =
  'On the same scheme, host and port a redirect gets the headers, credentials and the client certificate too; elsewhere none of them.'
const stepRedirectHint =
  'They are followed by GET. Headers, credentials and the client certificate are sent on the first request only.'

const connectionFields = (place: Place): readonly Field[] => [
  {
    name: `${place}.redirects`,
    label: 'Redirects',
    kind: 'choice',
    choices: [
      { value: '', label: 'are followed' },
      { value: 'never', label: 'are not followed: the first answer is judged' },
    ],
    hint: place === 'request' ? redirectHint : stepRedirectHint,
  },
  {
    name: `${place}.redirectsTo`,
    label: 'Must redirect to',
    kind: 'text',
    hint: 'A URL, or a path on the same host. It is not requested.',
  },
  {
    name: `${place}.httpVersion`,
    label: 'HTTP version',
    kind: 'choice',
    isShort: true,
    choices: [
      { value: '', label: '1.1, or 2 if need be' },
      { value: '1.1', label: 'only 1.1' },
      { value: '2', label: 'only 2' },
    ],
  },
  {
    name: `${place}.addressFamily`,
    label: 'Addresses',
    kind: 'choice',
    isShort: true,
    choices: [
      { value: '', label: 'IPv4 or IPv6' },
      { value: 'ipv4', label: 'only IPv4' },
      { value: 'ipv6', label: 'only IPv6' },
    ],
  },
  {
    name: `${place}.latencyMsMax`,
    label: 'Slowest answer (ms)',
    kind: 'number',
    isShort: true,
    hint: 'A slower one is down.',
  },
  certificateDaysField(place),
  {
    name: `${place}.sendTrace`,
    label: 'Send the header traceparent',
    kind: 'flag',
    hint: 'The reading then has the trace id (W3C Trace Context).',
  },
]

/** How its own scheme, host and port are connected, redirects back to them included. */
const ownConnectionFields = (place: Place): readonly Field[] => [
  {
    name: `${place}.connectTo`,
    label: 'Connect to',
    kind: 'text',
    hint: 'A host or address instead of that of the URL, such as 203.0.113.9:8443. Host and SNI stay those of the URL.',
  },
  {
    name: `${place}.hostHeader`,
    label: 'Host header',
    kind: 'text',
    hint: 'Default: the host of the URL.',
  },
  ...identityFields(place),
]

const methodField: Field = {
  name: 'request.method',
  label: 'Method',
  kind: 'choice',
  isShort: true,
  choices: StepMethod.options.map((value) => ({ value: value === 'GET' ? '' : value, label: value })),
}

/** The request of an http check. */
export const requestFields: readonly Field[] = [
  methodField,
  headersField('request'),
  { name: 'request.body', label: 'Body', kind: 'text', rows: 3, hint: 'It may name secrets too.' },
  { name: 'request.contentType', label: 'Content type', kind: 'text', hint: 'Such as application/json.' },
]
export const requestCredentialFields: readonly Field[] = credentialFields('request')
export const requestConnectionFields: readonly Field[] = connectionFields('request')
export const requestOwnConnectionFields: readonly Field[] = ownConnectionFields('request')

/** The options of a step, whose method and body have fields of their own. */
export const stepOptionFields: readonly Field[] = [
  headersField('options'),
  ...credentialFields('options'),
  ...connectionFields('options'),
  ...ownConnectionFields('options'),
]

/** Submitted values in which the fields of another kind of credentials are left out. */
export const requestValuesOf = (fields: readonly Field[], typed: Typed): Values => {
  const values = valuesOf(fields, typed)
  for (const place of ['request', 'options'] satisfies Place[]) {
    const options = values[place] as Values | undefined
    const auth = options?.['auth'] as Values | undefined
    if (options === undefined || auth === undefined) continue
    const type = auth['type'] ?? (auth['token'] === undefined ? 'basic' : 'bearer')
    const { username = '', password = '', token = '' } = auth
    options['auth'] = type === 'basic' ? { type, username, password } : { type, token }
  }
  return values
}
