import { describe, expect, test } from 'vitest'
import { told, toldOfEach } from './testing.ts'

const configuration = (...lines: string[]) => ({ kind: 'gatus', text: lines.join('\n') }) as const

test('a configuration becomes checks, and everything that is not in them is told', () => {
  const text = `
alerting:
  slack: { webhook-url: "https://hooks.example.com/x" }
defaults: &defaults
  interval: 2m
  conditions:
    - "[STATUS] == 200"
    - "[CONNECTED] == true"
endpoints:
  - name: front-end
    group: core
    url: "https://www.example.com/health"
    interval: 1m30s
    conditions:
      - "[STATUS] == 200"
      - "[BODY].status == UP"
      - "[BODY] == pat(*fine*)"
      - "[RESPONSE_TIME] < 300"
      - "[CERTIFICATE_EXPIRATION] > 48h"
    alerts: [{ type: slack }]
  - <<: *defaults
    name: back-end
    group: core
    url: "https://api.example.com/"
  - name: resolver
    url: "8.8.8.8"
    dns: { query-name: example.com, query-type: A }
    conditions: ["[DNS_RCODE] == NOERROR"]
  - name: redis
    url: "tcp://redis.example.com:6379"
    conditions: ["[CONNECTED] == true"]
external-endpoints:
  - { name: backup, token: hidden }
suites:
  - { name: login, endpoints: [] }
`
  expect(told({ kind: 'gatus', text })).toStrictEqual([
    '+ front-end https://www.example.com/health {"intervalSeconds":90,' +
      '"assertionJsonValue":"UP","assertionJsonPath":"status","assertionJsonOp":"equals",' +
      '"assertionBodyOp":"contains","assertionBodyValue":"fine","assertionBodyCaseSensitive":true,' +
      '"assertionStatusMin":200,"assertionStatusMax":200}',
    '+ back-end https://api.example.com/ {"intervalSeconds":120,' +
      '"assertionStatusMin":200,"assertionStatusMax":200}',
    '? : alerting: is not carried: a file has checks only',
    '? : group: is not carried (2 endpoints)',
    '? : alerts: is not carried (1 endpoint)',
    '? : timeout: an attempt has 10 seconds here, or 40 % of an interval under 25 (2 checks)',
    '? : body: the first 256 KB of a body are read here (2 checks)',
    '? : client.ignore-redirect: up to 20 redirects are followed here, not 10 (2 checks)',
    '? front-end: conditions[3]: "[RESPONSE_TIME] < 300": a slow answer is not down here; not carried',
    '? front-end: conditions[4]: "[CERTIFICATE_EXPIRATION] > 48h": an http check says nothing of expiry; not carried',
    '- resolver: dns: a file has http checks only: create it in the dashboard as a dns check',
    '- redis: url: a file has http checks only: create it in the dashboard as a tcp check',
    '- backup: external-endpoints: is pushed, not measured: create it in the dashboard as a heartbeat check, whose job pings it',
    '- login: suites: create it in the dashboard as a multistep check, without values between its steps',
  ])
})

const endpoint = (fields: object) =>
  configuration(
    JSON.stringify({ endpoints: [{ name: 'a', url: 'https://a.example.org', ...fields }] }),
  )
const check = (fields: object) =>
  `+ a https://a.example.org ${JSON.stringify({ intervalSeconds: 60, ...fields })}`
const status = (min: number, max: number) => ({ assertionStatusMin: min, assertionStatusMax: max })

