import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { readCurl } from './read-curl.ts'
import { bashWords, cmdWords, shellWords } from './shell-words.ts'

const run = promisify(execFile)

describe('splits a command as bash does', () => {
  test.each([
    `a 'b c' "d e" f\\ g`,
    `a'b'"c"d`,
    `"a\\"b" 'a\\"b' "a\\nb" "a\\\nb"`,
    `$'a\\'b\\\\c\\td' $"e f"`,
    `a\\\n  b`,
    `'' "" a`,
    `"it's" 'say "x"' "\\\\" "\\\`"`,
    `a#b #c d`,
    `$'\\x41\\102\\u00e9\\e[0m\\q'`,
    `a$ 'b$'c "d$ e"`,
    `"a  b"   c`,
  ])('%s', async (text) => {
    const { stdout } = await run('bash', ['-c', `for w in ${text}\ndo printf '%s\\0' "$w"; done`])
    expect(bashWords(text)).toEqual({ words: stdout.split('\0').slice(0, -1) })
  })
})

describe('splits a command as cmd and a program of Windows do', () => {
  test.each([
    [
      `curl ^"https://example.org/a?b=1^&c=^%^20^" ^\r\n  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"140^\\^"^" ^\r\n  --compressed`,
      ['curl', 'https://example.org/a?b=1&c=%20', '-H', 'sec-ch-ua: "Chromium";v="140"', '--compressed'],
    ],
    [
      `curl "https://example.org/" ^\n  -H "x: a""b" --data-raw "c\\\\"`,
      ['curl', 'https://example.org/', '-H', 'x: a"b', '--data-raw', 'c\\'],
    ],
    [
      `curl ^"https://example.org/^" --data-raw ^"a^\n\nb^"`,
      ['curl', 'https://example.org/', '--data-raw', 'a\nb'],
    ],
    [
      `curl ^"https://example.org/^" -d ^"C:\\dir\\file^"`,
      ['curl', 'https://example.org/', '-d', 'C:\\dir\\file'],
    ],
  ])('%s', (command, words) => {
    expect(cmdWords(command)).toEqual({ words })
    expect('check' in readCurl(command, createSecretFinder([]))).toBe(true)
  })
})

/** As Chromium quotes a text for cmd (`escapeStringWin` of its network panel). */
const asChromiumForCmd = (text: string): string =>
  `^"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[^a-zA-Z0-9\s_\-:=+~'/.',?;()*`]/g, '^$&')
    .replaceAll(/%(?=[a-zA-Z0-9_])/g, '%^')
    .replaceAll(/\r?\n/g, '^\n\n')}^"`

test.each([
  'https://example.org/a?b=1&c=%20%E2%82%AC|d^e',
  'sec-ch-ua: "Chromium";v="140"',
  String.raw`{"a":"C:\\dir\\","b":"say \"hi\"\n","c":"\\\""}`,
  'first\nsecond\n\nthird',
  '100% <b>!</b> & {x} [y] $z `w`',
])('reads what Chromium copies for cmd: %j', (text) => {
  const command = `curl ${asChromiumForCmd('https://example.org/')} ^\n  --data-raw ${asChromiumForCmd(text)}`
  expect(cmdWords(command)).toEqual({ words: ['curl', 'https://example.org/', '--data-raw', text] })
})

/** As Chromium quoted a text for cmd before it put a ^ before the outer quotes as well. */
const asOldChromiumForCmd = (text: string): string => {
  const quote = /[\r\n]/.test(text) ? '^"' : '"'
  return `${quote}${asChromiumForCmd(text).slice(2, -2)}${quote}`
}

test.each([
  'https://example.org/a?b=1&c=%20%E2%82%AC|d^e',
  'sec-ch-ua: "Chromium";v="94"',
  String.raw`{"a":"C:\\dir\\","b":"say \"hi\"\n","c":"\\\""}`,
  'first\nsecond\n\nthird with "quotes"',
  '100% <b>!</b> & {x} [y] $z `w`',
])('reads what older versions of Chromium copied for cmd, and says so: %j', (text) => {
  const url = 'https://example.org/?a=1&b=2'
  const command = `curl ${asOldChromiumForCmd(url)} ^\n  --data-raw ${asOldChromiumForCmd(text)} ^\n  --compressed`
  expect(shellWords(command)).toEqual({
    words: ['curl', url, '--data-raw', text, '--compressed'],
    note: expect.stringContaining('older versions of Chromium'),
  })
})

test('reads "" of older browsers as a quote, as cmd does, and says so', () => {
  const command = 'curl "https://example.org/" -H "Accept: */*" --data "{""a"":""b c""}"'
  expect(shellWords(command)).toEqual({
    words: ['curl', 'https://example.org/', '-H', 'Accept: */*', '--data', '{"a":"b c"}'],
    note: expect.stringContaining('Read as a command of cmd'),
  })
})

test.each([
  "curl 'https://example.org/' ^\n  -H 'x: y'",
  "curl 'https://example.org/' ^\r\n  -H 'x: \"y\"' ^\r\n  --compressed",
  `curl ^"https://example.org/^" ^\n  --data-raw 'a b'`,
])('refuses ^ of cmd with single quotes, which cmd has not: %s', (command) => {
  expect(shellWords(command)).toEqual({ problem: expect.stringContaining("' is no quote") })
})
