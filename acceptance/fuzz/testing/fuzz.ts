import { caseSeed as seed } from '@probe-mesh/infra/testing/case-seed'
import { collectGarbage } from '@probe-mesh/infra/testing/collect-garbage'
import { expect, inject } from 'vitest'
import { hostileBytes, randomOf } from './hostile-bytes.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The number of attacks on each entrance. */
    attacks: number
    /** The number of attacks on each entrance over HTTP. */
    hostileRequests: number
  }
}

/** The number of attacks and their seed, which a failure reports. */
export const attacks = inject('attacks')
export const hostileRequests = inject('hostileRequests')
export { seed }
export const fuzzTimeoutMs = 60_000 + attacks * 100

/** The limit of memory growth after all attacks on one entrance, for caches and compiled code. */
export const heldBytesMax = 128 * 1024 * 1024
const attacksPerTurn = 50

/**
 * Attacks an entrance. Any exception fails the test with the seed and the bytes.
 * @param options.samples valid inputs
 */
export const fuzz = async (
  enter: (bytes: Uint8Array) => unknown,
  options: { samples: readonly string[]; bytesMax: number },
): Promise<void> => {
  const random = randomOf(seed)
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let attack = 0; attack < attacks; attack++) {
    const bytes = hostileBytes(random, options.samples, options.bytesMax)
    try {
      await enter(bytes)
    } catch (error) {
      const start = Buffer.from(bytes.subarray(0, 300)).toString()
      throw new Error(`attack ${attack} of seed ${seed}, ${bytes.length} bytes: ${start}`, {
        cause: error,
      })
    }
    if (attack % attacksPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(heldBytesMax)
}
