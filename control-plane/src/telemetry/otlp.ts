/**
 * The messages of OTLP 1.x in its JSON encoding: 64-bit integers are texts, ids are hex, enums are numbers. Written as
 * plain objects: `JSON.stringify` is the encoder.
 */
export type Attribute = {
  key: string
  value: { stringValue: string } | { intValue: string } | { doubleValue: number }
}

export type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: (typeof spanKinds)[keyof typeof spanKinds]
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code: 0 | 2; message?: string }
}

export const spanKinds = { internal: 1, client: 3 } as const

type DataPoint = { attributes: Attribute[]; timeUnixNano: string; asDouble: number }
export type Gauge = { name: string; description: string; unit?: string; gauge: { dataPoints: DataPoint[] } }

/** What one request has. */
export type Items =
  | { signal: 'traces'; spans: readonly Span[] }
  | { signal: 'metrics'; gauges: readonly Gauge[] }

export const serviceName = 'probe-mesh'
const resource = { attributes: [{ key: 'service.name', value: { stringValue: serviceName } }] }
const scope = { name: serviceName }

/** The body of a request to `v1/traces` or `v1/metrics`. */
export const jsonBody = (items: Items): string =>
  items.signal === 'traces'
    ? JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: items.spans }] }] })
    : JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: items.gauges }] }] })

/** Attributes without those that are null. */
export const attributesOf = (values: Readonly<Record<string, string | number | null>>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === null) return []
    if (typeof value === 'string') return [{ key, value: { stringValue: value.toWellFormed() } }]
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }]
  })

/** A time in Unix ms with a fraction, to the microsecond. */
export const nanosOf = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)
