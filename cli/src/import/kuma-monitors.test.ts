import { describe, expect, test } from 'vitest'
import { describeImport, describeMonitors } from './testing.ts'

const backup = (...monitorList: object[]) =>
  ({ kind: 'uptime-kuma', text: JSON.stringify({ version: '1.23.16', monitorList }) }) as const

/** What version 1.23 exports of an http monitor that nobody changed. */
const plain = {
  id: 1,
  name: 'Shop',
  description: null,
  parent: null,
  url: 'https://shop.example.com/',
  method: 'GET',
  hostname: null,
  port: null,
  maxretries: 0,
  weight: 2000,
  active: true,
  type: 'http',
  timeout: 48,
  interval: 60,
  retryInterval: 60,
  keyword: null,
  invertKeyword: false,
  expiryNotification: false,
  ignoreTls: false,
  upsideDown: false,
  maxredirects: 20,
  accepted_statuscodes: ['200-299'],
  proxyId: null,
  notificationIDList: {},
  tags: [],
  authMethod: null,
  jsonPath: null,
  expectedValue: null,
  headers: null,
  body: null,
  basic_auth_user: null,
  basic_auth_pass: null,
}

test('converts a backup, and names everything that was not imported', () => {
  const notificationList = [{ id: 1, name: 'Mail' }]
  const monitorList = [
    { ...plain, maxredirects: 10, maxretries: 2, tags: [{ name: 'prod' }], parent: 7 },
    {
      ...plain,
      id: 2,
      name: 'Health',
      type: 'keyword',
      keyword: 'all fine',
      maxredirects: 10,
      expiryNotification: true,
    },
    {
      ...plain,
      id: 3,
      name: 'Postgres',
      type: 'port',
      url: 'https://',
      hostname: 'db',
      port: 5432,
    },
    { ...plain, id: 7, name: 'Web', type: 'group', url: null },
  ]
  const text = JSON.stringify({ version: '1.23.16', notificationList, monitorList, proxyList: [] })
  expect(describeImport({ kind: 'uptime-kuma', text })).toStrictEqual([
    '+ Shop https://shop.example.com/ {"intervalSeconds":60}',
    '+ Health https://shop.example.com/ {"intervalSeconds":60,"assertionBodyOp":"contains",' +
      '"assertionBodyValue":"all fine","assertionBodyCaseSensitive":true}',
    '? : notificationList: is not imported: files contain checks only (1 notification)',
    '? : tags: is not imported (1 monitor)',
    '? : parent: is not imported (1 monitor)',
    '? : maxretries: is not imported: failures of all checks are confirmed in the same way here (1 check)',
    '? : timeout: an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds (2 checks)',
    '? : maxredirects: up to 20 redirects are followed here, not 10 (2 checks)',
    '? : expiryNotification: http checks do not report expiry (1 check)',
    '? : body: the first 256 KB of a body are read here (1 check)',
    '- Postgres: type: files support http checks only; create it in the dashboard as a tcp check',
    '- Web: type: groups of checks are not supported; a status page can order its components',
  ])
})

const check = (fields: object) => `+ Shop https://shop.example.com/ ${JSON.stringify(fields)}`
const minute = { intervalSeconds: 60 }
const status = (min: number, max: number) => ({
  ...minute,
  assertionStatusMin: min,
  assertionStatusMax: max,
})
const followed = '? Shop: accepted_statuscodes: redirects are followed, and any other 3xx status is down here'
const answer =
  '? Shop: accepted_statuscodes: a redirect within the range is the final response here and is not followed'

