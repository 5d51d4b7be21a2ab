import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { differencesOf, sendByProbe, startRecorder } from '../testing/wire.ts'
import { readCurl } from './read-curl.ts'

/** Each command is run by the real curl, and its check by the real probe: their bytes are compared. */

const run = promisify(execFile)
const recorder = useOnce(() => startRecorder())

/** Both requests, and what the import said. */
const sentBoth = async (template: string) => {
  const { origin, host } = recorder
  const command = template
    .replaceAll('ORIGIN', origin)
    .replaceAll('HOST', host)
    .replaceAll('PORT', String(new URL(origin).port))
  recorder.take()
  await run('bash', ['-c', command.replace(/^(?:\$ )?curl/, 'curl -sS --noproxy "*" -o /dev/null')])
  const ofCurl = recorder.take()
  const secrets = createSecretFinder([])
  const draft = readCurl(command, secrets)
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  await sendByProbe(draft.check, secrets.found)
  const ofProbe = recorder.take()
  const [[byCurl], [byProbe]] = [ofCurl, ofProbe]
  if (byCurl === undefined || byProbe === undefined) throw new Error('nothing was sent')
  return { byCurl, byProbe, ofCurl, ofProbe, warnings: draft.warnings, request: draft.check.request }
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

describe('the probe sends what curl sends, byte for byte', () => {
  test.each([
    'curl ORIGIN/a',
    '$ curl ORIGIN/a',
    'curl -s ORIGIN/a?b=1',
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
    "curl -H 'Content-Type: text/plain; charset=utf-8' --data-binary 'a\nb' ORIGIN/a",
    "curl -H 'Content-Type:' -d x ORIGIN/a",
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
    "curl -H 'Host: HOST' ORIGIN/a",
    "curl ORIGIN/a -u me:secret-word -H 'Authorization: Token abcdef'",
    "curl ORIGIN/a -u me:secret-word -H 'Authorization:'",
    'curl ORIGIN/a -u me:secret-word --oauth2-bearer abcdefgh',
    "curl ORIGIN/a -H 'authorization: bearer abcdefgh'",
    "curl ORIGIN/a -H 'Authorization: Bearer  abcdefgh'",
    "curl ORIGIN/a -H 'Authorization: Basic bm8tY29sb24='",
    "curl ORIGIN/a -H 'Authorization: Basic /////zr/////'",
    "curl ORIGIN/a -e http://one.example/ -H 'Referer: http://two.example/'",
    "curl ORIGIN/a -r 0-9 -H 'Range: bytes=1-2'",
    'curl ORIGIN/a -r 5',
    'curl ORIGIN/a -r -5',
    'curl ORIGIN/a -d a --json b',
    'curl ORIGIN/a --json a -d b',
    "curl -G ORIGIN/a --json '{%22a%22:1}'".replace('ORIGIN/a', "'ORIGIN/a?'"),
    "curl ORIGIN/a -d ''",
    "curl ORIGIN/a -d abcdef -H 'Content-Length: 6'",
    "curl ORIGIN/a -d abcdef -H 'Expect:'",
    "curl ORIGIN/a -H 'Accept-Encoding: gzip, deflate, br'",
    "curl ORIGIN/a -H 'Connection: close'",
    "curl ORIGIN/a -H 'If-None-Match: \"abc\"' -H 'Cache-Control: no-cache'",
    'curl -g "ORIGIN/a[b]?c={d}"',
    "curl 'ORIGIN?q=1'",
    "curl 'ORIGIN/a?b=c#d?e'",
    'curl -G -X POST ORIGIN/a -d q=1',
    "curl -X GET ORIGIN/a --data-binary $'a\\r\\nb\\n'",
    'curl http://me:pass%40word@HOST/a',
    'curl http://me:pass%40word@HOST/a -u other:secret-word',
    'curl -L --max-time 5 ORIGIN/a --resolve other.example:80:127.0.0.1',
    'curl ORIGIN/a --connect-to ::HOST',
    "curl -b 'a=bcdef; c=d' -b 'e=f;g=h' ORIGIN/a",
  ])('%s', async (template) => {
    const { byCurl, byProbe } = await sentBoth(template)
    expect(differencesOf(byCurl, byProbe)).toEqual([])
  })
})

describe('the probe asks the server that curl asks, by the Host that curl sends', () => {
  test.each([
    "curl -H 'Host: www.example.com' ORIGIN/a",
    "curl -H 'Host: WWW.Example.com.:80' ORIGIN/a",
    "curl -H 'Host: a.example.com' -H 'Host: b.example.com' ORIGIN/a",
    "curl -H 'Host:' -H 'Host: b.example.com' ORIGIN/a",
    "curl -H 'Host: b.example.com' -H 'Host:' ORIGIN/a",
    "curl -H 'Host: [2001:db8::1]:81' ORIGIN/a",
    'curl --resolve shop.example.com:PORT:127.0.0.1 http://shop.example.com:PORT/a',
    'curl --resolve SHOP.example.com:PORT:127.0.0.1 http://shop.example.com:PORT/a',
    'curl --resolve +shop.example.com:PORT:[127.0.0.1] http://shop.example.com:PORT/a',
    "curl --resolve '*:PORT:127.0.0.1' http://shop.example.com:PORT/a",
    "curl --resolve shop.example.com:PORT:127.0.0.1 --resolve '*:PORT:127.0.0.9' http://shop.example.com:PORT/a",
    'curl --resolve shop.example.com:PORT:127.0.0.9 --resolve shop.example.com:PORT:127.0.0.1 http://shop.example.com:PORT/a',
    "curl --resolve '*:PORT:127.0.0.1' --resolve shop.example.com:PORT:127.0.0.9 --resolve -shop.example.com:PORT http://shop.example.com:PORT/a",
    'curl --resolve shop.example.com:PORT:127.0.0.1,127.0.0.1 http://shop.example.com:PORT/a',
    'curl --resolve shop.example.com.:PORT:127.0.0.1 http://shop.example.com.:PORT/a',
    'curl --resolve 93.184.216.34:PORT:127.0.0.1 http://93.184.216.34:PORT/a',
    "curl --connect-to ::HOST http://shop.example.com/a -H 'Host: www.example.com'",
    'curl --connect-to shop.example.com:80:HOST http://shop.example.com/a',
    'curl --connect-to Shop.example.com::HOST http://shop.example.com/a',
    'curl --connect-to :443:127.0.0.9:1 --connect-to ::: --connect-to :80:HOST --connect-to ::127.0.0.9:1 http://shop.example.com/a',
    'curl --connect-to :::PORT http://127.0.0.1/a',
    "curl --connect-to '[2606:4700::1111]:80:HOST' 'http://[2606:4700::1111]/a'",
    'curl --connect-to ::origin.example.com:PORT --resolve origin.example.com:PORT:127.0.0.1 http://shop.example.com/a',
    "curl --connect-to ::HOST http://shop.example.com./a -H 'Host: shop.example.com'",
    'curl --connect-to shop.example.com.::HOST http://shop.example.com./a',
    "curl -L -H 'Host: www.example.com' 'ORIGIN/to?ORIGIN/a'",
    "curl -L -H 'Host: www.example.com' 'ORIGIN/to?/a'",
    "curl -L --resolve shop.example.com:PORT:127.0.0.1 'http://shop.example.com:PORT/to?/a'",
  ])('%s', async (template) => {
    const { ofCurl, ofProbe, request } = await sentBoth(template)
    expect(request).toMatchObject(
      template.includes('Host') && !template.includes('--')
        ? { hostHeader: expect.any(String) }
        : { connectTo: expect.any(String) },
    )
    const hostsOf = (sent: typeof ofCurl) => sent.map(({ headers }) => headers['host'])
    expect(hostsOf(ofProbe)).toEqual(hostsOf(ofCurl))
    expect(ofProbe.map((each, at) => differencesOf(ofCurl[at] ?? each, each))).toEqual(ofCurl.map(() => []))
  })
})

describe('a difference to what curl sends is named', () => {
  test.each([
    ['curl ORIGIN/a --compressed', ['accept-encoding'], 'accept-encoding'],
    ["curl ORIGIN/a -H 'Accept-Encoding: gzip, deflate, br, zstd'", ['accept-encoding'], 'accept-encoding'],
    ["curl ORIGIN/a -H 'Accept-Encoding: gzip'", ['accept-encoding'], 'accept-encoding'],
    ["curl ORIGIN/a -A 'Mozilla/5.0 (X11; Linux x86_64)'", ['user-agent'], 'user-agent'],
    ["curl ORIGIN/a -H 'Connection: keep-alive'", ['connection'], 'connection'],
    ["curl ORIGIN/a -H 'Keep-Alive: timeout=5'", ['keep-alive'], 'keep-alive'],
    ["curl ORIGIN/a -H 'TE: trailers'", ['te'], 'te'],
    ["curl ORIGIN/a -H 'DNT: 1' -H 'Sec-Fetch-Mode: cors'", ['dnt', 'sec-fetch-mode'], 'sec-fetch-mode'],
    ["curl ORIGIN/a -H 'X-List: a' -H 'X-List: b'", ['x-list'], 'sent once, as one list: x-list'],
    ["curl 'ORIGIN/café?q=ü'", ['target'], '/caf%C3%A9?q=%C3%BC, where curl sends /café?q=ü'],
    ["curl 'ORIGIN/a?'", ['target'], 'The empty query ? at the end of the URL is left out.'],
    ["curl 'ORIGIN/a%2e/%2e%2e/b'", ['target'], 'where curl sends /a%2e/%2e%2e/b'],
    ["curl -g 'ORIGIN/{a}|^b\\c'", ['target'], 'The probe sends the path and query'],
    ['curl "ORIGIN/a?x=\'y\'"', ['target'], "where curl sends /a?x='y'"],
    ["curl ORIGIN/a -d 'password=correct%20horse'", ['body', 'content-length'], 'password'],
    [
      chromeCopy,
      ['accept-language'].slice(1).concat(['priority', 'sec-ch-ua', 'sec-fetch-mode', 'user-agent']),
      'user-agent',
    ],
  ])('%s', async (template, differences, warning) => {
    const { byCurl, byProbe, warnings } = await sentBoth(template)
    expect(differencesOf(byCurl, byProbe)).toEqual(differences)
    expect(warnings).toContainEqual(expect.stringContaining(warning))
  })
})
