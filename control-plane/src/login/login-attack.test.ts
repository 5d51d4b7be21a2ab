import { unknownGuessesPerHour } from '@probe-mesh/contracts/account/login-rules'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp, type Answer } from '../app/testing/test-app.ts'
import { asUser, logInAs, newUser, password } from '../app/testing/log-in.ts'

const at = useTestApp({ config: { trustProxy: ['127.0.0.1'] } })

let rounds = 0
/** The networks of the owner and of an attacker. Each test has its own. */
let home: Record<string, string>
let away: Record<string, string>
beforeEach(() => {
  rounds += 1
  home = { 'x-forwarded-for': `198.51.100.${rounds}` }
  away = { 'x-forwarded-for': `203.0.113.${rounds}` }
  at.hold()
})

/** The cookies that a browser sends back. */
const cookiesOf = ({ headers }: Answer): string =>
  [headers['set-cookie']]
    .flat()
    .map((cookie) => String(cookie).split(';')[0])
    .join('; ')
const deviceOf = (answer: Answer): string => /__Host-device=[\w-]+/.exec(cookiesOf(answer))?.[0] ?? ''
const guess = (email: string, headers: Record<string, string>, text = 'wrong') =>
  logInAs(at, email, { password: text, headers })
const askLink = (email: string, headers: Record<string, string>) =>
  at.call('POST', '/dashboard-api/login-links', { body: { email }, headers })
const linksTo = async (email: string): Promise<string[]> => {
  const rows = await at.sql<{ text: string }[]>`
    select message ->> 'text' as text from deliveries where recipient = ${email} order by sequence`
  return rows.map(({ text }) => /token=([\w-]{43})/.exec(text)?.[1] ?? '')
}
const confirm = (token: string, headers: Record<string, string>) =>
  at.call('POST', '/dashboard-api/login-links/confirm', { body: { token }, headers })

/** Sends wrong passwords until an attacker has to wait. */
const useUp = async (email: string, headers: Record<string, string>): Promise<void> => {
  for (let n = 0; n < 5; n++) expect(await guess(email, headers)).toMatchObject({ status: 401 })
  expect(await guess(email, headers)).toMatchObject({ status: 429, json: { code: 'SV-6005' } })
}

/** Sends all allowed attempts from 50 networks. @returns the number of compared passwords */
const attackFrom50Networks = async (email: string): Promise<number> => {
  let compared = 0
  for (let n = 0; n < 50; n++) {
    const headers = { 'x-forwarded-for': `192.0.2.${n + 1}` }
    const answers = await Promise.all([1, 2, 3].map(() => guess(email, headers)))
    compared += answers.filter(({ status }) => status === 401).length
  }
  return compared
}

describe('the owner is not locked out', () => {
  test('of a known browser on any network by five wrong passwords of others', async () => {
    const { email } = await newUser(at)
    const device = deviceOf(await logInAs(at, email, { headers: home }))
    await useUp(email, away)
    // from the attacker's network, which has no attempts left
    expect(await guess(email, { ...away, cookie: device }, password)).toMatchObject({ status: 200 })
  })

  test('of a known network, without any cookie', async () => {
    const { email } = await newUser(at)
    await logInAs(at, email, { headers: home })
    await useUp(email, away)
    expect(await guess(email, home, password)).toMatchObject({ status: 200 })
  })

  test('of a new network, by five wrong passwords from another', async () => {
    const { email } = await newUser(at)
    await useUp(email, away)
    expect(await guess(email, home, password)).toMatchObject({ status: 200 })
  })

  test('of a mailed link by any attempts', async () => {
    const { email } = await newUser(at)
    await attackFrom50Networks(email)
    const refused = await guess(email, away, password)
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6005' } })
    expect(refused.json.message).toContain('Request a login link')
    expect(await askLink(email, away)).toMatchObject({ status: 202 })
    const [link = ''] = await linksTo(email)
    expect(await confirm(link, away)).toMatchObject({ status: 200 })
    // and its browser and network are known afterwards
    expect(await guess(email, away, password)).toMatchObject({ status: 200 })
  })

  test('by 50 networks that attack at once', async () => {
    const { email } = await newUser(at)
    const device = deviceOf(await logInAs(at, email, { headers: home }))
    expect(await attackFrom50Networks(email)).toBeLessThanOrEqual(20)
    expect(await guess(email, home, password)).toMatchObject({ status: 200 })
    expect(await guess(email, { ...away, cookie: device }, password)).toMatchObject({ status: 200 })
  })
})

