import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Gauge, Span } from '../otlp.ts'

type OtlpRequest = { path: string; headers: IncomingHttpHeaders; body: string }

/** A real OTLP/HTTP receiver. */
export type OtlpReceiver = {
  url: string
  /** In order, also refused ones. */
  requests: OtlpRequest[]
  /** What it accepted. */
  spans(): Span[]
  gauges(): Gauge[]
  /** Replaces the answer; the request counts as accepted if it is 2xx. */
  answer: (response: ServerResponse, request: OtlpRequest) => void
  close(): Promise<void>
}

const accept = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const accepted: OtlpRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      const whole = Buffer.concat(chunks)
      const isPacked = request.headers['content-encoding'] === 'gzip'
      const body = (isPacked ? gunzipSync(whole) : whole).toString()
      const one = { path: request.url ?? '', headers: request.headers, body }
      receiver.requests.push(one)
      response.once('finish', () => {
        if (response.statusCode >= 200 && response.statusCode < 300) accepted.push(one)
      })
      receiver.answer(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bodiesOf = <T>(path: string): T[] =>
    accepted.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as T)
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    spans: () =>
      bodiesOf<{ resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }>('/v1/traces').flatMap(
        ({ resourceSpans }) =>
          resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    gauges: () =>
      bodiesOf<{ resourceMetrics: { scopeMetrics: { metrics: Gauge[] }[] }[] }>('/v1/metrics').flatMap(
        ({ resourceMetrics }) =>
          resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
    answer: accept,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
