import { expect, test } from 'vitest'
import { told, toldOfEach } from './testing.ts'

test('a configuration becomes checks, and everything that is not in them is told', () => {
  const text = `
owner: example
repo: upptime
user-agent: example
sites:
  - name: Website
    url: https://www.example.com
    icon: https://www.example.com/favicon.ico
  - name: API
    url: https://api.example.com/health
    expectedStatusCodes: [200, 201]
    maxResponseTime: 5000
    __dangerous__body_down_if_text_missing: '"ok"'
  - name: Secret
    url: $SECRET_SITE
  - name: DNS
    url: 1.1.1.1
    port: 53
    check: tcp-ping
  - name: Socket
    check: ws
    url: wss://ws.example.com
assignees: [example]
status-website:
  cname: status.example.com
notifications: [{ type: slack, channel: x }]
workflowSchedule:
  graphs: "0 0 * * *"
`
  expect(told({ kind: 'upptime', text })).toStrictEqual([
    '+ Website https://www.example.com {"intervalSeconds":300}',
    '+ API https://api.example.com/health {"intervalSeconds":300,' +
      '"assertionStatusMin":200,"assertionStatusMax":201,"assertionBodyOp":"contains",' +
      '"assertionBodyValue":"\\"ok\\"","assertionBodyCaseSensitive":true}',
    '? : notifications: is not carried: a file has checks only',
    '? : status-website: is not carried: a file has checks only',
    '? : assignees: is not carried: a file has checks only',
    '? : user-agent: is not carried: a file has checks only',
    '? : sites.icon: is not carried (1 site)',
    '? : maxRetries: is not carried: failures of every check are confirmed alike here (2 checks)',
    '? : requestTimeout: an attempt has 10 seconds here, or 40 % of an interval under 25 (2 checks)',
    '? : expectedStatusCodes: 200 to 208, 226 and 300 to 308 are up there, 200 to 299 here (1 check)',
    '? : maxRedirects: up to 20 redirects are followed here, not 3 (2 checks)',
    '? : body: the first 256 KB of a body are read here (1 check)',
    '? API: maxResponseTime: a slow answer is not degraded here',
    '- Secret: url: has the secret $SECRET_SITE: a file has URLs as they are',
    '- DNS: check: a file has http checks only: create it in the dashboard as a tcp check',
    '- Socket: check: there is no check of WebSockets',
  ])
})

const site = (fields: object) =>
  ({
    kind: 'upptime',
    text: JSON.stringify({ sites: [{ name: 'a', url: 'https://a.example.org', ...fields }] }),
  }) as const
const check = (fields: object) =>
  `+ a https://a.example.org ${JSON.stringify({ intervalSeconds: 300, ...fields })}`
const body = (op: string) => ({
  assertionBodyOp: op,
  assertionBodyValue: 'x',
  assertionBodyCaseSensitive: true,
})
const exactly = (status: number) => ({ assertionStatusMin: status, assertionStatusMax: status })
const followed =
  '? a: expectedStatusCodes: redirects are followed, and any other 3xx status is down here'

test.each<[object, string[]]>([
  [{ expectedStatusCodes: [200] }, [check(exactly(200))]],
  [{ expectedStatusCodes: ['404'] }, [check(exactly(404))]],
  [{ expectedStatusCodes: [301, 200] }, [check(exactly(200)), followed]],
  [
    { expectedStatusCodes: [200, 404] },
    ['- a: expectedStatusCodes: accepts 200, 404: a check asserts one range of statuses'],
  ],
  [
    { expectedStatusCodes: [301], maxRedirects: 0 },
    [check(exactly(301)), '? a: maxRedirects: up to 20 redirects are followed here, not 0'],
  ],
  [{ maxRedirects: 20 }, [check({})]],
  [{ __dangerous__body_down: 'x' }, [check(body('not_contains'))]],
  [{ __dangerous__body_down_if_text_missing: 'x' }, [check(body('contains'))]],
  [
    { __dangerous__body_down: 'x', __dangerous__body_down_if_text_missing: 'y' },
    [
      check(body('not_contains')),
      '? a: __dangerous__body_down_if_text_missing: "y" is not looked for here: a check looks for one text',
    ],
  ],
  [
    { __dangerous__body_down: '$TEXT' },
    [check({}), '? a: __dangerous__body_down: has a secret, and is not carried'],
  ],
  [
    { __dangerous__body_degraded: 'x' },
    [check({}), '? a: __dangerous__body_degraded: no text makes a check degraded here'],
  ],
  [
    { __dangerous__insecure: true },
    [
      check({}),
      '? a: __dangerous__insecure: certificates are verified here: one that is not trusted is down',
    ],
  ],
  [{ check: 'http', __dangerous__insecure: false }, [check({})]],
  [
    { check: 'ssl' },
    [
      '- a: check: measures expiry only: a file has http checks only: create it in the dashboard as a tcp check',
    ],
  ],
  [{ check: 'other' }, ['- a: check: there is no check of the type "other"']],
  [
    { url: 'https://a.example.org/$key' },
    [expect.stringContaining('+ a https://a.example.org/$key')],
  ],
  [
    { url: 'https://a.example.org/$KEY' },
    ['- a: url: has the secret $KEY: a file has URLs as they are'],
  ],
  [{ url: 'a.example.org' }, ['- a: url: the URL must start with http:// or https://']],
  [{ method: 'POST', body: '{}' }, [expect.stringMatching(/^- a: method: is "POST"/)]],
  [
    { headers: ['Accept: a/b', 'Authorization: Bearer $TOKEN'] },
    ['- a: headers: sends "Accept", "Authorization": http checks send no headers of their own'],
  ],
  [{ type: 'globalping' }, [check({}), '? a: type: is measured from the regions here']],
  [{ ipv6: true }, [check({}), '? a: ipv6: either family of addresses is used here']],
])('%j', (fields, expected) => {
  expect(toldOfEach(site(fields))).toStrictEqual(expected)
})

test.each<[unknown, number | undefined]>([
  [undefined, 300],
  ['*/10 * * * *', 600],
  ['* * * * *', 60],
  ['*/7 * * * *', undefined],
  ['0 * * * *', undefined],
  [5, undefined],
])('the schedule %j', (uptime, intervalSeconds) => {
  const sites = [{ name: 'a', url: 'https://a.example.org' }]
  const text = JSON.stringify({ workflowSchedule: { uptime }, sites })
  const all = told({ kind: 'upptime', text })
  expect(all).toContain(`+ a https://a.example.org ${JSON.stringify({ intervalSeconds })}`)
  const message = 'is no number of minutes: the checks have the interval of the account'
  expect(all.includes(`? : workflowSchedule.uptime: ${message}`)).toBe(
    intervalSeconds === undefined,
  )
})

test.each<[string, string[]]>([
  ['sites: {}', ['sites: must be the list of sites of a configuration']],
  ['[]', ['sites: must be the list of sites of a configuration']],
  [
    'sites: [5, {name: {}, expectedStatusCodes: [ok], headers: {}, maxRedirects: -1}]',
    [
      'sites[0]: must be a site',
      'sites[1].name: must be text',
      'sites[1].headers: must be a list of headers',
      'sites[1].expectedStatusCodes[0]: must be a status',
      'sites[1].maxRedirects: must not be below 0',
    ],
  ],
])('problems of %s', (text, expected) => {
  expect(told({ kind: 'upptime', text })).toStrictEqual(expected.map((line) => `! ${line}`))
})
