import { entryOf } from '@probe-mesh/contracts/secret/secret-host'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSecretFinder } from '../draft/found-secrets.ts'
import { har } from '../testing/har.ts'
import { entry, pairs, readRecording, recordingBy } from '../testing/recording.ts'
import { siteUser } from '../testing/login-site.ts'
import { readHar } from './read-har.ts'

/** Recorded with Chromium from the site of `testing/login-site.ts`. */
const recorded = (name: string): string =>
  readFileSync(new URL(`../testing/${name}.har`, import.meta.url), 'utf8')

const read = (text: string) => {
  const secrets = createSecretFinder([])
  return { read: readHar(text, secrets), secrets: secrets.found }
}

const shop = 'https://shop.example'
const stepsOf = (text: string) => {
  const result = read(text).read
  if ('problems' in result) throw new Error(result.problems.join(' '))
  return result.steps.map(({ step }) => step)
}
const problemsOf = (text: string) => {
  const result = read(text).read
  return 'problems' in result ? result.problems : result.steps.flatMap(({ problems }) => problems)
}

test('the opening of a WebSocket is no step, as whatever it is recorded', () => {
  const upgrade = { Upgrade: 'websocket', Connection: 'Upgrade' }
  const opened = { url: 'https://shop.example/live', status: 101, headers: upgrade, type: null, mimeType: '' }
  const draft = read(har({ url: 'https://shop.example/' }, opened)).read
  expect(draft).toMatchObject({
    steps: [{ step: { url: 'https://shop.example/' }, problems: [] }],
    warnings: expect.arrayContaining(['Left out: 1 WebSockets.']),
  })
})

