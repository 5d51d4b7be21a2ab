import { z } from 'zod'
import { field } from '../schema/field.ts'
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
  method: field(StepMethod, 'HTTP method.', 'GET'),
  sentTo: field(
    z.string().max(exchangeLimits.urlCharacters),
    "Where the check's own request was sent, without the query.",
    'https://shop.example.com/orders',
  ),
  endedAt: field(
    z.string().max(exchangeLimits.urlCharacters).nullable(),
    'Where its redirects ended, without the query. null without any.',
    null,
  ),
  sentHeaders: field(z.array(word).max(60), 'Names of the sent headers.', [
    'host',
    'user-agent',
    'x-api-key',
  ]),
  leftOut: field(
    z.array(word).max(60).optional(),
    'What a redirect to another origin did not get of the request: names of headers, `client certificate`, or settings of its connection such as `connectTo`.',
    ['authorization'],
  ),
  responseHeaders: field(
    z
      .array(
        z.object({
          header: field(word, 'Name of the header.', 'content-type'),
          content: field(word, 'Value of the header.', 'text/html'),
        }),
      )
      .max(exchangeLimits.headers),
    'Headers of the response. Cookies and credentials are hidden.',
  ),
  responseBody: field(
    z.string().max(exchangeLimits.bodyCharacters).nullable(),
    'Begin of the body. null when it was not read, or is in the excerpt of a trial.',
    'Service Unavailable',
  ),
  chain: field(
    z
      .array(
        z.object({
          subject: field(z.string().max(300), 'Whom the certificate names.', 'shop.example.com'),
          issuer: field(z.string().max(300), 'Who signed it.', "Let's Encrypt, R3"),
          expiresAtMs: field(z.int(), 'End of its validity, Unix ms.', 1_790_000_000_000),
        }),
      )
      .max(exchangeLimits.certificates),
    'Certificate of the server, then those of its issuers.',
  ),
  resolvedTo: field(
    z.array(z.string().max(45)).max(exchangeLimits.addresses),
    "Addresses of the name, as the probe's resolver answered.",
    ['203.0.113.7'],
  ),
})
export type Exchange = z.infer<typeof Exchange>
