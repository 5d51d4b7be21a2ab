import { head, holds, of, ok, type CaseClass } from './case.ts'

const line = of('RFC 9112 4: HTTP-version SP 3DIGIT SP reason')
const llhttp = of('RFC 9112 4: HTTP-version SP 3DIGIT SP reason', 'llhttp test/response/invalid')
const sample = of('RFC 9112 4: a reason may be empty', 'llhttp test/response/sample')
const status = of(
  'RFC 9112 4, RFC 9110 15: a status is three digits',
  'web-platform-tests fetch/h1-parsing/status-code.window.js',
)
const rest = '\r\nContent-Length: 2\r\n\r\nok'

const statusLines: CaseClass = {
  name: 'status lines',
  cases: [
    status('no status', `HTTP/1.1 ${rest}`),
    status('a word', `HTTP/1.1 BLAH${rest}`),
    status('four digits', `HTTP/1.1 1000 BOO${rest}`),
    status('five digits', `HTTP/1.1 65736 NOT 200 OR SOME SUCH${rest}`),
    status('six digits', `HTTP/1.1 131072 HI${rest}`),
    llhttp('HTP', `HTP/1.1 200 OK${rest}`),
    llhttp('version 01.1', `HTTP/01.1 200 OK${rest}`),
    llhttp('version 11.1', `HTTP/11.1 200 OK${rest}`),
    llhttp('version 1.01', `HTTP/1.01 200 OK${rest}`),
    llhttp('version 5.6', `HTTP/5.6 200 OK${rest}`),
    llhttp('a tab before the status, without a space', `HTTP/1.1\t200 OK${rest}`),
    llhttp('one digit', `HTTP/1.1 2 OK${rest}`),
    sample('no reason, no space', `HTTP/1.1 200${rest}`),
    sample('no reason', `HTTP/1.1 200 ${rest}`),
    line('version 1.2', `HTTP/1.2 200 OK${rest}`),
    line('version 2', `HTTP/2 200 OK${rest}`),
    line('lower case', `http/1.1 200 OK${rest}`),
    line('the reason right after the status', `HTTP/1.1 200OK${rest}`),
    line('a reason of latin1', `HTTP/1.1 200 \xdcber${rest}`),
    line('a reason of 8 KiB', `HTTP/1.1 200 ${'r'.repeat(8_192)}${rest}`),
  ],
}

const field = of('RFC 9112 5, RFC 9110 5.1: a name is a token, directly followed by a colon')
const fieldSample = of('RFC 9112 5: a field is a name, a colon and a value', 'llhttp test/response/sample')
const named = (text: string): string => `${head}${text}${rest}`

const names: CaseClass = {
  name: 'header names',
  cases: [
    fieldSample('an underscore', named('DCLK_imp: v7;x;114750856;0-0;0')),
    fieldSample('a dot first', named('.et-Cookie: PlaxoCS=1274804622353690521')),
    fieldSample('an underscore first', named('_onnection: Keep-Alive')),
    fieldSample('a dollar', named('X-$PrototypeBI-Version: 1.6.0.3')),
    fieldSample('an empty value before another', named('Pragma: \r\nX-A: b')),
    field('a space before the colon', named('X-Powered-By : PHP/5.2')),
    field('two spaces before the colon', named('X-A  : b')),
    field('a space before the colon of a length', `${head}Content-Length : 9\r\n\r\nok`),
    field('a space before the colon of a coding', `${head}Transfer-Encoding : chunked\r\n\r\nok`),
    field('a space before the colon of a Location', `HTTP/1.1 200 OK\r\nLocation : /x${rest}`),
    field('no colon', named('Nonsense')),
    field('no colon, as the last', `${head}Content-Length: 2\r\nNonsense\r\n\r\nok`),
    field('brackets', named('X-[a]: b')),
    field('latin1', named('X-\xfc: b')),
    field('a quote', named('"X-A": b')),
    field('a control character', named('X\x01A: b')),
    field('1 KiB', named(`${'X'.repeat(1_024)}: b`)),
    field('the same name three times', named('X-A: 1\r\nX-A: 2\r\nx-a: 3')),
    field('an apostrophe and a bar', named("X'|A: b")),
    field('a slash', named('X/A: b')),
  ],
}

