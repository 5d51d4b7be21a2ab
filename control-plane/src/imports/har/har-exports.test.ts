import { requestOfStep, toStep } from '@probe-mesh/contracts/check/step'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { readText } from '../read-text.ts'
import { differencesOf, recordedWire, sendByProbe, silentOf, startRecorder } from '../testing/wire.ts'

/** Recordings as browsers and proxies write them, typed by hand: the bytes of each step against the recorded request. */

const recorder = useOnce(() => startRecorder())
type Doc = Record<string, unknown>
type Request = Doc & { url: string }

const pairs = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
const entry = (request: Request, more: Doc = {}, answer: Doc = {}): Doc => ({
  startedDateTime: '2026-11-30T10:00:00.000Z',
  time: 12.5,
  request: {
    method: 'GET',
    httpVersion: 'HTTP/1.1',
    headers: [],
    queryString: [],
    cookies: [],
    headersSize: -1,
    bodySize: 0,
    ...request,
  },
  response: {
    status: 200,
    headers: [],
    cookies: [],
    redirectURL: '',
    content: { size: 4, mimeType: 'application/json', text: '{}' },
    ...answer,
  },
  cache: {},
  timings: { send: 0, wait: 1, receive: 0 },
  ...more,
})
const har = (creator: string, ...entries: Doc[]): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: creator, version: '1' }, entries } })

const read = (text: string) => {
  const finder = createSecretFinder([])
  const answer = readText({ kind: 'har', text, taken: [] })
  if ('problems' in answer)
    return { problems: answer.problems, warnings: [], steps: [], secrets: finder.found }
  if (answer.draft.kind !== 'har') throw new Error('not a recording')
  const { steps, warnings } = answer.draft
  return { problems: steps.flatMap(({ problems }) => problems), warnings, steps, secrets: answer.secrets }
}

const json = { 'Content-Type': 'application/json' }
const api = (path: string) => `${recorder.origin}${path}`

