import { describe, test } from 'vitest'
import { assignmentsContract } from './contract-suite/assignments.ts'
import type { BusTest, OpenedBus } from './contract-suite/bus-test.ts'
import { errorsContract } from './contract-suite/errors.ts'
import { messagingContract } from './contract-suite/messaging.ts'
import { readingsContract } from './contract-suite/readings.ts'

/**
 * The guarantees of every adapter of the port, as tests; an adapter's test file calls this. They do not
 * depend on the speed of an adapter or on exclusive use of a server.
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
    describe('errors', () => errorsContract(busTest))
    describe('persisted, runs, presence, events', () => messagingContract(busTest))
  })
}
