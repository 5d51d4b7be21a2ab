import { chunked, head, holds, of, ok, resetsAfter, type CaseClass } from './case.ts'

const fortyTwo = 'x'.repeat(42)
const wpt = 'web-platform-tests fetch/content-length/resources/content-lengths.json'
const published = of('RFC 9112 6.3: equal lengths count as one, others are an error', wpt)
const lengths = of('RFC 9112 6.3, RFC 9110 8.6: Content-Length is digits')
const length = (fields: string, body = fortyTwo): string => `${head}${fields}\r\n\r\n${body}`

const contentLengths: CaseClass = {
  name: 'Content-Length, once or more',
  cases: [
    published('one', length('Content-Length: 42')),
    published('a list of two equal values', length('Content-Length: 42,42')),
    published('two fields, equal', length('Content-Length: 42\r\nContent-Length: 42')),
    published('a field and an equal list', length('Content-Length: 42\r\nContent-Length: 42,42')),
    published('less than the body', length('Content-Length: 30')),
    published('a list of two equal values, less than the body', length('Content-Length: 30,30')),
    published('two fields, equal, less than the body', length('Content-Length: 30\r\nContent-Length: 30')),
    published('a list of two, the first fits', length('Content-Length: 42,30')),
    published('a list of two, the second fits', length('Content-Length: 30,42')),
    published('two fields, the first fits', length('Content-Length: 42\r\nContent-Length: 30')),
    published('two fields, the second fits', length('Content-Length: 30\r\nContent-Length: 42')),
    published('a comma after', length('Content-Length: 30,')),
    published('a comma before', length('Content-Length: ,30')),
    published('a second, empty field', length('Content-Length: 30\r\nContent-Length: \t')),
    published('a first, empty field', length('Content-Length: \r\nContent-Length: 30')),
    lengths('three fields, equal', length('Content-Length: 42\r\n'.repeat(3).trimEnd())),
    lengths('two fields, one in another case', length('content-length: 42\r\nCONTENT-LENGTH: 42')),
    lengths(
      'two equal, and the connection stays open',
      holds(length('Content-Length: 42\r\nContent-Length: 42')),
    ),
    lengths(
      'two different values, and the connection stays open',
      holds(length('Content-Length: 42\r\nContent-Length: 43')),
    ),
  ],
}

const badLengths: CaseClass = {
  name: 'Content-Length that is not a number',
  cases: [
    published('two words', length('Content-Length: aaaah\r\nContent-Length: nah')),
    published('a list of two words', length('Content-Length: aaaah, nah')),
    published('a word twice', length('Content-Length: aaaah\r\nContent-Length: aaaah')),
    published('a list of a word twice', length('Content-Length: aaaah, aaaah')),
    published('a word', length('Content-Length: aaaah')),
    published('a number and a letter', length('Content-Length: 42s')),
    published('a smaller number and a letter', length('Content-Length: 30s')),
    published('a negative number', length('Content-Length: -1')),
    published('hexadecimal', length('Content-Length: 0x20')),
    published('a leading zero', length('Content-Length: 030')),
    published('a leading zero and none', length('Content-Length: 030\r\nContent-Length: 30')),
    published('a list of a leading zero and none', length('Content-Length: 030, 30')),
    lengths('empty', length('Content-Length:')),
    lengths('a plus before', length('Content-Length: +42')),
    lengths('a space inside', length('Content-Length: 4 2')),
    lengths('a decimal', length('Content-Length: 42.0')),
    lengths('2^53', length('Content-Length: 9007199254740992')),
    lengths('20 digits', length('Content-Length: 99999999999999999999')),
    lengths('negative zero', length('Content-Length: -0')),
  ],
}

const both = of('RFC 9112 6.3: Transfer-Encoding overrides Content-Length')
const te = of('RFC 9112 6.1, 7: chunked is last and once')
const chunks = '2\r\nok\r\n0\r\n\r\n'
const coded = (fields: string, body = chunks): string => `${head}${fields}\r\n\r\n${body}`