describe('a recording becomes the requests that it has', () => {
  test.each<[creator: string, entryOf: () => Doc, warnings: string[]]>([
    [
      'WebInspector',
      () =>
        entry(
          {
            method: 'POST',
            url: api('/api/orders?page=2'),
            headers: pairs({
              ':authority': recorder.host,
              ':method': 'POST',
              ':path': '/api/orders?page=2',
              ':scheme': 'http',
              accept: 'application/json, text/plain, */*',
              'accept-encoding': 'gzip, deflate, br, zstd',
              'accept-language': 'de-DE,de;q=0.9',
              'content-length': '9',
              'content-type': 'application/json',
              cookie: '_ga=GA1.1.22.33; theme=dark',
              origin: 'https://shop.example',
              priority: 'u=1, i',
              'sec-ch-ua': '"Chromium";v="140"',
              'sec-fetch-dest': 'empty',
              'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140',
              'x-requested-with': 'XMLHttpRequest',
            }),
            queryString: [{ name: 'page', value: '2' }],
            bodySize: 9,
            postData: { mimeType: 'application/json', text: '{"a":"é"}'.replace('é', 'e') },
          },
          {
            _resourceType: 'xhr',
            _initiator: { type: 'script', stack: { callFrames: [] } },
            _priority: 'High',
          },
        ),
      [
        'Headers of the browser are left out: priority, sec-ch-ua, sec-fetch-dest.',
        'Cookies that no answer in the file set are left out, because their names are none of a session: _ga, theme.',
        'Headers that the probe sends in its own way, or not at all: accept-encoding, user-agent.',
      ],
    ],
    [
      'Firefox',
      () =>
        entry({
          method: 'PUT',
          url: api('/api/a%20b'),
          headers: pairs({
            Host: recorder.host,
            'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
            Accept: 'application/json',
            'Accept-Encoding': 'gzip, deflate, br, zstd',
            Connection: 'keep-alive',
            'Sec-Fetch-Dest': 'empty',
            Priority: 'u=0',
            TE: 'trailers',
            'If-None-Match': '"33a64df5"',
            'Content-Type': 'text/plain;charset=UTF-8',
            'Content-Length': '3',
          }),
          postData: { mimeType: 'text/plain;charset=UTF-8', params: [], text: 'é!' },
        }),
      ["Headers of the browser's cache are left out, so that answers are whole: if-none-match."],
    ],
    [
      'WebKit Web Inspector',
      () =>
        entry(
          {
            url: api('/data'),
            headers: pairs({
              Accept: '*/*',
              Referer: 'https://shop.example/',
              'User-Agent': 'Mozilla/5.0 (Macintosh) Safari/605',
            }),
          },
          { _fetchType: 'Network Load', _priority: 'medium' },
        ),
      ['Headers that the probe sends in its own way, or not at all: user-agent.'],
    ],
    [
      'Fiddler',
      () =>
        entry(
          {
            method: 'POST',
            url: api('/login'),
            headers: pairs({
              Host: recorder.host,
              Connection: 'keep-alive',
              'Content-Length': '16',
              'Content-Type': 'application/x-www-form-urlencoded',
              'User-Agent': 'Mozilla/5.0',
            }),
            postData: {
              mimeType: 'application/x-www-form-urlencoded',
              text: 'user=ada&lang=de',
              params: [{ name: 'user', value: 'ada' }],
            },
          },
          { comment: '[#1]' },
        ),
      ['Headers that the probe sends in its own way, or not at all: connection, user-agent.'],
    ],
    [
      'Charles Proxy',
      () =>
        entry(
          {
            url: api('/v2/feed?since=10'),
            headers: pairs({
              Host: recorder.host,
              'Accept-Encoding': 'br;q=1.0, gzip;q=0.9, deflate;q=0.8',
              'User-Agent': 'Dart/3.4',
            }),
          },
          { _charlesStatus: 'COMPLETE' },
        ),
      ['Headers that the probe sends in its own way, or not at all: accept-encoding, user-agent.'],
    ],
    [
      'mitmproxy',
      () =>
        entry({
          method: 'PATCH',
          url: api('/api/x?q=ü'),
          headers: pairs({
            ...json,
            'content-length': '2',
            'user-agent': 'python-requests/2.32',
            connection: 'keep-alive',
          }),
          postData: { mimeType: 'application/json', text: '{}', params: [] },
        }),
      ['The probe sends the path and query /api/x?q=%C3%BC, where the recording sends /api/x?q=ü.'],
    ],
    [
      'Insomnia REST Client',
      () =>
        entry({
          method: 'DELETE',
          url: api('/api/cart'),
          headers: pairs({ 'User-Agent': 'insomnia/11.0.2', 'X-Empty': '', 'X-Shop': 'eu' }),
        }),
      ['Headers without a value are left out: x-empty.'],
    ],
    [
      'Proxyman',
      () =>
        entry({
          method: 'POST',
          url: api('/api/b64'),
          headers: pairs({ ...json, 'Content-Length': '7' }),
          postData: {
            mimeType: 'application/json',
            encoding: 'base64',
            text: Buffer.from('{"a":1}').toString('base64'),
          },
        }),
      [],
    ],
    [
      'Playwright',
      () =>
        entry(
          { url: api('/api/p'), headers: pairs({ accept: 'application/json' }) },
          {},
          { content: { size: -1, mimeType: 'application/json', _file: 'a.json' } },
        ),
      [
        'The file has no contents of answers, so values that come out of an answer cannot be recognised. Export it with contents.',
      ],
    ],
    [
      'WebPagetest',
      () => entry({ url: api('/api/w'), headers: [`Host: ${recorder.host}`, 'Accept: application/json'] }),
      [],
    ],
  ])('%s', async (creator, entryOf, warnings) => {
    const whole = entryOf()
    const text = creator === 'Fiddler' ? `\uFEFF${har(creator, whole)}` : har(creator, whole)
    const found = read(text)
    expect(found.problems).toEqual([])
    expect(found.warnings).toEqual(expect.arrayContaining(warnings))
    recorder.take()
    for (const { step } of found.steps) {
      await sendByProbe({ url: step.url, request: requestOfStep(toStep(step)) }, found.secrets)
    }
    const sent = recorder.take()
    const asRecorded =
      creator === 'WebPagetest'
        ? entry({ url: api('/api/w'), headers: pairs({ Accept: 'application/json' }) })
        : whole
    const expected = recordedWire(asRecorded)
    const body = creator === 'Proxyman' ? '{"a":1}' : expected.body
    expect(sent.map((each) => silentOf(differencesOf({ ...expected, body }, each), found.warnings))).toEqual([
      [],
    ])
  })
})

