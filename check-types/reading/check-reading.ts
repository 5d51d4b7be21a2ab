import { roundedMs } from '@probe-mesh/runtime/rounded-ms'
import { z } from 'zod'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** A fact of a reading for people: null or empty without one. */
export type Facts = Readonly<Record<string, string | readonly string[] | null>>

/** What every program knows of the readings of a type whose settings are one object. */
export type CheckTypeReading<Details extends z.ZodObject> = {
  type: string
  /** What a reading tells besides its verdict and times; with `named`. */
  Details: Details
  /** What takes time besides the phases; absent: nothing that has a name. */
  rest?: string
  /** The same for people, by name, in order. */
  facts(details: z.output<Details>): Facts
}

export const line = z.string().max(300)
/** Such as `TLSv1.3`; null without TLS. */
export const tlsVersion = z.string().max(20).nullable()
const hostName = z.string().max(253)
const word = z.string().max(40)

/**
 * Evidence about an unresolved name, in the details of any type. Absent when the name was resolved or no query was
 * sent.
 */
export const NameEvidence = z.object({
  name: hostName,
  /** The probe's own resolver: `NXDOMAIN`, `NODATA`, `failed` or `silent`. */
  resolver: word,
  /** Whether the same resolver resolved control names: `answered`, `failed`, or `none` were known. */
  controls: word,
  /** The response code with DNSSEC checking disabled; null without a query or response. */
  unchecked: word.nullable(),
  /** The last zone whose own servers were queried; null without one. */
  zone: hostName.nullable(),
  /** The zones' own servers, in order of the queries. `answer` is a response code, `referral` or `silent`. */
  servers: z
    .array(
      z.object({
        name: hostName,
        address: z.string().max(45).nullable(),
        answer: word,
      }),
    )
    .max(limits.nameServersMax),
})
export type NameEvidence = z.infer<typeof NameEvidence>

/** In the details of every type: how a name was not resolved. Absent when it was, or no query was sent. */
export const named = { names: NameEvidence.nullish() }

/** `182 ms` */
export const milliseconds = (ms: number | null): string | null => (ms === null ? null : `${roundedMs(ms)} ms`)
