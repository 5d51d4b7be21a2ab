import { randomBytes } from 'node:crypto'
import type { ErrorEvent } from './error-event.ts'

/** An event of a project. Events with the same hash are one issue. */
export const aStoredEvent = (
  projectId: string,
  over: Partial<ErrorEvent> & { hash?: string } = {},
): ErrorEvent => {
  const { hash = 'ab'.repeat(32), ...more } = over
  const now = Date.now()
  return {
    eventId: randomBytes(16).toString('hex'),
    projectId,
    at: now - 5,
    receivedAt: now,
    level: 'error',
    platform: 'node',
    release: 'shop@1.0.0',
    environment: 'production',
    transaction: null,
    type: 'TypeError',
    message: 'x is "undefined" \u00e9\n',
    frames: [{ file: 'app.js', function: 'render', line: 3, column: null, inApp: true }],
    tags: { server: 'a' },
    context: { user: { id: '7' }, extra: { deep: [1, { two: null }] } },
    grouping: { version: 1, hash, title: 'TypeError: x is undefined', culprit: 'render' },
    ...more,
  }
}
