import { isIP } from 'node:net'
import { z } from 'zod'
import { field } from '../schema/field.ts'
import type { FieldProblem } from '../schema/refusal.ts'

// How a check knows the server that it reaches by TLS, besides the roots of its agent: in the same words for every type.

const caCharactersMax = 20_000
export const pinsMax = 5

/** A name in A-labels. SNI has no addresses (RFC 6066 3). */
const hostName = z
  .string()
  .max(253)
  .regex(
    /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$/,
    'must be a host name, such as www.example.com',
  )
  .refine((name) => isIP(name) === 0, 'must be a host name: TLS sends no address as its name')

/** `sha256//…` of a public key as curl takes it, or the SHA-256 of a certificate as openssl prints it. */
const keyPin = /^sha256\/{1,2}([A-Za-z0-9+/]{43}=)$/
const certificatePin = /^(?:sha256 Fingerprint=)?((?:[0-9a-f]{2}:){31}[0-9a-f]{2}|[0-9a-f]{64})$/i

const pin = z
  .string()
  .max(120)
  .refine(
    (text) => pinOf(text) !== null,
    'must be sha256//… of a public key, as curl --pinnedpubkey takes it, or the SHA-256 fingerprint of a certificate, as openssl x509 -fingerprint -sha256 prints it',
  )

/** A pin as it is compared: the digest of a public key in base64, or of a certificate in hex. */
export type ParsedPin = { of: 'key' | 'certificate'; digest: string }

/** @returns null for a text that is no pin */
export const pinOf = (text: string): ParsedPin | null => {
  const trimmed = text.trim()
  const key = keyPin.exec(trimmed)?.[1]
  if (key !== undefined) return { of: 'key', digest: key }
  const certificate = certificatePin.exec(trimmed)?.[1]
  return certificate === undefined
    ? null
    : { of: 'certificate', digest: certificate.replaceAll(':', '').toLowerCase() }
}

/** Absent members mean the host itself, the roots of the agent, and any certificate that they sign (S-351, S-352). */
export const serverIdentity = {
  serverName: field(
    hostName.optional(),
    'Name that TLS asks for (SNI) and that the certificate must have. Absent: the host.',
    'www.example.com',
  ),
  caCertificates: field(
    z
      .string()
      .max(caCharactersMax)
      .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'must be certificates in PEM')
      .optional(),
    'Certificates in PEM that may have signed the certificate of the server, instead of public authorities.',
    '-----BEGIN CERTIFICATE-----…',
  ),
  pins: field(
    z.array(pin).min(1).max(pinsMax).optional(),
    'One must match besides: `sha256//…` of the public key, or the SHA-256 of the certificate in hex.',
    ['sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ),
}

/** The identity of a server, and the days that its certificate must still be valid. */
export const tlsSettings = {
  ...serverIdentity,
  certificateDaysMin: field(z.int().min(1).max(365).optional(), 'Fewest days until the certificate ends.', 7),
}

const tlsSettingsShape = z.object(tlsSettings)
export type TlsSettings = z.infer<typeof tlsSettingsShape>
export type ServerIdentity = Pick<TlsSettings, 'serverName' | 'caCertificates' | 'pins'>

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** The certificates of a text in PEM, each alone. Text around them is allowed (RFC 7468 2). */
export const certificatesIn = (pem: string): string[] => pem.match(pemBlock) ?? []

/** Settings of TLS of a check that uses none: they would never apply. */
export const withoutTls = (settings: TlsSettings): FieldProblem[] =>
  (Object.keys(tlsSettings) as (keyof TlsSettings)[]).flatMap((path) =>
    settings[path] === undefined ? [] : [{ path, message: 'needs TLS' }],
  )
