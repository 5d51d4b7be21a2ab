import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { createResolver } from '@probe-mesh/control-plane/src/notifications/outgoing/resolve'
import { createVault } from '@probe-mesh/control-plane/src/secrets/vault'
import { attributesOf, nanosOf, type Items, type Span } from '@probe-mesh/control-plane/src/telemetry/otlp'
import { sendTelemetry } from '@probe-mesh/control-plane/src/telemetry/send-telemetry'
import { expect, test, vi } from 'vitest'
import { useOnce } from '../testing/use.ts'
import { startReferenceReceiver } from './testing/reference-otlp-receiver.ts'

/** Both encodings, understood and answered by OpenTelemetry's own definitions. */
const receiver = useOnce(() => startReferenceReceiver(), 180_000)
const opened = parseAllowList(['127.0.0.0/8'])
if (!opened.ok) throw new Error('the allow list of the test is wrong')
const sender = {
  rules: { targetAllow: opened.allow, channelAllow: opened.allow, blockedTargets: denyNothing },
  resolver: createResolver(),
  vault: createVault('the secrets key of the tests, 32 characters'),
  now: () => 0,
}

const atMs = 1_795_000_000_123.4
const texts = { 'a.text': 'ü "quoted" \u0000 \u{1f600}', empty: '', none: null }
const numbers = {
  whole: 42,
  negative: -7,
  zero: 0,
  large: Number.MAX_SAFE_INTEGER,
  broken: 1.5,
  small: 5e-324,
}
const span = (spanId: string, more: Partial<Span> = {}): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId,
  name: 'a "name" ü',
  kind: 3,
  startTimeUnixNano: nanosOf(atMs),
  endTimeUnixNano: nanosOf(atMs + 0.1),
  attributes: attributesOf({ ...texts, ...numbers }),
  status: { code: 0 },
  ...more,
})
const root = span('00f067aa0ba902b7', { status: { code: 2, message: 'it is down' } })
const child = span('00f067aa0ba902b8', { parentSpanId: root.spanId, kind: 1, attributes: [] })
const point = (value: number, region: string) => ({
  attributes: attributesOf({ region, check: 'ü' }),
  timeUnixNano: nanosOf(atMs),
  asDouble: value,
})
const gauges = [
  {
    name: 'probe_success',
    description: 'Whether',
    gauge: { dataPoints: [point(0, 'fra'), point(1, 'iad')] },
  },
  {
    name: 'probe_duration_seconds',
    description: 'How long',
    unit: 's',
    gauge: { dataPoints: [point(0.1234, 'fra')] },
  },
]

const send = (items: Items, encoding: 'json' | 'protobuf', path = '') => {
  const endpoint = {
    accountId: 'a',
    endpoint: `${receiver.url}${path}`,
    headers: null,
    headerNames: [],
    encoding,
  }
  return sendTelemetry(sender, { endpoint, isOperators: true }, items, new AbortController().signal)
}

test.each([
  ['traces', { signal: 'traces', spans: [root, child] }, 2],
  ['metrics', { signal: 'metrics', gauges }, 3],
] satisfies [string, Items, number][])('%s say the same in JSON and in protobuf', async (_, items, count) => {
  const before = receiver.requests.length
  for (const encoding of ['json', 'protobuf'] as const) {
    expect(await send(items, encoding)).toEqual({ kind: 'accepted', refused: 0, detail: null })
  }
  // the receiver prints what it understood
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(before + 2))
  const [inJson, inProtobuf] = receiver.requests.slice(before)
  expect(inJson?.items).toHaveLength(count)
  expect(inProtobuf).toEqual(inJson)
})

test.each(['json', 'protobuf'] as const)('a partial success in %s is read', async (encoding) => {
  for (const items of [
    { signal: 'traces', spans: [root, child] },
    { signal: 'metrics', gauges },
  ] satisfies Items[]) {
    const detail = expect.stringContaining('HTTP 200') as string
    expect(await send(items, encoding, '/refuse')).toEqual({ kind: 'accepted', refused: 1, detail })
  }
})
