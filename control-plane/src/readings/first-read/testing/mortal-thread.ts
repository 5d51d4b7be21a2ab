// Replaces the thread with one whose readings trigger every fault that ends it.
import { parentPort } from 'node:worker_threads'
import type { FirstReadQuestion } from '../first-reader.ts'

const faults: Readonly<Record<string, () => void>> = {
  throws: () => {
    throw new RangeError('Maximum call stack size exceeded')
  },
  exits: () => process.exit(1),
  fills: () => {
    const held: number[][] = []
    for (;;) held.push(Array.from({ length: 100_000 }, Math.random))
  },
  loops: () => {
    for (;;) Math.random()
  },
}

parentPort?.on('message', ({ messages, read }: FirstReadQuestion) => {
  Atomics.store(read, 0, 0)
  for (const { data } of messages) {
    faults[Buffer.from(data).toString()]?.()
    Atomics.add(read, 0, 1)
  }
  parentPort?.postMessage('read', [])
})
