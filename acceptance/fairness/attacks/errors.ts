import { gzipSync } from 'node:zlib'
import type { Person } from '../person.ts'
import { send } from '../send.ts'
import { repeat, turnOf, type Attack } from '../attack.ts'

const keys = 20_000

/** An event whose values are all expensive to scrub. */
const costlyEvent = (): Buffer => {
  const extra = Object.fromEntries(
    Array.from({ length: keys }, (_, number) => [`k${number}`, 'http://a:b@c']),
  )
  const event = { platform: 'node', level: 'error', message: 'costly', extra }
  return gzipSync(JSON.stringify(event))
}

const dsnOf = async (person: Person): Promise<URL> => {
  const { id } = await person.requestOk<{ id: string }>('POST', '/error-projects', {
    name: 'flood',
    platform: 'node',
  })
  const { projects } = await person.requestOk<{ projects: { id: string; dsn: string }[] }>(
    'GET',
    '/errors/projects',
  )
  return new URL(projects.find((project) => project.id === id)?.dsn ?? '')
}

export const costlyEvents: Attack = {
  name: 'error events that are expensive to scrub',
  run: async ({ stage, people, signal, begun }) => {
    const dsns = await Promise.all(people.map(dsnOf))
    const body = costlyEvent()
    begun()
    await repeat(8, signal, (line) => {
      const { username, pathname } = turnOf(dsns, line)
      return send(`${stage.origin}/api${pathname}/store/`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${username}`,
        },
        body,
        from: turnOf(people, line).from,
        signal,
      })
    })
  },
}
