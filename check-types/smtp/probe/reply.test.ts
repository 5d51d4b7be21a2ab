import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { feed, noReply, replyBounds, type PartialReply, type Reply, type ReplyFault } from './reply.ts'

type Read = {
  replies: Reply[]
  fault: { fault: ReplyFault; received: string } | null
  /** The maximum of bytes stored at any time. */
  keptBytesMax: number
  partial: PartialReply
}

const keptBytes = ({ line, lines }: PartialReply): number =>
  line.length + lines.reduce((sum, each) => sum + Buffer.byteLength(each), 0)

/** All replies in a stream of chunks, one after another. */
const readAll = (chunks: Iterable<Buffer>): Read => {
  const read: Read = { replies: [], fault: null, keptBytesMax: 0, partial: noReply }
  for (const chunk of chunks) {
    let rest = chunk
    while (rest.length > 0) {
      const fed = feed(read.partial, rest)
      if (fed.kind === 'fault') return { ...read, fault: { fault: fed.fault, received: fed.received } }
      if (fed.kind === 'reply') read.replies.push(fed.reply)
      read.partial = fed.kind === 'reply' ? noReply : fed.partial
      read.keptBytesMax = Math.max(read.keptBytesMax, keptBytes(read.partial))
      rest = fed.kind === 'reply' ? fed.rest : Buffer.alloc(0)
    }
  }
  return read
}
const read = (text: string): Read => readAll([Buffer.from(text)])
const reply = (code: number, ...lines: string[]): Reply => ({ code, lines })

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b)
  return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end))
}

describe('a reply', () => {
  test.each<[string, Reply]>([
    ['220 mx ESMTP\r\n', reply(220, 'mx ESMTP')],
    ['220 mx ESMTP\n', reply(220, 'mx ESMTP')],
    ['220\r\n', reply(220, '')],
    ['220 \r\n', reply(220, '')],
    ['250-mx\r\n250-SIZE 1\r\n250 AUTH PLAIN\r\n', reply(250, 'mx', 'SIZE 1', 'AUTH PLAIN')],
    ['250-\r\n250\r\n', reply(250, '', '')],
    ['220 grüße\r\n', reply(220, 'grüße')],
    ['220 a\rb\r\n', reply(220, 'a\rb')],
    ['559 last\r\n', reply(559, 'last')],
  ])('%j is read', (text, expected) => {
    expect(read(text)).toMatchObject({ replies: [expected], fault: null })
  })

  test.each([
    ['220mx\r\n'],
    ['22 mx\r\n'],
    ['2200 mx\r\n'],
    ['120 mx\r\n'],
    ['620 mx\r\n'],
    ['260 mx\r\n'],
    [' 220 mx\r\n'],
    ['220_mx\r\n'],
    ['\r\n'],
    ['250-a\r\n251 b\r\n'],
    ['250-a\r\nb\r\n'],
    ['SSH-2.0-OpenSSH_9.2\r\n'],
    ['HTTP/1.1 400 Bad Request\r\n'],
  ])('%j is not a reply', (text) => {
    expect(read(text)).toMatchObject({ replies: [], fault: { fault: 'malformed' } })
  })

  test.each([['220'], ['220 mx'], ['220 mx\r'], ['250-a\r\n'], ['250-a\r\n250 b'], ['']])(
    '%j is not complete',
    (text) => expect(read(text)).toMatchObject({ replies: [], fault: null }),
  )

  test('is followed by later bytes', () => {
    const fed = feed(noReply, Buffer.from('220 go\r\n250 injected\r\n'))
    expect(fed.kind === 'reply' && fed.rest.toString()).toBe('250 injected\r\n')
  })
})

describe('the bounds of a reply', () => {
  const line = (bytes: number) => `220 ${'a'.repeat(bytes - 5)}\r\n`
  const { lineBytesMax, linesMax, replyBytesMax } = replyBounds

  test('a line of the maximum length, and one byte more', () => {
    expect(read(line(lineBytesMax))).toMatchObject({ fault: null, replies: [{ code: 220 }] })
    expect(read(line(lineBytesMax + 1)).fault?.fault).toBe('line_too_long')
  })

  test('the maximum number of lines, and one more', () => {
    const lines = (count: number) => `${'250-a\r\n'.repeat(count - 1)}250 a\r\n`
    expect(read(lines(linesMax)).replies[0]?.lines).toHaveLength(linesMax)
    expect(read(lines(linesMax + 1)).fault?.fault).toBe('too_many_lines')
  })

  test('the maximum number of bytes, and one more', () => {
    const long = `250-${'a'.repeat(1_018)}\r\n`.repeat(15)
    const last = (bytes: number) => `250 ${'a'.repeat(bytes - 6)}\r\n`
    const roomBytes = replyBytesMax - long.length
    expect(read(long + last(roomBytes)).replies).toHaveLength(1)
    expect(read(long + last(roomBytes + 2)).fault?.fault).toBe('too_large')
  })

  test('a flood of other data is not mistaken for a long reply', () => {
    expect(read('a'.repeat(100_000)).fault).toEqual({
      fault: 'malformed',
      received: 'a'.repeat(240),
    })
  })

  test.each([['250-a\r\n'], ['a'], ['250-'], ['\0'], ['250 a\r\n250-'], ['250-\n']])(
    'end a flood of 50 MB of %j',
    (text) => {
      const chunk = Buffer.from(text.repeat(1_000))
      const sent = { bytes: 0 }
      function* flood() {
        for (; sent.bytes < 50 * 1024 * 1024; sent.bytes += chunk.length) yield chunk
      }
      const { fault, keptBytesMax } = readAll(flood())
      expect(fault).not.toBeNull()
      expect(keptBytesMax).toBeLessThanOrEqual(replyBytesMax)
      expect(sent.bytes).toBeLessThanOrEqual(replyBytesMax)
    },
  )
})

describe('with any split of a stream', () => {
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('250-', '250 ', '220 ', '\r\n', '\n', 'ok', 'ü') },
    { weight: 1, arbitrary: fc.constantFrom('a'.repeat(2_040), '250-b\r\n'.repeat(99), '\r') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 9 }) },
    { weight: 3, arbitrary: fc.constant(`250-${'c'.repeat(1_900)}\r\n`) },
  )
  const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join('')))
  const places = fc.array(fc.nat({ max: 100_000 }), { maxLength: 30 })

  test('the replies and the fault are the same, within the limit', () => {
    forAll([stream, places], { numRuns: 500 }, (bytes, cuts) => {
      const whole = readAll([bytes])
      const chunked = readAll(cut(bytes, cuts))
      expect(chunked.replies).toEqual(whole.replies)
      expect(chunked.fault).toEqual(whole.fault)
      expect(chunked.keptBytesMax).toBeLessThanOrEqual(replyBounds.replyBytesMax)
      if (whole.fault === null) expect(chunked.partial).toEqual(whole.partial)
    })
  })

  test('also a byte at a time', () => {
    forAll([stream], { numRuns: 20 }, (bytes) => {
      const single = [...bytes].map((byte) => Buffer.from([byte]))
      const { replies, fault } = readAll(single)
      expect({ replies, fault }).toEqual({
        replies: readAll([bytes]).replies,
        fault: readAll([bytes]).fault,
      })
    })
  })
})