describe('the accepted statuses', () => {
  test.each<[string[], string[]]>([
    [['200-299'], [check(minute)]],
    [['200'], [check(status(200, 200))]],
    [['200-249', '250-299'], [check(minute)]],
    [['404', '400-403'], [check(status(400, 404))]],
    [['200-399'], [check(minute), followed]],
    [
      ['200', '301'],
      [check(status(200, 200)), followed],
    ],
    [['200-499'], [check(status(200, 499)), answer]],
    [['301'], [check(status(301, 301)), answer]],
    [
      ['200-999'],
      [check(status(200, 599)), '? Shop: accepted_statuscodes: no status above 599 is accepted here', answer],
    ],
    [
      ['200-299', '404'],
      ['- Shop: accepted_statuscodes: accepts 200-299, 404: a check has one status range'],
    ],
    [[], ['- Shop: accepted_statuscodes: accepts no valid status']],
    [['999'], ['- Shop: accepted_statuscodes: accepts no valid status']],
    [['299-200'], ['- Shop: accepted_statuscodes: accepts no valid status']],
    [['2xx'], ['- Shop: accepted_statuscodes: has an entry that is neither a status nor a range']],
  ])('%j', (accepted_statuscodes, expected) => {
    expect(describeMonitors(backup({ ...plain, accepted_statuscodes }))).toStrictEqual(expected)
  })
})

describe('redirects', () => {
  const others = (count: number) => `? Shop: maxredirects: up to 20 redirects are followed here, not ${count}`
  test.each<[number, string[], string[]]>([
    [20, ['200-299'], [check(minute)]],
    [2, ['200-299'], [check(minute), others(2)]],
    [4, ['200-299'], [check(minute), others(4)]],
    [2, ['200-499'], [check(status(200, 499)), answer, others(2)]],
    [0, ['200-299'], [check(minute), others(0)]],
    [0, ['301'], [check(status(301, 301)), others(0)]],
    [0, ['300-399'], [check(status(300, 399))]],
    [0, ['200-399'], [check(status(200, 399))]],
  ])('%d of them with %j', (maxredirects, accepted_statuscodes, expected) => {
    const monitor = { ...plain, maxredirects, accepted_statuscodes }
    expect(describeMonitors(backup(monitor))).toStrictEqual(expected)
  })
})

