import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { head, of, type Case, type CaseClass } from './case.ts'

const page = Buffer.from(`<!doctype html><title>A page</title>${'<p>with some text</p>'.repeat(200)}`)
const coding = of('RFC 9110 8.4: codings are decoded in reverse order')
const encoded = (fields: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `${head}Content-Type: text/html\r\n${fields}Content-Length: ${body.length}\r\n\r\n`,
      'latin1',
    ),
    body,
  ])
const as = (name: string, value: string, body: Buffer): Case =>
  coding(name, encoded(`Content-Encoding: ${value}\r\n`, body))
const gzip = gzipSync(page)

const codings: CaseClass = {
  name: 'content codings',
  cases: [
    as('gzip', 'gzip', gzip),
    as('GZIP in capitals', 'GZIP', gzip),
    as('x-gzip', 'x-gzip', gzip),
    as('deflate as zlib', 'deflate', deflateSync(page)),
    as('deflate, raw', 'deflate', deflateRawSync(page)),
    as('br', 'br', brotliCompressSync(page)),
    as('identity', 'identity', page),
    as('empty', '', page),
    as('an unknown coding', 'pigeon', page),
    as('zstd, not requested', 'zstd', zstdCompressSync(page)),
    as(
      'gzip of two members',
      'gzip',
      Buffer.concat([gzipSync(page.subarray(0, 99)), gzipSync(page.subarray(99))]),
    ),
    as('gzip, then zeros', 'gzip', Buffer.concat([gzip, Buffer.alloc(20)])),
    as('gzip, then text', 'gzip', Buffer.concat([gzip, Buffer.from('<!-- cached -->')])),
    as('gzip cut off', 'gzip', gzip.subarray(0, -12)),
    as('gzip without its checksum', 'gzip', gzip.subarray(0, -8)),
    as('gzip with a wrong checksum', 'gzip', Buffer.concat([gzip.subarray(0, -8), Buffer.alloc(8, 1)])),
    as('invalid gzip', 'gzip', page),
    as('gzip, empty', 'gzip', Buffer.alloc(0)),
    as('invalid br', 'br', Buffer.from('not brotli at all')),
    {
      ...as('gzip twice', 'gzip, gzip', gzipSync(gzip)),
      exception: 'only one layer is decoded: decompression bombs use several',
    },
  ],
}

const mib = 1024 * 1024
const type = of('RFC 9110 8.3: the type defines the body')
const typed = (name: string, value: string, body = page): Case =>
  type(name, encoded(value === '' ? '' : `Content-Type: ${value}\r\n`, body))
const types: CaseClass = {
  name: 'content types and kinds of content',
  cases: [
    typed('no other field', ''),
    typed('two different values', 'text/plain'),
    typed('no slash', 'html'),
    typed('an unknown charset', 'text/html; charset=klingon'),
    typed('invalid UTF-16', 'text/html; charset=utf-16'),
    typed('JSON', 'application/json', Buffer.from('{}')),
    typed('invalid JSON', 'application/json', Buffer.from('{')),
    typed('an invalid picture', 'image/png'),
    typed('all bytes as text', 'text/plain', Buffer.from(Array.from({ length: 256 }, (_, n) => n))),
    typed('2 MiB', 'text/html', Buffer.alloc(2 * mib, 'a')),
    type('Refresh to nowhere', encoded('Refresh: 600; url=http://nowhere.example.com/\r\n', page)),
    type('Strict-Transport-Security over http', encoded('Strict-Transport-Security: max-age=600\r\n', page)),
    type('X-Frame-Options', encoded('X-Frame-Options: DENY\r\n', page)),
    type('Alt-Svc to a dead port', encoded('Alt-Svc: h2=":1"; ma=60\r\n', page)),
    type('Content-Range in a 200', encoded('Content-Range: bytes 0-1/2\r\n', page)),
  ],
}

export const contents: readonly CaseClass[] = [codings, types]
