import { roundedMs } from '@probe-mesh/runtime/rounded-ms'
import { z } from 'zod'
import { components, field } from '@probe-mesh/contracts/schema/field'
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
export const tlsVersion = field(z.string().max(20).nullable(), 'Version of TLS. null without TLS.', 'TLSv1.3')
const hostName = z.string().max(253)
const word = z.string().max(40)

/**
 * Evidence about an unresolved name, in the details of any type. Absent when the name was resolved or no query was
 * sent.
 */
export const NameEvidence = z.object({
  name: field(hostName, 'Name that did not resolve.', 'shop.example.com'),
  resolver: field(word, "Answer of the probe's resolver: a response code, `failed` or `silent`.", 'NXDOMAIN'),
  controls: field(word, 'Whether it resolved other names: `answered`, `failed`, `none` known.', 'answered'),
  unchecked: field(word.nullable(), 'Response code without DNSSEC validation. null without one.', null),
  zone: field(hostName.nullable(), 'Last zone whose servers were queried. null without one.', 'example.com'),
  servers: field(
    z
      .array(
        z.object({
          name: field(hostName, 'Name of the server.', 'ns1.example.com'),
          address: field(z.string().max(45).nullable(), 'IP address.', '203.0.113.7'),
          answer: field(word, 'Response code, `referral` or `silent`.', 'NXDOMAIN'),
        }),
      )
      .max(limits.nameServersMax),
    "The zone's own servers, in order of the queries.",
  ),
})
export type NameEvidence = z.infer<typeof NameEvidence>
components.add(NameEvidence, { id: 'NameEvidence' })

/** In the details of every type: how a name was not resolved. Absent when it was, or no query was sent. */
export const named = { names: field(NameEvidence.nullish(), 'Evidence about a name that did not resolve.') }

/** `182 ms` */
export const milliseconds = (ms: number | null): string | null => (ms === null ? null : `${roundedMs(ms)} ms`)
