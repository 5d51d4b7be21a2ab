import { z } from 'zod'
import { Instant } from '../schema/text.ts'
import { AnyRegion } from './regions.ts'

/** Stored names of a certificate. Of the others only the number is stored. */
export const certificateNamesMax = 10
export const certificateTextMax = 253

const text = z.string().max(certificateTextMax)

/** A certificate in a reading, without its expiry. */
export const SeenCertificate = z.object({
  /** The organisation and common name of the issuer, if any. */
  issuer: text,
  /** The first host names and addresses of the certificate. */
  names: z.array(text).max(certificateNamesMax),
  nameCount: z.int().min(0),
  /** Start of its validity, Unix ms. */
  validFrom: z.int().min(0).max(8_640_000_000_000_000),
})
export type SeenCertificate = z.infer<typeof SeenCertificate>

/** A certificate of a check's target. */
export const CheckCertificate = z.object({
  expiresAt: Instant,
  /** Full days until expiry; negative after it. */
  daysLeft: z.int(),
  /** null when only agents of an older version reported it. */
  issuer: z.string().nullable(),
  names: z.array(z.string()),
  /** Total number of names; `names` lists the first. */
  nameCount: z.int(),
  validFrom: Instant.nullable(),
  /** The last time that a probe received it. */
  seenAt: Instant,
  /** The regions that received it. */
  regions: z.array(AnyRegion),
})
export type CheckCertificate = z.infer<typeof CheckCertificate>

/** The registration of a check's domain, from its registry. */
export const CheckDomain = z.object({
  name: z.string(),
  expiresAt: Instant,
  daysLeft: z.int(),
  registrar: z.string().nullable(),
  /** The last successful query of the registry. */
  askedAt: Instant,
})
export type CheckDomain = z.infer<typeof CheckDomain>

const dayMs = 86_400_000

/** Full days until an instant; negative after it. */
export const daysLeftOf = (expiresAtMs: number, nowMs: number): number =>
  Math.floor((expiresAtMs - nowMs) / dayMs)
