import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { Instant } from '../schema/text.ts'
import { AnyRegion } from './regions.ts'

/** Stored names of a certificate. Of the others only the number is stored. */
export const certificateNamesMax = 10
export const certificateTextMax = 253

const text = z.string().max(certificateTextMax)

/** A certificate in a reading, without its expiry, which is that of its chain: when clients stop to accept it. */
export const SeenCertificate = z.object({
  /** The organisation and common name of the issuer, if any. */
  issuer: text,
  /** The first host names and addresses of the certificate. */
  names: z.array(text).max(certificateNamesMax),
  nameCount: z.int().min(0),
  /** Start of its validity, Unix ms. */
  validFrom: z.int().min(0).max(8_640_000_000_000_000),
  /** The name of the certificate above it that ends first. Absent: it ends first itself; also from older agents. */
  endsWith: text.optional(),
})
export type SeenCertificate = z.infer<typeof SeenCertificate>

/** A certificate of a check's target. */
export const CheckCertificate = z.object({
  expiresAt: field(Instant, 'When clients stop to accept it: its end, or that of one above it.'),
  daysLeft: field(z.int(), 'Full days left. Negative afterwards.', 62),
  endsWith: field(z.string().nullable().optional(), 'The one above it that ends first. null: itself.', null),
  /** null when only agents of an older version reported it. */
  issuer: field(z.string().nullable(), 'Issuer.', "Let's Encrypt, R11"),
  names: field(z.array(z.string()), 'First names in it.', ['shop.example.com']),
  nameCount: field(z.int(), 'Number of all names.', 1),
  validFrom: field(Instant.nullable(), 'Start of its validity.'),
  seenAt: field(Instant, 'Last time a probe got it.'),
  regions: field(z.array(AnyRegion), 'Regions that got it.', ['fra', 'iad']),
})
export type CheckCertificate = z.infer<typeof CheckCertificate>
components.add(CheckCertificate, { id: 'Certificate' })

/** The registration of a check's domain, from its registry. */
export const CheckDomain = z.object({
  name: field(z.string(), 'Registered domain.', 'example.com'),
  expiresAt: field(Instant, 'End of the registration.'),
  daysLeft: field(z.int(), 'Full days left. Negative afterwards.', 62),
  registrar: field(z.string().nullable(), 'Registrar.', 'Example Registrar'),
  askedAt: field(Instant, 'Last answer of the registry.'),
})
export type CheckDomain = z.infer<typeof CheckDomain>
components.add(CheckDomain, { id: 'Domain' })

/**
 * Why the end of a check's domain is not known. `no_server`: its registry has no RDAP server. `no_date`: the registry tells
 * none. `not_asked`: its turn has not come. `private`: domains of private checks are not asked about.
 */
export const domainUnknownCauses = [
  'no_server',
  'not_found',
  'no_date',
  'unreadable_date',
  'failed',
  'not_asked',
  'private',
  'no_domain',
  'off',
] as const
export type DomainUnknownCause = (typeof domainUnknownCauses)[number]

/** What stands in place of a registration. */
export const UnknownDomain = z.object({
  name: field(z.string().nullable(), 'Registered domain. null: the target has none.', 'example.de'),
  cause: field(z.enum(domainUnknownCauses), 'Why its end is not known.', 'no_server'),
  reason: field(z.string(), 'The same for people.', 'the registry of this ending has no RDAP server'),
  askedAt: field(Instant.nullable(), 'Last query of the registry. null: none yet.'),
})
export type UnknownDomain = z.infer<typeof UnknownDomain>
components.add(UnknownDomain, { id: 'UnknownDomain' })

const dayMs = 86_400_000

/** Full days until an instant; negative after it. */
export const daysLeftOf = (expiresAtMs: number, nowMs: number): number =>
  Math.floor((expiresAtMs - nowMs) / dayMs)
