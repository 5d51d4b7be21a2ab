import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { createRandom } from '../harness/statistics.ts'

/** Problems that differ by where they are thrown, so that each is an issue. */
const problemCount = 200

const framesOf = (problem: number) =>
  Array.from({ length: 24 }, (_, depth) => ({
    filename:
      depth % 3 === 0
        ? `/srv/shop/node_modules/lib${depth}/index.js`
        : `/srv/shop/src/area${problem % 17}/part${depth}.js`,
    abs_path: `file:///srv/shop/src/area${problem % 17}/part${depth}.js`,
    function: depth === 23 ? `pay${problem}` : `step${depth}`,
    lineno: 10 + depth,
    colno: 5,
    in_app: depth % 3 !== 0,
    context_line: `  const total = basket.items.reduce((sum, item) => sum + item.price * ${depth}, 0)`,
    pre_context: ['export const pay = async (basket) => {', '  if (basket === null) return null', ''],
    post_context: ['  await charge(total)', '  return total', '}'],
    ...(depth > 20
      ? { vars: { basket: { id: problem, items: [1, 2, 3] }, attempt: '2', password: 'hunter2' } }
      : {}),
  }))

/** The payload that an SDK for Node sends for an exception with the usual context, without its id. */
const payloadOf = (problem: number, random: () => number): string =>
  JSON.stringify({
    platform: 'node',
    level: 'error',
    release: `shop@4.${problem % 9}.0`,
    environment: problem % 5 === 0 ? 'staging' : 'production',
    server_name: 'web-3',
    transaction: `POST /basket/${problem % 30}`,
    tags: { tenant: `t${Math.floor(random() * 50)}`, runtime: 'node v24', browser: 'Firefox 141' },
    user: {
      id: String(Math.floor(random() * 100_000)),
      email: 'someone@example.com',
      ip_address: '203.0.113.7',
    },
    request: {
      method: 'POST',
      url: `https://shop.example.com/basket/${problem}?token=abcdefabcdefabcdef&page=2`,
      headers: {
        Accept: 'application/json',
        Authorization: 'Bearer 0123456789abcdef0123456789abcdef',
        Cookie: 'session=0123456789abcdef; theme=dark',
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0',
      },
      data: {
        basket: 12,
        items: [
          { sku: 'A-1', count: 2 },
          { sku: 'B-7', count: 1 },
        ],
        note: 'leave it at the door',
      },
    },
    contexts: {
      runtime: { name: 'node', version: 'v24.2.0' },
      os: { name: 'Linux', version: '6.8.0' },
      app: { app_start_time: '2026-11-01T00:00:00.000Z', app_memory: 210_000_000 },
      trace: {
        trace_id: '0123456789abcdef0123456789abcdef',
        span_id: '0123456789abcdef',
        op: 'http.server',
      },
    },
    breadcrumbs: Array.from({ length: 20 }, (_, n) => ({
      timestamp: 1_763_640_000 + n,
      category: n % 2 === 0 ? 'http' : 'console',
      level: 'info',
      message: `step ${n} of the order ${Math.floor(random() * 1e9)}`,
      data: { url: `https://api.example.com/orders/${n}`, status_code: 200, method: 'GET' },
    })),
    exception: {
      values: [
        {
          type: problem % 2 === 0 ? 'TypeError' : 'PaymentFailed',
          value: `cannot read "total" of basket ${Math.floor(random() * 1e6)} in area ${problem}`,
          mechanism: { type: 'generic', handled: false },
          stacktrace: { frames: framesOf(problem) },
        },
      ],
    },
    sdk: { name: 'sentry.javascript.node', version: '10.0.0' },
  })

/** @returns makes compressed envelopes, each with an id of its own; only the ids differ from call to call */
export const packEvents = (seed: number): (() => Buffer) => {
  const random = createRandom(seed)
  const rests = Array.from({ length: problemCount * 10 }, (_, n) =>
    gzipSync(`{"type":"event"}\n${payloadOf(n % problemCount, random)}\n`),
  )
  let at = Math.floor(random() * rests.length)
  return () => {
    const id = randomBytes(16).toString('hex')
    at = (at + 1) % rests.length
    // gzip members in a row decompress to one text
    const header = gzipSync(`{"event_id":"${id}","sent_at":"2026-11-20T12:00:00.000Z"}\n`, {
      level: 1,
    })
    return Buffer.concat([header, rests[at] ?? Buffer.alloc(0)])
  }
}