const value = of('RFC 9110 5.5: a value is visible characters, spaces and tabs')
const values: CaseClass = {
  name: 'header values',
  cases: [
    value('latin1', named('X-A: v\xe9')),
    value('UTF-8', named('X-A: v\xc3\xa9')),
    value('a BEL', named('X-A: v\x07')),
    value('an escape', named('X-A: \x1b[1m')),
    value('a DEL', named('X-A: v\x7f')),
    value('a vertical tab', named('X-A: v\x0bw')),
    value('a form feed', named('X-A: v\x0cw')),
    value('a backspace', named('X-A: v\x08')),
    value('a unit separator', named('X-A: v\x1f')),
    value('a SOH at the beginning', named('X-A: \x01v')),
    value(
      'all of 0x80 to 0xff',
      named(`X-A: ${Array.from({ length: 128 }, (_, n) => String.fromCharCode(128 + n)).join('')}`),
    ),
    value('tabs around', named('X-A:\t\tv\t\t')),
    value('only spaces', named('X-A:    ')),
    value('15 KiB', named(`X-A: ${'v'.repeat(15 * 1_024)}`)),
    value('a control character in Content-Type', named('Content-Type: text/html\x01')),
    value('a control character in Set-Cookie', named('Set-Cookie: a=b\x01c')),
    value('quotes that do not end', named('X-A: "v')),
    value('a colon first', named('X-A:: v')),
    value('a NUL in Set-Cookie', named('Set-Cookie: a=b\0c')),
    value('only a NUL', named('X-A: \0')),
  ],
}

const fold = of('RFC 9112 5.2: a user agent replaces a fold by a space')
const ends = of('RFC 9112 2.2: a recipient may take LF alone as a line end')
const endsSample = of(
  'RFC 9112 2.2: a recipient may take LF alone as a line end',
  'llhttp test/response/invalid',
)

