import { vi } from 'vitest'

/**
 * How long a test waits for what will come: an event that is late on a busy machine is no failure, and
 * one that never comes fails all the same. Vitest's own second is less than a server may take.
 */
const waitMsMax = 15_000

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: waitMsMax, ...options })
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { timeout: waitMsMax, ...options })
