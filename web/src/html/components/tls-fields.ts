import type { Field } from './field.ts'

/** How a check knows a server by TLS, in the same words for every type. @param place before the names of the fields */
export const identityFields = (place: string): readonly Field[] => [
  {
    name: `${place}.serverName`,
    label: 'Name for TLS (SNI)',
    kind: 'text',
    hint: 'The certificate must have it. Default: the host.',
  },
  {
    name: `${place}.caCertificates`,
    label: 'Own certificate authority',
    kind: 'text',
    rows: 3,
    hint: 'Certificates in PEM, as curl --cacert takes them. They replace the public authorities. For a self-signed certificate: itself.',
  },
  {
    name: `${place}.pins`,
    label: 'Pinned certificates',
    kind: 'lines',
    hint: 'One per line: sha256//… of the public key (curl --pinnedpubkey), or the SHA-256 fingerprint of the certificate (openssl). One must match.',
  },
]

export const certificateDaysField = (place: string): Field => ({
  name: `${place}.certificateDaysMin`,
  label: 'Certificate valid for (days)',
  kind: 'number',
  isShort: true,
  hint: 'With fewer days left it is down.',
})

/** The group of a type whose settings have TLS. */
export const tlsGroup = {
  legend: 'Certificate',
  fields: [...identityFields('settings'), certificateDaysField('settings')],
  isFolded: true,
} as const
