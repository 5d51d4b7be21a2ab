import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { becomesTrue } from '@probe-mesh/infra/start/embedded/bounded'
import { logIn } from './person.ts'
import type { Person } from './person.ts'
import { send } from './send.ts'

const waitMs = 60_000

/** What an account that asks for little sees of the service. Every figure is in ms. */
export type Victim = {
  /** Its site fails in every region until its alert has come. @returns how long that took */
  outageIsTold(): Promise<number>
  /** Its site is well again until that has been told. */
  recoveryIsTold(): Promise<number>
  /** Asks for a run. @returns the regions that answered, and how long that took */
  runNow(): Promise<{ regions: number; took: number }>
  /** Sends an error event. @returns how long it took until it is listed */
  eventIsStored(): Promise<number>
  /** Reads its account over the dashboard. */
  read(): Promise<number>
  /** Logs in by password from a network that it knows. @throws where it is refused */
  logsIn(): Promise<number>
  close(): Promise<void>
}

const until = async (what: string, check: () => Promise<boolean> | boolean): Promise<number> => {
  const begun = performance.now()
  const came = await becomesTrue(async () => check(), { waitMs, everyMs: 20 })
  if (!came) throw new Error(`${what}: not within ${waitMs / 1_000} s`)
  return performance.now() - begun
}

/** @param person of a tier that may measure every second */
export const createVictim = async (
  person: Pick<Person, 'email' | 'password' | 'from' | 'ask' | 'done'>,
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
  /** A channel gets five messages a minute by themselves: each outage is told to another one. */
  const listenAnew = async (): Promise<void> => {
    if (channel !== null) await person.done('DELETE', `/notification-channels/${channel.id}`)
    channels += 1
    const config = { url: `${site}/hook/${channels}` }
    const webhook = { name: 'on call', type: 'json', config }
    channel = await person.done<{ id: string }>('POST', '/notification-channels', webhook)
    await person.done('POST', `/notification-channels/${channel.id}/test`)
  }
  const check = await person.done<{ id: string }>('POST', '/checks', {
    name: 'shop',
    url: `${site}/`,
    intervalSeconds: 2,
  })
  const project = await person.done<{ id: string }>('POST', '/error-projects', {
    name: 'shop',
    platform: 'node',
  })
  const { projects } = await person.done<{ projects: { id: string; dsn: string }[] }>(
    'GET',
    '/errors/projects',
  )
  const dsn = new URL(projects.find(({ id }) => id === project.id)?.dsn ?? '')
  const statusOf = async (): Promise<string> =>
    (await person.done<{ status: string }>('GET', `/checks/${check.id}`)).status
  await until('the check is operational', async () => (await statusOf()) === 'operational')
  let events = 0

  const isTold = async (what: string): Promise<number> => {
    messages.length = 0
    return until(`the alert of ${what}`, () => messages.length > 0)
  }
  return {
    outageIsTold: async () => {
      await listenAnew()
      isWell = false
      return isTold('the outage')
    },
    recoveryIsTold: () => {
      isWell = true
      return isTold('the recovery')
    },
    runNow: async () => {
      const begun = performance.now()
      const { readings } = await person.done<{ readings: unknown[] }>('POST', `/checks/${check.id}/run`, {})
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
        const { text } = await person.ask('GET', path)
        return text.includes(message)
      })
      return performance.now() - begun
    },
    read: async () => {
      const begun = performance.now()
      await person.done('GET', '/checks')
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
