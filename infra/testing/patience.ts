import { vi } from 'vitest'

/**
 * How long a test waits for an event. A late event on a busy machine must not fail a test, and a missing one
 * still does. Vitest's default of one second is too short for some servers.
 */
const waitMsMax = 60_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: waitMsMax, ...options })
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout: waitMsMax, ...options })