describe('conditions on the status', () => {
  const above = '? a: conditions: no status above 599 is accepted here'
  const followed = '? a: conditions: redirects are followed, and any other 3xx status is down here'
  const answer =
    '? a: conditions: a redirect inside of the range is the answer itself here, never followed'
  const skipped = (message: string) => [`- a: conditions: ${message}`]
  test.each<[string[], unknown[]]>([
    [['[STATUS] == 200'], [check(status(200, 200))]],
    [['[status] == 200'], [check(status(200, 200))]],
    [['200 == [STATUS]'], [check(status(200, 200))]],
    [['[STATUS] < 300'], [check(status(100, 299))]],
    [['[STATUS] <= 299', '[STATUS] >= 200'], [check({})]],
    [['299 >= [STATUS]', '200 <= [STATUS]'], [check({})]],
    [['[STATUS] == pat(2*)'], [check({})]],
    [['[STATUS] == pat(20?)'], [check(status(200, 209))]],
    [['[STATUS] == any(201, 200)'], [check(status(200, 201))]],
    [['[STATUS] < 400'], [check(status(100, 299)), followed]],
    [
      ['[STATUS] >= 200', '[STATUS] < 500'],
      [check(status(200, 499)), answer],
    ],
    [['[STATUS] > 400'], [check(status(401, 599)), above]],
    [['[STATUS] >= 400', '[STATUS] != 599', '[STATUS] < 600'], [check(status(400, 598))]],
    [
      ['[STATUS] == any(200, 404)'],
      skipped('accepts 200, 404: a check asserts one range of statuses'),
    ],
    [['[STATUS] != 200'], [expect.stringMatching(/^- a: conditions: accepts 100-199, 201-599/)]],
    [['[STATUS] == 200', '[STATUS] == 404'], skipped('accepts no status that an answer can have')],
    [['[STATUS] == pat(2?)'], skipped('accepts no status that an answer can have')],
  ])('%j', (conditions, expected) => {
    const all = toldOfEach(endpoint({ conditions }))
    expect(all).toStrictEqual(expected)
  })

  test.each<[string, string]>([
    ['[STATUS]==200', 'is no condition'],
    ['[STATUS] == ok', 'is no comparison with a status'],
    ['[STATUS] < 3e2', 'is no comparison with a status'],
    ['[STATUS] == [BODY].code', 'compares the status with another value of the answer'],
    ['[STATUS] == $CODE', 'has a variable of the environment: its value is not in the file'],
    ['[CONNECTED] == false', 'is healthy without a connection: no check is judged like that'],
  ])('%s leaves no check', (condition, message) => {
    expect(toldOfEach(endpoint({ conditions: [condition] }))).toStrictEqual([
      `- a: conditions[0]: ${JSON.stringify(condition)}: ${message}`,
    ])
  })

  test('without one, what is up here is told', () => {
    const line = '? a: conditions: no condition is on the status: a status of 200 to 299 is up here'
    expect(toldOfEach(endpoint({ conditions: ['[CONNECTED] == true'] }))).toStrictEqual([
      check({}),
      line,
    ])
    expect(toldOfEach(endpoint({}))).toStrictEqual([check({}), line])
  })

  test('redirects that are not followed are answers where they are accepted', () => {
    const client = { 'ignore-redirect': true }
    const conditions = ['[STATUS] >= 200', '[STATUS] < 400']
    expect(toldOfEach(endpoint({ client, conditions }))).toStrictEqual([check(status(200, 399))])
    expect(toldOfEach(endpoint({ client, conditions: ['[STATUS] == 200'] }))).toStrictEqual([
      check(status(200, 200)),
      '? a: client.ignore-redirect: up to 20 redirects are followed here, not 0',
    ])
  })
})

