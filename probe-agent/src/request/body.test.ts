import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readBody } from './body.ts'
import { createStop } from './stop.ts'
import { ask } from './testing/ask.ts'
import { startRawServer } from './testing/raw-server.ts'

const served = async (encoding: string | null, body: Buffer): Promise<string> => {
  const server = await startRawServer((socket) => {
    const line = encoding === null ? '' : `Content-Encoding: ${encoding}\r\n`
    socket.write(`HTTP/1.1 200 OK\r\n${line}Content-Length: ${body.length}\r\n\r\n`)
    socket.end(body)
  })
  onTestFinished(server.close)
  return `http://127.0.0.1:${server.port}/`
}
const bodyOf = async (url: string) => {
  const outcome = await ask(url)
  if (!outcome.ok || outcome.body === null) throw new Error('no body')
  return outcome.body
}
const text = Buffer.from('the quick brown fox '.repeat(50))

describe('a body', () => {
  test.each<[string | null, Buffer]>([
    [null, text],
    ['identity', text],
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['identity, gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip', Buffer.concat([gzipSync(text), Buffer.alloc(9)])],
  ])('with the encoding %s is decoded', async (encoding, body) => {
    expect(await bodyOf(await served(encoding, body))).toEqual({
      bytes: text,
      truncated: false,
      undecoded: null,
    })
  })

  test.each(['gzip', 'deflate', 'br'])('that is empty with the encoding %s is empty', async (coding) => {
    expect((await bodyOf(await served(coding, Buffer.alloc(0)))).bytes).toHaveLength(0)
  })

  test('with an unknown encoding is kept encoded and marked', async () => {
    expect(await bodyOf(await served('zstd', text))).toEqual({
      bytes: text,
      truncated: false,
      undecoded: 'zstd',
    })
  })

  test.each(['gzip', 'deflate', 'br'])('that is not %s although declared so is an error', async (coding) => {
    expect(await ask(await served(coding, Buffer.from('Xplain text')))).toMatchObject({
      ok: false,
      cause: 'bad_encoding',
      fault: 'target',
    })
  })

  test.each(['gzip, gzip', 'gzip, br', Array.from({ length: 1_000 }, () => 'gzip').join(',')])(
    'encoded more than once is refused',
    async (encoding) => {
      const body = gzipSync(gzipSync(text))
      expect(await ask(await served(encoding, body))).toMatchObject({ cause: 'encoding_chain' })
    },
  )

  test.each(['gzip, gzip', 'zstd', 'gzip'])(
    'that is absent after HEAD is no fault of %s',
    async (encoding) => {
      const server = await startRawServer((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: 9\r\n\r\n`),
      )
      onTestFinished(server.close)
      const message = { method: 'HEAD', body: null, contentType: null } as const
      const outcome = await ask(`http://127.0.0.1:${server.port}/`, { message })
      expect(outcome).toMatchObject({ ok: true, method: 'HEAD', body: { truncated: false } })
    },
  )

  test.each<[string, Buffer]>([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
  ])('of %s that ends without its checksum is decoded, as browsers do', async (coding, body) => {
    expect((await bodyOf(await served(coding, body.subarray(0, -4)))).bytes).toEqual(text)
  })

  test('of truncated br is an error', async () => {
    const body = brotliCompressSync(text)
    const outcome = await ask(await served('br', body.subarray(0, -6)))
    expect(outcome).toMatchObject({ ok: false, cause: 'bad_encoding' })
  })

  test('beyond the encoded limit is cut there', async () => {
    const empty = gzipSync(Buffer.alloc(0))
    const members = Array.from({ length: 60_000 }, () => empty)
    const body = await bodyOf(await served('gzip', Buffer.concat([gzipSync(text), ...members])))
    expect(body).toEqual({ bytes: text, truncated: true, undecoded: null })
  })

  test('of exactly the limit is complete, one byte more is cut', async () => {
    const exact = Buffer.alloc(limits.bodyBytesMax, 'a')
    expect(await bodyOf(await served(null, exact))).toMatchObject({ truncated: false })
    const more = await bodyOf(await served(null, Buffer.concat([exact, Buffer.from('b')])))
    expect(more.truncated).toBe(true)
    expect(more.bytes.equals(exact)).toBe(true)
    const packed = await bodyOf(await served('gzip', gzipSync(exact)))
    expect(packed.truncated).toBe(false)
    expect(packed.bytes.equals(exact)).toBe(true)
  })

  const zeros = Buffer.alloc(100 * 1024 * 1024)
  test.each<[string, Buffer]>([
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros)],
  ])('that is a %s bomb costs the bound and no more', async (encoding, bomb) => {
    const url = await served(encoding, bomb)
    await ask(url)
    const before = process.memoryUsage().rss
    const body = await bodyOf(url)
    expect(body.truncated).toBe(true)
    expect(body.bytes).toHaveLength(limits.bodyBytesMax)
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
  })

  test('without end is read to the bound, stored or not', async () => {
    const server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a')));
        socket.once('drain', pour)
      }
      pour()
    })
    onTestFinished(server.close)
    const url = `http://127.0.0.1:${server.port}/`
    expect((await bodyOf(url)).bytes).toHaveLength(limits.bodyBytesMax)
    expect(await ask(url, { needsBody: () => false })).toMatchObject({ ok: true, body: null })
  })

  test('that is not needed is decoded and not stored', async () => {
    const needless = { needsBody: () => false }
    const broken = await served('gzip', Buffer.from('not gzip'))
    expect(await ask(broken, needless)).toMatchObject({ ok: false, cause: 'bad_encoding' })
    const sound = await served('gzip', gzipSync(text))
    expect(await ask(sound, needless)).toMatchObject({ ok: true, body: null })
  })
})

