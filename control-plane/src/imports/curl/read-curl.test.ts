import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { ImportedHttpCheck } from '@probe-mesh/contracts/check/check-import'
import { withSecrets } from '@probe-mesh/contracts/secret/secret-template'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecretFinder, type FoundSecret } from '../draft/found-secrets.ts'
import { readCurl } from './read-curl.ts'
import { bashWords, cmdWords } from './shell-words.ts'

const run = promisify(execFile)

type Sent = { method: string; url: string; headers: Record<string, string>; body: string }
const unsent: Sent = { method: '', url: '', headers: {}, body: '' }
let sent: Sent | null = null
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const headers = Object.entries(request.headersDistinct).map(([name, values]) => [
      name,
      values?.join(', '),
    ])
    const body = Buffer.concat(chunks).toString()
    sent = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(headers),
      body,
    }
    response.end('ok')
  })
})
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

/** Headers that a probe sets itself, or that say nothing of the request. */
const notCompared =
  /^(?:host|user-agent|accept-encoding|connection|content-length|expect|sec-.*|priority|dnt|upgrade-.*|http2-settings)$/

const comparable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => !notCompared.test(name) && !(name === 'accept' && value === '*/*'))
      // curl puts no space between the cookies of several options
      .map(([name, value]) => [name, name === 'cookie' ? value.replaceAll(/; ?/g, '; ') : value]),
  )

/** Versions of curl differ in the case of hexadecimal digits. */
const upperHex = (url: string): string => url.replaceAll(/%[0-9a-f]{2}/gi, (byte) => byte.toUpperCase())

/** What a probe sends for a draft, once the values are in place of the secrets. */
const sentFor = ({ url, request = {} }: ImportedHttpCheck, secrets: readonly FoundSecret[]): Sent => {
  const valueOf = (name: string): string | undefined => secrets.find((each) => each.name === name)?.value
  const plain = (text: string): string => withSecrets(text, valueOf)
  const { method = 'GET', headers = [], auth, body = '', contentType } = request
  const credentials =
    auth?.type === 'basic'
      ? `Basic ${Buffer.from(`${plain(auth.username)}:${plain(auth.password)}`).toString('base64')}`
      : auth && `Bearer ${plain(auth.token)}`
  const escaped = (name: string): string | undefined => {
    const value = valueOf(name)
    if (value === undefined) return undefined
    return contentType?.includes('json') === true
      ? JSON.stringify(value).slice(1, -1)
      : new URLSearchParams({ value }).toString().slice('value='.length)
  }
  return {
    method,
    url: upperHex(url.slice(origin.length)),
    headers: comparable({
      ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), plain(value)])),
      ...(credentials !== undefined && { authorization: credentials }),
      ...(contentType !== undefined && { 'content-type': contentType }),
    }),
    body: withSecrets(body, escaped),
  }
}

const read = (command: string) => {
  const secrets = createSecretFinder([])
  const draft = readCurl(command, secrets)
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  return { ...draft, secrets: secrets.found }
}

const chromeCopy = `curl 'ORIGIN/api/orders?page=2' \\
  -H 'accept: application/json, text/plain, */*' \\
  -H 'accept-language: en-US,en;q=0.9' \\
  -H 'authorization: Bearer eyJhbGciOi.J9.abc-_=' \\
  -H 'content-type: application/json;charset=UTF-8' \\
  -b 'session=abcdef123456; theme=dark' \\
  -H 'origin: https://shop.example' \\
  -H 'priority: u=1, i' \\
  -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"' \\
  -H 'sec-fetch-mode: cors' \\
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \\
  --data-raw $'{"name":"it\\'s \\u00e9","note":"a\\\\nb!"}'`

