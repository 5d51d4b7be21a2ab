import { z } from 'zod'
import { Instant } from '../schema/text.ts'
import { AnyRegion } from './regions.ts'

/** Names of a certificate that are noted; of the others it is noted how many there are. */
export const certificateNamesMax = 10
export const certificateTextMax = 253

const text = z.string().max(certificateTextMax)

/** What an agent noted of a certificate besides when it expires. */
export const SeenCertificate = z.object({
  /** Its organisation and common name, as far as there are such. */
  issuer: text,
  /** The host names and addresses that it is for, the first of them. */
  names: z.array(text).max(certificateNamesMax),
  nameCount: z.int().min(0),
  /** Since when it is valid, Unix ms. */
  validFrom: z.int().min(0).max(8_640_000_000_000_000),
})
export type SeenCertificate = z.infer<typeof SeenCertificate>

/** A certificate that a check's target showed. */
export const CheckCertificate = z.object({
  expiresAt: Instant,
  /** Whole days until then; less than 0 where it has expired. */
  daysLeft: z.int(),
  /** Null where only an agent of an older version has seen it. */
  issuer: z.string().nullable(),
  names: z.array(z.string()),
  /** How many names there are: `names` holds the first. */
  nameCount: z.int(),
  validFrom: Instant.nullable(),
  /** When it was shown last. */
  seenAt: Instant,
  /** Where it was shown. */
  regions: z.array(AnyRegion),
})
export type CheckCertificate = z.infer<typeof CheckCertificate>

/** The registration of a check's domain, as its registry told. */
export const CheckDomain = z.object({
  name: z.string(),
  expiresAt: Instant,
  daysLeft: z.int(),
  registrar: z.string().nullable(),
  /** When the registry was asked last with success. */
  askedAt: Instant,
})
export type CheckDomain = z.infer<typeof CheckDomain>

const dayMs = 86_400_000

/** Whole days until an instant; less than 0 once it is over. */
export const daysLeftOf = (expiresAtMs: number, nowMs: number): number =>
  Math.floor((expiresAtMs - nowMs) / dayMs)
