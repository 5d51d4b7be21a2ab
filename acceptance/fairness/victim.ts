import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { becomesTrue } from '@probe-mesh/infra/start/embedded/bounded'
import { logIn, type Person } from './person.ts'
import { send } from './send.ts'

const waitMs = 60_000

/** The service as an account with normal use sees it. All durations are in ms. */
export type Victim = {
  /** Makes its site fail in every region until the alert arrives. @returns the duration */
  outageIsNotified(): Promise<number>
  /** Repairs its site and waits for the notification. @returns the duration */
  recoveryIsNotified(): Promise<number>
  /** Requests a run. @returns the number of regions that answered, and the duration */
  runNow(): Promise<{ regions: number; took: number }>
  /** Sends an error event. @returns the time until it is listed */
  eventIsStored(): Promise<number>
  /** Logs in by password from a known network. @throws if refused */
  logsIn(): Promise<number>
  close(): Promise<void>
}

const until = async (what: string, check: () => Promise<boolean> | boolean): Promise<number> => {
  const begun = performance.now()
  const came = await becomesTrue(async () => check(), { waitMs, everyMs: 20 })
  if (!came) throw new Error(`${what}: not within ${waitMs / 1_000} s`)
  return performance.now() - begun
}

/** @param person with a plan that allows an interval of 1 s */
export const createVictim = async (
  person: Pick<Person, 'email' | 'password' | 'from' | 'request' | 'requestOk'>,
  { origin, address }: { origin: string; address: string },
): Promise<Victim> => {
  let isWell = true
  const messages: string[] = []
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hook') !== true) {
      response.statusCode = isWell ? 200 : 500
      response.end('shop')
      return
    }
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.once('end', () => {
      messages.push(body)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const site = `http://${address}:${(server.address() as AddressInfo).port}`

  let channel: { id: string } | null = null
  let channels = 0
  /** Creates a new channel for each outage, because a channel gets at most five single messages a minute. */
  const createChannel = async (): Promise<void> => {
    if (channel !== null) await person.requestOk('DELETE', `/notification-channels/${channel.id}`)
    channels += 1
    const config = { url: `${site}/hook/${channels}` }
    const webhook = { name: 'on call', type: 'json', config }
    channel = await person.requestOk<{ id: string }>('POST', '/notification-channels', webhook)
    await person.requestOk('POST', `/notification-channels/${channel.id}/test`)
  }
  const check = await person.requestOk<{ id: string }>('POST', '/checks', {
    name: 'shop',
    url: `${site}/`,
    intervalSeconds: 2,
  })
  const project = await person.requestOk<{ id: string }>('POST', '/error-projects', {
    name: 'shop',
    platform: 'node',
  })
  const { projects } = await person.requestOk<{ projects: { id: string; dsn: string }[] }>(
    'GET',
    '/errors/projects',
  )
  const dsn = new URL(projects.find(({ id }) => id === project.id)?.dsn ?? '')
  const statusOf = async (): Promise<string> =>
    (await person.requestOk<{ status: string }>('GET', `/checks/${check.id}`)).status
  await until('the check is operational', async () => (await statusOf()) === 'operational')
  let events = 0

  const isNotified = async (what: string): Promise<number> => {
    messages.length = 0
    return until(`the alert of ${what}`, () => messages.length > 0)
  }
  return {
    outageIsNotified: async () => {
      await createChannel()
      isWell = false
      return isNotified('the outage')
    },
    recoveryIsNotified: () => {
      isWell = true
      return isNotified('the recovery')
    },
    runNow: async () => {
      const begun = performance.now()
      const { readings } = await person.requestOk<{ readings: unknown[] }>(
        'POST',
        `/checks/${check.id}/run`,
        {},
      )
      return { regions: readings.length, took: performance.now() - begun }
    },
    eventIsStored: async () => {
      events += 1
      const message = `the order failed ${String.fromCodePoint(96 + events).repeat(8)}`
      const event = {
        event_id: crypto.randomUUID().replaceAll('-', ''),
        timestamp: Date.now() / 1_000,
        platform: 'node',
        level: 'error',
        exception: { values: [{ type: `Order${events}`, value: message }] },
      }
      const begun = performance.now()
      const sent = await send(`${origin}/api${dsn.pathname}/store/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${dsn.username}`,
        },
        body: JSON.stringify(event),
      })
      if (sent.status !== 200) throw new Error(`the event was refused: ${sent.text}`)
      await until('the event is listed', async () => {
        const path = `/errors/projects/${project.id}/issues?limit=500`
        const { text } = await person.request('GET', path)
        return text.includes(message)
      })
      return performance.now() - begun
    },
    logsIn: async () => {
      const begun = performance.now()
      await logIn(origin, person)
      return performance.now() - begun
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
