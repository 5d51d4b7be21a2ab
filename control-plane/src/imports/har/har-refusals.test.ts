import { describe, expect, test } from 'vitest'
import { entry, pairs, readRecording, recordingBy, type Doc, type Request } from '../testing/recording.ts'

const api = (path: string) => `https://shop.example${path}`
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
      'a Host that is none',
      () => [entry({ url: api('/a'), headers: pairs({ Host: 'other.example/a' }) })],
      'The header host cannot be sent: it is other.example/a',
    ],
    [
      'two Hosts',
      () => [entry({ url: api('/a'), headers: pairs({ ':authority': 'a.example', Host: 'b.example' }) })],
      'The header host cannot be sent: it is a.example, b.example',
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
    expect(readRecording(recordingBy('x', ...entries())).problems).toContainEqual(
      expect.stringContaining(problem),
    )
  })
})

test('cookies that an answer of a step set are carried by the jar, also of one header with several lines', () => {
  const text = recordingBy(
    'x',
    entry({ url: api('/login') }, {}, setSid),
    entry({ url: api('/a'), headers: pairs({ Cookie: 'sid=a1; theme=x' }) }),
  )
  expect(readRecording(text)).toMatchObject({ problems: [], steps: [{}, {}] })
})

test('an id that a GET gave is sent each time, which is noted', () => {
  const list = answered({ url: api('/api/pets') }, [{ id: 7 }])
  expect(readRecording(recordingBy('x', list, entry({ url: api('/api/pets/7') })))).toMatchObject({
    problems: [],
    warnings: expect.arrayContaining([
      'Step 2 sends the part 7 of the path, whose value came from the answer of step 1: the journey sends 7 each time.',
    ]),
  })
})

test('entries that are none are counted', () => {
  const text = recordingBy('x', entry({ url: api('/a') }), { request: { method: 'GET' } }, { comment: 'x' })
  expect(readRecording(text).warnings).toContain(
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
  expect(readRecording(text).problems).toEqual([expect.stringContaining(problem)])
})