const folds: CaseClass = {
  name: 'folded headers and line ends',
  cases: [
    fold('a space', named('X-A: b\r\n c')),
    fold('a tab', named('X-A: b\r\n\tc')),
    fold('twice', named('X-A: b\r\n c\r\n d')),
    fold('an empty value before', named('X-A:\r\n b')),
    fold('a line of spaces', named('X-A: b\r\n   ')),
    fold('Set-Cookie', named('Set-Cookie: a=b;\r\n Path=/')),
    fold(
      'Content-Security-Policy',
      named("Content-Security-Policy: default-src 'self';\r\n  img-src *;\r\n  script-src 'self'"),
    ),
    fold('a length after the colon', `${head}Content-Length:\r\n 2\r\n\r\nok`),
    fold('a coding after the colon', `${head}Transfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    fold('with a colon in it', named('X-A: b\r\n X-B: c')),
    fold('before any header', `${head} Host: foo\r\nContent-Length: 2\r\n\r\nok`),
    endsSample('LF alone, no body', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'),
    endsSample('LF alone', 'HTTP/1.1 200 OK\nFoo: abc\nBar: def\n\nBODY\n'),
    endsSample('headers separated by CR', `${head}Foo: 1\rBar: 2\r\n\r\n`),
    ends('LF alone in one line', `HTTP/1.1 200 OK\r\nX-A: b\nContent-Length: 2\r\n\r\nok`),
    ends('LF alone in the status line', 'HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok'),
    ends('LF alone, then CR LF as the last', 'HTTP/1.1 200 OK\nContent-Length: 2\n\r\nok'),
    ends('CR LF, then LF alone as the last', `${head}Content-Length: 2\r\n\nok`),
    ends('two CR before LF', `HTTP/1.1 200 OK\r\r\nContent-Length: 2\r\r\n\r\nok`),
    ends('an empty line before', `\r\n${ok}`),
  ],
}

const amount = of('RFC 9110 5.4: no limit; Chromium reads 256 KiB, Go 10 MiB')
const reported = (source: string) => of('RFC 9110 5.4: no limit; Chromium reads 256 KiB, Go 10 MiB', source)
const cookies = (count: number, bytes: number): string =>
  Array.from({ length: count }, (_, n) => `Set-Cookie: c${n}=${'v'.repeat(bytes)}\r\n`).join('')
const sized = (kib: number): string => named(`X-A: ${'v'.repeat(kib * 1_024)}`)
const many = (count: number, bytes: number): string =>
  named(Array.from({ length: count }, (_, n) => `X-${n}: ${'v'.repeat(bytes)}`).join('\r\n'))

const amounts: CaseClass = {
  name: 'amounts of headers',
  cases: [
    reported('uptimepage, changelog of 2026-09-21')(
      '20 KiB in one Link',
      named(`Link: ${'</a>; rel=preload, '.repeat(1_060)}</b>`),
    ),
    reported('uptimepage, changelog of 2026-09-21')(
      '20 KiB in one Content-Security-Policy',
      named(`Content-Security-Policy: img-src ${'https://cdn.example.com '.repeat(850)}`),
    ),
    reported('louislam/uptime-kuma#4618')(
      '40 cookies of 600 bytes',
      `${head}${cookies(40, 600)}Content-Length: 2\r\n\r\nok`,
    ),
    amount('16 KiB in all', sized(16)),
    amount('32 KiB in one', sized(32)),
    amount('64 KiB in one', sized(64)),
    amount('90 KiB in one', sized(90)),
    amount('120 KiB in one', sized(120)),
    amount('250 KiB in one', sized(250)),
    amount('270 KiB in one', sized(270)),
    amount('1 MiB in one', sized(1_024)),
    amount('60 headers of 1 KiB', many(60, 1_024)),
    amount('120 headers of 1 KiB', many(120, 1_024)),
    amount('240 headers of 1 KiB', many(240, 1_024)),
    amount('270 headers of 1 KiB', many(270, 1_024)),
    amount('400 headers of 10 bytes', many(400, 10)),
    amount('2,000 headers of 10 bytes', many(2_000, 10)),
    amount('180 cookies of 100 bytes', `${head}${cookies(180, 100)}Content-Length: 2\r\n\r\nok`),
    amount('no header at all', 'HTTP/1.1 200 OK\r\n\r\nok'),
    amount('20 KiB, and the connection stays open', holds(sized(20))),
  ],
}

const interim = of('RFC 9110 15.2: a client reads 1xx responses before the final one')
const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
const continues = 'HTTP/1.1 100 Continue\r\n\r\n'
const interims: CaseClass = {
  name: 'interim responses',
  cases: [
    interim('one 103', early + ok),
    interim('three 103', early.repeat(3) + ok),
    interim('one 100', continues + ok),
    interim('100, then 103', continues + early + ok),
    interim('102', `HTTP/1.1 102 Processing\r\n\r\n${ok}`),
    interim('199', `HTTP/1.1 199 Odd\r\n\r\n${ok}`),
    interim('ten 100', continues.repeat(10) + ok),
    interim('103 with a length', `HTTP/1.1 103 Early\r\nContent-Length: 2\r\n\r\n${ok}`),
    interim('103 of LF alone', `HTTP/1.1 103 Early\nLink: </a>\n\n${ok}`),
    interim('100, then nothing', continues),
    interim('103, then nothing', early),
    interim(
      '101, not requested',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ),
    interim(
      '101, not requested, then an answer',
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n${ok}`,
    ),
    interim('100 of HTTP/1.0', `HTTP/1.0 100 Continue\r\n\r\n${ok}`),
    interim('103, then another protocol', `${early}SSH-2.0-OpenSSH_9.2\r\n`),
  ],
}

const statusRule = of('RFC 9110 15: the class of a status defines its meaning, also of unknown numbers')
const answering = (code: number, fields = 'Content-Length: 2\r\n', body = 'ok'): string =>
  `HTTP/1.1 ${code} Said\r\n${fields}\r\n${body}`
const statuses: CaseClass = {
  name: 'statuses',
  cases: [
    ...[200, 201, 202, 203, 206, 226, 299].map((code) => statusRule(String(code), answering(code))),
    statusRule('204', answering(204, '', '')),
    statusRule('204 with a body', answering(204)),
    statusRule('205', answering(205, 'Content-Length: 0\r\n', '')),
    ...[404, 410, 451, 500, 503, 599, 799, 999].map((code) => statusRule(String(code), answering(code))),
    statusRule(
      '401 that requires a login',
      answering(401, 'WWW-Authenticate: Basic realm="a"\r\nContent-Length: 2\r\n'),
    ),
    statusRule('404 without content', answering(404, 'Content-Length: 0\r\n', '')),
  ],
}

export const heads: readonly CaseClass[] = [statusLines, names, values, folds, amounts, interims, statuses]
