import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api'
import { ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type GaugeMetricData } from '@opentelemetry/sdk-metrics'
import { serviceName, type Attribute, type Gauge, type Items, type Span } from './otlp.ts'

type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number]

const resource = resourceFromAttributes({ 'service.name': serviceName })
const scope = { name: serviceName }

/** The body of a request in protobuf, by OpenTelemetry's own encoder. @throws when it has no result, which is a bug */
export const protobufBody = (items: Items): Uint8Array => {
  const body =
    items.signal === 'traces'
      ? ProtobufTraceSerializer.serializeRequest(items.spans.map(spanOf))
      : ProtobufMetricsSerializer.serializeRequest({
          resource,
          scopeMetrics: [{ scope, metrics: items.gauges.map(metricOf) }],
        })
  if (body === undefined) throw new Error('the encoder of OTLP has no result')
  return body
}

/** The message in the body of an answer. @throws for bytes that are none */
export const readResponse = (signal: Items['signal'], bytes: Uint8Array): unknown =>
  signal === 'traces'
    ? ProtobufTraceSerializer.deserializeResponse(bytes)
    : ProtobufMetricsSerializer.deserializeResponse(bytes)

const nanosPerSecond = 1_000_000_000n

/** @param nanos Unix ns as text */
const timeOf = (nanos: string): HrTime => {
  const whole = BigInt(nanos)
  return [Number(whole / nanosPerSecond), Number(whole % nanosPerSecond)]
}

const valueOf = ({ value }: Attribute): string | number => {
  if ('stringValue' in value) return value.stringValue
  return 'intValue' in value ? Number(value.intValue) : value.doubleValue
}

const attributesIn = (attributes: readonly Attribute[]): Attributes =>
  Object.fromEntries(attributes.map((attribute) => [attribute.key, valueOf(attribute)]))

const spanOf = (span: Span): ReadableSpan => {
  const { traceId, spanId, parentSpanId, status } = span
  const parent =
    parentSpanId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: 0 } }
  return {
    ...parent,
    spanContext: () => ({ traceId, spanId, traceFlags: 0 }),
    name: span.name,
    // the encoder counts from 0, the protocol has 0 for none
    kind: span.kind - 1,
    startTime: timeOf(span.startTimeUnixNano),
    endTime: timeOf(span.endTimeUnixNano),
    duration: [0, 0],
    ended: true,
    status,
    attributes: attributesIn(span.attributes),
    links: [],
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const metricOf = ({ name, description, unit = '', gauge }: Gauge): GaugeMetricData => ({
  descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
  aggregationTemporality: AggregationTemporality.CUMULATIVE,
  dataPointType: DataPointType.GAUGE,
  dataPoints: gauge.dataPoints.map(({ attributes, timeUnixNano, asDouble }) => ({
    // a gauge has no begin: 0 is none
    startTime: [0, 0],
    endTime: timeOf(timeUnixNano),
    attributes: attributesIn(attributes),
    value: asDouble,
  })),
})
