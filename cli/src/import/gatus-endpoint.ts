import { z } from 'zod'
import { flag, text } from './shape.ts'

/** An endpoint as a configuration has it: what decides what is measured. */
export const GatusEndpoint = z.object(
  {
    name: text,
    url: text,
    enabled: flag.transform((value) => value ?? true),
    method: text,
    body: text,
    graphql: flag,
    headers: z
      .record(z.string(), z.unknown().optional(), 'must be a map of headers')
      .nullish()
      .transform((value) => Object.keys(value ?? {})),
    interval: z.string('must be a duration, such as 60s').nullish(),
    conditions: z
      .array(z.string('must be text'), 'must be a list of conditions')
      .nullish()
      .transform((value) => value ?? []),
    dns: z.unknown().optional(),
    ssh: z.unknown().optional(),
    client: z
      .record(z.string(), z.unknown().optional(), 'must be a map')
      .nullish()
      .transform((value) => value ?? {}),
  },
  'must be an endpoint',
)
export type GatusEndpoint = z.infer<typeof GatusEndpoint>
