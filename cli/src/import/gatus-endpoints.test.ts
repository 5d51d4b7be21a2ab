import { describe, expect, test } from 'vitest'
import { describeImport, describeMonitors } from './testing.ts'

const configuration = (...lines: string[]) => ({ kind: 'gatus', text: lines.join('\n') }) as const

test('converts a configuration, and names everything that was not imported', () => {
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
  expect(describeImport({ kind: 'gatus', text })).toStrictEqual([
    '+ front-end https://www.example.com/health {"intervalSeconds":90,' +
      '"assertionJsonValue":"UP","assertionJsonPath":"status","assertionJsonOp":"equals",' +
      '"assertionBodyOp":"contains","assertionBodyValue":"fine","assertionBodyCaseSensitive":true,' +
      '"assertionStatusMin":200,"assertionStatusMax":200}',
    '+ back-end https://api.example.com/ {"intervalSeconds":120,' +
      '"assertionStatusMin":200,"assertionStatusMax":200}',
    '? : alerting: is not imported: files contain checks only',
    '? : group: is not imported (2 endpoints)',
    '? : alerts: is not imported (1 endpoint)',
    '? : timeout: an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds (2 checks)',
    '? : body: the first 256 KB of a body are read here (2 checks)',
    '? : client.ignore-redirect: up to 20 redirects are followed here, not 10 (2 checks)',
    '? front-end: conditions[3]: "[RESPONSE_TIME] < 300": a slow response is not down here; not imported',
    '? front-end: conditions[4]: "[CERTIFICATE_EXPIRATION] > 48h": http checks do not report expiry; not imported',
    '- resolver: dns: files support http checks only; create it in the dashboard as a dns check',
    '- redis: url: files support http checks only; create it in the dashboard as a tcp check',
    '- backup: external-endpoints: receives pings: create it in the dashboard as a heartbeat check',
    '- login: suites: create it in the dashboard as a multistep check, which cannot pass values between steps',
  ])
})

const endpoint = (fields: object) =>
  configuration(JSON.stringify({ endpoints: [{ name: 'a', url: 'https://a.example.org', ...fields }] }))
const check = (fields: object) =>
  `+ a https://a.example.org ${JSON.stringify({ intervalSeconds: 60, ...fields })}`
const status = (min: number, max: number) => ({ assertionStatusMin: min, assertionStatusMax: max })

describe('conditions on the status', () => {
  const above = '? a: conditions: no status above 599 is accepted here'
  const followed = '? a: conditions: redirects are followed, and any other 3xx status is down here'
  const answer = '? a: conditions: a redirect within the range is the final response here and is not followed'
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
    [['[STATUS] == any(200, 404)'], skipped('accepts 200, 404: a check has one status range')],
    [['[STATUS] != 200'], [expect.stringMatching(/^- a: conditions: accepts 100-199, 201-599/)]],
    [['[STATUS] == 200', '[STATUS] == 404'], skipped('accepts no valid status')],
    [['[STATUS] == pat(2?)'], skipped('accepts no valid status')],
  ])('%j', (conditions, expected) => {
    const all = describeMonitors(endpoint({ conditions }))
    expect(all).toStrictEqual(expected)
  })

  test.each<[string, string]>([
    ['[STATUS]==200', 'is not a condition'],
    ['[STATUS] == ok', 'is not a comparison with a status'],
    ['[STATUS] < 3e2', 'is not a comparison with a status'],
    ['[STATUS] == [BODY].code', 'compares the status with another value of the response'],
    ['[STATUS] == $CODE', 'uses an environment variable, whose value is not in the file'],
    ['[CONNECTED] == false', 'is healthy without a connection: checks cannot express this'],
  ])('%s skips the endpoint', (condition, message) => {
    expect(describeMonitors(endpoint({ conditions: [condition] }))).toStrictEqual([
      `- a: conditions[0]: ${JSON.stringify(condition)}: ${message}`,
    ])
  })

  test('name the default range when no condition tests the status', () => {
    const line = '? a: conditions: no condition tests the status: statuses 200 to 299 are up here'
    expect(describeMonitors(endpoint({ conditions: ['[CONNECTED] == true'] }))).toStrictEqual([
      check({}),
      line,
    ])
    expect(describeMonitors(endpoint({}))).toStrictEqual([check({}), line])
  })

  test('treat an accepted, unfollowed redirect as the response', () => {
    const client = { 'ignore-redirect': true }
    const conditions = ['[STATUS] >= 200', '[STATUS] < 400']
    expect(describeMonitors(endpoint({ client, conditions }))).toStrictEqual([check(status(200, 399))])
    expect(describeMonitors(endpoint({ client, conditions: ['[STATUS] == 200'] }))).toStrictEqual([
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
  const members = 'a list is searched member by member here'
  const plainKeys = 'its path has more than plain keys and indexes; not imported'
  const ops = 'JSON assertions support only equals, contains and exists; not imported'
  const texts = 'body assertions support only contains and not contains; not imported'
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
    ['[BODY].a == any(UP, OK)', {}, 'a JSON path can equal one value only; not imported'],
    ['[BODY].a == pat(*x*)', json('a', 'contains', 'x'), members],
    ['[BODY].a == pat(*x/y*)', json('a', 'contains', 'x/y'), `${members}; slashes count here`],
    ['[BODY].a == pat(x*)', {}, 'a JSON path can equal one value only; not imported'],
    ['[BODY].a == {"b":1}', {}, 'lists and maps cannot be compared; not imported'],
    ['[BODY].a == [BODY].b', {}, 'two values of a response cannot be compared; not imported'],
    ['[BODY].a != UP', {}, ops],
    ['[BODY].a > 5', {}, ops],
    ['[BODY].$.a == 5', {}, plainKeys],
    ['[BODY].a*b == 5', {}, plainKeys],
    ['[BODY].a\u0000 == 5', {}, plainKeys],
    ['[BODY].a\ud800 == 5', {}, plainKeys],
    ['has([BODY].a) == true', json('a', 'exists'), 'null exists here'],
    ['has([BODY].a) == false', {}, 'the absence of a path cannot be asserted; not imported'],
    ['has([BODY]) == true', {}, 'has no equivalent in an http check; not imported'],
    ['len([BODY].a) > 5', {}, 'has no equivalent in an http check; not imported'],
    ['[IP] == 127.0.0.1', {}, 'has no equivalent in an http check; not imported'],
    ['[BODY].a == $SECRET', {}, 'uses an environment variable, whose value is not in the file; not imported'],
    [`[BODY] == pat(*${'x'.repeat(1_000)}*)`, body('contains', 'x'.repeat(1_000)), null],
  ])('%s', (condition, fields, remark) => {
    const source = `conditions[1]: ${JSON.stringify(condition)}: `
    expect(
      describeMonitors(endpoint({ conditions: ['[STATUS] == pat(2*)', condition] })).map((line) =>
        line.replace(source, ''),
      ),
    ).toStrictEqual([
      check(fields),
      ...(remark === null ? [] : [remark === numbers ? `? a: conditions[1]: ${remark}` : `? a: ${remark}`]),
    ])
  })

  test('read a doubled dollar as one', () => {
    const conditions = ['[STATUS] == pat(2*)', '[BODY].price == $$5']
    expect(describeMonitors(endpoint({ conditions }))).toStrictEqual([check(json('price', 'equals', '$5'))])
  })

  test('note a second text and a second path', () => {
    const conditions = [
      '[STATUS] == pat(2*)',
      '[BODY] == pat(*a*)',
      '[BODY] == pat(*b*)',
      '[BODY].a == 1',
      '[BODY].b == 2',
    ]
    expect(describeMonitors(endpoint({ conditions }))).toStrictEqual([
      check({ ...body('contains', 'a'), ...json('a', 'equals', '1') }),
      '? a: conditions[2]: "b" is not searched here: a check has one body assertion',
      '? a: conditions[4]: "[BODY].b == 2": a check has one JSON assertion; not imported',
    ])
  })
})