describe('other settings of a monitor', () => {
  const keyword = (value: string, op = 'contains') => ({
    ...minute,
    assertionBodyOp: op,
    assertionBodyValue: value,
    assertionBodyCaseSensitive: true,
  })
  const json = (path: string, op: string, value: string) => ({
    ...minute,
    assertionJsonValue: value,
    assertionJsonPath: path,
    assertionJsonOp: op,
  })
  const lists = '? Shop: jsonPath: a list in the path is not searched here: the path needs an index'
  const query = (jsonPath: string, expectedValue: string, jsonPathOperator?: string) => ({
    type: 'json-query',
    jsonPath,
    expectedValue,
    jsonPathOperator,
  })
  const skipped = (line: string) => [`- Shop: ${line}`]
  const noted = (...lines: string[]) => [check(minute), ...lines.map((line) => `? Shop: ${line}`)]
  const notSent = 'http checks send no custom headers'
  test.each<[object, string[]]>([
    [{ type: 'keyword', keyword: 'two words' }, [check(keyword('two words'))]],
    [{ type: 'keyword', keyword: 'error', invertKeyword: true }, [check(keyword('error', 'not_contains'))]],
    [
      { type: 'keyword', keyword: '"ok":1' },
      [
        check(keyword('"ok":1')),
        '? Shop: keyword: is searched in JSON as received here, and in JSON without spaces there',
      ],
    ],
    [{ type: 'keyword', keyword: '' }, skipped('keyword: the text to search for is empty')],
    [{ type: 'keyword', keyword: 'x'.repeat(1_000) }, [check(keyword('x'.repeat(1_000)))]],
    [
      { type: 'keyword', keyword: 'x'.repeat(1_001) },
      skipped('keyword: the text is longer than 1000 characters'),
    ],
    [
      { type: 'keyword', keyword: 'a\u0000' },
      skipped('keyword: the text contains NUL or half of a surrogate pair'),
    ],
    [query('a.b[0].c', 'up'), [check(json('a.b[0].c', 'equals', 'up')), lists]],
    [query('$.a', '5', '=='), [check(json('$.a', 'equals', '5')), lists]],
    [query('$[0].a', 'x', 'contains'), [check(json('$[0].a', 'contains', 'x')), lists]],
    [
      query('a', '5.0'),
      [
        check(json('a', 'equals', '5.0')),
        '? Shop: expectedValue: numbers are compared by value here, and null equals the text null',
        lists,
      ],
    ],
    [query('a', '5', '>'), skipped('jsonPathOperator: ">" is not a supported operator')],
    ...['a[x=1]', '$count(a)', 'a[0][1]', '[0]', 'a.true', '', 'a..b', 'a-b', '$a'].map(
      (path): [object, string[]] => [
        query(path, 'x'),
        skipped(`jsonPath: ${JSON.stringify(path)} has more than plain keys and indexes`),
      ],
    ),
    [{ method: 'HEAD' }, noted('method: GET is sent here, not HEAD')],
    [
      { method: 'POST' },
      skipped(
        'method: is "POST", and http checks send GET: create it in the dashboard as a multistep check, whose steps have methods',
      ),
    ],
    [{ body: '{"a":1}' }, noted('body: no body is sent here')],
    [{ headers: '{"Accept":"text/plain"}' }, noted(`headers: "Accept" is not sent here: ${notSent}`)],
    [{ headers: '{"Authorization":"Bearer hidden"}' }, skipped(`headers: sends "Authorization": ${notSent}`)],
    [{ headers: '{"Host":"b"}' }, skipped(`headers: sends "Host": ${notSent}`)],
    [{ headers: '{}' }, [check(minute)]],
    [{ headers: '{"a":' }, skipped('headers: are not a JSON object')],
    [
      { authMethod: 'basic', basic_auth_user: 'me' },
      skipped('authMethod: authenticates with "basic": http checks send no credentials'),
    ],
    [{ authMethod: null, basic_auth_user: 'me' }, [check(minute)]],
    [
      { authMethod: undefined, basic_auth_user: 'me' },
      skipped('authMethod: authenticates with "basic": http checks send no credentials'),
    ],
    [{ ignoreTls: true }, noted('ignoreTls: certificates are verified here: an untrusted one is down')],
    [{ proxyId: 1 }, noted('proxyId: is measured without a proxy here')],
    [{ cacheBust: true }, noted('cacheBust: no parameter is added to the URL here')],
    [{ ipFamily: 'ipv6' }, noted('ipFamily: both address families are used here')],
    [{ active: false }, skipped('active: is paused: files contain running checks only')],
    [{ active: 0 }, skipped('active: is paused: files contain running checks only')],
    [{ upsideDown: true }, skipped('upsideDown: is up when the target is down: checks cannot be inverted')],
  ])('%j', (fields, expected) => {
    expect(describeMonitors(backup({ ...plain, ...fields }))).toStrictEqual(expected)
  })

  test('values of headers and passwords are never printed', () => {
    const secrets = {
      headers: '{"X-Token":"hidden"}',
      authMethod: 'basic',
      basic_auth_pass: 'hidden',
    }
    expect(describeImport(backup({ ...plain, ...secrets })).join()).not.toContain('hidden')
  })

  test('every reason to skip a monitor is listed', () => {
    expect(describeMonitors(backup({ ...plain, active: false, method: 'PUT', url: '' }))).toHaveLength(3)
  })
})

describe('the interval', () => {
  test.each<[number, number, string[]]>([
    [60, 60, []],
    [59, 59, ['less than 60 seconds needs the Scale plan']],
    [10, 10, ['less than 60 seconds needs the Scale plan']],
    [9, 9, ['no plan allows less than 10 seconds']],
    [86_400, 86_400, []],
    [86_401, 86_400, ['is 86401 seconds there, 86400 here']],
    [60.5, 61, ['is 60.5 seconds there, 61 here']],
  ])('of %d seconds', (interval, intervalSeconds, notes) => {
    expect(describeMonitors(backup({ ...plain, interval }))).toStrictEqual([
      check({ intervalSeconds }),
      ...notes.map((line) => `? Shop: interval: ${line}`),
    ])
  })
})

