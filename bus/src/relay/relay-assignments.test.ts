import { expect, test } from 'vitest'
import { anAssignment } from '../contract-suite/fixtures.ts'
import { silentLogger } from '../logger.ts'
import { readEvents } from './read-events.ts'
import { createRelayAssignments } from './relay-assignments.ts'

const [a, b] = [anAssignment(), anAssignment()]

const watching = async (assignments: ReturnType<typeof createRelayAssignments>) => {
  const seen: string[] = []
  const subscription = await assignments.watch({
    onPut: ({ checkId, revision }) => seen.push(`${checkId === a.checkId ? 'a' : 'b'}${revision}`),
    onRemove: (checkId) => seen.push(`-${checkId === a.checkId ? 'a' : 'b'}`),
    onCurrent: () => seen.push('current'),
  })
  return { seen, subscription }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('delivers assignments once when all have arrived, then changes', async () => {
  const assignments = createRelayAssignments(silentLogger)
  const { seen } = await watching(assignments)
  await turn()
  assignments.put([a, b])
  expect(seen).toEqual([])
  assignments.current()
  expect(seen).toEqual(['a1', 'b1', 'current'])
  assignments.put([{ ...a, revision: 2 }])
  assignments.remove(b.checkId)
  expect(seen.slice(3)).toEqual(['a2', '-b'])
})

test('a restarted stream delivers the differences, including removals', async () => {
  const assignments = createRelayAssignments(silentLogger)
  const { seen } = await watching(assignments)
  assignments.put([a, b])
  assignments.current()
  assignments.begin()
  assignments.put([{ ...b, revision: 2 }])
  expect(seen).toEqual(['a1', 'b1', 'current'])
  assignments.current()
  expect(seen.slice(3)).toEqual(['-a', 'b2'])
})

test('delivers everything to a later watcher, and nothing to a closed one', async () => {
  const assignments = createRelayAssignments(silentLogger)
  assignments.put([a])
  assignments.current()
  const { seen, subscription } = await watching(assignments)
  await turn()
  expect(seen).toEqual(['a1', 'current'])
  await subscription.close()
  assignments.put([b])
  expect(seen).toEqual(['a1', 'current'])
})

test.each([1, 2, 7, 1_000])('reads events in chunks of %i', async (size) => {
  const bytes = new TextEncoder().encode(':\n\nevent: put\ndata: {"é":1}\n\nevent: current\ndata: {}\n\n')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  expect(await Array.fromAsync(readEvents(body))).toEqual([
    null,
    { name: 'put', data: '{"é":1}' },
    { name: 'current', data: '{}' },
  ])
})
