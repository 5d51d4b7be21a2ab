import type { TestContext } from 'vitest'
import type { Bus } from '../port.ts'

/** A bus of its own for one test. `reopen` closes it and opens it again over what is durable. */
export type OpenedBus = {
  bus: Bus
  reopen(): Promise<Bus>
  /** Ends it and removes what it kept; also after `reopen`. */
  destroy(): Promise<void>
}

/** Declares a test that gets a bus of its own, destroyed at its end. */
export type BusTest = (
  guarantee: string,
  body: (opened: OpenedBus, context: TestContext) => Promise<void>,
) => void