describe('reads the request that curl sends', () => {
  test.each([
    'curl ORIGIN/a',
    '$ curl ORIGIN/a',
    'curl -s ORIGIN/a?b=1',
    "curl 'ORIGIN/a?b=1&c=2' -H 'Accept: text/html' --compressed",
    'curl -sSLf ORIGIN/a',
    'curl -X DELETE ORIGIN/a',
    'curl -XPUT ORIGIN/a -d x=1',
    'curl -sXPATCH ORIGIN/a -dx=1',
    'curl --request PATCH ORIGIN/a --data-raw x',
    'curl -X POST ORIGIN/a',
    'curl -I ORIGIN/a',
    'curl --head --url ORIGIN/a',
    'curl ORIGIN/login -d user=me -d "note=a b"',
    'curl ORIGIN/login -d user=me -d password=correct-horse',
    'curl ORIGIN/login --data-urlencode "password=a b&c/d" --data user=me',
    `curl ORIGIN/api -H 'Content-Type: application/json' --data '{"a":"b c"}'`,
    `curl ORIGIN/api -H 'Content-Type: application/json' -d '{"user":"me", "passWord" : "q\\"uo\\\\te\\u00e9s"}'`,
    `curl --json '{"a":1}' ORIGIN/api`,
    `curl --json '{"a":' --json '1}' ORIGIN/api -H 'Accept: text/plain'`,
    "curl -G ORIGIN/find -d q=1 -d 'r=2'",
    "curl -G 'ORIGIN/find?a=1' --data-urlencode 'q=it is (a) test!*'",
    'curl -G -I ORIGIN/find -d q=1',
    "curl ORIGIN/a --data-urlencode 'q=a b&c'",
    "curl ORIGIN/a --data-urlencode '=a b' --data-urlencode 'plain text'",
    'curl ORIGIN/a --url-query "q=a b" --url-query "+r=%20"',
    "curl 'ORIGIN/a' \\\n  -X POST \\\n  --data-raw $'it\\'s\\nnew'",
    'curl ORIGIN/a --data-raw @handle',
    'curl -m 5 -o /dev/null ORIGIN/a',
    'curl --url ORIGIN/a --retry 3 --connect-timeout 2',
    'curl -u me:secret-word ORIGIN/a',
    'curl -u "sk_test_4eC39HqLyjWDarjtT1zdp7dc:" ORIGIN/v1/charges',
    'curl --user "me:p@ss:word" --basic ORIGIN/a',
    "curl -H 'Authorization: Basic bWU6c2VjcmV0LXdvcmQ=' ORIGIN/a",
    "curl -H 'Authorization: Token abcdef' ORIGIN/a",
    'curl --oauth2-bearer abcdefgh ORIGIN/a',
    "curl -H 'X-Api-Key: abcdefgh' -H 'X-Trace:7' ORIGIN/a",
    "curl -H 'X-Api-Key:abcdefgh' -H 'X-Auth-Token: abcdefgh' -H 'X-Plain: abcdefgh' ORIGIN/a",
    "curl -b 'a=bcdef; c=d' -b 'e=f' ORIGIN/a",
    "curl -H 'Cookie: a=bcdefg' -b 'e=fghijk' ORIGIN/a",
    "curl -A 'my agent' -e 'https://example.org/;auto' ORIGIN/a",
    "curl -H 'Content-Type: text/plain; charset=utf-8' --data-binary 'a\nb' ORIGIN/a",
    "curl -H 'Content-Type:' -d x ORIGIN/a",
    "curl -H 'Accept:' ORIGIN/a",
    "curl -H 'X-List: a' -H 'X-List: b' ORIGIN/a",
    'curl -r 0-99 ORIGIN/a',
    'curl ORIGIN/a/../b/./c#part',
    'curl "ORIGIN/a b"'.replace(' b', '%20b'),
    "curl 'ORIGIN/caf%C3%A9?q=%27x%27'",
    'curl ORIGIN/a"b"\'c\'\\d',
    'curl "ORIGIN/a?x=\\$1&y=\\"z\\""'.replaceAll('\\"', '%22'),
    `curl ORIGIN/a -d "say \\"hi\\" for \\$5 \\\\ done"`,
    `curl ORIGIN/a -d $'tab\\there \\x41\\102 \\xc3\\xa9 \\u20ac'`,
    `curl ORIGIN/a -d 'price $'`,
    `curl ORIGIN/a -d 'a'"'"'b' # a comment`,
    'curl -4 --http1.1 ORIGIN/a 2>/dev/null',
    'curl ORIGIN/a > /dev/null',
    'curl -- ORIGIN/a',
    chromeCopy,
  ])('%s', async (template) => {
    const command = template.replaceAll('ORIGIN', origin)
    sent = null
    await run('bash', ['-c', command.replace(/^(?:\$ )?curl/, 'curl -sS --noproxy "*" -o /dev/null')])
    const { check, secrets } = read(command)
    const { url, headers, ...arrived } = sent ?? unsent
    expect(sentFor(check, secrets)).toEqual({
      ...arrived,
      url: upperHex(url),
      headers: comparable(headers),
    })
  })
})

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

