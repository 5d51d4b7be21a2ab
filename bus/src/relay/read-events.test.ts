import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'

const eventsOf = async (text: string, chunkBytes: number) => {
  const bytes = Buffer.from(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, (at += chunkBytes)))
    },
  })
  return Array.fromAsync(readEvents(body))
}

test.each([1, 2, 3, 7, 1_000])('returns the same events for chunks of %i bytes', async (chunkBytes) => {
  const text = 'event: put\ndata: \u00e9\n\n: beat\n\nevent: mark\ndata: {"a":1}\n\nevent: cut'
  expect(await eventsOf(text, chunkBytes)).toEqual([
    { name: 'put', data: '\u00e9' },
    null,
    { name: 'mark', data: '{"a":1}' },
  ])
})

test('reads an event of megabytes in chunks of a few bytes', async () => {
  const data = 'x'.repeat(4 * 1024 * 1024)
  expect(await eventsOf(`event: put\ndata: ${data}\n\n`, 64)).toEqual([{ name: 'put', data }])
})

test('ends the stream on an event that is too large', async () => {
  await expect(eventsOf('x'.repeat(17 * 1024 * 1024), 1024 * 1024)).rejects.toThrow('too large')
})
