import { expect, test } from 'vitest'
import { describeImport, describeMonitors } from './testing.ts'

test('converts a configuration, and names everything that was not imported', () => {
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
  expect(describeImport({ kind: 'upptime', text })).toStrictEqual([
    '+ Website https://www.example.com {"intervalSeconds":300}',
    '+ API https://api.example.com/health {"intervalSeconds":300,' +
      '"assertionStatusMin":200,"assertionStatusMax":201,"assertionBodyOp":"contains",' +
      '"assertionBodyValue":"\\"ok\\"","assertionBodyCaseSensitive":true}',
    '? : notifications: is not imported: files contain checks only',
    '? : status-website: is not imported: files contain checks only',
    '? : assignees: is not imported: files contain checks only',
    '? : user-agent: is not imported: files contain checks only',
    '? : sites.icon: is not imported (1 site)',
    '? : maxRetries: is not imported: failures of all checks are confirmed in the same way here (2 checks)',
    '? : requestTimeout: an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds (2 checks)',
    '? : expectedStatusCodes: 200 to 208, 226 and 300 to 308 are up there, 200 to 299 here (1 check)',
    '? : maxRedirects: up to 20 redirects are followed here, not 3 (2 checks)',
    '? : body: the first 256 KB of a body are read here (1 check)',
    '? API: maxResponseTime: a slow response is not degraded here',
    '- Secret: url: has the secret $SECRET_SITE: files contain literal URLs',
    '- DNS: check: files support http checks only; create it in the dashboard as a tcp check',
    '- Socket: check: WebSocket checks are not supported',
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
const followed = '? a: expectedStatusCodes: redirects are followed, and any other 3xx status is down here'

test.each<[object, string[]]>([
  [{ expectedStatusCodes: [200] }, [check(exactly(200))]],
  [{ expectedStatusCodes: ['404'] }, [check(exactly(404))]],
  [{ expectedStatusCodes: [301, 200] }, [check(exactly(200)), followed]],
  [
    { expectedStatusCodes: [200, 404] },
    ['- a: expectedStatusCodes: accepts 200, 404: a check has one status range'],
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
      '? a: __dangerous__body_down_if_text_missing: "y" is not searched here: a check has one body assertion',
    ],
  ],
  [
    { __dangerous__body_down: '$TEXT' },
    [check({}), '? a: __dangerous__body_down: has a secret, and is not imported'],
  ],
  [
    { __dangerous__body_degraded: 'x' },
    [check({}), '? a: __dangerous__body_degraded: text in the body cannot make a check degraded here'],
  ],
  [
    { __dangerous__insecure: true },
    [check({}), '? a: __dangerous__insecure: certificates are verified here: an untrusted one is down'],
  ],
  [{ check: 'http', __dangerous__insecure: false }, [check({})]],
  [
    { check: 'ssl' },
    [
      '- a: check: measures expiry only: files support http checks only; create it in the dashboard as a tcp check',
    ],
  ],
  [{ check: 'other' }, ['- a: check: unsupported check type "other"']],
  [{ url: 'https://a.example.org/$key' }, [expect.stringContaining('+ a https://a.example.org/$key')]],
  [{ url: 'https://a.example.org/$KEY' }, ['- a: url: has the secret $KEY: files contain literal URLs']],
  [{ url: 'a.example.org' }, ['- a: url: the URL must start with http:// or https://']],
  [{ method: 'POST', body: '{}' }, [expect.stringMatching(/^- a: method: is "POST"/)]],
  [
    { headers: ['Accept: a/b', 'Authorization: Bearer $TOKEN'] },
    ['- a: headers: sends "Accept", "Authorization": http checks send no custom headers'],
  ],
  [{ type: 'globalping' }, [check({}), '? a: type: is measured from the regions here']],
  [{ ipv6: true }, [check({}), '? a: ipv6: both address families are used here']],
])('%j', (fields, expected) => {
  expect(describeMonitors(site(fields))).toStrictEqual(expected)
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
  const all = describeImport({ kind: 'upptime', text })
  expect(all).toContain(`+ a https://a.example.org ${JSON.stringify({ intervalSeconds })}`)
  const message = 'is not a number of minutes: the checks use the default interval of the account'
  expect(all.includes(`? : workflowSchedule.uptime: ${message}`)).toBe(intervalSeconds === undefined)
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
  expect(describeImport({ kind: 'upptime', text })).toStrictEqual(expected.map((line) => `! ${line}`))
})
