import { z } from 'zod'
import { amount, flag, text } from './shape.ts'

const status = z
  .union([z.number(), z.string()], 'must be a status')
  .transform(Number)
  .refine((value) => Number.isInteger(value), 'must be a status')

/** A site as a configuration has it: what decides what is measured. */
export const UpptimeSite = z.object(
  {
    name: text,
    url: text,
    check: text,
    type: text,
    method: text,
    body: text,
    headers: z
      .array(z.string('must be text'), 'must be a list of headers')
      .nullish()
      .transform((value) => value ?? []),
    expectedStatusCodes: z.array(status, 'must be a list of statuses').nullish(),
    maxResponseTime: amount,
    maxRedirects: amount,
    maxRetries: amount,
    ipv6: flag,
    __dangerous__insecure: flag,
    __dangerous__disable_verify_peer: flag,
    __dangerous__disable_verify_host: flag,
    __dangerous__body_down: text,
    __dangerous__body_down_if_text_missing: text,
    __dangerous__body_degraded: text,
    __dangerous__body_degraded_if_text_missing: text,
  },
  'must be a site',
)
export type UpptimeSite = z.infer<typeof UpptimeSite>
