import { describe, test, type TestContext } from 'vitest'
import { assignmentsContract } from './contract-suite/assignments.ts'
import { messagingContract } from './contract-suite/messaging.ts'
import { readingsContract } from './contract-suite/readings.ts'
import type { Bus } from './port.ts'

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

/**
 * What every adapter of the port promises, as tests; an adapter's own test file calls this. Nothing
 * here depends on how fast an adapter is, or on being alone on a server.
 */
export const busContract = (name: string, open: () => Promise<OpenedBus>): void => {
  const busTest: BusTest = (guarantee, body) => {
    test(guarantee, async (context) => {
      const opened = await open()
      try {
        await body(opened, context)
      } finally {
        await opened.destroy()
      }
    })
  }
  describe(`bus contract: ${name}`, () => {
    describe('assignments', () => assignmentsContract(busTest))
    describe('readings', () => readingsContract(busTest))
    describe('persisted, runs, presence, events', () => messagingContract(busTest))
  })
}
