import { startNodeClient } from '../../errors/node-client.ts'
import type { Act } from './client.ts'

const dayMs = 86_400_000
const storedMsMax = 30_000

/** Of the one issue, over its last days. */
const occurrences = [
  { release: 'shop@2.4.0', count: 30, fromMs: 5 * dayMs, everyMs: dayMs / 8 },
  { release: 'shop@2.4.1', count: 12, fromMs: dayMs, everyMs: dayMs / 13 },
]

const failure = {
  type: 'TypeError',
  value: "Cannot read properties of undefined (reading 'total')",
  stacktrace: {
    frames: [
      { filename: 'src/checkout.ts', function: 'pay', lineno: 88, colno: 11, in_app: true },
      { filename: 'src/basket.ts', function: 'sumOf', lineno: 17, colno: 23, in_app: true },
    ],
  },
}

/** A program reports to a project by Sentry's SDK, in two releases. @returns the id of the one issue */
export const reportErrors = async (act: Act, project: string): Promise<string> => {
  const { keys } = await act('getErrorProject', { params: { id: project } })
  const dsn = keys[0]?.dsn ?? ''
  const nowMs = Date.now()
  for (const { release, count, fromMs, everyMs } of occurrences) {
    const { client, scope, flush } = startNodeClient(dsn, { release, environment: 'production' })
    scope.addBreadcrumb({ category: 'ui.click', message: 'button#pay' })
    scope.setTag('shop', 'berlin')
    for (let n = 0; n < count; n++) {
      const timestamp = (nowMs - fromMs + n * everyMs) / 1_000
      scope.captureEvent({ level: 'error', timestamp, exception: { values: [failure] } })
    }
    await flush()
    await client.close()
  }
  const all = occurrences.reduce((sum, { count }) => sum + count, 0)
  const end = performance.now() + storedMsMax
  for (;;) {
    const { issues } = await act('listErrorIssues', { params: { id: project } })
    const [issue] = issues
    if (issue?.occurrences === all) return issue.id
    if (performance.now() > end) throw new Error('the reported events are not stored')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