describe('other settings of an endpoint', () => {
  const conditions = ['[STATUS] == pat(2*)']
  test.each<[object, string[]]>([
    [{ interval: '30s' }, ['? a: interval: less than 60 seconds needs the Scale plan']],
    [
      { interval: '1500ms' },
      ['? a: interval: is 1.5 seconds there, 2 here', '? a: interval: no plan allows less than 10 seconds'],
    ],
    [{ interval: '1m' }, []],
    [{ interval: '' }, []],
    [{ interval: '5 m' }, ['- a: interval: is not a duration, such as 60s']],
    [{ interval: '$EVERY' }, ['- a: interval: uses an environment variable, whose value is not in the file']],
    [{ enabled: false }, ['- a: enabled: is off: files contain running checks only']],
    [{ enabled: 'no' }, ['- a: enabled: is off: files contain running checks only']],
    [{ enabled: true }, []],
    [{ method: 'get' }, []],
    [{ graphql: true }, ['- a: graphql: http checks send no queries']],
    [{ ssh: { username: 'a' } }, ['- a: ssh: this check type is not supported']],
    [{ url: 'icmp://a.example.org' }, [expect.stringContaining('ping checks are not supported')]],
    [{ url: 'wss://a.example.org' }, ['- a: url: unsupported check type "wss"']],
    [{ url: 'https://$HOST/' }, ['- a: url: uses an environment variable, whose value is not in the file']],
    [{ url: 'https://${HOST}/' }, ['- a: url: uses an environment variable, whose value is not in the file']],
    [
      { headers: { 'X-Trace': '1' } },
      ['? a: headers: "X-Trace" is not sent here: http checks send no custom headers'],
    ],
    [{ headers: { Cookie: 'hidden' } }, ['- a: headers: sends "Cookie": http checks send no custom headers']],
    [
      { client: { insecure: true } },
      ['? a: client.insecure: certificates are verified here: an untrusted one is down'],
    ],
    [{ client: { insecure: false, timeout: '5s' } }, []],
    [
      { client: { oauth2: { scopes: [] } } },
      ['- a: client.oauth2: authenticates with "oauth2": http checks send no credentials'],
    ],
    [
      { client: { 'dns-resolver': 'tcp://8.8.8.8:53' } },
      ['? a: client.dns-resolver: is not imported: checks have no client settings'],
    ],
  ])('%j', (fields, expected) => {
    const all = describeMonitors(endpoint({ conditions, ...fields }))
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
  expect(describeImport({ kind: 'gatus', text })).toStrictEqual(expected.map((line) => `! ${line}`))
})
