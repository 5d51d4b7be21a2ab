import type { Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** The hostile behaviour of a target, and the expected reading. */
type HostileTarget = {
  name: string
  /** Called once per connection, when the request's head is complete. */
  answer: (socket: Socket, head: string) => void
  verdict: 'down' | 'up' | 'unmeasured'
  cause: string
  /** Whether only the attempt's deadline ends it. */
  untilDeadline?: true
}

const head = 'HTTP/1.1 200 OK\r\n'
const bombBytes = 300 * 1024 * 1024
const dripMs = 20

const says = (text: string | Buffer) => (socket: Socket) => socket.end(text)

/** Repeats the same bytes while the other side reads. */
const floods = (first: string, chunk: Buffer) => (socket: Socket) => {
  socket.write(first)
  const fill = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', fill)
  fill()
}

/** Sends a byte at a time, so that no idle timer fires. */
const drips = (first: string, byte: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(byte), dripMs)
  socket.on('close', () => clearInterval(timer))
}

const encoded = (coding: string, body: Buffer) =>
  Buffer.concat([Buffer.from(`${head}Content-Encoding: ${coding}\r\n\r\n`), body])

const redirects = (location: string) =>
  says(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)

/** A few hundred kilobytes that expand to many zeros; created once per run. */
const bombs = () => {
  const zeros = Buffer.alloc(bombBytes)
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  return { gzip: gzipSync(zeros, { level: 1 }), brotli: brotliCompressSync(zeros, quick) }
}

/** @param refused a URL at a forbidden address, with a trap listening on it */
export const hostileTargets = (refused: string): HostileTarget[] => {
  const { gzip, brotli } = bombs()
  const down = (name: string, answer: HostileTarget['answer'], cause: string): HostileTarget => ({
    name,
    answer,
    verdict: 'down',
    cause,
  })
  const slow = (name: string, answer: HostileTarget['answer'], cause: string): HostileTarget => ({
    ...down(name, answer, cause),
    untilDeadline: true,
  })
  return [
    down('bad status line', says('HTTP/1.1 OK\r\n\r\n'), 'bad_http'),
    down('another protocol', says('SSH-2.0-OpenSSH_9.2\r\n'), 'bad_http'),
    down('1 MB of header', says(`${head}X-A: ${'a'.repeat(1_048_576)}\r\n\r\n`), 'headers_too_large'),
    down('header without end', floods(`${head}X-A: `, Buffer.alloc(65_536, 'a')), 'headers_too_large'),
    down('103 flood', floods('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))), 'bad_http'),
    down('two lengths', says(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`), 'bad_http'),
    down('bad chunk size', says(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), 'bad_http'),
    down('early close', says(`${head}Content-Length: 9\r\n\r\nok`), 'body_incomplete'),
    down('no answer at all', says(''), 'connection_closed'),
    down('reset before the answer', (socket) => socket.resetAndDestroy(), 'connection_reset'),
    down(
      'reset mid-body',
      (socket) => {
        socket.write(`${head}Content-Length: 9\r\n\r\nok`, () => socket.resetAndDestroy())
      },
      'body_incomplete',
    ),
    down('gzip bomb', says(encoded('gzip', gzip)), 'body_mismatch'),
    down('brotli bomb', says(encoded('br', brotli)), 'body_mismatch'),
    down('body without end', floods(`${head}\r\n`, Buffer.alloc(65_536, 'a')), 'body_mismatch'),
    down('encoded a thousand times', says(encoded('gzip,'.repeat(1_000), gzip)), 'encoding_chain'),
    down('encoded twice', says(encoded('gzip, gzip', gzip)), 'encoding_chain'),
    down('redirect loop', redirects('/again'), 'too_many_redirects'),
    down('redirect to a file', redirects('file:///etc/passwd'), 'bad_redirect'),
    {
      name: 'redirect to loopback',
      answer: redirects(refused),
      verdict: 'down',
      cause: 'redirect_not_public',
    },
    slow('silence', () => undefined, 'response_timeout'),
    slow('head that drips', drips(head, 'a'), 'response_timeout'),
    slow('body that drips', drips(`${head}\r\n`, 'a'), 'body_timeout'),
  ]
}
