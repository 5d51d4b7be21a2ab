import { vi } from 'vitest'

/**
 * How long a test waits for what will come: an event that is late on a busy machine is no failure, and
 * one that never comes fails all the same. Vitest's own second is less than a server may take.
 */
const waitMsMax = 15_000

const waitFor = vi.waitFor
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: waitMsMax, ...options })
