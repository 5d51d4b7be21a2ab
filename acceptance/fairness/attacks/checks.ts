import type { IncomingMessage } from 'node:http'
import { regions } from '../stage.ts'
import type { Person } from '../person.ts'
import { pause } from '@probe-mesh/runtime/pause'
import { repeat, turnOf, type Attack } from '../attack.ts'

const regionOf = ({ headers }: IncomingMessage): string => String(headers['probe-region'])

const hosts = 60
/** Whole rounds of the fastest check of the attackers, so that the failures are measured everywhere. */
const roundMs = 3_000

/** Creates a check with the person's fastest interval. @returns its id; null: refused */
const watch = async (person: Person, url: string): Promise<string | null> => {
  const answer = await person.request('POST', '/checks', { name: url, url, sendRegion: true })
  return answer.status === 201 ? (JSON.parse(answer.text) as { id: string }).id : null
}

/** The attackers' sites fail for one region, then each third of them for another one. */
export const regionalFailures: Attack = {
  name: 'sites that fail in one region only',
  run: async ({ stage, people, signal, begun }) => {
    let failing = (_host: number): string => 'nrt'
    const checks: { person: Person; id: string }[] = []
    for (let host = 0; host < hosts; host++) {
      const url = await stage.site(`127.0.20.${host + 1}`, (request, response) => {
        response.statusCode = regionOf(request) === failing(host) ? 500 : 200
        response.end('site')
      })
      const person = turnOf(people, host)
      const id = await watch(person, `${url}/`)
      if (id !== null) checks.push({ person, id })
    }
    if (checks.length < hosts / 2) throw new Error(`only ${checks.length} checks were created`)
    const attack = repeat(8, signal, async (line) => {
      const { person, id } = turnOf(checks, line + Math.floor(Math.random() * checks.length))
      await person.request('POST', `/checks/${id}/run`, {}, signal)
    })
    await pause(2 * roundMs, signal)
    failing = (host) => turnOf(regions, host % 3)
    await pause(2 * roundMs, signal)
    begun()
    await attack
  },
}

/** Trials of a target that accepts a connection and never answers. */
export const silentTrials: Attack = {
  name: 'trial runs of a silent target',
  run: async ({ stage, people, signal, begun }) => {
    const silent = await stage.site('127.0.21.1', () => undefined)
    begun()
    await repeat(130, signal, (line) =>
      turnOf(people, line).request(
        'POST',
        '/trials',
        { type: 'http', name: 'trial', url: `${silent}/${line}`, intervalSeconds: 300 },
        signal,
      ),
    )
  },
}

/** Trials of browser checks whose page never loads, so that each lasts until its timeout. */
export const slowPages: Attack = {
  name: 'trial runs of pages that do not load',
  run: async ({ stage, people, signal, begun }) => {
    const silent = await stage.site('127.0.21.2', begun)
    await repeat(2 * people.length, signal, (line) =>
      turnOf(people, line).request(
        'POST',
        '/trials',
        { type: 'browser', name: 'trial', settings: { url: `${silent}/${line}` } },
        signal,
      ),
    )
  },
}