const transferEncodings: CaseClass = {
  name: 'Transfer-Encoding',
  cases: [
    both('chunked with a right length', coded('Transfer-Encoding: chunked\r\nContent-Length: 2')),
    both('chunked with a wrong length', coded('Content-Length: 200\r\nTransfer-Encoding: chunked')),
    both(
      'chunked with two different lengths',
      coded('Content-Length: 1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked'),
    ),
    both('chunked with a word as length', coded('Content-Length: abc\r\nTransfer-Encoding: chunked')),
    both('identity with a length', coded('Transfer-Encoding: identity\r\nContent-Length: 2', 'ok')),
    te('in capitals', coded('TRANSFER-ENCODING: CHUNKED')),
    te('chunked twice, in two fields', coded('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked')),
    te('chunked twice, in a list', coded('Transfer-Encoding: chunked, chunked')),
    te('gzip, chunked, not compressed', coded('Transfer-Encoding: gzip, chunked')),
    te('chunked, then gzip', coded('Transfer-Encoding: chunked, gzip')),
    te(
      'chunked, then identity, in two fields',
      coded('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 'World'),
    ),
    te('only identity', coded('Transfer-Encoding: identity', 'ok')),
    te('empty', coded('Transfer-Encoding:', 'ok')),
    te('an unknown coding', coded('Transfer-Encoding: pigeon', 'ok')),
    te('xchunked', coded('Transfer-Encoding: xchunked', 'ok')),
    te('a comma before', coded('Transfer-Encoding: ,chunked')),
    te('a comma after', coded('Transfer-Encoding: chunked,')),
    te('a tab after', coded('Transfer-Encoding: chunked\t')),
    te('in an answer of HTTP/1.0', `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`),
    te('with a parameter', coded('Transfer-Encoding: chunked;q=1')),
  ],
}

const size = of('RFC 9112 7.1: a size is hexadecimal digits')
const llhttp = of('RFC 9112 7.1: a size is hexadecimal digits', 'llhttp test/response/transfer-encoding')
const blink = of(
  'RFC 9112 7.1: a size is hexadecimal digits',
  'Chromium net/http/http_chunked_decoder_unittest.cc',
)
const inChunks = (text: string): string => `${chunked}${text}`

const chunkSizes: CaseClass = {
  name: 'sizes of chunks',
  cases: [
    llhttp(
      'spaces after',
      inChunks(
        '25  \r\nThis is the data in the first chunk\r\n\r\n1C\r\nand this is the second one\r\n\r\n0  \r\n\r\n',
      ),
    ),
    blink('a tab after', inChunks('2\t\r\nok\r\n0\r\n\r\n')),
    blink('a space before', inChunks(' 2\r\nok\r\n0\r\n\r\n')),
    blink('a zero and x before', inChunks('0x2\r\nok\r\n0\r\n\r\n')),
    blink('a minus before', inChunks('-2\r\nok\r\n0\r\n\r\n')),
    blink('a plus before', inChunks('+2\r\nok\r\n0\r\n\r\n')),
    blink('a letter after', inChunks('2g\r\nok\r\n0\r\n\r\n')),
    blink('many zeros before', inChunks(`${'0'.repeat(20)}2\r\nok\r\n0\r\n\r\n`)),
    blink('beyond 63 bits', inChunks('ffffffffffffffff\r\nok\r\n0\r\n\r\n')),
    blink('empty', inChunks('\r\nok\r\n0\r\n\r\n')),
    blink('an empty line before the next', inChunks('2\r\nok\r\n\r\n0\r\n\r\n')),
    size('capital letters', inChunks(`A\r\n0123456789\r\n0\r\n\r\n`)),
    size('an extension', inChunks('2;a=b\r\nok\r\n0\r\n\r\n')),
    size('a quoted extension', inChunks('2;a="b;c"\r\nok\r\n0\r\n\r\n')),
    size('a space before the extension', inChunks('2 ;a=b\r\nok\r\n0\r\n\r\n')),
    size('several zeros as the last', inChunks('2\r\nok\r\n000\r\n\r\n')),
    size('a control character in an extension', inChunks('2;a=\x01\r\nok\r\n0\r\n\r\n')),
    size('a comma after', inChunks('2,\r\nok\r\n0\r\n\r\n')),
    size('a word', inChunks('two\r\nok\r\n0\r\n\r\n')),
    size('an extension of 10 KiB', inChunks(`2;${'e'.repeat(10_240)}\r\nok\r\n0\r\n\r\n`)),
  ],
}

const end = of('RFC 9112 7.1: CR LF ends sizes and data, an empty line ends all')
const blinkEnd = of(
  'RFC 9112 7.1: CR LF ends sizes and data, an empty line ends all',
  'Chromium net/http/http_chunked_decoder_unittest.cc',
)

const chunkEnds: CaseClass = {
  name: 'ends of chunks, and trailers',
  cases: [
    blinkEnd('LF alone everywhere', inChunks('2\nok\n0\n\n')),
    blinkEnd('LF alone after sizes', inChunks('2\nok\r\n0\n\r\n')),
    blinkEnd('LF alone after data', inChunks('2\r\nok\n0\r\n\r\n')),
    blinkEnd('nothing after data', inChunks('2\r\nok0\r\n\r\n')),
    blinkEnd('data longer than its size', inChunks('2\r\nokay\r\n0\r\n\r\n')),
    blinkEnd('bytes after the end', inChunks('2\r\nok\r\n0\r\n\r\nmore')),
    blinkEnd('a trailer', inChunks('2\r\nok\r\n0\r\nA: b\r\n\r\n')),
    blinkEnd('a trailer without a colon', inChunks('2\r\nok\r\n0\r\nA b\r\n\r\n')),
    end('three trailers', inChunks('2\r\nok\r\n0\r\nA: b\r\nC: d\r\nE: f\r\n\r\n')),
    end('a trailer of 20 KiB', inChunks(`2\r\nok\r\n0\r\nA: ${'b'.repeat(20_480)}\r\n\r\n`)),
    end('no last chunk, closed', inChunks('2\r\nok\r\n')),
    end('closed inside a chunk', inChunks('9\r\nok')),
    end('no empty line after the last, closed', inChunks('2\r\nok\r\n0\r\n')),
    end('no line end after the last, closed', inChunks('2\r\nok\r\n0')),
    end('closed inside a trailer', inChunks('2\r\nok\r\n0\r\nA: b')),
    end('no chunk at all, closed', inChunks('')),
    end('only the last', inChunks('0\r\n\r\n')),
    end('a bare CR after a size', inChunks('2\rok\r\n0\r\n\r\n')),
    end('complete, and the connection stays open', holds(inChunks('2\r\nok\r\n0\r\n\r\n'))),
  ],
}

const close = of('RFC 9112 6.3, 8: a close ends an answer without a length, and cuts one with')
const bodyEnds: CaseClass = {
  name: 'ends of bodies',
  cases: [
    close('by the close, without a length', `${head}\r\nall of it`),
    close('by the close, empty', `${head}\r\n`),
    close('by the close, HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nall of it'),
    close('short of the length', `${head}Content-Length: 9\r\n\r\nok`),
    close('nothing of the length', `${head}Content-Length: 9\r\n\r\n`),
    close('beyond the length', `${ok} and more`),
    close('beyond the length: a second answer', ok + ok),
    close('length 0 and bytes', `${head}Content-Length: 0\r\n\r\nok`),
    close('a reset inside the length', resetsAfter(`${head}Content-Length: 9\r\n\r\nok`)),
    close('a reset after the length', resetsAfter(ok)),
    close('a reset without a length', resetsAfter(`${head}\r\nok`)),
    close('a reset inside a chunk', resetsAfter(inChunks('9\r\nok'))),
    close('a length, and the connection stays open', holds(ok)),
    close('length 0, and the connection stays open', holds(`${head}Content-Length: 0\r\n\r\n`)),
    close('Connection: close and a length', `${head}Connection: close\r\nContent-Length: 2\r\n\r\nok`),
    close('Connection: keep-alive without a length', `${head}Connection: keep-alive\r\n\r\nok`),
    close('300 KiB of a length', `${head}Content-Length: 307200\r\n\r\n${'x'.repeat(307_200)}`),
    close('300 KiB by the close', `${head}\r\n${'x'.repeat(307_200)}`),
  ],
}

export const framing: readonly CaseClass[] = [
  contentLengths,
  badLengths,
  transferEncodings,
  chunkSizes,
  chunkEnds,
  bodyEnds,
]