describe('a body that still arrives at the deadline', () => {
  const early = performance.now() - 1e9
  const late = performance.now() + 1e9
  /**
   * Reads this part of a body until the deadline; its last byte arrived just now, long after the head, or
   * earlier.
   */
  const readUntil = (
    data: string | null,
    { headAt = early, headers = {}, keep = false, judgesBody = false, isStopped = false } = {},
  ) => {
    const controller = new AbortController()
    const stop = createStop(controller.signal, 10_000)
    const read = readBody(
      {
        head: { status: 200, headers },
        headAt,
        read: (reader) => {
          if (data !== null) reader.onData(Buffer.from(data))
          controller.abort(isStopped ? undefined : new DOMException('reached', 'TimeoutError'))
        },
      },
      { keep, judgesBody, stop },
    )
    return read
  }

  test('is enough when no assertion needs it', async () => {
    expect(await readUntil('begun')).toMatchObject({ ok: true, body: null, flowingMs: 10_000 })
  })

  test('is used as far as it came, when it may show a refusal', async () => {
    expect(await readUntil('begun', { keep: true })).toMatchObject({
      ok: true,
      body: { bytes: Buffer.from('begun'), truncated: true },
      flowingMs: 10_000,
    })
  })

  test.each([
    ['an assertion reads it', 'begun', { judgesBody: true, keep: true }, 'body_timeout'],
    ['nothing came of it', null, {}, 'body_timeout'],
    ['it stalled', 'begun', { headAt: late }, 'body_timeout'],
    ['the agent stops', 'begun', { isStopped: true }, 'probe_stopped'],
  ])('is not enough when %s', async (_, data, more, cause) => {
    expect(await readUntil(data, more)).toMatchObject({ ok: false, failure: { cause } })
  })

  test.each([
    'text/event-stream',
    'Text/Event-Stream; charset=utf-8',
    'multipart/x-mixed-replace; boundary=a',
  ])('of %s may be silent for long', async (type) => {
    const headers = { 'content-type': type }
    expect(await readUntil('begun', { headAt: late, headers })).toMatchObject({ ok: true })
    expect(await readUntil(null, { headAt: late, headers })).toMatchObject({ ok: false })
  })
})