describe('the URL', () => {
  const opened =
    '? Shop: url: is refused unless the operator allows the address: the address is not public: private, local and reserved ranges are refused'
  test.each<[string, string]>([
    [' https://a.example.org ', '+ Shop https://a.example.org {"intervalSeconds":60}'],
    ['http://10.0.0.1:8080/x', opened],
    ['', '- Shop: url: is missing'],
    ['https://', '- Shop: url: the URL has no host'],
    ['nas.example.org', '- Shop: url: the URL must start with http:// or https://'],
    ['http://grafana:3000', '- Shop: url: the host must be a full domain name'],
    ['http://nas.local', '- Shop: url: the host name is reserved for internal networks'],
    ['https://me:secret@a.example.org', '- Shop: url: the URL must not carry a user name or a password'],
    ['https://a.example.org/\ud800', '- Shop: url: contains NUL or half of a surrogate pair'],
    [`https://a.example.org/${'x'.repeat(2_030)}`, '- Shop: url: the URL is longer than 2048 characters'],
  ])('%j', (url, expected) => {
    expect(describeMonitors(backup({ ...plain, url }))).toContain(expected)
  })
})

describe('names', () => {
  const names = (...list: unknown[]) =>
    describeMonitors(backup(...list.map((name) => ({ ...plain, name })))).map((line) =>
      line.replace(' https://shop.example.com/ {"intervalSeconds":60}', ''),
    )

  test('that repeat get a number that is free', () => {
    expect(names('a', 'a (2)', 'a', 'a')).toStrictEqual([
      '+ a',
      '+ a (2)',
      '+ a (3)',
      '+ a (4)',
      '? a (3): name: is "a" there, like another monitor',
      '? a (4): name: is "a" there, like another monitor',
    ])
  })

  test('that are blank become the host name', () => {
    expect(names(' ', null)).toStrictEqual([
      '+ shop.example.com',
      '+ shop.example.com (2)',
      '? shop.example.com: name: is blank: the check is named after its host',
      '? shop.example.com (2): name: is blank: the check is named after its host',
      '? shop.example.com (2): name: is "shop.example.com" there, like another monitor',
    ])
  })

  test('that are too long are cut between characters', () => {
    const kept = 'x'.repeat(200)
    expect(names(kept)).toStrictEqual([`+ ${kept}`])
    expect(names(`${kept}y`)).toContain(`+ ${kept}`)
    expect(names(`${'x'.repeat(199)}😀`)).toContain(`+ ${'x'.repeat(199)}`)
    expect(names(kept, kept)).toContain(`+ ${'x'.repeat(196)} (2)`)
  })

  test('lose characters that cannot be stored', () => {
    expect(names('a\u0000b\ud800')).toContain('+ ab\ufffd')
  })
})

describe('problems', () => {
  test.each<[string, string[]]>([
    ['', ['is not JSON: Unexpected end of JSON input']],
    ['null', ['monitorList: must be the list of monitors of a backup']],
    ['{"monitorList":{}}', ['monitorList: must be the list of monitors of a backup']],
    ['{"monitorList":[null,[]]}', ['monitorList[0]: must be a monitor', 'monitorList[1]: must be a monitor']],
    [
      '{"monitorList":[{"type":"http","interval":"60","keyword":[],"active":"maybe"},{"name":{}}]}',
      [
        'monitorList[0].active: must be true or false',
        'monitorList[0].interval: must be a number',
        'monitorList[0].keyword: must be text',
        'monitorList[1].name: must be text',
      ],
    ],
  ])('%s', (text, expected) => {
    expect(describeImport({ kind: 'uptime-kuma', text })).toStrictEqual(expected.map((line) => `! ${line}`))
  })

  test('are listed up to a bound, and the rest counted', () => {
    const all = describeImport(backup(...Array.from({ length: 150 }, () => ({ name: [] }))))
    expect(all).toHaveLength(101)
    expect(all.at(-1)).toBe('! and 50 more problems')
  })

  test('refuse more monitors than a file can hold checks', () => {
    const monitor = { type: 'ping', name: 'a' }
    expect(describeMonitors(backup(...Array.from({ length: 20_001 }, () => monitor)))).toStrictEqual([
      '! has 20001 monitors: a file of checks has at most 20000',
    ])
  })
})