test('says that Chromium left cookies and credentials out, where there are none at all', () => {
  expect(read(har('WebInspector', entry({ url: api('/a') }))).warnings).toContainEqual(
    expect.stringContaining('Allow to generate HAR with sensitive data'),
  )
})

test('an entry without a time stays behind the one before it', () => {
  const at = (url: string, startedDateTime?: string) => ({ ...entry({ url: api(url) }), startedDateTime })
  const text = har('x', at('/1', '2026-11-30T10:00:02Z'), at('/2'), at('/3', '2026-11-30T10:00:01Z'))
  expect(read(text).steps.map(({ step }) => step.name)).toEqual(['GET /3', 'GET /1', 'GET /2'])
})

const post = (more: Doc, headers: Record<string, string> = {}) =>
  entry({ method: 'POST', url: api('/api/orders'), headers: pairs(headers), ...more })
const answered = (request: Request, body: unknown, answer: Doc = {}) =>
  entry(request, {}, { content: { mimeType: 'application/json', text: JSON.stringify(body) }, ...answer })
const sid = { cookies: [{ name: 'sid', value: 'a1' }] }
const setSid = { headers: [{ name: 'Set-Cookie', value: 'theme=x; Path=/\nsid=a1; HttpOnly' }] }

describe('what a journey cannot repeat is refused by name', () => {
  test.each<[string, () => Doc[], string]>([
    [
      'a body that is not in the file',
      () => [post({ bodySize: 12 })],
      'it sends a body that is not in the file',
    ],
    [
      'a body by its length',
      () => [post({}, { 'Content-Length': '12' })],
      'it sends a body that is not in the file',
    ],
    [
      'a body that is cut',
      () => [post({ postData: { mimeType: 'text/plain', text: 'abc' } }, { 'Content-Length': '12' })],
      'The header content-length cannot be sent: it says 12, but the body has 3 bytes',
    ],
    [
      'a body that is no text',
      () => [post({ postData: { mimeType: 'application/x-protobuf', encoding: 'base64', text: '/w==' } })],
      'its body is not text',
    ],
    [
      'fields without the type of a form',
      () => [post({ postData: { mimeType: 'application/json', params: [{ name: 'a', value: 'b' }] } })],
      'its body is a list of fields, but its type is application/json',
    ],
    [
      'another charset',
      () => [post({ postData: { mimeType: 'text/plain; charset=ISO-8859-1', text: 'é' } })],
      'its body is in the charset ISO-8859-1',
    ],
    [
      'a content type that is none',
      () => [post({ postData: { text: 'a' } }, { 'Content-Type': 'json' })],
      'its content type json is no media type',
    ],
    [
      'a coded body',
      () => [post({}, { 'Content-Encoding': 'gzip' })],
      'The header content-encoding cannot be sent',
    ],
    [
      'another host',
      () => [entry({ url: api('/a'), headers: pairs({ Host: 'shop.example' }) })],
      'The header Host is shop.example',
    ],
    [
      'another authority',
      () => [entry({ url: api('/a'), headers: pairs({ ':authority': 'shop.example' }) })],
      'The header Host is shop.example',
    ],
    [
      'headers that are none',
      () => [entry({ url: api('/a'), headers: [{ name: 'a' }, 7] })],
      '2 of its headers are not readable',
    ],
    [
      'a query beside its URL',
      () => [entry({ url: api('/a'), queryString: [{ name: 'page', value: '2' }] })],
      'has page, which its URL does not have',
    ],
    [
      'a method in small letters',
      () => [entry({ method: 'patch', url: api('/a') })],
      'the method patch is not possible',
    ],
    [
      'a session of before',
      () => [entry({ url: api('/a'), headers: pairs({ Cookie: 'theme=x; PHPSESSID=abc' }) })],
      'the cookie PHPSESSID, which no answer in the file set',
    ],
    [
      'a session of before, in the list of cookies',
      () => [entry({ url: api('/a'), ...sid })],
      'the cookie sid, which no answer in the file set',
    ],
    [
      'a session that another site set',
      () => [
        entry({ url: api('/login') }),
        entry({ url: 'https://login.example/token' }, {}, { cookies: [{ name: 'auth_token', value: 'a' }] }),
        entry({ url: api('/a'), headers: pairs({ Cookie: 'auth_token=a' }) }),
      ],
      'the cookie auth_token, which the answer of a request that is no step set',
    ],
    [
      'a number that an answer gave to what it created',
      () => [
        answered({ method: 'POST', url: api('/api/orders') }, { order: { id: 42 } }, { status: 201 }),
        entry({ url: api('/api/orders/42') }),
      ],
      'Step 2 sends the part 42 of the path, whose value came from the answer of step 1',
    ],
    [
      'a number of a Location',
      () => [
        entry(
          { method: 'POST', url: api('/api/orders') },
          {},
          { status: 201, headers: [{ name: 'Location', value: '/api/orders/7' }] },
        ),
        entry({ url: api('/api/lines?order=7') }),
      ],
      'Step 2 sends order, whose value came from the answer of step 1',
    ],
    [
      'an id in a body',
      () => [
        answered({ method: 'POST', url: api('/api/carts') }, { cartId: 'c9' }),
        entry({
          method: 'PUT',
          url: api('/api/lines'),
          postData: { mimeType: 'application/json', text: '{"cart_id":"c9"}' },
        }),
      ],
      'Step 2 sends cart_id, whose value came from the answer of step 1',
    ],
    [
      'a condition about a state',
      () => [entry({ method: 'PUT', url: api('/a'), headers: pairs({ 'If-Match': '"1"' }) })],
      'Step 1 sends if-match, which is about the state of the recording'.replace('if-match', 'If-Match'),
    ],
  ])('%s', (_, entries, problem) => {
    expect(read(har('x', ...entries())).problems).toContainEqual(expect.stringContaining(problem))
  })
})