test.each([
  ['wget https://example.org/', 'must begin with curl'],
  ['curl', 'names no URL'],
  ['curl https://example.org/ | jq .', 'a pipe'],
  ['curl "$URL"', 'the variable $URL. Replace it by its value'],
  ['curl https://example.org/ -H "Authorization: Bearer $(cat token)"', 'the output of another command'],
  ['curl https://example.org/ && rm -rf /', 'must be in quotes'],
  ['curl https://example.org/?a=1&b=2', 'must be in quotes'],
  ['curl https://example.org/\ncurl https://example.com/', 'more than one command'],
  ["curl 'https://example.org/", 'not closed'],
  [`curl https://example.org/${'x'.repeat(50_000)}`, '40000 are allowed'],
  ['curl -k https://example.org/', '-k: A check always verifies the certificate'],
  ['curl https://example.org/ -F a=b', '-F: A check sends no multipart forms'],
  ['curl https://example.org/ -d @body.json', '-d: A check reads no files. Paste the content'],
  ['curl https://example.org/ --data-urlencode q@file', 'A check reads no files'],
  ['curl https://example.org/ -H @headers', 'A check reads no files'],
  ['curl https://example.org/ -b cookies.txt', 'A check reads no files'],
  ['curl https://example.org/ -T file', 'A check reads no files'],
  ['curl https://example.org/ --frobnicate', '--frobnicate is not known'],
  ['curl https://example.org/ -sZq8', '-8 is not known'],
  ['curl https://example.org/ https://example.com/', 'names 2 URLs'],
  ['curl https://example.org/ --next https://example.com/', '--next: A check sends one request'],
  ['curl ftp://example.org/', 'needs a URL that begins with http:// or https://'],
  ['curl -X OPTIONS https://example.org/', 'The method OPTIONS is not possible'],
  ['curl -u me https://example.org/', '-u has no password'],
  ['curl -u me:12345 https://example.org/', 'has 5 characters; a secret has 6'],
  ["curl 'https://example.org/{a,b}'", 'curl reads as several URLs'],
  ['curl https://example.org/{a,b}', 'braces that a shell expands'],
  ['curl -x http://proxy:8080 https://example.org/', 'without a proxy'],
  ['curl -I https://example.org/ -d x', 'either -I or a body'],
  ['curl https://example.org/ -H', '-H has no value'],
  [`curl https://example.org/ -d '${'x'.repeat(10_001)}'`, 'The body has 10001 characters'],
])('refuses %s', (command, problem) => {
  const draft = readCurl(command, createSecretFinder([]))
  expect(draft).toEqual({ problems: expect.arrayContaining([expect.stringContaining(problem)]) })
})

test('names every problem of a command at once', () => {
  const draft = readCurl('curl -k -F a=b --frob https://example.org/ -X FOO -u me', createSecretFinder([]))
  expect('problems' in draft && draft.problems).toHaveLength(5)
})

test('credentials become secrets of the host, and appear nowhere in the draft', () => {
  const { check, secrets, warnings } = read(
    `curl 'https://user:url-password@api.example.org:8443/a?access_token=in-the-url' -H 'X-Api-Key: key-value' -b 'sid=cookie-value' -H 'X-Plain: shown' --json '{"password":"body-value","client_secret":"key-value"}'`,
  )
  expect(check).toEqual({
    type: 'http',
    name: 'api.example.org:8443/a',
    url: 'https://api.example.org:8443/a?access_token=in-the-url',
    request: {
      method: 'POST',
      headers: [
        { name: 'X-Api-Key', value: '{{ secret.x_api_key }}' },
        { name: 'X-Plain', value: 'shown' },
        { name: 'Cookie', value: '{{ secret.cookie }}' },
        { name: 'Accept', value: 'application/json' },
      ],
      auth: { type: 'basic', username: 'user', password: '{{ secret.password }}' },
      body: '{"password":"{{ secret.password_2 }}","client_secret":"{{ secret.x_api_key }}"}',
      contentType: 'application/json',
    },
  })
  const hosts = ['api.example.org:8443']
  expect(secrets).toEqual([
    { name: 'password', hosts, value: 'url-password' },
    { name: 'x_api_key', hosts, value: 'key-value' },
    { name: 'cookie', hosts, value: 'sid=cookie-value' },
    { name: 'password_2', hosts, value: 'body-value' },
  ])
  expect(warnings).toEqual([expect.stringContaining('The URL contains access_token')])
})

test('a name that the account has already is not used again', () => {
  const secrets = createSecretFinder(['x_api_key', 'x_api_key_2'])
  readCurl("curl https://example.org/ -H 'X-Api-Key: abcdef'", secrets)
  expect(secrets.found.map(({ name }) => name)).toEqual(['x_api_key_3'])
})

test('a secret that is named already stays as it is', () => {
  const { check, secrets } = read("curl https://example.org/ -H 'X-Api-Key: {{ secret.shop }}'")
  expect(check.request?.headers).toEqual([{ name: 'X-Api-Key', value: '{{ secret.shop }}' }])
  expect(secrets).toEqual([])
})

test('says what of a command a check does not send', () => {
  const { check, warnings } = read(
    "curl https://example.org/ -A agent -H 'Host: other.example' -H 'DNT: 1' --cert client.pem --key client.key --tlsv1.2 -m 45 --http2 -6 --max-redirs 0",
  )
  expect(check).toMatchObject({
    timeoutSeconds: 30,
    request: { httpVersion: '2', addressFamily: 'ipv6', redirects: 'never' },
  })
  expect(warnings).toEqual([
    '--cert is left out. A check reads no files: paste the certificate in the form, and store its key as a secret.',
    '--key is left out. A check reads no files: paste the certificate in the form, and store its key as a secret.',
    '--tlsv1.2 is left out. The probe chooses the version of TLS.',
    '-m 45: a check waits 30 s at most.',
    'Headers of the browser are left out: dnt.',
    'Left out, since a check cannot set them: user-agent, host.',
  ])
})

test('one bracket in a path is no range of URLs', () => {
  expect(readCurl('curl https://example.org/a[b', createSecretFinder([]))).toMatchObject({
    check: { url: 'https://example.org/a[b' },
  })
})
