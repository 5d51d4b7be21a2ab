import { requestOfStep, toStep } from '@probe-mesh/contracts/check/step'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { entry, pairs, readRecording, recordingBy, type Doc } from '../testing/recording.ts'
import { differencesOf, recordedWire, sendByProbe, silentOf, startRecorder } from '../testing/wire.ts'

/** Recordings as browsers and proxies write them, typed by hand: the bytes of each step against the recorded request. */

const recorder = useOnce(() => startRecorder())
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
    const text = creator === 'Fiddler' ? `\uFEFF${recordingBy(creator, whole)}` : recordingBy(creator, whole)
    const found = readRecording(text)
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
  expect(readRecording(recordingBy('WebInspector', entry({ url: api('/a') }))).warnings).toContainEqual(
    expect.stringContaining('Allow to generate HAR with sensitive data'),
  )
})

test('an entry without a time stays behind the one before it', () => {
  const at = (url: string, startedDateTime?: string) => ({ ...entry({ url: api(url) }), startedDateTime })
  const text = recordingBy('x', at('/1', '2026-11-30T10:00:02Z'), at('/2'), at('/3', '2026-11-30T10:00:01Z'))
  expect(readRecording(text).steps.map(({ step }) => step.name)).toEqual(['GET /3', 'GET /1', 'GET /2'])
})
