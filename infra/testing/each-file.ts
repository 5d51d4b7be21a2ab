import { afterAll, vi } from 'vitest'
import { closeFile } from './close-with-file.ts'

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

afterAll(closeFile)
