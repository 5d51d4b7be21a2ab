import type { RepeatableClient } from './repeatable-client.ts'

/** What applying needs of the world. */
export type ApplyCapabilities = {
  client: RepeatableClient
  /** Unix milliseconds. */
  now: () => number
  pause: (ms: number) => Promise<void>
  /** Tells whoever watches what the run is doing: one line, without its end. */
  say: (line: string) => void
}
