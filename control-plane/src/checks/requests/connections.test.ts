import { Assignment, toHeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { receiversOf, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { typesWithSettings } from '@probe-mesh/contracts/check/types-with-settings'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, test } from 'vitest'
import { asUser, loggedIn } from '../../app/testing/log-in.ts'
import { useTestApp, type Answer } from '../../app/testing/test-app.ts'
import { findCheck } from '../../records/check/checks-store.ts'
import { assignmentOf } from '../assignment-of.ts'

/** How checks connect: saved, refused, sent to agents and kept by older versions. */

const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useEach(() => loggedIn(at))
const certificates = useOnce(() => createCertificates())
afterAll(() => certificates.remove())

const url = 'https://shop.example.org/health'
const create = (body: object): Promise<Answer> =>
  asUser(at, user, 'POST', '/typed-checks', { type: 'http', name: 'shop', url, regions: ['fra'], ...body })
const tcp = (settings: object): Promise<Answer> =>
  asUser(at, user, 'POST', '/typed-checks', {
    type: 'tcp',
    name: 'db',
    regions: ['fra'],
    settings: { host: 'db.example.org', port: 5432, ...settings },
  })
const edit = (id: string, body: object): Promise<Answer> =>
  asUser(at, user, 'PATCH', `/typed-checks/${id}`, body)
const problemsOf = ({ json }: Answer): string[] =>
  json.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
const storedOf = async (id: string) =>
  (await at.sql`select config, url, asked_hosts as hosts from checks where id = ${id}`)[0]
const assignmentOfCheck = async (id: string) => {
  const [row] = await at.sql<
    { accountId: string }[]
  >`select account_id as "accountId" from checks where id = ${id}`
  const check = await findCheck(at.sql, row?.accountId ?? '', id)
  return check === null ? null : assignmentOf(check, 'fra')
}

const pin = 'sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

describe('an http check', () => {
  test('is saved with its address, Host, SNI, authority and pin, and counts for the host that is dialled', async () => {
    const request = {
      connectTo: 'origin.example.net:8443',
      hostHeader: 'www.example.org',
      serverName: 'www.example.org',
      caCertificates: certificates.ca,
      pins: [pin],
    }
    const made = await create({ request })
    expect(made).toMatchObject({ status: 201, json: { url, hasRequest: true } })
    // earlier versions know neither the type nor the members, and leave the check alone
    expect(await storedOf(made.json.id)).toMatchObject({
      config: { type: 'http_request', request },
      url,
      hosts: ['origin.example.net'],
    })
    expect(await assignmentOfCheck(made.json.id)).toMatchObject({ type: 'http_request', url, request })
  })

  test.each([
    ['10.0.0.1', 'the address is not public: private, local and reserved ranges are refused'],
    ['[fd00::1]:443', 'the address is not public: private, local and reserved ranges are refused'],
    ['169.254.169.254:80', 'the address is not public: private, local and reserved ranges are refused'],
    ['db.internal', 'the host name is reserved for internal networks'],
    ['db', 'the host must be a full domain name'],
    ['origin.example.net:22', 'the port 22 is not allowed: use 80, 443, or a web port from 1024 up'],
    ['https://origin.example.net', 'the host is not a valid domain name or address'],
    ['a b', 'the host is not a valid domain name or address'],
  ])('that connects to %s is refused like any such target', async (connectTo, message) => {
    const refused = await create({ request: { connectTo } })
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-5001' } })
    expect(problemsOf(refused)).toEqual([`request.connectTo ${message}`])
    const made = await create({})
    expect(await edit(made.json.id, { request: { connectTo } })).toMatchObject({ status: 422 })
    const steps = [{ name: 'a', method: 'GET', url, options: { connectTo } }]
    const journey = await create({ type: 'multistep', url: undefined, steps })
    expect(problemsOf(journey)).toEqual([`steps[0].options.connectTo ${message}`])
  })

  test('whose settings cannot apply is refused with all reasons', async () => {
    const block = (label: string, text: string): string =>
      `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`
    const refused = await create({
      url: 'http://shop.example.org/',
      request: { serverName: 'a.example.org', pins: [pin], caCertificates: block('CERTIFICATE', 'AAAA') },
    })
    expect(problemsOf(refused)).toEqual([
      'request.serverName a name for TLS needs an https URL',
      'request.pins a pinned certificate needs an https URL',
      'request.caCertificates an own authority needs an https URL',
      'request.caCertificates certificate 1 cannot be read as a certificate in PEM',
    ])
    const mixed = certificates.ca + block('X509 CRL', 'AAAA')
    expect(problemsOf(await create({ request: { caCertificates: mixed } }))).toEqual([
      'request.caCertificates has a block that is no certificate, or has no end; remove it',
    ])
    const withKey = certificates.ca + certificates.caKey
    expect(problemsOf(await create({ request: { caCertificates: withKey } }))).toEqual([
      expect.stringContaining('request.caCertificates contains a private key'),
    ])
  })

  test.each(['a b', 'www.example.org/x', 'a\r\nb', 'www.example.org:port', 'me@a', '[::1', ''])(
    'takes no Host %j',
    async (hostHeader) => {
      expect(await create({ request: { hostHeader } })).toMatchObject({
        status: 422,
        json: { code: 'SV-2001' },
      })
    },
  )

  test('keeps them when REST changes or replaces it', async () => {
    const request = { connectTo: 'origin.example.net' }
    const { id } = (await create({ request })).json
    const replaced = await asUser(at, user, 'POST', `/checks/${id}/replace`, { name: 'other' })
    expect(replaced).toMatchObject({ status: 201, json: { hasRequest: true } })
    expect(await storedOf(replaced.json.id)).toMatchObject({ config: { request } })
  })
})

test.each<[object, string | null]>([
  [{ addressFamily: 'ipv6', request: { connectTo: '1.1.1.1:8443' } }, 'IPv4'],
  [{ addressFamily: 'ipv6', request: { connectTo: '0x01010101' } }, 'IPv4'],
  [{ addressFamily: 'ipv4', request: { connectTo: '2606:4700::1111' } }, 'IPv6'],
  [{ addressFamily: 'ipv4', request: { connectTo: '[2606:4700::1111]:443' } }, 'IPv6'],
  [{ addressFamily: 'ipv6', url: 'https://1.1.1.1/' }, 'IPv4'],
  [{ addressFamily: 'ipv4', url: 'https://[2606:4700::1111]/' }, 'IPv6'],
  [{ addressFamily: 'ipv6', request: { connectTo: '2606:4700::1111' }, url: 'https://1.1.1.1/' }, null],
  [{ addressFamily: 'ipv6', request: { connectTo: '127.0.0.1' } }, 'IPv4'],
  [{ addressFamily: 'ipv4', request: { connectTo: '1.1.1.1' } }, null],
  [{ addressFamily: 'ipv6', request: { connectTo: 'origin.example.net:8443' } }, null],
])('a family that the connected address does not have is refused: %j', async (given, family) => {
  const { addressFamily, request = {}, ...more } = given as { addressFamily: string; request?: object }
  const made = await create({ request: { ...request, addressFamily }, ...more })
  if (family === null) expect(made).toMatchObject({ status: 201 })
  else {
    expect(problemsOf(made)).toEqual([
      `request.addressFamily is never met: the address that is connected is ${family}`,
    ])
  }
})

describe('secrets of a request that is connected elsewhere', () => {
  const own = 'https://shop.example.org/'
  test.each<[what: string, request: HttpRequest, others: string[]]>([
    ['a proved host gets them at any address', { connectTo: '203.0.113.9:8443' }, []],
    ['the same name for TLS proves it too', { connectTo: '203.0.113.9', serverName: 'Shop.example.org' }, []],
    [
      'an own authority proves nothing',
      { connectTo: '203.0.113.9:8443', caCertificates: 'x' },
      ['https://203.0.113.9:8443/'],
    ],
    [
      'another name for TLS proves another host',
      { connectTo: 'evil.example.net', serverName: 'evil.example.net' },
      ['https://evil.example.net/'],
    ],
    ['a name for TLS alone', { serverName: 'evil.example.net' }, ['https://evil.example.net/']],
    ['a Host names another site', { hostHeader: 'evil.example.net' }, ['https://evil.example.net/']],
    ['an IPv6 address', { connectTo: '2001:db8::1', caCertificates: 'x' }, ['https://[2001:db8::1]/']],
    ['its own host again', { hostHeader: 'shop.example.org', connectTo: 'shop.example.org' }, []],
  ])('%s', (_, request, others) => {
    expect(receiversOf(own, request)).toEqual([own, ...others])
  })

  test('over plain http any connected host gets them', () => {
    expect(receiversOf('http://a.example.org:8080/', { connectTo: 'b.example.org' })).toEqual([
      'http://a.example.org:8080/',
      'http://b.example.org:8080/',
    ])
  })

  test('must be allowed for every host that gets them', async () => {
    await asUser(at, user, 'POST', '/secrets', {
      name: 'key',
      value: 'correct horse battery',
      hosts: ['shop.example.org'],
    })
    const headers = [{ name: 'x-key', value: '{{ secret.key }}' }]
    expect(await create({ request: { headers, connectTo: 'origin.example.net' } })).toMatchObject({
      status: 201,
    })
    const refused = await create({ request: { headers, hostHeader: 'evil.example.net' } })
    expect(problemsOf(refused)).toEqual([
      'request.headers[0].value the secret key may be sent to shop.example.org only; add evil.example.net to its hosts',
    ])
  })

  test.each(['evil.example.net:99999', '1.2.3.4.5', '[1.2.3.4]'])(
    'must not pass that rule by a Host that is none: %s',
    async (hostHeader) => {
      expect(problemsOf(await create({ request: { hostHeader } }))).toEqual([
        'request.hostHeader must be a host, with a port or without',
      ])
    },
  )

  test('that are typed in clear are bound to all of them', async () => {
    const auth = { type: 'bearer', token: 'tok-of-the-shop-1' }
    const made = await create({ request: { auth, hostHeader: 'www.example.org' } })
    expect(made).toMatchObject({ status: 201 })
    const { secrets } = (await asUser(at, user, 'GET', '/secrets')).json
    expect(secrets).toMatchObject([{ hosts: ['shop.example.org', 'www.example.org'] }])
  })
})

describe('a tcp check', () => {
  test('is saved with TLS, its authority, its pin and its limit', async () => {
    const settings = {
      security: 'postgres',
      caCertificates: certificates.ca,
      pins: [pin],
      certificateDaysMin: 7,
    }
    const made = await tcp(settings)
    expect(made).toMatchObject({ status: 201 })
    expect(await assignmentOfCheck(made.json.id)).toMatchObject({ type: 'tcp', settings })
  })

  test('has no settings of TLS without TLS, and no authority that cannot be read', async () => {
    expect(
      problemsOf(await tcp({ serverName: 'a.example.org', pins: [pin], certificateDaysMin: 7 })),
    ).toEqual([
      'settings.serverName needs TLS',
      'settings.pins needs TLS',
      'settings.certificateDaysMin needs TLS',
    ])
    const caCertificates = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
    expect(problemsOf(await tcp({ security: 'tls', caCertificates }))).toEqual([
      'settings.caCertificates certificate 1 cannot be read as a certificate in PEM',
    ])
  })

  test('expects no text that cannot come: a server that started TLS by a command waits for its client', async () => {
    for (const security of ['imap', 'pop3', 'postgres', 'ldap', 'xmpp']) {
      expect(problemsOf(await tcp({ security, expect: '* OK' }))).toEqual([
        'settings.expect is never met: after the command that starts TLS the server waits for its client; leave it empty, TLS is the answer',
      ])
      expect(await tcp({ security, port: 8443, send: 'a', expect: '* OK' })).toMatchObject({ status: 201 })
    }
    expect(await tcp({ security: 'tls', port: 993, expect: '* OK' })).toMatchObject({ status: 201 })
  })

  test('still sends nothing to other ports than those of web servers, over TLS as well (S-502)', async () => {
    expect(await tcp({ security: 'tls', port: 993, send: 'a LOGIN' })).toMatchObject({
      json: { code: 'SV-5001' },
    })
  })
})

describe('an earlier version', () => {
  /** The settings as they were: strict, without the later members. */
  const former = typesWithSettings.tcp.Settings.omit({
    security: true,
    serverName: true,
    caCertificates: true,
    pins: true,
    certificateDaysMin: true,
  })

  test('reads each tcp check without TLS as before', async () => {
    const { id } = (await tcp({})).json
    const assignment = await assignmentOfCheck(id)
    const settings = assignment?.type === 'tcp' ? assignment.settings : null
    expect(former.strict().safeParse(settings).success).toBe(true)
    expect((await storedOf(id))?.['config']).toEqual({
      type: 'tcp',
      settings: { host: 'db.example.org', port: 5432, send: null, expect: null },
    })
  })

  test('refuses what it does not know, and its agents report the check as not understood', async () => {
    const { id } = (await tcp({ security: 'imap' })).json
    const assignment = await assignmentOfCheck(id)
    const settings = assignment?.type === 'tcp' ? assignment.settings : null
    expect(former.strict().safeParse(settings).success).toBe(false)
    // the same happens here to a member of a later version
    const later = { ...assignment, settings: { ...settings, later: 1 } }
    expect(Assignment.safeParse(later).success).toBe(false)
    expect(toHeldAssignment(later)).toMatchObject({ type: 'unknown', sentType: 'tcp' })
    const made = await create({ request: { connectTo: 'origin.example.net' } })
    const sent = await assignmentOfCheck(made.json.id)
    const request = sent?.type === 'http_request' ? sent.request : {}
    expect(toHeldAssignment({ ...sent, request: { ...request, later: 1 } })).toMatchObject({
      type: 'unknown',
    })
  })
})