describe('guessing', () => {
  test('from changing networks is limited per hour, for known and unknown addresses', async () => {
    const { email } = await newUser(at)
    for (const address of [email, `nobody-${rounds}@example.org`]) {
      let compared = 0
      for (let n = 0; n < 240; n++) {
        const headers = { 'x-forwarded-for': `10.${rounds}.${address === email ? 0 : 1}.${n}` }
        if ((await guess(address, headers)).status === 401) compared += 1
        at.pass(15_000)
      }
      expect(compared).toBeGreaterThan(20)
      expect(compared).toBeLessThanOrEqual(unknownGuessesPerHour)
    }
  })

  test('in a known network spends the allowance of that network, not of a browser', async () => {
    const { email } = await newUser(at)
    const device = deviceOf(await logInAs(at, email, { headers: home }))
    await useUp(email, home)
    expect(await guess(email, { ...home, cookie: device }, password)).toMatchObject({ status: 200 })
  })

  test('by a known browser is limited', async () => {
    const { email } = await newUser(at)
    const device = deviceOf(await logInAs(at, email, { headers: home }))
    await useUp(email, { ...home, cookie: device })
  })

  test('a known browser of one account is unknown to another account', async () => {
    const [own, other] = [await newUser(at), await newUser(at)]
    const device = deviceOf(await logInAs(at, own.email, { headers: home }))
    await useUp(other.email, away)
    expect(await guess(other.email, { ...away, cookie: device })).toMatchObject({ status: 429 })
  })

  test('a forged device cookie is ignored', async () => {
    const { email } = await newUser(at)
    await logInAs(at, email, { headers: home })
    await useUp(email, away)
    const cookie = `__Host-device=${'A'.repeat(67)}`
    expect(await guess(email, { ...away, cookie }, password)).toMatchObject({ status: 429 })
  })

  test.each([
    ['/56', (n: number) => `2001:db8:${rounds}:10${n.toString(16).padStart(2, '0')}::1`, 10],
    ['/48', (n: number) => `2001:db8:${rounds}:${(n << 8).toString(16)}::1`, 20],
  ])('from many /64 of a %s counts as one network', async (_what, address, free) => {
    const { email } = await newUser(at)
    const answers = []
    for (let n = 0; n <= free; n++) answers.push(await guess(email, { 'x-forwarded-for': address(n) }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(free).fill(401), 429])
  })
})

describe('requests for a login link', () => {
  test('are all answered 202, and at most three are mailed in 15 minutes', async () => {
    const { email } = await newUser(at)
    const answers: Answer[] = []
    for (let n = 0; n < 30; n++)
      answers.push(await askLink(email, { 'x-forwarded-for': `172.16.${rounds}.${n}` }))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['202 {"requested":true}']),
    )
    expect(await linksTo(email)).toHaveLength(3)
    at.pass(15 * 60_000)
    await askLink(email, away)
    expect(await linksTo(email)).toHaveLength(4)
  })

  test("by others do not use up those of the owner's browser and network", async () => {
    const { email } = await newUser(at)
    const device = deviceOf(await logInAs(at, email, { headers: home }))
    for (let n = 0; n < 5; n++) await askLink(email, away)
    expect(await linksTo(email)).toHaveLength(3)
    await askLink(email, home)
    await askLink(email, { ...away, cookie: device })
    const links = await linksTo(email)
    expect(links).toHaveLength(5)
    expect(await confirm(links.at(-1) ?? '', away)).toMatchObject({ status: 200 })
  })

  test('by others mail working links to the owner', async () => {
    const { email } = await newUser(at)
    for (let n = 0; n < 5; n++) await askLink(email, away)
    expect(await askLink(email, home)).toMatchObject({ status: 202 })
    expect(await confirm((await linksTo(email))[0] ?? '', home)).toMatchObject({ status: 200 })
  })

  test('from one network to many addresses are limited', async () => {
    const users = await Promise.all(Array.from({ length: 35 }, () => newUser(at)))
    for (const { email } of users) expect(await askLink(email, away)).toMatchObject({ status: 202 })
    const mailed = await Promise.all(users.map(({ email }) => linksTo(email)))
    expect(mailed.flat()).toHaveLength(30)
  })
})

describe('known browsers and networks', () => {
  test('are stored as hashes, at most twenty of each', async () => {
    const { email, accountId } = await newUser(at)
    for (let n = 0; n < 25; n++)
      await logInAs(at, email, { headers: { 'x-forwarded-for': `10.9.${rounds}.${n}` } })
    const rows = await at.sql<{ kind: string; mark: Buffer }[]>`
      select kind, mark from login_marks where account_id = ${accountId}`
    expect(rows.filter(({ kind }) => kind === 'browser')).toHaveLength(20)
    expect(rows.filter(({ kind }) => kind === 'network')).toHaveLength(20)
    expect(rows.every(({ mark }) => mark.length === 32)).toBe(true)
  })

  test('expire after 90 days for a network', async () => {
    const { email } = await newUser(at)
    await logInAs(at, email, { headers: home })
    at.pass(90 * 86_400_000)
    await useUp(email, home)
    await attackFrom50Networks(email)
    expect(await guess(email, home, password)).toMatchObject({ status: 429 })
  })

  test('end when the password is changed, except the current one', async () => {
    const { email } = await newUser(at)
    const thief = deviceOf(await logInAs(at, email, { headers: away }))
    const owner = await logInAs(at, email, { headers: home })
    const newPassword = 'violet kettle orbit cactus'
    const changed = await at.call('POST', '/dashboard-api/password', {
      body: { currentPassword: password, newPassword },
      headers: { ...home, cookie: cookiesOf(owner) },
    })
    expect(changed).toMatchObject({ status: 200 })
    await attackFrom50Networks(email)
    const other = { 'x-forwarded-for': '192.0.2.250' }
    expect(await guess(email, { ...other, cookie: thief }, newPassword)).toMatchObject({
      status: 429,
    })
    const device = deviceOf(owner)
    expect(await guess(email, { ...other, cookie: device }, newPassword)).toMatchObject({
      status: 200,
    })
  })

  test('outlive a logout: the device cookie stays and gives no access', async () => {
    const { email } = await newUser(at)
    const owner = await logInAs(at, email, { headers: home })
    expect(String([owner.headers['set-cookie']].flat()[1])).toMatch(
      /^__Host-device=[\w-]{67}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=31536000$/,
    )
    const ended = await asUser(at, { cookie: cookiesOf(owner) }, 'DELETE', '/session')
    expect(String(ended.headers['set-cookie'])).not.toContain('__Host-device')
    expect(await asUser(at, { cookie: deviceOf(owner) }, 'GET', '/session')).toMatchObject({
      status: 401,
    })
  })
})
