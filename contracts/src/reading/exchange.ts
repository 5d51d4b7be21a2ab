import { z } from 'zod'
import { StepMethod } from './step-method.ts'

/** Limits of what a reading shows of a request and its answer. The agent cuts shorter, for what hides a secret. */
export const exchangeLimits = {
  urlCharacters: 500,
  headers: 30,
  headerNameCharacters: 100,
  headerValueCharacters: 200,
  bodyCharacters: 1_000,
  certificates: 5,
  addresses: 8,
} as const

const word = z.string().max(200)

/**
 * What a check sent last and what came back, for people who look into a failure. Secrets, cookies and credentials are
 * hidden.
 */
export const Exchange = z.object({
  method: StepMethod,
  /** The own request, then its last redirect: origin and path, since a query may contain a secret. */
  sentTo: z.string().max(exchangeLimits.urlCharacters),
  endedAt: z.string().max(exchangeLimits.urlCharacters).nullable(),
  /** Names alone. */
  sentHeaders: z.array(word).max(60),
  responseHeaders: z.array(z.object({ header: word, content: word })).max(exchangeLimits.headers),
  /** The begin of the body; null when it was not read, or is in the excerpt of a trial. */
  responseBody: z.string().max(exchangeLimits.bodyCharacters).nullable(),
  /** The certificate of the server, then those of its issuers. */
  chain: z
    .array(
      z.object({
        subject: z.string().max(300),
        issuer: z.string().max(300),
        /** Unix ms. */
        expiresAtMs: z.int(),
      }),
    )
    .max(exchangeLimits.certificates),
  /** The addresses of the name, as the probe's resolver answered. */
  resolvedTo: z.array(z.string().max(45)).max(exchangeLimits.addresses),
})
export type Exchange = z.infer<typeof Exchange>