test('a login by cookies that Chromium recorded becomes a journey of its pages and data', () => {
  const { read: draft, secrets } = read(recorded('login'))
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(recorded('login'))?.[0] ?? ''
  const ok = { statusMin: 200, statusMax: 200 }
  expect(draft).toEqual({
    name: new URL(origin).host,
    steps: [
      {
        step: expect.objectContaining({
          name: 'GET /login',
          method: 'GET',
          url: `${origin}/login`,
          assertions: ok,
        }),
        problems: [],
      },
      {
        step: expect.objectContaining({
          name: 'POST /login',
          method: 'POST',
          body: 'user=ada&password={{ secret.password }}',
          contentType: 'application/x-www-form-urlencoded',
          assertions: ok,
        }),
        problems: [],
      },
      {
        step: expect.objectContaining({
          name: 'GET /api/me',
          options: {
            headers: [
              { name: 'accept', value: '*/*' },
              { name: 'accept-language', value: 'en-US,en;q=0.9' },
              { name: 'referer', value: `${origin}/account` },
              { name: 'x-requested-with', value: 'shop' },
            ],
          },
        }),
        problems: [],
      },
    ],
    warnings: [
      'Left out: 4 files of pages, 1 redirects, which are followed.',
      expect.stringMatching(/^Headers of the browser are left out: sec-fetch-dest, /),
      'Headers that the probe sends in its own way, or not at all: accept-encoding, connection, user-agent.',
      expect.stringMatching(/^Headers of the browser's cache are left out, .*: cache-control\.$/),
    ],
  })
  expect(secrets).toEqual([{ name: 'password', hosts: [entryOf(new URL(origin))], value: siteUser.password }])
  expect(JSON.stringify(draft)).not.toContain(siteUser.password)
})

test('a login that needs a value of an earlier answer is refused with its name and the step', () => {
  const { read: draft, secrets } = read(recorded('login-with-token'))
  expect(draft).toEqual({
    problems: [
      'Step 2 sends csrf_token, whose value came from the answer of step 1; journeys cannot pass values yet.',
    ],
  })
  expect(secrets).toEqual([])
})

test('takes documents and data of the main site only, by what browsers say of each', () => {
  const text = har(
    { url: `${shop}/` },
    { type: 'image', url: `${shop}/a.png`, mimeType: 'image/png' },
    { type: 'fetch', url: 'https://tracker.example/collect', method: 'POST', body: '{}' },
    { type: 'preflight', url: `https://api.shop.example/a`, method: 'OPTIONS' },
    { type: 'xhr', url: 'https://api.shop.example/a', mimeType: 'application/json' },
    { type: 'ping', url: `${shop}/beacon`, method: 'POST' },
    { type: 'fetch', url: `${shop}/gone`, status: 0 },
    { type: 'websocket', url: 'wss://shop.example/live', status: 101 },
  )
  expect(stepsOf(text).map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET ${shop}/`,
    'GET https://api.shop.example/a',
  ])
})

test('knows documents and data also without a type of the browser', () => {
  const text = har(
    { type: null, url: `${shop}/` },
    { type: null, url: `${shop}/style`, mimeType: 'text/css' },
    { type: null, url: `${shop}/app.js`, mimeType: '' },
    { type: null, url: `${shop}/data`, mimeType: 'application/json' },
    { type: null, url: `${shop}/pixel`, mimeType: 'text/plain', headers: { 'Sec-Fetch-Dest': 'image' } },
    { type: null, url: `${shop}/more`, mimeType: 'text/plain', headers: { 'Sec-Fetch-Dest': 'empty' } },
  )
  expect(stepsOf(text).map(({ name }) => name)).toEqual(['GET /', 'GET /data', 'GET /more'])
})

test('folds redirects, expects the status of the last answer, and none of an unchanged file', () => {
  const text = har(
    { url: `${shop}/old`, status: 301, location: `${shop}/new#top` },
    { type: 'fetch', url: `${shop}/between` },
    { url: `${shop}/new`, status: 302, location: '/newest' },
    { url: `${shop}/newest`, status: 203 },
    { url: `${shop}/same`, status: 304 },
    { type: 'xhr', url: `${shop}/me`, status: 401 },
  )
  expect(stepsOf(text).map(({ url, assertions }) => [url.slice(shop.length), assertions?.statusMin])).toEqual(
    [
      ['/old', 203],
      ['/between', 200],
      ['/same', undefined],
      ['/me', 401],
    ],
  )
})

test('keeps the headers that matter, and makes credentials secrets of their host', () => {
  const { read: draft, secrets } = read(
    har({
      type: 'fetch',
      url: 'https://api.shop.example/a',
      method: 'PUT',
      mime: 'application/json',
      body: '{"apiKey":"key-of-the-body","n":1}',
      headers: {
        ':authority': 'api.shop.example',
        'User-Agent': 'Mozilla/5.0',
        Cookie: 'theme=1',
        'If-None-Match': '"1"',
        'sec-ch-ua': '"Chromium"',
        'Accept-Encoding': 'gzip',
        Accept: 'application/json',
        Origin: shop,
        Authorization: 'Basic YWRhOmxvdmVsYWNl',
        'X-Api-Key': 'key-of-the-header',
        'Content-Type': 'application/json; charset=utf-8',
      },
    }),
  )
  const hosts = ['api.shop.example']
  expect(draft).toMatchObject({
    steps: [
      {
        step: {
          method: 'PUT',
          body: '{"apiKey":"{{ secret.api_key }}","n":1}',
          contentType: 'application/json; charset=utf-8',
          options: {
            headers: [
              { name: 'accept', value: 'application/json' },
              { name: 'origin', value: shop },
              { name: 'x-api-key', value: '{{ secret.x_api_key }}' },
            ],
            auth: { type: 'basic', username: 'ada', password: '{{ secret.password }}' },
          },
        },
      },
    ],
  })
  expect(secrets).toEqual([
    { name: 'password', hosts, value: 'lovelace' },
    { name: 'x_api_key', hosts, value: 'key-of-the-header' },
    { name: 'api_key', hosts, value: 'key-of-the-body' },
  ])
})

test('a longer recording is offered whole, each step with its problems', () => {
  const many = Array.from({ length: 12 }, (_, at) => ({ url: `${shop}/${at}`, answer: 'a1b2c3d4e5f6' }))
  const { read: draft } = read(har(...many, { url: `${shop}/last?t=a1b2c3d4e5f6` }))
  expect('steps' in draft && draft.steps.map(({ problems }) => problems.length)).toEqual([
    ...Array.from({ length: 12 }, () => 0),
    1,
  ])
})

test.each<[string, string, string]>([
  ['no JSON', 'a', 'not in the format HAR'],
  ['other JSON', '{"log":{}}', 'not in the format HAR'],
  ['deep JSON', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'not in the format HAR'],
  ['no page', har({ type: 'image', url: `${shop}/a.png` }), 'no answered request'],
  [
    'a file that is sent',
    har({ url: shop, method: 'POST', mime: 'multipart/form-data; boundary=x', body: '--x' }),
    'Step 1: it sends a multipart form',
  ],
  [
    'a method of its own',
    har({ url: shop, method: 'PROPFIND' }),
    'Step 1: the method PROPFIND is not possible',
  ],
  [
    'a long body',
    har({ url: shop, method: 'POST', body: 'x'.repeat(10_001) }),
    'Step 1: The body has 10001 characters',
  ],
  [
    'a body that is repeated',
    har({ url: shop, method: 'POST', body: 'x', status: 307, location: '/b' }),
    'Step 1: its redirect repeats the body',
  ],
  [
    'many redirects',
    har(
      ...['a', 'b', 'c', 'd', 'e'].map((name, at, all) => ({
        url: `${shop}/${name}`,
        ...(at < 4 && { status: 302, location: `/${all[at + 1]}` }),
      })),
    ),
    'Step 1: it redirects 4 times',
  ],
  [
    'a short password',
    har({ url: shop, method: 'POST', body: 'password=abc' }),
    'Step 1: The value of password has 3 characters',
  ],
])('refuses %s', (_, text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)])
})

test('says that values of answers cannot be recognised without answers', () => {
  const { read: draft } = read(har({ url: shop, answer: '' }))
  expect('warnings' in draft && draft.warnings).toEqual([expect.stringContaining('no contents of answers')])
})

test.each<[what: string, headers: Record<string, string>, hostHeader: string | undefined]>([
  ['a Host of its own', { Host: 'other.example' }, 'other.example'],
  ['an authority of its own', { ':authority': 'other.example:8443' }, 'other.example:8443'],
  ['both alike', { ':authority': 'other.example', host: 'other.example' }, 'other.example'],
  ['the usual port', { Host: 'shop.example:443' }, 'shop.example:443'],
  ['the host of its URL', { Host: 'SHOP.example' }, undefined],
])('a request with %s is sent with it, to the host of its URL', (_, headers, hostHeader) => {
  const url = `${shop}/a`
  const text = recordingBy('x', {
    ...entry({ url, headers: pairs(headers) }),
    serverIPAddress: '203.0.113.9',
  })
  const { steps, problems } = readRecording(text)
  expect(problems).toEqual([])
  expect(steps?.map(({ step }) => [step.url, step.options?.hostHeader, step.options?.connectTo])).toEqual([
    [url, hostHeader, undefined],
  ])
})
