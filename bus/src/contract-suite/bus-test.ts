import type { TestContext } from 'vitest'
import type { Bus } from '../port.ts'

/** A separate bus for one test. `reopen` closes it and opens it again with its durable data. */
export type OpenedBus = {
  bus: Bus
  reopen(): Promise<Bus>
  /** Ends it and removes its data; also after `reopen`. */
  destroy(): Promise<void>
}

/** Declares a test with a separate bus, destroyed at its end. */
export type BusTest = (
  guarantee: string,
  body: (opened: OpenedBus, context: TestContext) => Promise<void>,
) => void