describe('conditions on the body', () => {
  const body = (op: string, value: string) => ({
    assertionBodyOp: op,
    assertionBodyValue: value,
    assertionBodyCaseSensitive: true,
  })
  const json = (path: string, op: string, value?: string) => ({
    ...(value === undefined ? {} : { assertionJsonValue: value }),
    assertionJsonPath: path,
    assertionJsonOp: op,
  })
  const numbers = 'numbers are compared by value here, and null equals the text null'
  const members = 'a list is searched by its members here'
  const plainKeys = 'its path is more than plain keys and indexes; not carried'
  const ops = 'of a JSON path, equals, contains and exists are asserted; not carried'
  const texts = 'of a body, a check asserts that it contains a text or not; not carried'
  test.each<[string, object, string | null]>([
    ['[BODY] == pat(*all fine*)', body('contains', 'all fine'), null],
    ['[BODY] != pat(*error*)', body('not_contains', 'error'), null],
    ['[BODY] == pat(*<h1>a</h1>*)', body('contains', '<h1>a</h1>'), 'slashes count here'],
    ['[BODY] == pat(fine*)', {}, texts],
    ['[BODY] == pat(*a*b*)', {}, texts],
    ['[BODY] == pat(*[ab]*)', {}, texts],
    ['[BODY] == fine', {}, texts],
    ['[BODY].a.b == UP', json('a.b', 'equals', 'UP'), null],
    ['UP == [BODY].a', json('a', 'equals', 'UP'), null],
    ['[body].A[0].b == 5', json('A[0].b', 'equals', '5'), null],
    ['[BODY][0].id == 1', json('[0].id', 'equals', '1'), null],
    ['[BODY].a == 0x5', json('a', 'equals', '0x5'), numbers],
    ['[BODY].a == null', json('a', 'equals', 'null'), numbers],
    ['[BODY].a == 1.2.3', json('a', 'equals', '1.2.3'), null],
    ['[BODY].a == any(UP)', json('a', 'equals', 'UP'), null],
    ['[BODY].a == any(UP, OK)', {}, 'a JSON path equals one value here; not carried'],
    ['[BODY].a == pat(*x*)', json('a', 'contains', 'x'), members],
    ['[BODY].a == pat(*x/y*)', json('a', 'contains', 'x/y'), `${members}; slashes count here`],
    ['[BODY].a == pat(x*)', {}, 'a JSON path equals one value here; not carried'],
    ['[BODY].a == {"b":1}', {}, 'lists and maps are not compared here; not carried'],
    ['[BODY].a == [BODY].b', {}, 'two values of an answer are not compared here; not carried'],
    ['[BODY].a != UP', {}, ops],
    ['[BODY].a > 5', {}, ops],
    ['[BODY].$.a == 5', {}, plainKeys],
    ['[BODY].a*b == 5', {}, plainKeys],
    ['[BODY].a\u0000 == 5', {}, plainKeys],
    ['[BODY].a\ud800 == 5', {}, plainKeys],
    ['has([BODY].a) == true', json('a', 'exists'), 'null exists here'],
    ['has([BODY].a) == false', {}, 'that a path does not exist is not asserted here; not carried'],
    ['has([BODY]) == true', {}, 'has no counterpart in an http check; not carried'],
    ['len([BODY].a) > 5', {}, 'has no counterpart in an http check; not carried'],
    ['[IP] == 127.0.0.1', {}, 'has no counterpart in an http check; not carried'],
    [
      '[BODY].a == $SECRET',
      {},
      'has a variable of the environment: its value is not in the file; not carried',
    ],
    [`[BODY] == pat(*${'x'.repeat(1_000)}*)`, body('contains', 'x'.repeat(1_000)), null],
  ])('%s', (condition, fields, remark) => {
    const source = `conditions[1]: ${JSON.stringify(condition)}: `
    expect(
      toldOfEach(endpoint({ conditions: ['[STATUS] == pat(2*)', condition] })).map((line) =>
        line.replace(source, ''),
      ),
    ).toStrictEqual([
      check(fields),
      ...(remark === null
        ? []
        : [remark === numbers ? `? a: conditions[1]: ${remark}` : `? a: ${remark}`]),
    ])
  })

  test('a dollar that is doubled is one', () => {
    const conditions = ['[STATUS] == pat(2*)', '[BODY].price == $$5']
    expect(toldOfEach(endpoint({ conditions }))).toStrictEqual([
      check(json('price', 'equals', '$5')),
    ])
  })

  test('a second text and a second path are told', () => {
    const conditions = [
      '[STATUS] == pat(2*)',
      '[BODY] == pat(*a*)',
      '[BODY] == pat(*b*)',
      '[BODY].a == 1',
      '[BODY].b == 2',
    ]
    expect(toldOfEach(endpoint({ conditions }))).toStrictEqual([
      check({ ...body('contains', 'a'), ...json('a', 'equals', '1') }),
      '? a: conditions[2]: "b" is not looked for here: a check looks for one text',
      '? a: conditions[4]: "[BODY].b == 2": a check asserts one JSON path; not carried',
    ])
  })
})

