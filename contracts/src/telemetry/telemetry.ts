import { z } from 'zod'
import { HeaderLines } from '../channel/template-headers.ts'
import { limits } from '../schema/limits.ts'
import { read, write, type Route } from '../schema/route.ts'
import { Instant } from '../schema/text.ts'

/** What is pushed, each to its path below the endpoint. */
export const telemetrySignals = ['metrics', 'traces'] as const
export type TelemetrySignal = (typeof telemetrySignals)[number]

/** The encodings of OTLP/HTTP. */
const TelemetryEncoding = z.enum(['json', 'protobuf'])
export type TelemetryEncoding = z.infer<typeof TelemetryEncoding>

const endpointProblem = (text: string): string | null => {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text))
    return 'must be a URL, such as https://otlp.example.com'
  if (/[?#]/.test(text)) return 'must have no query; put a key into a header'
  if (/\/v1\/(?:traces|metrics|logs)\/?$/.test(text))
    return 'must be the address before /v1/traces and /v1/metrics'
  return null
}

export const TelemetryInput = z.strictObject({
  /** The base URL of an OTLP/HTTP receiver. */
  endpoint: z
    .string()
    .max(limits.urlCharactersMax)
    .superRefine((text, context) => {
      const message = endpointProblem(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    }),
  /** One `Name: value` a line. Absent: those that are stored for this endpoint stay; empty: none. */
  headers: HeaderLines.optional(),
  /** Absent: as it is; `json` at first. */
  encoding: TelemetryEncoding.optional(),
  metrics: z.boolean(),
  traces: z.boolean(),
})
export type TelemetryInput = z.infer<typeof TelemetryInput>

/** How the pushes of one signal go. Series or runs. */
const TelemetryPush = z.object({
  enabled: z.boolean(),
  lastSuccessAt: Instant.nullable(),
  lastErrorAt: Instant.nullable(),
  lastError: z.string().nullable(),
  /** Failed pushes in a row. */
  failures: z.int(),
  sent: z.int(),
  /** Not accepted by the receiver, and not sent again. */
  refused: z.int(),
  /** Runs that waited too long. */
  dropped: z.int(),
})
export type TelemetryPush = z.infer<typeof TelemetryPush>

export const Telemetry = z.object({
  /** null: nothing is pushed. */
  endpoint: z.string().nullable(),
  /** Headers are never read back, but for their names. */
  headerNames: z.array(z.string()),
  encoding: TelemetryEncoding,
  metrics: TelemetryPush,
  traces: TelemetryPush,
})
export type Telemetry = z.infer<typeof Telemetry>

/** The push of metrics and traces of an account by OTLP, for the dashboard. */
export const telemetryRoutes = {
  getTelemetry: read({
    path: '/telemetry',
    summary: 'Where metrics and traces are pushed by OTLP, and how that goes',
    output: Telemetry,
  }),
  updateTelemetry: write({
    method: 'PATCH',
    path: '/telemetry',
    summary: 'Replace the settings of the OTLP push',
    body: TelemetryInput,
    output: Telemetry,
    codes: ['SV-5001'],
  }),
  deleteTelemetry: write({
    method: 'DELETE',
    path: '/telemetry',
    summary: 'End the OTLP push and delete its headers',
    output: z.object({ deleted: z.literal(true) }),
  }),
} as const satisfies Record<string, Route>
