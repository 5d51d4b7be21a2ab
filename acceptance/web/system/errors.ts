import { startNodeClient } from '../../errors/node-client.ts'
import type { Act } from './client.ts'

const dayMs = 86_400_000
const storedMsMax = 30_000

/** Occurrences of the main issue over the last days; the newest is during the last outage of the shop. */
const occurrences = [
  { release: 'shop@2.4.0', count: 30, fromMs: 5 * dayMs, everyMs: dayMs / 8 },
  { release: 'shop@2.4.1', count: 12, fromMs: dayMs, everyMs: (dayMs * 19) / 24 / 11 },
]

const library = (file: string, name: string) => ({
  filename: `node_modules/${file}`,
  function: name,
  lineno: 120,
  colno: 9,
  in_app: false,
})

const failure = {
  type: 'TypeError',
  value: "Cannot read properties of undefined (reading 'total')",
  mechanism: { type: 'onunhandledrejection', handled: false },
  stacktrace: {
    frames: [
      library('router/layer.js', 'Layer.handle'),
      library('router/route.js', 'next'),
      {
        filename: 'src/checkout.ts',
        function: 'pay',
        lineno: 88,
        colno: 11,
        in_app: true,
        pre_context: [
          'export const pay = async (order: Order) => {',
          '  const customer = await customerOf(order)',
        ],
        context_line: '  const amount = sumOf(order.basket)',
        post_context: ['  return charge(customer, amount)', '}'],
      },
      {
        filename: 'src/basket.ts',
        function: 'sumOf',
        lineno: 17,
        colno: 23,
        in_app: true,
        pre_context: [
          '',
          '/** The price of all lines. */',
          'export const sumOf = (basket: Basket): number => {',
        ],
        context_line: '  return basket.lines.reduce((sum, line) => sum + line.price.total, 0)',
        post_context: ['}', '', 'export const isEmpty = (basket: Basket) => basket.lines.length === 0'],
        vars: { basket: { id: 'b-2291', lines: 3 }, currency: 'EUR' },
      },
    ],
  },
}

/** Other issues, each with a different level. */
const others = [
  { level: 'fatal', type: 'OutOfMemory', value: 'heap limit reached', file: 'src/report.ts', count: 2 },
  { level: 'warning', type: 'SlowQuery', value: 'orders took 4.2 s', file: 'src/orders.ts', count: 7 },
  { level: 'info', type: 'Retry', value: 'payment provider answered 429', file: 'src/pay.ts', count: 5 },
] as const

const trailTo = (timestamp: number) => [
  {
    timestamp: timestamp - 41,
    category: 'navigation',
    message: '/basket',
    data: { from: '/', to: '/basket' },
  },
  { timestamp: timestamp - 6.4, category: 'fetch', message: 'GET /api/basket', data: { status: 200 } },
  { timestamp: timestamp - 2.1, category: 'ui.click', message: 'button#pay' },
  {
    timestamp: timestamp - 0.3,
    category: 'console',
    level: 'warning' as const,
    message: 'no price for line 2',
  },
]

/** A program reports to a project by Sentry's SDK, in two releases. @returns the id of the main issue */
export const reportErrors = async (act: Act, project: string): Promise<string> => {
  const { keys } = await act('getErrorProject', { params: { id: project } })
  const dsn = keys[0]?.dsn ?? ''
  const nowMs = Date.now()
  for (const { release, count, fromMs, everyMs } of occurrences) {
    const { client, scope, flush } = startNodeClient(dsn, { release, environment: 'production' })
    scope.setContext('os', { name: 'Linux', version: '6.12' })
    for (let n = 0; n < count; n++) {
      const timestamp = (nowMs - fromMs + n * everyMs) / 1_000
      scope.setTag('shop', n % 3 === 0 ? 'hamburg' : 'berlin')
      scope.setUser({ id: `customer-${n % 9}` })
      scope.captureEvent({
        level: 'error',
        timestamp,
        exception: { values: [failure] },
        breadcrumbs: trailTo(timestamp),
      })
    }
    for (const other of release === 'shop@2.4.1' ? others : []) {
      const { level, type, value, file, count: some } = other
      const frames = [{ filename: file, function: 'run', lineno: 12, in_app: true }]
      for (let n = 0; n < some; n++) {
        const timestamp = (nowMs - (n * 3 + some) * 3_600_000) / 1_000
        scope.captureEvent({
          level,
          timestamp,
          exception: { values: [{ type, value, stacktrace: { frames } }] },
        })
      }
    }
    await flush()
    await client.close()
  }
  const all = [...occurrences, ...others].reduce((sum, { count }) => sum + count, 0)
  const end = performance.now() + storedMsMax
  for (;;) {
    const { issues } = await act('listErrorIssues', { params: { id: project } })
    const main = issues.find(({ title }) => title.startsWith(failure.type))
    const stored = issues.reduce((sum, issue) => sum + issue.occurrences, 0)
    if (main !== undefined && stored === all) return main.id
    if (performance.now() > end) throw new Error('the reported events are not stored')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