test('cookies that an answer of a step set are carried by the jar, also of one header with several lines', () => {
  const text = har(
    'x',
    entry({ url: api('/login') }, {}, setSid),
    entry({ url: api('/a'), headers: pairs({ Cookie: 'sid=a1; theme=x' }) }),
  )
  expect(read(text)).toMatchObject({ problems: [], steps: [{}, {}] })
})

test('an id that a GET gave is sent each time, which is noted', () => {
  const list = answered({ url: api('/api/pets') }, [{ id: 7 }])
  expect(read(har('x', list, entry({ url: api('/api/pets/7') })))).toMatchObject({
    problems: [],
    warnings: expect.arrayContaining([
      'Step 2 sends the part 7 of the path, whose value came from the answer of step 1: the journey sends 7 each time.',
    ]),
  })
})

test('entries that are none are counted', () => {
  const text = har('x', entry({ url: api('/a') }), { request: { method: 'GET' } }, { comment: 'x' })
  expect(read(text).warnings).toContain(
    'Left out: 2 entries that are no requests with an answer as HAR 1.2 has them.',
  )
})

test.each([
  ['<?xml version="1.0"?><items burpVersion="2026.1"><item/></items>', '"Save items" of Burp'],
  ['<?xml version="1.0"?><charles-session/>', 'The file is XML'],
  ['PK\u0003\u0004\u0014', 'an archive, such as a session of Fiddler'],
  [
    '{"info":{"_postman_id":"1","schema":"https://schema.getpostman.com/json/collection/v2.1.0/"},"item":[]}',
    'a collection of Postman',
  ],
  ['{"_type":"export","__export_format":4,"resources":[]}', 'an export of Insomnia'],
  ['type: collection.insomnia.rest/5.0\nname: a', 'an export of Insomnia'],
  ['{"openapi":"3.1.0","paths":{}}', 'an OpenAPI document'],
  ['{"log":{"version":"1.2"}}', 'it has no list "log.entries"'],
  ['{"log":{"entries":[{"request":', 'its JSON is not complete'],
  ['{\u0000"\u0000l\u0000o\u0000', 'The text is in UTF-16. Save it as UTF-8.'],
])('says what a file is that is no recording: %j', (text, problem) => {
  expect(read(text).problems).toEqual([expect.stringContaining(problem)])
})