describe('what an endpoint has besides', () => {
  const conditions = ['[STATUS] == pat(2*)']
  test.each<[object, string[]]>([
    [{ interval: '30s' }, ['? a: interval: less than 60 seconds needs the Scale tier']],
    [
      { interval: '1500ms' },
      [
        '? a: interval: is 1.5 seconds there, 2 here',
        '? a: interval: no tier has less than 10 seconds',
      ],
    ],
    [{ interval: '1m' }, []],
    [{ interval: '' }, []],
    [{ interval: '5 m' }, ['- a: interval: is no duration, such as 60s']],
    [
      { interval: '$EVERY' },
      ['- a: interval: has a variable of the environment: its value is not in the file'],
    ],
    [{ enabled: false }, ['- a: enabled: is off: a file has running checks only']],
    [{ enabled: 'no' }, ['- a: enabled: is off: a file has running checks only']],
    [{ enabled: true }, []],
    [{ method: 'get' }, []],
    [{ graphql: true }, ['- a: graphql: http checks ask no queries']],
    [{ ssh: { username: 'a' } }, ['- a: ssh: there is no check of that type']],
    [{ url: 'icmp://a.example.org' }, [expect.stringContaining('there is no ping check')]],
    [{ url: 'wss://a.example.org' }, ['- a: url: there is no check of the type "wss"']],
    [
      { url: 'https://$HOST/' },
      ['- a: url: has a variable of the environment: its value is not in the file'],
    ],
    [
      { url: 'https://${HOST}/' },
      ['- a: url: has a variable of the environment: its value is not in the file'],
    ],
    [
      { headers: { 'X-Trace': '1' } },
      ['? a: headers: "X-Trace" is not sent here: http checks send no headers of their own'],
    ],
    [
      { headers: { Cookie: 'hidden' } },
      ['- a: headers: sends "Cookie": http checks send no headers of their own'],
    ],
    [
      { client: { insecure: true } },
      ['? a: client.insecure: certificates are verified here: one that is not trusted is down'],
    ],
    [{ client: { insecure: false, timeout: '5s' } }, []],
    [
      { client: { oauth2: { scopes: [] } } },
      ['- a: client.oauth2: authenticates with "oauth2": http checks send no credentials'],
    ],
    [
      { client: { 'dns-resolver': 'tcp://8.8.8.8:53' } },
      ['? a: client.dns-resolver: is not carried: a check has no settings of its client'],
    ],
  ])('%j', (fields, expected) => {
    const all = toldOfEach(endpoint({ conditions, ...fields }))
    expect(all.filter((line) => !line.startsWith('+'))).toStrictEqual(expected)
    expect(all.some((line) => line.startsWith('+'))).toBe(
      !expected.some((line) => typeof line !== 'string' || line.startsWith('-')),
    )
  })
})

test.each<[string, string[]]>([
  ['', ['endpoints: must be the list of endpoints of a configuration']],
  ['endpoints: {a: b}', ['endpoints: must be a list']],
  [
    'endpoints:\n  - 5\n  - {name: [], conditions: x, headers: 5}\n  - {interval: 60}',
    [
      'endpoints[0]: must be an endpoint',
      'endpoints[1].name: must be text',
      'endpoints[1].headers: must be a map of headers',
      'endpoints[1].conditions: must be a list of conditions',
      'endpoints[2].interval: must be a duration, such as 60s',
    ],
  ],
])('problems of %j', (text, expected) => {
  expect(told({ kind: 'gatus', text })).toStrictEqual(expected.map((line) => `! ${line}`))
})
